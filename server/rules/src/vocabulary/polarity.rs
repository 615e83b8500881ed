//! Whether a text denies or deplores what its words name, by more cues than negations.

use gsar_core::text::polarity::{MarkerKind, is_negated};
use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::Reading;
use crate::vocabulary::lexicon::{DENYING, FAILING};
use crate::vocabulary::words::{Key, key, parts};

/// Whether a text denies what its words name: "not", `undefined`, `0/1`.
pub(crate) fn denies(text: &str) -> bool {
    denies_by_word(text) || is_negated(text)
}

/// Whether a text denies something by other words than negations.
pub(crate) fn denies_by_word(text: &str) -> bool {
    has_any(text, &DENYING) || counts_none_of(text) || says_non(text) || is_false(text)
}

/// Whether a text is a condition and that it does not hold: `PodScheduled   False`.
pub(crate) fn is_false(text: &str) -> bool {
    const LONGEST: usize = 3;
    let mut rest = words(text);
    let last = rest.by_ref().take(LONGEST).last();
    rest.next().is_none() && last.is_some_and(|last| last.text == "False")
}

/// Whether a text says `0/1 nodes`: none of so many. A port before a path and a cell of a table say no such thing.
fn counts_none_of(text: &str) -> bool {
    text.match_indices("0/").any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
        let rest = text.get(at + 2..).unwrap_or("");
        let counted = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let noun = counted.strip_prefix(' ').unwrap_or("");
        !before.is_some_and(u8::is_ascii_digit)
            && counted.len() < rest.len()
            && noun.starts_with(|c: char| c.is_ascii_lowercase())
    })
}

/// Whether a text has "non-" before a state: "non-ready", but not "non-zero".
fn says_non(text: &str) -> bool {
    let listed = |state: &str| {
        ["ready", "responsive", "existent", "healthy", "functional", "operational", "running"]
            .iter()
            .any(|known| state.eq_ignore_ascii_case(known))
    };
    let is_non = |word: &str| word.eq_ignore_ascii_case("non");
    words(text).zip(words(text).skip(1)).any(|(non, state)| is_non(non.text) && listed(state.text))
        || words(text).any(|word| {
            word.text.split_once('-').is_some_and(|(non, state)| is_non(non) && listed(state))
        })
}

/// Whether a claim says "not" or "never" of what follows.
pub(crate) fn says_not(reading: &Reading<'_>) -> bool {
    reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation).any(|marker| {
        words(reading.text.get(marker.span.clone()).unwrap_or("")).any(|word| is_not(&word))
    })
}

fn is_not(word: &Word<'_>) -> bool {
    ["not", "never", "neither", "nor", "cannot"].iter().any(|not| word.is(not))
        || word.text.ends_with("n't")
        || word.text.ends_with("n\u{2019}t")
}

/// Whether a text denies a denial: "is not unknown".
pub(crate) fn denies_denial(text: &str) -> bool {
    let mut before_denies = false;
    for word in words(text) {
        let denies = DENYING.iter().any(|entry| word.is(entry)) && !word.is("not");
        if before_denies && denies {
            return true;
        }
        before_denies = is_not(&word);
    }
    false
}

/// Whether a text says that something did not succeed.
pub(crate) fn fails(text: &str) -> bool {
    has_any(text, &FAILING)
}

/// Whether a claim tells of something bad without saying that it failed: "violates", "was lost".
pub(crate) fn is_adverse(text: &str) -> bool {
    const ADVERSE: [&str; 26] = [
        "abort",
        "break",
        "broken",
        "corrupt",
        "crash",
        "deny",
        "die",
        "exhaust",
        "expire",
        "hang",
        "hung",
        "kill",
        "lose",
        "lost",
        "panic",
        "refusal",
        "refuse",
        "reject",
        "rejection",
        "stall",
        "stuck",
        "timeout",
        "trouble",
        "violate",
        "violation",
        "wrong",
    ];
    words(text).any(|word| {
        let stem = key(word.text);
        ADVERSE.iter().any(|adverse| key(adverse) == stem)
    })
}

/// The clauses of a text of a tool, parted where one thing ends and the next begins.
pub(crate) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(". ").flat_map(|part| part.split("; ")).flat_map(|part| part.split(" | "))
}

/// Whether a text denies by a part of a word: `0/1`, "non-ready".
fn denies_in_part(text: &str) -> bool {
    const PARTS: [&str; 4] = ["0/", "non-ready", "non\\-ready", "non-healthy"];
    PARTS.iter().any(|denial| text.contains(denial))
}

/// Whether a text denies or, where the claim does not, deplores something by a word that a test does not accept, or by
/// a negation.
pub(crate) fn has_other(text: &str, fails: bool, accounted: impl Fn(Key) -> bool) -> bool {
    // A claim of a refusal tells of what failed by it.
    let is_refusal = fails
        && words(text).any(|word| DENYING.iter().any(|d| word.is(d)) && accounted(key(word.text)));
    let failing = if is_refusal { &[][..] } else { &FAILING[..] };
    let is_listed = |word: &str| {
        DENYING.iter().chain(failing).any(|entry| word.eq_ignore_ascii_case(entry))
            && !accounted(key(word))
    };
    is_negated(text)
        || denies_in_part(text)
        || words(text).any(|word| is_listed(word.text) || parts(word.text).any(is_listed))
}

/// Whether a text has a word of a table, whole or as a part of a compound.
fn has_any(text: &str, table: &[&str]) -> bool {
    let listed = |word: &str| table.iter().any(|entry| word.eq_ignore_ascii_case(entry));
    words(text).any(|word| listed(word.text) || parts(word.text).any(listed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h24_denial_has_many_words() {
        for text in [
            "not set",
            "DEPLOY_ENV is undefined",
            "0/1 nodes are available",
            "reason NodeNotReady",
            "secrets is forbidden",
        ] {
            assert!(denies(text), "{text}");
        }
        for text in ["node-6 is ready", "1/1 nodes are available", "the notification was sent"] {
            assert!(!denies(text), "{text}");
        }
        assert!(
            fails("FailedScheduling") && fails("connection refused") && !fails("failover done")
        );
    }
}
