//! This module reads what a figure measures from the words around it.
//!
//! A key that the figure is assigned to (`delay=180s`) says it alone; else four words before and three
//! behind do, within the clause.

use alloc::vec::Vec;

use crate::text::figures::{Figure, Unit};
use crate::text::part;
use crate::text::tokens::{Shape, Word, is_stop_word, words};

/// The words around a figure that say what it measures, as stems.
pub(super) struct Attributes {
    /// Hashes of the stems, each once.
    stems: Vec<u64>,
    /// The one beside the figure: for a bare count the noun that follows it, else the one in front.
    nearest: Option<u64>,
    /// Whether `nearest` is what a bare count counts.
    counts: bool,
}

impl Attributes {
    fn shared_with(&self, other: &Self) -> usize {
        self.stems.iter().filter(|word| other.stems.contains(word)).count()
    }

    fn hold(&self, word: Option<u64>) -> bool {
        word.is_some_and(|word| self.stems.contains(&word))
    }
}

/// Whether a quoted figure measures what the claim's does: the word beside it is one of the claim's, and
/// either all of its words are or most, the one beside the claim's figure among them. "memory limit 512Mi"
/// and "memory usage 490Mi" measure different things.
pub(super) fn are_alike(claimed: &Attributes, quoted: &Attributes) -> bool {
    let shared = claimed.shared_with(quoted);
    let smaller = claimed.stems.len().min(quoted.stems.len());
    let beside = quoted.hold(claimed.nearest);
    let most = shared * 10 >= smaller * 6 && beside;
    let all = shared == quoted.stems.len() && (beside || !claimed.counts);
    claimed.hold(quoted.nearest) && (all || most)
}

/// Whether most of all the words on both sides are shared.
pub(super) fn are_close(claimed: &Attributes, quoted: &Attributes) -> bool {
    let larger = claimed.stems.len().max(quoted.stems.len());
    claimed.shared_with(quoted) * 10 >= larger * 6
}

/// Reads the words around a figure.
pub(super) fn attributes(text: &str, figure: &Figure) -> Attributes {
    let (before, after) = neighbourhood(text, figure);
    let preceding: Vec<Word<'_>> = words(before).collect();
    let assigned =
        preceding.last().filter(|key| is_assignment(part(before, key.span.end..before.len())));
    let mut stems = Vec::new();
    if let Some(key) = assigned {
        parts_of_name(key.text).for_each(|part| push_attribute(&part, &mut stems));
    }
    if stems.is_empty() {
        push_window(before, &preceding, after, &mut stems);
    }
    let counted = if figure.unit == Unit::COUNT { counted_noun(after) } else { None };
    let nearest = counted.or(stems.first().copied());
    stems.sort_unstable();
    stems.dedup();
    Attributes { stems, nearest, counts: counted.is_some() }
}

/// What a bare number counts: the noun of "3 pods".
fn counted_noun(after: &str) -> Option<u64> {
    let noun = words(after).next().filter(|noun| part(after, 0..noun.span.start) == " ")?;
    let mut stem = Vec::new();
    push_attribute(&noun, &mut stem);
    stem.first().copied()
}

/// The text around a figure, as far as it may say what the figure measures.
fn neighbourhood<'t>(text: &'t str, figure: &Figure) -> (&'t str, &'t str) {
    const REACH: usize = 96;
    let mut from = figure.span.start.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut to = (figure.span.end + REACH).min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    (part(text, from..figure.span.start), part(text, figure.span.end..to))
}

/// Four words before and three behind, within the clause and up to the next number.
fn push_window(before: &str, preceding: &[Word<'_>], after: &str, stems: &mut Vec<u64>) {
    const BEFORE: usize = 4;
    const AFTER: usize = 3;
    let mut edge = before.len();
    for word in preceding.iter().rev() {
        let apart = parts_clause(part(before, word.span.end..edge));
        if stems.len() >= BEFORE || word.shape() == Shape::Number || apart {
            break;
        }
        push_attribute(word, stems);
        edge = word.span.start;
    }
    let limit = stems.len() + AFTER;
    let mut edge = 0;
    for word in words(after) {
        let apart = parts_clause(part(after, edge..word.span.start));
        if stems.len() >= limit || word.shape() == Shape::Number || apart {
            break;
        }
        push_attribute(&word, stems);
        edge = word.span.end;
    }
}

/// Whether a key and its value are joined: `delay=180s`, `"delay": 180`.
fn is_assignment(between: &str) -> bool {
    between.contains(['=', ':'])
        && between.bytes().all(|byte| matches!(byte, b'=' | b':' | b'"' | b'\'' | b' ' | b'\t'))
}

/// The words of a field's name: `initialDelaySeconds`, `memory_limit`.
fn parts_of_name(name: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = name;
    core::iter::from_fn(move || {
        rest = rest.trim_start_matches(['_', '-', '.']);
        let mut ends = rest.char_indices().skip(1);
        let end = ends
            .find(|(_, c)| matches!(c, '_' | '-' | '.') || c.is_uppercase())
            .map_or(rest.len(), |(at, _)| at);
        let text = part(rest, 0..end);
        rest = part(rest, end..rest.len());
        (!text.is_empty()).then_some(Word { text, span: 0..text.len() })
    })
}

fn push_attribute(word: &Word<'_>, stems: &mut Vec<u64>) {
    /// Words that say how a figure moves or is stated, not what it measures.
    const GENERAL: [&str; 61] = [
        "time",
        "times",
        "count",
        "total",
        "number",
        "value",
        "least",
        "most",
        "more",
        "less",
        "fewer",
        "over",
        "above",
        "below",
        "up",
        "around",
        "roughly",
        "approximately",
        "nearly",
        "almost",
        "just",
        "only",
        "exactly",
        "rose",
        "reached",
        "hit",
        "peaked",
        "increased",
        "grew",
        "dropped",
        "fell",
        "went",
        "decreased",
        "climbed",
        "reported",
        "showed",
        "shows",
        "equals",
        "set",
        "stood",
        "out",
        "now",
        "of",
        "per",
        "each",
        "all",
        "stands",
        "stand",
        "seconds",
        "second",
        "ms",
        "bytes",
        "percent",
        "minutes",
        "last",
        "been",
        "took",
        "uses",
        "use",
        "used",
        "exact",
    ];
    if !is_stop_word(word.text) && !GENERAL.iter().any(|general| word.is(general)) {
        stems.push(word.stem());
    }
}

fn parts_clause(between: &str) -> bool {
    between.contains([',', ';', '|', '\n', '(', ')', '{', '}', '[', ']']) || between.contains(". ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::figures::figures;

    fn alike(claim: &str, quote: &str) -> bool {
        let read = |text: &str| attributes(text, &figures(text).figures[0]);
        are_alike(&read(claim), &read(quote))
    }

    #[test]
    fn h37_the_word_beside_the_figure_decides() {
        assert!(alike("the memory limit is 512Mi", "memory limit: 256Mi"));
        assert!(alike("the probe has an initial delay of 30 s", "initialDelaySeconds: 15"));
        assert!(alike("checkout restarted 5 times", "checkout restarted 3 times"));
        assert!(!alike("the memory limit is 512Mi", "memory usage 490Mi"));
        assert!(!alike("checkout restarted 5 times", "payments restarted 3 times"));
        assert!(!alike("two containers restarted", "Restart Count: 0"));
    }
}
