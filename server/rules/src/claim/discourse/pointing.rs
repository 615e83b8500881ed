//! Words that only point, replaced by what they point at: "its", "it", "which", "the node", a subject left out.

use std::ops::Range;

use gsar_core::text::tokens::{Word, words};

use super::Told;
use super::clause::{is_headless, is_sort, is_verb, lead_in, moved, names};
use crate::claim::reading::Reading;

/// A statement with what it points at put in, and whether a word pointed at it; `None` where it points at nothing, or
/// at nothing certain.
pub(super) fn resolved(
    reading: &Reading<'_>,
    told: &Told,
    sorts: &[(String, String)],
) -> Option<(String, bool)> {
    let mut text = None;
    let current = |text: &Option<String>| text.clone().unwrap_or_else(|| reading.text.to_owned());
    if names(reading).is_empty()
        && let Some(resolved) = sort_resolved(reading.text, sorts)
    {
        text = Some(resolved);
    }
    // "Redis-b lost its master": what is named in front owns it.
    let is_own = words(reading.text)
        .find(|word| word.is("its") || word.is("whose"))
        .is_some_and(|place| names(reading).iter().any(|name| name.end <= place.span.start));
    if !is_own && let Some(resolved) = possessive_resolved(&current(&text), told) {
        text = Some(resolved);
    }
    let mut points = text.is_some();
    if let Some(resolved) = subject_resolved(&current(&text), told) {
        points |= !is_headless(&current(&text));
        text = Some(resolved);
    }
    text.map(|text| (text, points))
}

/// "The node" as the node that was named last.
fn sort_resolved(text: &str, sorts: &[(String, String)]) -> Option<String> {
    let all: Vec<Word<'_>> = words(text).collect();
    let place = all.windows(2).position(|pair| {
        let [determiner, noun] = pair else { return false };
        ["the", "this", "that", "said"].iter().any(|word| determiner.is(word))
            && is_sort(without_s(noun.text))
    })?;
    let (determiner, noun) = (all.get(place)?, all.get(place + 1)?);
    let sort = without_s(noun.text);
    let named = sorts.iter().find(|(known, _)| sort.eq_ignore_ascii_case(known))?.1.as_str();
    // "The job's container".
    if sort.len() < noun.text.len() {
        let start = determiner.span.start;
        let text = replaced(text, &(start..noun.span.end), named)?;
        let owner = start..start + named.len();
        return moved(&text, &owner, owner.end + 1);
    }
    // "The pod limit", "the node pool-b": another thing, or one with its name.
    let next = all.get(place + 2);
    let is_whole = next.is_none_or(|next| {
        let gap = text.get(noun.span.end..next.span.start).unwrap_or("");
        gap != " " || is_verb(&all, place + 2) || is_closing(next)
    });
    is_whole.then(|| replaced(text, &(determiner.span.start..noun.span.end), named))?
}

/// A noun without the mark of possession.
fn without_s(noun: &str) -> &str {
    noun.strip_suffix("'s").or_else(|| noun.strip_suffix("’s")).unwrap_or(noun)
}

/// Whether a word behind a noun begins something else.
fn is_closing(word: &Word<'_>) -> bool {
    const CLOSING: [&str; 24] = [
        "at", "in", "on", "of", "by", "for", "from", "to", "with", "and", "or", "but", "never",
        "not", "still", "only", "already", "again", "itself", "then", "after", "before", "until",
        "had",
    ];
    CLOSING.iter().any(|closing| word.is(closing))
}

fn replaced(text: &str, span: &Range<usize>, by: &str) -> Option<String> {
    Some(format!("{}{by}{}", text.get(..span.start)?, text.get(span.end..)?))
}

/// "Its p99" as "the p99 of X".
fn possessive_resolved(text: &str, told: &Told) -> Option<String> {
    let owner = told.owner.as_deref()?;
    let place = words(text).find(|word| word.is("its") || word.is("whose"))?;
    let after = words(text.get(place.span.end..)?).next()?;
    if after.is("own") {
        return None;
    }
    let owned = place.span.end + after.span.start;
    let rewritten = moved(text, &place.span, owned)?;
    // The pronoun stands where its owner is wanted.
    let of_pronoun = format!(" of {}", place.text);
    let at = rewritten.find(&of_pronoun)?;
    replaced(&rewritten, &(at..at + of_pronoun.len()), &format!(" of {owner}"))
}

/// "It", "they", "which" or nothing at all as what was told of.
fn subject_resolved(text: &str, told: &Told) -> Option<String> {
    let start = lead_in(text);
    if is_headless(text) {
        let subject = told.subject.as_deref()?;
        return Some(format!("{}{subject} {}", text.get(..start)?, text.get(start..)?));
    }
    let all: Vec<Word<'_>> = words(text).collect();
    let first = all.iter().position(|word| word.span.start >= start)?;
    let pronoun = all.get(first)?;
    let is_subject = is_verb(&all, first + 1)
        || all.get(first + 1).is_some_and(|next| {
            ["never", "not", "still", "only", "also", "then", "already"]
                .iter()
                .any(|word| next.is(word))
                && is_verb(&all, first + 2)
        });
    if !is_subject {
        return None;
    }
    let several = |subject: &&str| {
        words(subject)
            .any(|word| word.is("and") || word.text.ends_with('s') && !word.text.ends_with("ss"))
    };
    // "It took until 19:03 for the load to drop", "it was the deploy that broke it" point at nothing.
    let is_empty = pronoun.is("it")
        && (all.get(first + 1).is_some_and(|verb| verb.is("took") || verb.is("takes"))
            || all.iter().skip(first + 2).any(|word| word.is("that") || word.is("who")));
    if is_empty {
        return None;
    }
    let meant = if pronoun.is("it") {
        told.subject
            .as_deref()
            .or(told.owner.as_deref())
            .filter(|subject| !words(subject).any(|word| word.is("and")))
    } else if pronoun.is("they") {
        told.subject.as_deref().filter(several)
    } else if pronoun.is("which") {
        // What stands right before the comma.
        told.owner.as_deref().filter(|owner| told.text.trim_end().ends_with(owner))
    } else {
        None
    }?;
    replaced(text, &pronoun.span, meant)
}
