//! Claims that only go on from the one before: "…, half a minute after the first error", "the alert came 13 minutes
//! later".
//!
//! Such a claim names one side of an order in time; the other side is what the claim before it speaks of. Decides
//! nothing.

use std::ops::Range;

use gsar_core::text::tokens::{Word, words};

use crate::claim::lengths::{Length, lengths};
use crate::claim::relations::Link;
use crate::vocabulary::event_words::any;

/// A claim, with how what it names lies in time to what the claim before speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Continued {
    /// How the claim before lies to what is named.
    pub(crate) link: Link,
    /// What is named: one or two stretches of the claim.
    pub(crate) named: Range<usize>,
    /// The words that link them.
    pub(crate) words: Range<usize>,
    pub(crate) length: Length,
}

/// How a claim goes on from another; `None` where it stands for itself.
pub(crate) fn continued(text: &str) -> Option<Continued> {
    let lengths = lengths(text);
    let [length] = lengths.as_slice() else { return None };
    let all: Vec<Word<'_>> = words(text).collect();
    let next = all.iter().position(|word| word.span.start >= length.span.end)?;
    let link = all.get(next)?;
    let touches = text.get(length.span.end..link.span.start)?.trim().is_empty();
    if !touches {
        return None;
    }
    let before = 0..length.span.start;
    let own = text.get(before.clone())?;
    let after = |from: usize| all.get(from).map_or(text.len(), |word| word.span.start)..text.len();
    let pointing = all.get(next + 1).is_some_and(|word| any(word.text, &["that", "this", "it"]));
    let is_last = all.len() == next + 2;
    let made = |link_of: Link, named: Range<usize>, until: usize| {
        let end = all.get(until).map_or(text.len(), |word| word.span.end);
        let words = link.span.start..end;
        Some(Continued { link: link_of, named, words, length: length.clone() })
    };
    let ordering = if any(link.text, &["after", "following"]) {
        Some((Link::After, Link::Before))
    } else if any(link.text, &["before"]) {
        Some((Link::Before, Link::After))
    } else {
        None
    };
    if let Some((plain, reversed)) = ordering {
        // "The database accepted connections again two minutes after that".
        if pointing && is_last {
            return says_something(own).then(|| made(reversed, before, next + 1))?;
        }
        return (!says_something(own)).then(|| made(plain, after(next + 1), next))?;
    }
    let reversed = match () {
        () if any(link.text, &["later", "afterwards", "thereafter"]) => Link::Before,
        () if any(link.text, &["earlier"]) => Link::After,
        () => return None,
    };
    // "The alert came 13 minutes later", "14 seconds later chronyd selected a source".
    let rest = text.get(link.span.end..)?;
    match (says_something(own), says_something(rest)) {
        (true, false) => made(reversed, before, next),
        (false, true) => made(reversed, after(next + 1), next),
        _ => None,
    }
}

/// Whether a stretch names something: more than "it came", "which was".
fn says_something(text: &str) -> bool {
    words(text).any(|word| !any(word.text, &SAYING_NOTHING))
}

const SAYING_NOTHING: [&str; 38] = [
    "a", "about", "already", "and", "but", "by", "came", "come", "did", "exactly", "followed",
    "good", "had", "happened", "it", "its", "just", "occurred", "only", "or", "some", "that",
    "the", "then", "these", "they", "this", "those", "was", "were", "which", "and", "so", "this",
    "all", "began", "fired", "both",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_side_is_named() {
        for (text, link, named) in [
            (
                "not quite five minutes after the first rejected token",
                Link::After,
                "the first rejected token",
            ),
            (
                "it came six minutes after the first failed call",
                Link::After,
                "the first failed call",
            ),
            ("20 seconds before the database was ready", Link::Before, "the database was ready"),
            ("the alert came 13 minutes later", Link::Before, "the alert came"),
            (
                "14 seconds later chronyd selected a source",
                Link::Before,
                "chronyd selected a source",
            ),
            (
                "connections were accepted again two minutes after that",
                Link::Before,
                "connections were accepted again",
            ),
        ] {
            let found = continued(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (found.link, text.get(found.named).unwrap_or("").trim()),
                (link, named),
                "{text}"
            );
        }
    }

    #[test]
    fn what_names_both_sides_stands_for_itself() {
        for text in [
            "the alert came 13 minutes after the first error",
            "the alert came",
            "the alert came later",
            "it gave up after waiting 30 seconds",
            "five minutes of 5 errors later than usual",
        ] {
            assert_eq!(continued(text), None, "{text}");
        }
    }
}
