//! Recognizes statements that quantify, such as "all", "none", "the highest" or a count.

use crate::text::tokens::words;

const WORDS: [&str; 121] = [
    "all", "every", "everything", "everyone", "everywhere", "each", "any", "anything", "anyone",
    "anywhere", "both", "either", "neither", "none", "no", "nothing", "nobody", "nowhere", "never",
    "without", "nor", "always", "only", "solely", "sole", "exclusively", "alone", "single", "sum",
    "total", "totals", "totaling", "totalling", "totaled", "totalled", "altogether", "overall",
    "entire", "entirely", "whole", "wholly", "complete", "completely", "throughout", "constantly",
    "consistently", "continuously", "permanently", "unchanged", "first", "last", "earliest",
    "latest", "oldest", "newest", "initial", "initially", "final", "finally", "until", "till",
    "since", "most", "mostly", "majority", "least", "fewest", "fewer", "more", "less", "half",
    "highest", "lowest", "largest", "smallest", "biggest", "greatest", "longest", "shortest",
    "slowest", "fastest", "worst", "best", "busiest", "heaviest", "top", "bottom", "peak", "peaks",
    "peaked", "peaking", "maximum", "max", "minimum", "min", "average", "mean", "median", "count",
    "counts", "counted", "number", "numbers", "several", "many", "few", "silent", "quiet",
    "missing", "absent", "lacks", "lacking", "untouched", "unaffected", "remaining", "other",
    "others", "another", "same", "unique", "distinct",
];

const COUNTS: [&str; 21] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "dozen", "dozens", "hundreds", "thousands", "once", "twice", "thrice", "pair", "zero",
    "multiple",
];

const UNITS: [&str; 19] = [
    "seconds", "milliseconds", "microseconds", "minutes", "hours", "days", "weeks", "months",
    "years", "bytes", "bits", "cores", "millicores", "percents", "points", "times", "mins", "secs",
    "hrs",
];

/// Returns `true` if a statement can only be checked against the whole item (all, first, only, no, most or a count).
///
/// Only English words are recognized. The function prefers false positives, since they only make an excerpt longer.
///
/// ```
/// use gsar_core::context::quantifies;
///
/// assert!(quantifies("No pod restarted."));
/// assert!(quantifies("The highest latency was 2.87 s."));
/// assert!(quantifies("3 of 5 replicas are ready."));
/// assert!(!quantifies("Pod cart-2 restarted 7 times at 14:05."));
/// ```
#[must_use]
pub fn quantifies(statement: &str) -> bool {
    /// The maximum number of words between a count and its noun (`19 slow database calls`).
    const MAX_DISTANCE: u8 = 3;
    let mut since_count = u8::MAX;
    words(statement).any(|word| {
        since_count = if is_count(word.text) { 0 } else { since_count.saturating_add(1) };
        let is_share = since_count == 1 && word.text.eq_ignore_ascii_case("of");
        let is_counted = (1..=MAX_DISTANCE).contains(&since_count) && is_plural(word.text);
        if UNITS.iter().any(|unit| word.text.eq_ignore_ascii_case(unit)) {
            since_count = u8::MAX;
        }
        let is_word = |entry: &str| word.text.eq_ignore_ascii_case(entry);
        is_share
            || is_counted
            || WORDS.iter().any(|entry| is_word(entry))
            || COUNTS.iter().any(|entry| is_word(entry))
    })
}

fn is_count(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_plural(word: &str) -> bool {
    let is_unit = UNITS.iter().any(|unit| word.eq_ignore_ascii_case(unit));
    word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !is_unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_quantified_statements() {
        for statement in [
            "All pods are ready",
            "NO errors were logged.",
            "It never recovered",
            "The first error came at 14:05",
            "Latency peaked at 2 s",
            "Errors went on until 14:10.",
            "Two pods crashed",
            "a total of 14 requests failed",
            "Neither replica answered",
            "4 of the nodes are tainted",
            "The log has 19 database calls averaging 8.1 s",
            "Of 37 pods 19 run",
            "product-catalog is silent",
            "7 restarts",
        ] {
            assert!(quantifies(statement), "{statement}");
        }
        for statement in [
            "cart-2 is in CrashLoopBackOff",
            "The limit is 512Mi.",
            "",
            "Allocation notes",
            "It took 40 minutes and used 3 cores.",
            "Pod cart-2 restarted 7 times at 14:05.",
        ] {
            assert!(!quantifies(statement), "{statement}");
        }
    }
}
