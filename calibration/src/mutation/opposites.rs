//! Replaces words with their opposites: directions, orders and states.

use super::entities::terms;
use super::evidence::Surroundings;
use super::numbers::NUMBER_WORDS;
use super::tokens::{Token, lower, match_case, replace_span};

#[rustfmt::skip]
const DIRECTIONS: [(&str, &str); 40] = [
    ("rose", "fell"), ("rises", "falls"), ("rise", "fall"), ("rising", "falling"),
    ("risen", "fallen"), ("increased", "decreased"), ("increases", "decreases"),
    ("increase", "decrease"), ("increasing", "decreasing"), ("grew", "shrank"),
    ("grows", "shrinks"), ("grown", "shrunk"), ("growing", "shrinking"), ("climbed", "dropped"),
    ("climbs", "drops"), ("climbing", "dropping"), ("up", "down"), ("upward", "downward"),
    ("above", "below"), ("higher", "lower"), ("highest", "lowest"), ("high", "low"),
    ("raised", "lowered"), ("raises", "lowers"), ("exceeded", "undercut"), ("exceeds", "undercuts"),
    ("maximum", "minimum"), ("max", "min"), ("largest", "smallest"), ("larger", "smaller"),
    ("greatest", "least"), ("greater", "less"), ("more", "fewer"), ("doubled", "halved"),
    ("faster", "slower"), ("fastest", "slowest"), ("upgraded", "downgraded"),
    ("improved", "worsened"), ("longer", "shorter"), ("longest", "shortest"),
];

#[rustfmt::skip]
const ORDERS: [(&str, &str); 11] = [
    ("before", "after"), ("first", "last"), ("earlier", "later"), ("earliest", "latest"),
    ("preceded", "followed"), ("precedes", "follows"), ("preceding", "following"),
    ("oldest", "newest"), ("older", "newer"), ("initial", "final"), ("began", "ended"),
];

/// States and outcomes, replaced in both directions.
#[rustfmt::skip]
const STATES: [(&str, &str); 44] = [
    ("Running", "Pending"), ("CrashLoopBackOff", "Running"), ("OOMKilled", "Completed"),
    ("Completed", "Error"), ("Evicted", "Running"), ("Succeeded", "Failed"), ("Ready", "NotReady"),
    ("ImagePullBackOff", "Running"), ("Terminating", "Running"), ("Bound", "Unbound"),
    ("Healthy", "Degraded"), ("Synced", "OutOfSync"), ("True", "False"), ("true", "false"),
    ("Warning", "Normal"), ("ready", "unready"), ("healthy", "unhealthy"), ("running", "stopped"),
    ("available", "unavailable"), ("succeeded", "failed"), ("successful", "unsuccessful"),
    ("passed", "failed"), ("passes", "fails"), ("passing", "failing"), ("open", "closed"),
    ("enabled", "disabled"), ("active", "inactive"), ("connected", "disconnected"),
    ("firing", "resolved"), ("refused", "accepted"), ("completed", "aborted"),
    ("online", "offline"), ("reachable", "unreachable"), ("allowed", "denied"),
    ("present", "absent"), ("valid", "expired"), ("stable", "unstable"), ("idle", "busy"),
    ("terminated", "running"), ("critical", "informational"), ("started", "stopped"),
    ("restored", "lost"), ("locked", "unlocked"), ("merged", "reverted"),
];

pub(super) fn is_state(word: &str) -> bool {
    STATES.iter().any(|(one, other)| *one == word || *other == word)
}

pub(super) fn directions(claim: &str, tokens: &[Token<'_>]) -> Vec<String> {
    const MOVES: [&str; 8] =
        ["scaled", "scaling", "scales", "went", "goes", "going", "moved", "trended"];
    replace_opposites(claim, tokens, &DIRECTIONS, |index, word| {
        let next = lower(tokens, index, 1);
        match word {
            // "Scaled up" is a direction, but "gave up" is not, and "up to 5" is a bound.
            "up" | "down" => MOVES.contains(&lower(tokens, index, -1)) && next != "to",
            // "Dropped the limit" means that the limit was removed.
            "dropped" | "drops" => !matches!(next, "the" | "its" | "a" | "all"),
            "longer" => lower(tokens, index, -1) != "no",
            "more" | "fewer" | "greater" | "less" => next == "than",
            "least" => false,
            _ => true,
        }
    })
}

pub(super) fn orders(claim: &str, tokens: &[Token<'_>]) -> Vec<String> {
    const SPANS: [&str; 10] = [
        "time", "hour", "minute", "day", "week", "month", "termination", "state", "byte",
        "attempts",
    ];
    let contains = |word: &str| tokens.iter().any(|token| token.lower == word);
    let (before, after) = (contains("before"), contains("after"));
    let is_number =
        |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) || NUMBER_WORDS.contains(&word);
    replace_opposites(claim, tokens, &ORDERS, |index, word| {
        let next = lower(tokens, index, 1);
        match word {
            // "After 4 restarts" and "the last hour" are not about order.
            "before" | "after" => !(is_number(next) || before && after),
            "first" | "last" => !SPANS.contains(&next) && !is_number(next),
            // Both the start and the end can precede another event.
            "began" | "ended" => !before && !after,
            _ => true,
        }
    })
}

/// Replaces a state with its opposite, unless the opposite occurs near as many of the claim's terms in the evidence.
pub(super) fn states(claim: &str, tokens: &[Token<'_>], evidence: &Surroundings) -> Vec<String> {
    const NEGATIONS: [&str; 5] = ["no", "not", "never", "without", "neither"];
    let mut texts = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let starts = token.lower == "firing" && lower(tokens, index, -1).starts_with("beg");
        if starts || NEGATIONS.contains(&lower(tokens, index, -1)) {
            continue;
        }
        if let Some(other) = opposite(token.text, &STATES) {
            let terms = terms(tokens, token.text);
            let terms_near = evidence.max_terms_near(token.text, &terms).unwrap_or(0);
            let near = evidence.max_terms_near(other, &terms).unwrap_or(0);
            if near == 0 || near < terms_near {
                texts.push(replace_span(claim, token.span.clone(), other));
            }
        }
    }
    texts
}

fn replace_opposites(
    claim: &str,
    tokens: &[Token<'_>],
    pairs: &'static [(&str, &str)],
    applies: impl Fn(usize, &str) -> bool,
) -> Vec<String> {
    let mut texts = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if applies(index, &token.lower)
            && let Some(other) = opposite(&token.lower, pairs)
        {
            texts.push(replace_span(claim, token.span.clone(), &match_case(other, token.text)));
        }
    }
    texts
}

/// Returns the opposite from the first pair that contains the word.
fn opposite(word: &str, pairs: &[(&'static str, &'static str)]) -> Option<&'static str> {
    pairs.iter().find_map(|(one, other)| {
        if *one == word { Some(*other) } else { (*other == word).then_some(*one) }
    })
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn reverses_directions_but_not_bounds() {
        let mutate = |claim| directions(claim, &tokens(claim));
        assert_eq!(mutate("Scaled up from 0 to 1"), ["Scaled down from 0 to 1"]);
        assert_eq!(mutate("Higher than usual"), ["Lower than usual"]);
        for claim in [
            "up to 5 pods",
            "it gave up",
            "it dropped the limit",
            "it no longer failed",
            "more pods came",
            "at least 5",
            "the warm-up ended",
        ] {
            assert_eq!(mutate(claim), [""; 0]);
        }
    }

    #[test]
    fn reverses_orders_but_not_durations() {
        let mutate = |claim| orders(claim, &tokens(claim));
        assert_eq!(mutate("The last kill came late"), ["The first kill came late"]);
        assert_eq!(mutate("It ended before the job"), ["It ended after the job"]);
        assert_eq!(mutate("The test ended at noon"), ["The test began at noon"]);
        for claim in [
            "ready again after 4 restarts",
            "before as well as after it",
            "in the last hour",
            "for the first time",
        ] {
            assert_eq!(mutate(claim), [""; 0]);
        }
    }

    #[test]
    fn skips_states_that_the_evidence_supports() {
        let evidence = Surroundings::new([
            "pod-a   Running   reported at 14:02 on the node\npod-b   Pending   reported at 14:02 on the node",
        ]);
        let mutate = |claim| states(claim, &tokens(claim), &evidence);
        assert_eq!(mutate("pod-a was Running at 14:02"), ["pod-a was Pending at 14:02"]);
        assert_eq!(mutate("a pod was Running at 14:02"), [""; 0], "another pod was Pending");
        assert_eq!(mutate("pod-a was not ready"), [""; 0]);
    }
}
