//! Derives a signal's polarity from its name.

use super::Polarity;
use super::lexicon::{LEXICON, Role};

/// Returns the polarity of a signal, or `None` if its name is inconclusive.
pub(super) fn polarity_of(name: &str) -> Option<Polarity> {
    let mut result: Option<Polarity> = None;
    let (mut has_weak, mut is_negated, mut follows_timeout, mut has_particle, mut ends_with_up) =
        (false, false, false, false, false);
    for (index, word) in words(name).enumerate() {
        ends_with_up = false;
        let role = LEXICON.signals.get(word);
        let polarity = match (role, role.and_then(Role::polarity)) {
            (Some(Role::Setting), _) => return None,
            (Some(Role::Bound), _) if index == 0 => return None,
            (_, Some(polarity)) if is_negated => negate(polarity)?,
            (_, Some(polarity)) => polarity,
            (Some(Role::Count), _) if follows_timeout => Polarity::Fault,
            (Some(Role::Budget), _) if result == Some(Polarity::Fault) => {
                result = Some(Polarity::Stock);
                continue;
            }
            _ => {
                is_negated |= role == Some(Role::Not);
                has_weak |= role == Some(Role::Weak);
                follows_timeout |= role == Some(Role::Timeout);
                has_particle |= role == Some(Role::Particle);
                ends_with_up = role == Some(Role::Up) && !has_particle;
                continue;
            }
        };
        is_negated = false;
        result = match result {
            Some(previous) if is_bad(previous) != is_bad(polarity) => return None,
            _ => Some(polarity),
        };
    }
    result
        .or_else(|| ends_with_up.then_some(Polarity::Share))
        .or_else(|| has_weak.then_some(Polarity::Load))
}

/// Returns `true` if higher values are worse.
pub(super) const fn is_bad(polarity: Polarity) -> bool {
    matches!(polarity, Polarity::Fault | Polarity::Backlog | Polarity::Load)
}

const fn negate(polarity: Polarity) -> Option<Polarity> {
    if is_bad(polarity) { None } else { Some(Polarity::Fault) }
}

/// Returns the healthy value of a condition or switch, or `None` if its name is inconclusive.
pub(super) fn healthy_value(name: &str) -> Option<bool> {
    LEXICON.conditions.get(name).or_else(|| match polarity_of(name)? {
        Polarity::Fault => Some(false),
        Polarity::Share | Polarity::Stock => Some(true),
        Polarity::Backlog | Polarity::Load => None,
    })
}

pub(super) fn is_share(name: &str) -> bool {
    words(name).any(|word| LEXICON.shares.has(word))
}

pub(super) fn is_counter(name: &str) -> bool {
    name.ends_with("_total")
}

pub(super) fn is_generic(name: &str) -> bool {
    words(name).all(|word| LEXICON.generic.has(word))
}

/// Returns `true` if one name contains the words of the other.
pub(super) fn same_signal(a: &str, b: &str) -> bool {
    let contains = |name: &str, part: &str| {
        let name_words: Vec<&str> = words(name).collect();
        (0..=name_words.len()).any(|start| {
            let mut tail = name_words.iter().skip(start);
            words(part).all(|word| tail.next().is_some_and(|next| next.eq_ignore_ascii_case(word)))
        })
    };
    contains(a, b) || contains(b, a)
}

/// Splits a name into words. For example, `http_5xx.errorRate` becomes `http`, `5xx`, `error` and `Rate`.
pub(super) fn words(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.flat_map(|part| {
        let mut rest = part;
        core::iter::from_fn(move || {
            let (word, after) = rest.split_at_checked(word_end(rest)).unwrap_or((rest, ""));
            rest = after;
            (!word.is_empty()).then_some(word)
        })
    })
}

fn word_end(part: &str) -> usize {
    let mut is_lower = false;
    let mut chars = part.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        let is_next_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        if index > 0 && c.is_uppercase() && (is_lower || is_next_lower) {
            return index;
        }
        is_lower = !c.is_uppercase();
    }
    part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h20_polarity_follows_from_the_name() {
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
