//! This module brings quotes and their sources into one form: without the escapes of JSON strings, folded, and
//! without the spaces around the signs of JSON. `{\"phase\":\"Running\"}` inside a string, `"phase": "Running"`
//! on a line of its own and `"phase" : "Running"` become the same text. It decides nothing.

use core::ops::Range;

use crate::escapes::{MAX_PASSES, Traced, has_escape, offset, unescaped};
use crate::text::char_at;
use crate::text::fold::Folded;

/// A text in canonical form that remembers where its bytes came from.
#[derive(Clone, Debug)]
pub(in super::super) struct Canonical {
    traced: Traced,
}

impl Canonical {
    pub(in super::super) fn of(original: &str) -> Self {
        let mut plain: Option<Traced> = None;
        for _ in 0..MAX_PASSES {
            let text = plain.as_ref().map_or(original, |traced| traced.text.as_str());
            if !has_escape(text) {
                break;
            }
            let mut next = unescaped(text, 0..text.len());
            if let Some(before) = &plain {
                next = retraced(&next, |span| before.original(&span));
            }
            plain = Some(next);
        }
        let folded = Folded::new(plain.as_ref().map_or(original, |traced| traced.text.as_str()));
        let origin = |span: Range<usize>| {
            let span = folded.original(span);
            plain.as_ref().map_or(span.clone(), |traced| traced.original(&span))
        };
        Self { traced: without_spaces(folded.as_str(), origin) }
    }

    /// The canonical form of a text that came from another one, whose bytes it remembers.
    pub(in super::super) fn of_traced(printed: &Traced) -> Self {
        let canonical = Self::of(&printed.text);
        Self { traced: retraced(&canonical.traced, |span| printed.original(&span)) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.traced.text
    }

    /// The original bytes behind a stretch of the canonical text.
    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        self.traced.original(span)
    }

    /// The stretch of the canonical text that came from these original bytes.
    pub(super) fn stretch_of(&self, original: &Range<usize>) -> Range<usize> {
        self.traced.stretch_of(original)
    }
}

/// The canonical form of a quote. What is left of an escape that was cut at its ends goes.
pub(super) fn canonical(quote: &str) -> String {
    Canonical::of(quote.trim_end_matches('\\')).traced.text
}

fn retraced(traced: &Traced, original: impl Fn(Range<usize>) -> Range<usize>) -> Traced {
    let mut result = Traced::with_capacity(traced.text.len());
    for (at, character) in traced.text.char_indices() {
        let source = original(traced.original(&(at..at + character.len_utf8())));
        result.push(character, (offset(source.start), offset(source.end)));
    }
    result
}

/// A folded text without its spaces beside signs; between two digits they stay, so that `1, 234` and `14: 02`
/// do not become other figures.
fn without_spaces(folded: &str, original: impl Fn(Range<usize>) -> Range<usize>) -> Traced {
    let mut result = Traced::with_capacity(folded.len());
    let mut before = [None, None];
    for (at, character) in folded.char_indices() {
        let end = at + character.len_utf8();
        if character == ' ' {
            let after = char_at(folded, end);
            let follows_sign = before[1].is_some_and(is_sign);
            let between_digits = if follows_sign {
                before[0].is_some_and(is_digit) && after.is_some_and(is_digit)
            } else {
                let behind = after.and_then(|sign| char_at(folded, end + sign.len_utf8()));
                before[1].is_some_and(is_digit) && behind.is_some_and(is_digit)
            };
            if (follows_sign || after.is_some_and(is_sign)) && !between_digits {
                continue;
            }
        }
        let source = original(at..end);
        result.push(character, (offset(source.start), offset(source.end)));
        before = [before[1], Some(character)];
    }
    result
}

fn is_sign(character: char) -> bool {
    matches!(character, '{' | '}' | '[' | ']' | ':' | ',' | '"' | '=')
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_spelling_of_a_member_becomes_the_same() {
        for spelling in [
            r#""phase": "Running""#,
            r#""phase" :"Running""#,
            "\"phase\":\n    \"Running\"",
            r#"\"phase\": \"Running\""#,
            r#"\\\"phase\\\": \\\"Running\\\""#,
        ] {
            assert_eq!(canonical(spelling), r#""phase":"Running""#);
        }
        assert_eq!(canonical("caf\\u00e9\\nopen"), "café open");
        assert_eq!(canonical("[ 1, 234, 5 ]"), "[1, 234, 5]");
        assert_eq!(canonical("at 14: 02"), "at 14: 02");
    }

    proptest! {
        #[test]
        fn every_byte_knows_where_it_came_from(text in "(\\PC|\\\\n|\\\\\"|\\\\u00e9|[{}:, \"=0-9]){0,40}") {
            let canonical = Canonical::of(&text);
            for (at, character) in canonical.as_str().char_indices() {
                let original = canonical.original(&(at..at + character.len_utf8()));
                prop_assert!(text.get(original.clone()).is_some(), "{:?}", original);
            }
        }

        #[test]
        fn what_is_escaped_reads_as_before(text in "([a-z é]|\n|\"|:|,|[0-9]){0,30}") {
            let escaped = serde_json::Value::from(text.as_str()).to_string();
            let inner = escaped.get(1..escaped.len() - 1).unwrap();
            prop_assert_eq!(canonical(inner), canonical(&text));
        }
    }
}
