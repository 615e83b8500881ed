//! Chains of errors and sentences of cause, as text: what ties two stretches, and which sentence a word is in.

use gsar_core::text::figures::{Agreement, Figure};
use gsar_core::text::tokens::words;

use crate::evidence::values::compare;
use crate::vocabulary::event_words::any;

/// Whether a text states the figure of a claim, with the same "more than" or none.
pub(super) fn is_stated(claimed: &Figure, stated: &Figure) -> bool {
    let plain = |figure: &Figure| Figure { comparator: None, ..figure.clone() };
    if claimed.comparator.is_some() && claimed.comparator == stated.comparator {
        compare(&plain(claimed), &plain(stated)) == Agreement::Same
    } else {
        compare(claimed, stated) == Agreement::Same
    }
}

/// The sentence, or the link of a chain of errors, that a place of a text lies in.
pub(super) fn sentence_around(text: &str, at: usize) -> &str {
    let start = text
        .get(..at)
        .and_then(|before| [". ", "; ", ": "].iter().filter_map(|end| before.rfind(end)).max());
    let start = start.map_or(0, |start| start + 2);
    let end = text
        .get(at..)
        .and_then(|rest| [". ", "; ", ": "].iter().filter_map(|end| rest.find(end)).min());
    text.get(start..end.map_or(text.len(), |end| at + end)).unwrap_or(text)
}

/// Whether what stands between an effect and a cause makes one the reason of the other.
pub(super) fn is_tie(between: &str) -> bool {
    const TIES: [&str; 16] = [
        "because",
        "due",
        "since",
        "reason",
        "caused",
        "cause",
        "owing",
        "by",
        "indicates",
        "from",
        "for",
        "as",
        "after",
        "driver",
        "attributed",
        "result",
    ];
    between.contains([':', '(', '-', '=']) || words(between).any(|word| any(word.text, &TIES))
}

pub(super) fn is_consequence(between: &str) -> bool {
    const TIES: [&str; 9] =
        ["so", "therefore", "hence", "causing", "caused", "causes", "led", "leading", "driver"];
    words(between).any(|word| any(word.text, &TIES))
}
