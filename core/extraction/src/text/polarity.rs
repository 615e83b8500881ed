//! Finds markers of polarity and modality: negations, hedges, causes and completed actions.
//!
//! Cues are sequences of whole words from a short table. They are compared ignoring case.

use core::ops::Range;

use super::tokens::{Shape, Word, Words, words};
use super::{byte_at, part};

/// A cue and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The byte range of the cue.
    pub span: Range<usize>,
    /// The kind of cue.
    pub kind: MarkerKind,
}

/// The effect of a cue on the surrounding words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerKind {
    /// Negates the rest of the clause: "did not", "without", "no longer", "zero".
    Negation,
    /// Weakens a statement: "likely", "may have", "suggests".
    Hedge,
    /// Links a cause and an effect: "because", "led to", "due to".
    Cause,
    /// Reports a completed action: "fixed", "rolled back".
    ActionDone,
    /// Quantifies over all: "all", "every", "each".
    All,
    /// Quantifies over none: "none", "no", "zero".
    None,
    /// Quantifies over some: "some", "several", "at least one".
    Some,
}

/// Returns all cues in text order, and only the longest cue at each position. "no" is both a negation and a quantifier.
#[must_use]
pub fn markers(text: &str) -> Vec<Marker> {
    scan(text).collect()
}

fn scan(text: &str) -> Scan<'_> {
    Scan { rest: words(text), pending: None }
}

struct Scan<'a> {
    rest: Words<'a>,
    pending: Option<Marker>,
}

impl Iterator for Scan<'_> {
    type Item = Marker;

    fn next(&mut self) -> Option<Marker> {
        if let Some(pending) = self.pending.take() {
            return Some(pending);
        }
        loop {
            let first = self.rest.next()?;
            let Some((phrase, kind, following)) = longest_phrase(&first, &self.rest) else {
                continue;
            };
            if kind == MarkerKind::Negation && is_not_negation(&first, phrase, &following.rest) {
                continue;
            }
            let end = following.last_end.unwrap_or(first.span.end);
            let span = first.span.start..end;
            self.rest = following.rest;
            if matches!(phrase, "no" | "none" | "zero" | "none of" | "neither" | "0") {
                self.pending = Some(Marker { span: span.clone(), kind });
                return Some(Marker { span, kind: MarkerKind::None });
            }
            return Some(Marker { span, kind });
        }
    }
}

/// Returns `true` if the text contains a negation.
#[must_use]
pub fn is_negated(text: &str) -> bool {
    scan(text).any(|marker| marker.kind == MarkerKind::Negation)
}

/// Returns `true` if the text contains a negation or a hedge.
#[must_use]
pub fn is_negated_or_hedged(text: &str) -> bool {
    scan(text).any(|marker| matches!(marker.kind, MarkerKind::Negation | MarkerKind::Hedge))
}

/// Returns `true` if a negation precedes the words in `span` in the same clause, or is one of these words.
#[must_use]
pub fn negates(text: &str, span: &Range<usize>) -> bool {
    scan(text).any(|marker| {
        marker.kind == MarkerKind::Negation
            && marker.span.start < span.end
            && span.start < scope_end(text, marker.span.end)
    })
}

/// Returns the first hedge.
#[must_use]
pub fn hedge(text: &str) -> Option<Range<usize>> {
    first_of_kind(text, MarkerKind::Hedge)
}

/// Returns the first causal link.
#[must_use]
pub fn causal_link(text: &str) -> Option<Range<usize>> {
    first_of_kind(text, MarkerKind::Cause)
}

/// Returns the first completed action, unless it is negated.
#[must_use]
pub fn action_done(text: &str) -> Option<Range<usize>> {
    first_of_kind(text, MarkerKind::ActionDone).filter(|span| !negates(text, span))
}

/// Returns `true` if the text contains an explicit negation such as "not", "no", "never" or "without".
/// "missing", "failed to" and "0" are excluded, because a preceding "not" would reverse them.
#[must_use]
pub fn is_denied(text: &str) -> bool {
    words(text).any(|word| is_denial(&word)) && has_denial(text)
}

fn has_denial(text: &str) -> bool {
    scan(text).any(|marker| {
        marker.kind == MarkerKind::Negation
            && words(part(text, marker.span.clone())).next().is_some_and(|cue| is_denial(&cue))
    })
}

/// Returns `true` if a word is an explicit negation such as "not", "no", "never" or "without".
#[must_use]
pub fn is_denial(cue: &Word<'_>) -> bool {
    let last = cue.text.as_bytes().last().copied().unwrap_or(0);
    let is_contraction = last.eq_ignore_ascii_case(&b't') && cue.text.contains(['\'', '\u{2019}']);
    let initial = byte_at(cue.text, 0).to_ascii_lowercase();
    is_contraction
        || matches!(initial, b'n' | b'c' | b'w') && PLAIN_DENIALS.iter().any(|entry| cue.is(entry))
}

const PLAIN_DENIALS: [&str; 10] =
    ["no", "not", "never", "none", "nothing", "nobody", "neither", "nor", "cannot", "without"];

/// Returns `true` if a text contains a blank value, which can deny something without a negation word: `0`, `[]`, `{}`,
/// `null`, `false`, `none`, "empty".
#[must_use]
pub fn is_blank_answer(text: &str) -> bool {
    const BLANK: [&str; 8] = ["0", "zero", "false", "null", "none", "nil", "empty", "nan"];
    text.contains("[]")
        || text.contains("{}")
        || text.contains("\"\"")
        || words(text).any(|word| BLANK.iter().any(|entry| word.is(entry)))
}

fn first_of_kind(text: &str, kind: MarkerKind) -> Option<Range<usize>> {
    scan(text).find(|marker| marker.kind == kind).map(|marker| marker.span)
}

/// Returns the end of the clause after a cue: at punctuation or a contrasting conjunction.
fn scope_end(text: &str, start_offset: usize) -> usize {
    for word in words(part(text, start_offset..text.len())) {
        let start = start_offset + word.span.start;
        let end = start_offset + word.span.end;
        if BREAKS.iter().any(|breaker| word.is(breaker)) {
            return start;
        }
        if matches!(byte_at(text, end), b',' | b';' | b':' | b'.' | b'!' | b'?' | b'(') {
            return end;
        }
    }
    text.len()
}

const BREAKS: [&str; 8] =
    ["but", "while", "although", "though", "however", "yet", "whereas", "because"];

struct Following<'a> {
    rest: Words<'a>,
    last_end: Option<usize>,
}

type Entry = (&'static str, MarkerKind);

fn longest_phrase<'a>(
    first: &Word<'a>,
    rest: &Words<'a>,
) -> Option<(&'static str, MarkerKind, Following<'a>)> {
    let initial = usize::from(byte_at(first.text, 0).to_ascii_lowercase());
    let Initial { start, end, lengths } = *INITIALS.get(initial)?;
    let first_length = first.text.len();
    if lengths & length_bit(first_length) == 0 {
        return None;
    }
    let is_ascii = first.text.is_ascii();
    let mut best = None;
    for ((phrase, kind), length) in PHRASES.get(start..end)?.iter().zip(LENGTHS.get(start..end)?) {
        if is_ascii && *length != first_length {
            continue;
        }
        let Some(phrase_rest) = rest_after_first_word(phrase, first.text, is_ascii) else {
            continue;
        };
        if let Some(following) = match_rest(phrase_rest, rest) {
            // Entries are sorted, so a longer phrase with the same start comes later.
            best = Some((*phrase, *kind, following));
        }
    }
    best
}

/// The entries that start with a given byte.
#[derive(Clone, Copy)]
struct Initial {
    start: usize,
    end: usize,
    /// A bit set of first-word lengths, with either apostrophe.
    lengths: u32,
}

static INITIALS: [Initial; 128] = initials();

const fn length_bit(length: usize) -> u32 {
    if length < 32 { 1 << length } else { 0 }
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, when an invalid index fails the build"
)]
const fn initials() -> [Initial; 128] {
    let mut initials = [Initial { start: 0, end: 0, lengths: 0 }; 128];
    let mut entry = 0;
    while entry < PHRASES.len() {
        let initial = &mut initials[PHRASES[entry].0.as_bytes()[0] as usize];
        if initial.end == 0 {
            initial.start = entry;
        }
        initial.end = entry + 1;
        initial.lengths |= length_bit(LENGTHS[entry]);
        if contains_apostrophe(PHRASES[entry].0) {
            initial.lengths |= length_bit(LENGTHS[entry] + '\u{2019}'.len_utf8() - 1);
        }
        entry += 1;
    }
    initials
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, when an invalid index fails the build"
)]
const fn contains_apostrophe(phrase: &str) -> bool {
    let mut index = 0;
    while index < phrase.len() {
        if phrase.as_bytes()[index] == b'\'' {
            return true;
        }
        index += 1;
    }
    false
}

static LENGTHS: [usize; PHRASES.len()] = first_lengths();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, when an invalid index fails the build"
)]
const fn first_lengths() -> [usize; PHRASES.len()] {
    let mut lengths = [0; PHRASES.len()];
    let mut entry = 0;
    while entry < PHRASES.len() {
        let phrase = PHRASES[entry].0.as_bytes();
        while lengths[entry] < phrase.len() && phrase[lengths[entry]] != b' ' {
            lengths[entry] += 1;
        }
        entry += 1;
    }
    lengths
}

/// Returns the rest of a phrase if it starts with `first_word`. `is_ascii` refers to `first_word`.
fn rest_after_first_word(
    phrase: &'static str,
    first_word: &str,
    is_ascii: bool,
) -> Option<&'static str> {
    if is_ascii {
        let is_prefix = phrase.get(..first_word.len())?.eq_ignore_ascii_case(first_word);
        let phrase_rest = phrase.get(first_word.len()..).filter(|_| is_prefix)?;
        return if phrase_rest.is_empty() {
            Some(phrase_rest)
        } else {
            phrase_rest.strip_prefix(' ')
        };
    }
    let (first, phrase_rest) = phrase.split_once(' ').unwrap_or((phrase, ""));
    eq_ignoring_case(first_word, first).then_some(phrase_rest)
}

fn match_rest<'a>(phrase_rest: &str, rest: &Words<'a>) -> Option<Following<'a>> {
    let mut following = Following { rest: rest.clone(), last_end: None };
    for word in phrase_rest.split(' ').filter(|word| !word.is_empty()) {
        let next = following.rest.next().filter(|next| eq_ignoring_case(next.text, word))?;
        following.last_end = Some(next.span.end);
    }
    Some(following)
}

/// Compares two texts, ignoring case. A typographic apostrophe equals a plain one.
fn eq_ignoring_case(text: &str, entry: &str) -> bool {
    if text.is_ascii() {
        return text.eq_ignore_ascii_case(entry);
    }
    let plain = |c: char| if c == '\u{2019}' { '\'' } else { c.to_ascii_lowercase() };
    text.chars().map(plain).eq(entry.chars())
}

/// Returns `true` for phrases that do not negate: "no longer than", "no more than", "no later than",
/// "not only", "No. 5".
fn is_not_negation(first: &Word<'_>, phrase: &str, rest: &Words<'_>) -> bool {
    let mut ahead = rest.clone();
    let (next, second) = (ahead.next(), ahead.next());
    let next_is =
        |table: &[&str]| next.as_ref().is_some_and(|word| table.iter().any(|entry| word.is(entry)));
    match phrase {
        "no" if next_is(&["more", "less", "fewer", "later", "earlier", "longer"]) => {
            second.is_some_and(|word| word.is("than"))
        }
        "no" => {
            first.text.starts_with('N')
                && next.is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()))
        }
        "no longer" => next_is(&["than"]),
        "not" => next_is(&["only", "just", "merely"]),
        // "0 errors" negates; "0 ms" and "0 / 5" are measurements.
        "0" => !next.is_some_and(|word| word.shape() == Shape::Plain && word.text.len() > 3),
        _ => false,
    }
}

use MarkerKind::{ActionDone, All, Cause, Hedge, Negation, Some as SomeOf};

/// The phrases, sorted so that entries with the same first byte are adjacent and longer entries follow their prefixes.
#[rustfmt::skip]
const PHRASES: [Entry; 165] = [
    ("0", Negation), ("a few", SomeOf), ("absence of", Negation), ("absent", Negation),
    ("all", All), ("almost certainly", Hedge), ("apparently", Hedge), ("appear to", Hedge),
    ("appeared to", Hedge), ("appears to", Hedge), ("aren't", Negation),
    ("as a consequence", Cause), ("as a result", Cause), ("assume", Hedge), ("assumed", Hedge),
    ("at least one", SomeOf), ("attributable to", Cause), ("attributed to", Cause),
    ("because", Cause), ("because of", Cause), ("believed to", Hedge), ("brought about", Cause),
    ("can't", Negation), ("cannot", Negation), ("caused", Cause), ("caused by", Cause),
    ("causes", Cause), ("causing", Cause), ("consequently", Cause), ("could have", Hedge),
    ("couldn't", Negation), ("didn't", Negation), ("doesn't", Negation), ("don't", Negation),
    ("driven by", Cause), ("due to", Cause), ("each", All), ("entire", All), ("entirely", All),
    ("every", All), ("failed to", Negation), ("failing to", Negation), ("fails to", Negation),
    ("fixed", ActionDone), ("free of", Negation), ("hadn't", Negation), ("hardly", Negation),
    ("hasn't", Negation), ("haven't", Negation), ("hence", Cause), ("hotfixed", ActionDone),
    ("hypothesis", Hedge), ("in response to", Cause), ("isn't", Negation), ("lack of", Negation),
    ("lacked", Negation), ("lacking", Negation), ("lacks", Negation), ("lead to", Cause),
    ("leading to", Cause), ("leads to", Cause), ("led to", Cause), ("likely", Hedge),
    ("may affect", Hedge), ("may also", Hedge), ("may be", Hedge), ("may cause", Hedge),
    ("may contribute", Hedge), ("may explain", Hedge), ("may have", Hedge), ("may indicate", Hedge),
    ("may lead", Hedge), ("may point", Hedge), ("may reflect", Hedge), ("may result", Hedge),
    ("may stem", Hedge), ("may suggest", Hedge), ("may well", Hedge), ("maybe", Hedge),
    ("might", Hedge), ("might have", Hedge), ("missing", Negation), ("mitigated", ActionDone),
    ("most likely", Hedge), ("neither", Negation), ("never", Negation), ("no", Negation),
    ("no longer", Negation), ("nobody", Negation), ("none", Negation), ("none of", Negation),
    ("nor", Negation), ("not", Negation), ("nothing", Negation), ("nowhere", Negation),
    ("owing to", Cause), ("patched", ActionDone), ("perhaps", Hedge), ("plausible", Hedge),
    ("plausibly", Hedge), ("points to", Hedge), ("possible", Hedge), ("possibly", Hedge),
    ("potential", Hedge), ("potentially", Hedge), ("presumably", Hedge), ("probable", Hedge),
    ("probably", Hedge), ("rather than", Negation), ("recovered", ActionDone),
    ("redeployed", ActionDone), ("remediated", ActionDone), ("repaired", ActionDone),
    ("resolved", ActionDone), ("restarted by", ActionDone), ("restored", ActionDone),
    ("resulted from", Cause), ("resulted in", Cause), ("resulting from", Cause),
    ("resulting in", Cause), ("results from", Cause), ("results in", Cause),
    ("reverted", ActionDone), ("rolled back", ActionDone), ("root cause", Cause),
    ("scaled down", ActionDone), ("scaled up", ActionDone), ("seem to", Hedge),
    ("seemed to", Hedge), ("seemingly", Hedge), ("seems", Hedge), ("seems to", Hedge),
    ("several", SomeOf), ("shouldn't", Negation), ("some", SomeOf), ("stemmed from", Cause),
    ("stems from", Cause), ("suggest", Hedge), ("suggested", Hedge), ("suggesting", Hedge),
    ("suggests", Hedge), ("suspect", Hedge), ("suspected", Hedge), ("the reason", Cause),
    ("therefore", Cause), ("thus", Cause), ("to be caused by", Cause), ("traced back to", Cause),
    ("traced to", Cause), ("trigger for", Cause), ("triggered", Cause), ("triggered by", Cause),
    ("triggering", Cause), ("unable to", Negation), ("unclear", Hedge), ("unlikely", Hedge),
    ("was restarted", ActionDone), ("wasn't", Negation), ("were restarted", ActionDone),
    ("weren't", Negation), ("without", Negation), ("won't", Negation), ("wouldn't", Negation),
    ("yet to", Negation), ("zero", Negation),
];

#[cfg(test)]
mod tests;
