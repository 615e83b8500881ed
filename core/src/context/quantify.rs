//! This module says which statements speak of more than the values they name: of all, of none, of the highest, of how
//! many. It reads words and judges nothing.

use crate::text::tokens::words;

/// Words that make a statement one about everything that was seen.
#[rustfmt::skip]
const WORDS: [&str; 113] = [
    "all", "every", "everything", "everyone", "everywhere", "each", "any", "anything", "anyone", "anywhere", "both",
    "either", "neither", "none", "no", "nothing", "nobody", "nowhere", "never", "without", "nor",
    "always", "only", "solely", "sole", "exclusively", "alone", "single", "sum", "total", "totals", "totaling",
    "totalling", "totaled", "totalled", "altogether", "overall", "entire", "entirely", "whole", "wholly", "complete",
    "completely", "throughout", "constantly", "consistently", "continuously", "permanently", "unchanged",
    "first", "last", "earliest", "latest", "oldest", "newest", "initial", "initially", "final", "finally", "until",
    "till", "since", "most", "mostly", "majority", "least", "fewest", "fewer", "more", "less", "half", "highest",
    "lowest", "largest", "smallest", "biggest", "greatest", "longest", "shortest", "slowest", "fastest", "worst",
    "best", "busiest", "heaviest", "top", "bottom", "peak", "peaks", "peaked", "peaking", "maximum", "max", "minimum",
    "min", "average", "mean", "median", "count", "counts", "counted", "number", "numbers", "several", "many", "few",
    "remaining", "other", "others", "another", "same", "unique", "distinct",
];

/// Numbers in words count things.
#[rustfmt::skip]
const COUNTS: [&str; 21] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "dozen", "dozens",
    "hundreds", "thousands", "once", "twice", "thrice", "pair", "zero", "multiple",
];

/// Whether a statement speaks of everything in an item, so that the whole of it must be read: it says all, every,
/// first, last, only, until, no, never, any, most, highest, total, how many and the like.
///
/// English words, however capitalised. It errs on the side of yes: a longer excerpt costs little.
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
    let mut after_figure = false;
    words(statement).any(|word| {
        let is_share = after_figure && word.text.eq_ignore_ascii_case("of");
        after_figure = word.text.starts_with(|c: char| c.is_ascii_digit());
        let is_known = |known: &str| word.text.eq_ignore_ascii_case(known);
        is_share
            || WORDS.iter().any(|known| is_known(known))
            || COUNTS.iter().any(|known| is_known(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_about_everything_are_not_those_about_a_value() {
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
        ] {
            assert!(quantifies(statement), "{statement}");
        }
        for statement in [
            "cart-2 is in CrashLoopBackOff",
            "The limit is 512Mi.",
            "",
            "Allocation notes",
            "7 restarts",
        ] {
            assert!(!quantifies(statement), "{statement}");
        }
    }
}
