//! Converts texts to a canonical form: unescaped, folded, and without spaces around JSON punctuation.

use core::ops::Range;

use crate::escapes::{MAX_PASSES, TracedText, has_escape, offset, unescape};
use crate::text::char_at;
use crate::text::fold::Folded;

/// A text in canonical form, with a mapping to the original bytes.
#[derive(Clone, Debug)]
pub(in super::super) struct Canonical {
    traced: TracedText,
}

impl Canonical {
    pub(in super::super) fn new(original: &str) -> Self {
        let mut plain: Option<TracedText> = None;
        for _ in 0..MAX_PASSES {
            let text = plain.as_ref().map_or(original, |traced| traced.text.as_str());
            if !has_escape(text) {
                break;
            }
            let mut unescaped = unescape(text, 0..text.len());
            if let Some(previous) = &plain {
                unescaped = retrace(&unescaped, |span| previous.original(&span));
            }
            plain = Some(unescaped);
        }
        let folded = Folded::new(plain.as_ref().map_or(original, |traced| traced.text.as_str()));
        let origin = |span: Range<usize>| {
            let span = folded.original(span);
            plain.as_ref().map_or(span.clone(), |traced| traced.original(&span))
        };
        Self { traced: remove_spaces(folded.as_str(), origin) }
    }

    /// Creates the canonical form of a traced text, with a mapping to the original of the traced text.
    pub(in super::super) fn from_traced(printed: &TracedText) -> Self {
        let canonical = Self::new(&printed.text);
        Self { traced: retrace(&canonical.traced, |span| printed.original(&span)) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.traced.text
    }

    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        self.traced.original(span)
    }

    pub(super) fn span_of(&self, original: &Range<usize>) -> Range<usize> {
        self.traced.span_of(original)
    }
}

/// Returns the canonical form of a quote. An escape that is truncated at the end of the quote is dropped.
pub(super) fn canonical(quote: &str) -> String {
    Canonical::new(quote.trim_end_matches('\\')).traced.text
}

fn retrace(traced: &TracedText, original: impl Fn(Range<usize>) -> Range<usize>) -> TracedText {
    let mut result = TracedText::with_capacity(traced.text.len());
    for (position, character) in traced.text.char_indices() {
        let source = original(traced.original(&(position..position + character.len_utf8())));
        result.push(character, (offset(source.start), offset(source.end)));
    }
    result
}

/// Removes spaces around punctuation, except between digits, since `1, 234` is not a single figure.
fn remove_spaces(folded: &str, original: impl Fn(Range<usize>) -> Range<usize>) -> TracedText {
    let mut result = TracedText::with_capacity(folded.len());
    let mut previous_characters = [None, None];
    for (position, character) in folded.char_indices() {
        let end = position + character.len_utf8();
        if character == ' ' {
            let next_character = char_at(folded, end);
            let follows_sign = previous_characters[1].is_some_and(is_punctuation);
            let is_between_digits = if follows_sign {
                previous_characters[0].is_some_and(is_digit) && next_character.is_some_and(is_digit)
            } else {
                let following =
                    next_character.and_then(|sign| char_at(folded, end + sign.len_utf8()));
                previous_characters[1].is_some_and(is_digit) && following.is_some_and(is_digit)
            };
            if (follows_sign || next_character.is_some_and(is_punctuation)) && !is_between_digits {
                continue;
            }
        }
        let source = original(position..end);
        result.push(character, (offset(source.start), offset(source.end)));
        previous_characters = [previous_characters[1], Some(character)];
    }
    result
}

fn is_punctuation(character: char) -> bool {
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
    fn spellings_of_a_member_have_the_same_canonical_form() {
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
        fn every_character_is_mapped_to_its_original(text in "(\\PC|\\\\n|\\\\\"|\\\\u00e9|[{}:, \"=0-9]){0,40}") {
            let canonical = Canonical::new(&text);
            for (position, character) in canonical.as_str().char_indices() {
                let original = canonical.original(&(position..position + character.len_utf8()));
                prop_assert!(text.get(original.clone()).is_some(), "{:?}", original);
            }
        }

        #[test]
        fn escaped_and_plain_texts_have_the_same_canonical_form(text in "([a-z é]|\n|\"|:|,|[0-9]){0,30}") {
            let escaped = serde_json::Value::from(text.as_str()).to_string();
            let inner = escaped.get(1..escaped.len() - 1).unwrap();
            prop_assert_eq!(canonical(inner), canonical(&text));
        }
    }
}
