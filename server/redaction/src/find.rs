//! Finds secrets and personal data in a text. Each submodule except `boundary` detects one format. Match
//! lengths are bounded, so that every search is linear in the text length.

mod addresses;
mod assignments;
mod boundary;
mod cards;
mod connections;
mod keys;
mod mail;
mod phones;
mod tokens;

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::kind::Kind;
use crate::pattern::{Compiled, Pattern, PatternError, compile};

/// A range of text to hide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The byte range, never empty and on character boundaries.
    pub range: Range<usize>,
    /// The kind of value.
    pub kind: Kind,
}

impl Span {
    /// Returns the spanned value; `text` must be the text in which the span was found.
    #[must_use]
    pub fn value<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.range.clone()).unwrap_or_default()
    }
}

pub(crate) struct Finders {
    addresses: addresses::Addresses,
    assignments: assignments::Assignments,
    cards: cards::Cards,
    connections: connections::Connections,
    phones: phones::Phones,
    tokens: tokens::Tokens,
    custom: Vec<Compiled>,
}

impl Finders {
    pub(crate) fn new(patterns: &[Pattern]) -> Result<Self, PatternError> {
        Ok(Self {
            addresses: addresses::Addresses::new()?,
            assignments: assignments::Assignments::new()?,
            cards: cards::Cards::new()?,
            connections: connections::Connections::new()?,
            phones: phones::Phones::new()?,
            tokens: tokens::Tokens::new()?,
            custom: compile(patterns)?,
        })
    }

    pub(crate) fn find(&self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        keys::find(text, &mut spans);
        self.tokens.find(text, &mut spans);
        self.connections.find(text, &mut spans);
        self.assignments.find(text, &mut spans);
        mail::find(text, &mut spans);
        self.addresses.find(text, &mut spans);
        self.cards.find(text, &mut spans);
        self.phones.find(text, &mut spans);
        for Compiled { kind, regex } in &self.custom {
            spans.extend(regex.captures_iter(text).filter_map(|captures| {
                let group = captures.get(1).or_else(|| captures.get(0))?;
                Some(Span { range: group.range(), kind: kind.clone() })
            }));
        }
        merge(spans)
    }
}

/// Builds a matcher for built-in words; the longest match at a position wins.
fn compile_words(words: &[&str], ignores_case: bool) -> Result<AhoCorasick, PatternError> {
    let mut builder = AhoCorasick::builder();
    builder.match_kind(MatchKind::LeftmostLongest).ascii_case_insensitive(ignores_case);
    builder.build(words).map_err(|error| PatternError::Syntax {
        name: "words".to_owned(),
        position: 0,
        reason: error.to_string(),
    })
}

fn compile_expression(name: &str, expression: &str) -> Result<regex::Regex, PatternError> {
    regex::Regex::new(expression).map_err(|error| PatternError::Syntax {
        name: name.to_owned(),
        position: 0,
        reason: error.to_string(),
    })
}

/// Merges overlapping spans. The merged span covers both and has the kind that sorts first.
pub(crate) fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.range.is_empty());
    spans.sort_by(|a, b| (a.range.start, b.range.end).cmp(&(b.range.start, a.range.end)));
    let mut separate: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match separate.last_mut() {
            Some(last) if span.range.start < last.range.end => {
                last.range.end = last.range.end.max(span.range.end);
                if span.kind < last.kind {
                    last.kind = span.kind;
                }
            }
            _ => separate.push(span),
        }
    }
    separate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_spans_have_the_kind_that_sorts_first() {
        let span = |range, kind| Span { range, kind };
        let merged = merge(vec![
            span(8..12, Kind::Phone),
            span(0..5, Kind::Email),
            span(3..9, Kind::Secret),
            span(12..14, Kind::Ip),
            span(20..20, Kind::Ip),
        ]);
        assert_eq!(merged, [span(0..12, Kind::Secret), span(12..14, Kind::Ip)]);
    }
}
