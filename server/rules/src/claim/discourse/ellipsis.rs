//! Times and halves that a statement leaves to the one before: "71 seconds after the sync began", "two minutes later".

use std::ops::Range;

use gsar_core::text::tokens::{Word, words};

use super::clause::lead_in;
use super::{Completed, Told};
use crate::claim::lengths::{Length, lengths};
use crate::rules::instants::times;

/// A statement that says how far it lies from what was told before, with that put in.
pub(super) fn completed(text: &str, told: &Told, instant: Option<&str>) -> Vec<Completed> {
    let found = lengths(text);
    let start = lead_in(text);
    let opening = found.first().filter(|length| {
        length.span.start <= start.max(length.span.start) && {
            let before = text.get(start..length.span.start).unwrap_or("");
            words(before).all(|word| word.is("just") || word.is("only"))
        }
    });
    if let ([_], Some(length)) = (found.as_slice(), opening)
        && is_link(text, length)
    {
        return after_what_was_told(text.get(start..).unwrap_or(text), told, instant);
    }
    if let [length] = found.as_slice()
        && let Some((rest, link)) = without_distance(text, length)
    {
        return from_what_was_told(
            &rest,
            text.get(length.span.clone()).unwrap_or(""),
            link,
            told,
            instant,
        );
    }
    Vec::new()
}

/// Whether "after" or "before" follows a length, and more than "that".
fn is_link(text: &str, length: &Length) -> bool {
    let mut rest = words(text.get(length.span.end..).unwrap_or(""));
    let links = rest.next().is_some_and(|word| word.is("after") || word.is("before"));
    let next = rest.next();
    links && next.is_some_and(|word| !is_pointer(&word)) && rest.next().is_some()
}

fn is_pointer(word: &Word<'_>) -> bool {
    ["that", "this", "then", "it"].iter().any(|pointer| word.is(pointer))
}

/// "71 seconds after Y": what was told, or its instant, lies so far after Y.
fn after_what_was_told(clause: &str, told: &Told, instant: Option<&str>) -> Vec<Completed> {
    let mut found = Vec::new();
    if !puts_in_order(&told.text) {
        found.push(Completed {
            text: format!("{} {clause}", without_times(&told.text)),
            repeats: true,
            is_about_another: false,
        });
    }
    if let Some(instant) = instant {
        found.push(Completed {
            text: format!("{instant} {clause}"),
            repeats: false,
            is_about_another: false,
        });
    }
    found
}

/// "X two minutes later": X lies two minutes after the instant told, or after what was told.
fn from_what_was_told(
    rest: &str,
    length: &str,
    link: &str,
    told: &Told,
    instant: Option<&str>,
) -> Vec<Completed> {
    let mut found = Vec::new();
    if let Some(instant) = instant {
        found.push(Completed {
            text: format!("{rest} {length} {link} {instant}"),
            repeats: false,
            is_about_another: false,
        });
    }
    if !puts_in_order(&told.text) {
        let text = format!("{rest} {length} {link} {}", without_times(&told.text));
        found.push(Completed { text, repeats: true, is_about_another: false });
    }
    found
}

/// A statement without "two minutes later" or "two minutes after that"; and the word that links.
fn without_distance(text: &str, length: &Length) -> Option<(String, &'static str)> {
    let rest = text.get(length.span.end..)?;
    let next: Vec<Word<'_>> = words(rest).take(2).collect();
    let (link, end) = match next.as_slice() {
        [later, ..] if later.is("later") || later.is("afterwards") => ("after", later.span.end),
        [earlier, ..] if earlier.is("earlier") || earlier.is("beforehand") => {
            ("before", earlier.span.end)
        }
        [after, that] if after.is("after") && is_pointer(that) => ("after", that.span.end),
        [before, that] if before.is("before") && is_pointer(that) => ("before", that.span.end),
        _ => return None,
    };
    let tail = rest.get(end..)?.trim();
    let head = text.get(..length.span.start)?.trim_end_matches([' ', ',']);
    let start = lead_in(text).min(head.len());
    let head = head.get(start..)?;
    let joined = [head, tail].join(" ");
    let says = words(&joined).nth(1).is_some();
    // "later than" compares.
    (says && !tail.starts_with("than")).then(|| (joined.trim().to_owned(), link))
}

/// Whether a statement has an order of its own, to which no second one can be joined.
pub(super) fn puts_in_order(text: &str) -> bool {
    const LINKS: [&str; 6] = ["after", "before", "until", "since", "later", "earlier"];
    words(text).any(|word| LINKS.iter().any(|link| word.is(link))) || !lengths(text).is_empty()
}

/// A statement without the time in front of it or at its end: the order is of what happened.
fn without_times(text: &str) -> &str {
    let text = text.get(lead_in(text)..).unwrap_or(text);
    let found = times(text);
    let Some(last) = found.last().filter(|time| time.span.end == text.trim_end().len()) else {
        return text;
    };
    let before = text.get(..last.span.start).unwrap_or(text);
    let joint: Option<Range<usize>> =
        words(before).last().filter(|word| word.is("at") || word.is("on")).map(|word| word.span);
    joint.and_then(|joint| before.get(..joint.start)).unwrap_or(text).trim_end()
}

/// "The whole time" as the window told before.
pub(super) fn with_window(text: &str, window: &str) -> Option<String> {
    if !times(text).is_empty() {
        return None;
    }
    let (start, end) = pointing_time(text)?;
    Some(format!("{}{window}{}", text.get(..start)?, text.get(end..)?))
}

/// Where a statement points at a stretch of time: "the whole time", "in all of these minutes", "over that period".
fn pointing_time(text: &str) -> Option<(usize, usize)> {
    const TIMES: [&str; 14] = [
        "time", "window", "period", "minute", "minutes", "hour", "hours", "stretch", "interval",
        "span", "spell", "phase", "while", "times",
    ];
    const LEADING: [&str; 19] = [
        "in",
        "during",
        "over",
        "through",
        "throughout",
        "for",
        "within",
        "all",
        "of",
        "each",
        "every",
        "one",
        "the",
        "that",
        "this",
        "these",
        "those",
        "same",
        "whole",
    ];
    const POINTING: [&str; 7] = ["that", "this", "these", "those", "same", "whole", "entire"];
    let all: Vec<Word<'_>> = words(text).collect();
    let last = all.iter().position(|word| TIMES.iter().any(|time| word.is(time)))?;
    let is_leading =
        |word: &Word<'_>| LEADING.iter().chain(&["entire"]).any(|entry| word.is(entry));
    let count = all.get(..last)?.iter().rev().take_while(|word| is_leading(word)).count();
    let phrase = all.get(last - count..last)?;
    let points = phrase.iter().any(|word| POINTING.iter().any(|entry| word.is(entry)))
        || matches!(phrase, [all_of, the] if all_of.is("all") && the.is("the"));
    points.then_some((phrase.first()?.span.start, all.get(last)?.span.end))
}
