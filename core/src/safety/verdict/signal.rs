//! This module reads off a signal's name which way it points: 0 of a bad thing is healthy, 0 of a good thing is not. It
//! weighs no value.

use super::Polarity;
use super::lexicon::{LEXICON, Role};

/// Which way a signal of that name points; `None` when the name does not say, or says both.
pub(super) fn polarity_of(name: &str) -> Option<Polarity> {
    let mut found: Option<Polarity> = None;
    let (mut weak, mut negated, mut timeout, mut particle, mut up) =
        (false, false, false, false, false);
    for (index, word) in words(name).enumerate() {
        up = false;
        let role = LEXICON.signals.get(word);
        let polarity = match (role, role.and_then(Role::polarity)) {
            (Some(Role::Setting), _) => return None,
            (Some(Role::Bound), _) if index == 0 => return None,
            (_, Some(polarity)) if negated => turned(polarity)?,
            (_, Some(polarity)) => polarity,
            (Some(Role::Count), _) if timeout => Polarity::Fault,
            (Some(Role::Budget), _) if found == Some(Polarity::Fault) => {
                found = Some(Polarity::Stock);
                continue;
            }
            _ => {
                negated |= role == Some(Role::Not);
                weak |= role == Some(Role::Weak);
                timeout |= role == Some(Role::Timeout);
                particle |= role == Some(Role::Particle);
                up = role == Some(Role::Up) && !particle;
                continue;
            }
        };
        negated = false;
        found = match found {
            Some(earlier) if is_bad(earlier) != is_bad(polarity) => return None,
            _ => Some(polarity),
        };
    }
    found.or_else(|| up.then_some(Polarity::Share)).or_else(|| weak.then_some(Polarity::Load))
}

/// Whether more of the signal is worse.
pub(super) const fn is_bad(polarity: Polarity) -> bool {
    matches!(polarity, Polarity::Fault | Polarity::Backlog | Polarity::Load)
}

/// The signal with `not` before it.
const fn turned(polarity: Polarity) -> Option<Polarity> {
    if is_bad(polarity) { None } else { Some(Polarity::Fault) }
}

/// What a condition or a switch of that name is when all is well; `None` when the name does not say.
pub(super) fn when_well(name: &str) -> Option<bool> {
    LEXICON.conditions.get(name).or_else(|| match polarity_of(name)? {
        Polarity::Fault => Some(false),
        Polarity::Share | Polarity::Stock => Some(true),
        Polarity::Backlog | Polarity::Load => None,
    })
}

/// Whether a name says that its number is a share.
pub(super) fn is_share(name: &str) -> bool {
    words(name).any(|word| LEXICON.shares.has(word))
}

/// Whether a name is that of a counter as its process exposes it.
pub(super) fn is_counter(name: &str) -> bool {
    name.ends_with("_total")
}

/// Whether a name says nothing by itself and its surroundings name the signal.
pub(super) fn is_generic(name: &str) -> bool {
    words(name).all(|word| LEXICON.generic.has(word))
}

/// Whether one name contains the other, word by word.
pub(super) fn same_signal(a: &str, b: &str) -> bool {
    let contains = |long: &str, short: &str| {
        let starts: Vec<&str> = words(long).collect();
        (0..=starts.len()).any(|from| {
            let mut tail = starts.iter().skip(from);
            words(short).all(|word| tail.next().is_some_and(|next| next.eq_ignore_ascii_case(word)))
        })
    };
    contains(a, b) || contains(b, a)
}

/// The words of a name: `http_5xx.errorRate` is `http`, `5xx`, `error`, `Rate`; `OOMKills` is `OOM`, `Kills`.
pub(super) fn words(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.flat_map(|part| {
        let mut rest = part;
        core::iter::from_fn(move || {
            let (word, after) = rest.split_at_checked(hump_end(rest)).unwrap_or((rest, ""));
            rest = after;
            (!word.is_empty()).then_some(word)
        })
    })
}

/// Where a capital begins the next word.
fn hump_end(part: &str) -> usize {
    let mut small = false;
    let mut chars = part.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next_small = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        if at > 0 && c.is_uppercase() && (small || next_small) {
            return at;
        }
        small = !c.is_uppercase();
    }
    part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h20_polarity_belongs_to_the_name() {
        for (name, expected) in [
            ("error_rate", Some(Polarity::Fault)),
            ("http_requests_5xx_total", Some(Polarity::Fault)),
            ("restartCount", Some(Polarity::Fault)),
            ("OOMKills", Some(Polarity::Fault)),
            ("unavailable_replicas", Some(Polarity::Fault)),
            ("nodes_not_ready", Some(Polarity::Fault)),
            ("timeouts", Some(Polarity::Fault)),
            ("timeout_count", Some(Polarity::Fault)),
            ("queue_timeouts", Some(Polarity::Fault)),
            ("cpu_throttling", Some(Polarity::Fault)),
            ("consumer_lag", Some(Polarity::Backlog)),
            ("error_queue_depth", Some(Polarity::Backlog)),
            ("p99 latency", Some(Polarity::Load)),
            ("error_latency", Some(Polarity::Load)),
            ("cpu", Some(Polarity::Load)),
            ("readyReplicas", Some(Polarity::Stock)),
            ("disk_free_bytes", Some(Polarity::Stock)),
            ("memory_available", Some(Polarity::Stock)),
            ("error_budget_remaining", Some(Polarity::Stock)),
            ("availability", Some(Polarity::Share)),
            ("success_rate", Some(Polarity::Share)),
            ("up", Some(Polarity::Share)),
            ("pg_up", Some(Polarity::Share)),
            ("scale_up", None),
            ("up_to_date", None),
            ("timeout", None),
            ("timeout_seconds", None),
            ("failureThreshold", None),
            ("maxUnavailable", None),
            ("error_code", None),
            ("time_since_last_error", None),
            ("baseline_error_rate", None),
            ("errors_resolved", None),
            ("error_free_minutes", None),
            ("not_failed", None),
            ("goroutines", None),
            ("", None),
        ] {
            assert_eq!(polarity_of(name), expected, "{name}");
        }
    }

    #[test]
    fn signals_match_word_by_word() {
        assert!(same_signal("errors", "http_errors_total"));
        assert!(same_signal("checkout.errorRate", "error_rate"));
        assert!(!same_signal("error", "terrors"));
        assert!(!same_signal("error_rate", "error_count"));
    }
}
