//! Splits assertions into statements that are judged separately.
//!
//! A sentence is split at "; ", ", and", ", while", ", where" and so on if both sides have a predicate and
//! something to check. It is also split before a causal link, so that the observation and the link are
//! separate statements. The statements' spans cover the sentence.

use std::ops::Range;

use super::words::is_predicate;
use super::{Assertion, ClaimKind, continuations};
use crate::text::figures::{Figures, figures};
use crate::text::polarity::{MarkerKind, markers};
use crate::text::tokens::{Shape, Word, is_stop_word, words};

/// Splits an assertion into statements. Returns their texts, and their spans in the report, which together cover the
/// assertion.
#[must_use]
pub fn statements(assertion: &Assertion) -> Vec<(String, Range<usize>)> {
    let text = assertion.text.text();
    let parts = if assertion.is_prose {
        split_at(text, 0..text.len(), SplitMode::All)
    } else {
        Vec::from([trim_part(text, 0..text.len())])
    };
    let mut parts: Vec<Range<usize>> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    // The sentence consists of a single conjunction.
    if parts.is_empty() && !text.trim().is_empty() {
        parts.push(0..text.len());
    }
    let mut found: Vec<(String, Range<usize>)> = Vec::new();
    let mut start = 0;
    for (index, part) in parts.iter().enumerate() {
        let end = if index + 1 == parts.len() { text.len() } else { part.end };
        let statement = text.get(part.clone()).unwrap_or_default().to_owned();
        // Removes a question mark, which would make the statement a question.
        let statement = match assertion.is_prose {
            true if assertion.kind == ClaimKind::Statement => {
                statement.trim_end_matches(['?', '？', '؟']).to_owned()
            }
            true => statement,
            false => text.trim().to_owned(),
        };
        if let Some(span) = assertion.text.source(start..end) {
            found.push((statement, span));
        }
        start = end;
    }
    found
}

struct SplitPoint {
    /// The left part ends at the start of the span, and the right part starts at its end.
    span: Range<usize>,
    kind: SplitKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SplitKind {
    /// A semicolon or dash. Both sides can be short.
    Mark,
    /// A word that can also join nouns. Both sides need a predicate.
    Word,
    /// A continuation. Only the part before it needs a predicate.
    Continuation,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SplitMode {
    /// Splits at conjunctions and marks.
    Plain,
    /// Also splits before continuations without a conjunction.
    All,
}

/// Returns the statements in a sentence that is a single claim.
#[must_use]
pub fn clauses(sentence: &str) -> Vec<Range<usize>> {
    split_at(sentence, 0..sentence.len(), SplitMode::Plain)
}

fn split_at(report: &str, sentence: Range<usize>, mode: SplitMode) -> Vec<Range<usize>> {
    let Some(text) = report.get(sentence.clone()) else { return Vec::new() };
    let mut parts = Vec::new();
    let mut start = 0;
    let can_split = can_split(text) || mode == SplitMode::All && text.contains(':');
    let split_points = if can_split { split_points(text, mode) } else { Vec::new() };
    let index = if split_points.is_empty() { WordIndex::default() } else { WordIndex::new(text) };
    for split_point in split_points {
        let span = split_point.span;
        let (left, right) = (start..span.start, span.end..text.len());
        let is_valid = match split_point.kind {
            SplitKind::Mark => index.has_words(&left) && index.has_words(&right),
            SplitKind::Word => index.is_statement(&left) && index.is_statement(&right),
            SplitKind::Continuation => index.is_statement(&left),
        };
        if span.start <= start || !is_valid {
            continue;
        }
        parts.push(start..span.start);
        start = span.end;
    }
    parts.push(start..text.len());
    parts
        .into_iter()
        .map(|part| trim_part(text, part))
        .filter(|part| !part.is_empty())
        .map(|part| sentence.start + part.start..sentence.start + part.end)
        .collect()
}

/// Fast check for marks or words that can split a sentence.
fn can_split(text: &str) -> bool {
    const CUES: [&str; 14] = [
        "although", "and", "as a", "because", "but", "due to", "hence", "ing", "since", "though",
        "thus", "until", "whereas", "while",
    ];
    const LONG_CUES: [&str; 3] = ["owing to", "therefore", "consequently"];
    text.contains([',', ';', '—', '–'])
        || text.contains(" - ")
        || CUES.iter().chain(&LONG_CUES).any(|cue| text.contains(cue))
}

/// Words that join two statements after a comma.
const JOINING: [&str; 13] = [
    "and", "as", "but", "since", "so", "then", "until", "when", "where", "whereas", "which",
    "while", "yet",
];

const SUBORDINATING: [&str; 4] = ["although", "though", "whereas", "while"];

/// Words that start a sentence with a subordinate clause, which ends at a comma.
const LEADING: [&str; 6] = ["although", "as", "since", "though", "when", "while"];

/// Verbs that start a second statement about the same subject after "and" or "but".
const RESUMING: [&str; 44] = [
    "are", "became", "began", "came", "cannot", "climbed", "crashed", "did", "does", "dropped",
    "ended", "exited", "failed", "fell", "finished", "gave", "had", "has", "have", "hit", "is",
    "keeps", "kept", "logged", "lost", "peaked", "reached", "recovered", "remained", "remains",
    "restarted", "returned", "rose", "runs", "shows", "showed", "started", "stayed", "stood",
    "stopped", "took", "was", "went", "were",
];

/// Cues that add a cause or effect to a complete statement.
#[rustfmt::skip]
const LINKING: [&str; 15] = [
    "as a consequence", "as a result", "because", "because of", "causing", "consequently", "due to",
    "hence", "leading to", "owing to", "resulting from", "resulting in", "therefore", "thus",
    "triggering",
];

fn split_points(text: &str, mode: SplitMode) -> Vec<SplitPoint> {
    let is_link = |span: &Range<usize>| {
        let cue = text.get(span.clone()).unwrap_or("");
        LINKING.iter().any(|linking| cue.eq_ignore_ascii_case(linking))
    };
    // The positions are sorted.
    let causes: Vec<usize> = markers(text)
        .into_iter()
        .filter(|marker| marker.kind == MarkerKind::Cause && is_link(&marker.span))
        .map(|marker| marker.span.start)
        .collect();
    let mut found = Vec::new();
    let mut previous: Option<Word<'_>> = None;
    let mut starts_with_subordinate =
        words(text).next().is_some_and(|word| LEADING.iter().any(|cue| word.is(cue)));
    let mut nesting = Nesting::default();
    for word in words(text) {
        if nesting.covers(text, word.span.start) {
            previous = Some(word);
            continue;
        }
        let gap_start = previous.as_ref().map_or(0, |word| word.span.end);
        let gap = text.get(gap_start..word.span.start).unwrap_or("");
        let mark = gap.find([',', ';', '—', '–']).map(|offset| gap_start + offset);
        let gap_end = gap_start + gap.len() - gap.trim_start().len();
        let follows_conjunction =
            previous.as_ref().is_some_and(|word| word.is("and") || word.is("but"));
        let mut split_point = |span: Range<usize>, kind| found.push(SplitPoint { span, kind });
        if causes.binary_search(&word.span.start).is_ok() {
            split_point(mark.unwrap_or(gap_end)..word.span.start, SplitKind::Word);
        } else if gap.contains(" - ") {
            split_point(gap_start..word.span.start, SplitKind::Mark);
        } else if gap.contains(';') || gap.contains(['—', '–']) && gap.contains(' ') {
            split_point(mark.unwrap_or(gap_start)..word.span.start, SplitKind::Mark);
        } else if mode == SplitMode::All
            && mark.is_some()
            && continuations::joins_time_distance(text, &word)
        {
            split_point(gap_start..word.span.end, SplitKind::Continuation);
        } else if let Some(mark) = mark
            && JOINING.iter().any(|joining| word.is(joining))
        {
            let keeps_word = word.is("which") || word.is("where");
            split_point(
                mark..if keeps_word { word.span.start } else { word.span.end },
                SplitKind::Word,
            );
        } else if mode == SplitMode::All
            && gap.trim_start().starts_with(',')
            && (continuations::is_time_distance(text, word.span.start)
                || continuations::is_about_part(text, word.span.start))
        {
            split_point(gap_start..word.span.start, SplitKind::Continuation);
        } else if mode == SplitMode::All
            && continuations::starts_second_statement(gap, previous.as_ref(), &word)
            || mark.is_some() && std::mem::take(&mut starts_with_subordinate)
        {
            split_point(gap_start..word.span.start, SplitKind::Word);
        } else if mark.is_some() && (word.is("before") || word.is("after")) {
            split_point(mark.unwrap_or(gap_start)..word.span.start, SplitKind::Word);
        } else if SUBORDINATING.iter().any(|joining| word.is(joining)) {
            let start = previous
                .as_ref()
                .filter(|word| word.is("even"))
                .map_or(gap_start, |word| word.span.start);
            split_point(start..word.span.end, SplitKind::Word);
        } else if follows_conjunction && RESUMING.iter().any(|verb| word.is(verb)) {
            let start = previous.as_ref().map_or(gap_start, |word| word.span.start);
            split_point(start..word.span.start, SplitKind::Word);
        }
        previous = Some(word);
    }
    found
}

#[derive(Default)]
struct Nesting {
    read_to: usize,
    in_quotes: bool,
    in_code: bool,
    depth: isize,
}

impl Nesting {
    /// Returns `true` if a position is inside quotes, code or brackets. Positions must be ascending.
    fn covers(&mut self, text: &str, position: usize) -> bool {
        for character in text.get(self.read_to..position).unwrap_or("").chars() {
            match character {
                '"' => self.in_quotes = !self.in_quotes,
                '`' => self.in_code = !self.in_code,
                '(' | '“' => self.depth += 1,
                ')' | '”' => self.depth -= 1,
                _ => {}
            }
        }
        self.read_to = position;
        self.in_quotes || self.in_code || self.depth > 0
    }
}

/// Word positions that determine whether part of a sentence is a statement.
#[derive(Default)]
struct WordIndex {
    words: Vec<usize>,
    order_words: Vec<usize>,
    predicates: Vec<usize>,
    /// Figures, codes, names, states and negations.
    informative: Vec<Range<usize>>,
    content_words: Vec<usize>,
}

impl WordIndex {
    fn new(text: &str) -> Self {
        let mut index = Self::default();
        for word in words(text) {
            let start = word.span.start;
            index.words.push(start);
            if word.is("before") || word.is("after") {
                index.order_words.push(start);
            }
            if is_predicate(&word) {
                index.predicates.push(start);
            }
            if !is_stop_word(word.text) {
                index.content_words.push(start);
            }
            if word.shape() != Shape::Plain {
                index.informative.push(word.span);
            }
        }
        let Figures { figures, times, codes } = figures(text);
        index.informative.extend(figures.into_iter().map(|figure| figure.span));
        index.informative.extend(times.into_iter().map(|time| time.span));
        index.informative.extend(codes.into_iter().map(|code| code.span));
        let markers = markers(text).into_iter();
        let negations = markers.filter(|marker| marker.kind == MarkerKind::Negation);
        index.informative.extend(negations.map(|marker| marker.span));
        index.informative.sort_unstable_by_key(|span| span.start);
        index
    }

    fn has_words(&self, part: &Range<usize>) -> bool {
        positions_in(&self.words, part).len() >= 2
    }

    /// Returns `true` if a part has a predicate, and enough content words or something informative to check.
    fn is_statement(&self, part: &Range<usize>) -> bool {
        const MIN_WORDS: usize = 3;
        let first = positions_in(&self.words, part).first();
        let is_ordered = first.is_some_and(|first| self.order_words.binary_search(first).is_ok());
        let first_index = self.informative.partition_point(|span| span.start < part.start);
        let is_informative = || {
            let following = self.informative.get(first_index..).unwrap_or_default();
            following
                .iter()
                .take_while(|span| span.start < part.end)
                .any(|span| span.end <= part.end)
        };
        !positions_in(&self.predicates, part).is_empty()
            && (is_ordered
                || positions_in(&self.content_words, part).len() >= MIN_WORDS
                || is_informative())
    }
}

fn positions_in<'a>(positions: &'a [usize], part: &Range<usize>) -> &'a [usize] {
    let first = positions.partition_point(|position| *position < part.start);
    let end = positions.partition_point(|position| *position < part.end);
    positions.get(first..end).unwrap_or_default()
}

fn trim_part(text: &str, part: Range<usize>) -> Range<usize> {
    let inner = text.get(part.clone()).unwrap_or("");
    let start =
        inner.len() - inner.trim_start_matches([' ', ',', ';', '\n', '\r', '\t', '—', '–']).len();
    let inner = inner.get(start..).unwrap_or("");
    let inner = inner.trim_end_matches([' ', ',', ';', '.', '\n', '\r', '\t', '—', '–', ':']);
    part.start + start..part.start + start + inner.len()
}
