//! The span of time that a claim speaks of as a whole: "in the four hours before the alert", "over the last seven
//! days", "between 02:06 and 06:06 UTC on 27 January". Its words are about the request, not about what was found.

use std::ops::Range;

use gsar_core::text::figures::{Dimension, MONTHS};
use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::Reading;

/// A span of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Where the claim states it.
    pub(crate) span: Range<usize>,
    /// A unit that stands without a number: "the past hour".
    pub(crate) unit: Option<&'static str>,
    /// Month and day, where the claim names them in words.
    pub(crate) day: Option<(u8, u8)>,
}

/// Reads the span of time that a claim speaks of.
pub(crate) fn window(reading: &Reading<'_>) -> Option<Window> {
    let all: Vec<Word<'_>> = words(reading.text).collect();
    all.iter().enumerate().find_map(|(at, word)| {
        is_among(word, &["between", "during", "for", "from", "in", "over", "within"])
            .then(|| read(reading, &all, at))
            .flatten()
    })
}

/// Reads on from the preposition as long as words tell of time.
fn read(reading: &Reading<'_>, all: &[Word<'_>], start: usize) -> Option<Window> {
    const ARTICLES: [&str; 8] =
        ["the", "last", "past", "previous", "preceding", "and", "to", "whole"];
    const UNITS: [(&str, &str); 8] = [
        ("minute", "1 minute"),
        ("minutes", "1 minute"),
        ("hour", "1 hour"),
        ("hours", "1 hour"),
        ("day", "24 hours"),
        ("days", "24 hours"),
        ("week", "168 hours"),
        ("weeks", "168 hours"),
    ];
    let first = all.get(start)?;
    let mut end = first.span.end;
    let (mut has_time, mut unit, mut day) = (false, None, None);
    let mut before_alert = false;
    for (at, word) in all.iter().enumerate().skip(start + 1) {
        let is_figure = reading.figures.figures.iter().any(|figure| {
            figure.unit.dimension == Dimension::Duration && holds(&figure.span, &word.span)
        });
        let is_time = reading.figures.times.iter().any(|time| holds(&time.span, &word.span));
        let known = UNITS.iter().find(|(written, _)| word.is(written));
        if is_figure || is_time {
            has_time = true;
        } else if let Some((_, length)) = known {
            has_time = true;
            unit = Some(*length);
        } else if let Some(month) = month(word) {
            let number = |at: Option<usize>| {
                all.get(at?).and_then(|word| word.text.parse::<u8>().ok()).filter(|day| *day <= 31)
            };
            day = number(at.checked_sub(1))
                .or_else(|| number(at.checked_add(1)))
                .map(|day| (month, day));
            day?;
        } else if word.is("before") && has_time {
            before_alert = true;
        } else if before_alert && is_among(word, &["alert", "that"]) {
            end = word.span.end;
            break;
        } else if !is_among(word, &ARTICLES)
            && !is_among(word, &["utc", "on"])
            && !word.text.bytes().all(|byte| byte.is_ascii_digit())
        {
            break;
        }
        end = word.span.end;
    }
    let unit = unit.filter(|_| reading.figures.figures.is_empty());
    has_time.then_some(Window { span: first.span.start..end, unit, day })
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn is_among(word: &Word<'_>, table: &[&str]) -> bool {
    table.iter().any(|entry| word.is(entry))
}

fn month(word: &Word<'_>) -> Option<u8> {
    // "may" is more often a verb.
    let is_capital = word.text.starts_with(|first: char| first.is_ascii_uppercase());
    let number = (1..).zip(MONTHS).find(|(_, month)| word.is(month)).map(|(number, _)| number);
    number.filter(|_| is_capital)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::observations::Corpus;

    #[test]
    fn a_span_of_time_is_read_as_a_whole() {
        let corpus = Corpus::read(&[]);
        for (text, span, unit, day) in [
            (
                "No change was found in the four hours before the alert",
                Some("in the four hours before the alert"),
                None,
                None,
            ),
            (
                "No logs were returned for the past hour.",
                Some("for the past hour"),
                Some("1 hour"),
                None,
            ),
            (
                "No change was found between 02:06 and 06:06 UTC on 27 January.",
                Some("between 02:06 and 06:06 UTC on 27 January"),
                None,
                Some((1, 27)),
            ),
            ("No change was found in the namespace shop", None, None, None),
        ] {
            let found = window(&Reading::of(text, &corpus));
            assert_eq!(
                found.as_ref().and_then(|found| text.get(found.span.clone())),
                span,
                "{text}"
            );
            assert_eq!(found.as_ref().and_then(|found| found.unit), unit, "{text}");
            assert_eq!(found.and_then(|found| found.day), day, "{text}");
        }
    }
}
