//! Truncates text to a width and sanitizes it for a terminal.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// Shortens text in the middle to at most `columns` columns.
#[must_use]
pub fn truncate_middle(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let kept_columns = columns.saturating_sub(1);
    let mut shortened = String::from(start_of(text, kept_columns - kept_columns / 2));
    shortened.push('…');
    shortened.push_str(end_of(text, kept_columns / 2));
    Cow::Owned(shortened)
}

/// Shortens text at the end to at most `columns` columns.
#[must_use]
pub fn truncate_end(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let start = start_of(text, columns.saturating_sub(1));
    Cow::Owned(format!("{}…", start.trim_end()))
}

/// Returns the width of text on a terminal, in columns.
#[must_use]
pub fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Returns text on one line: whitespace is collapsed, and control and directional characters become `\u{fffd}`.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut has_pending_space = false;
    for character in text.trim().chars() {
        if character.is_whitespace() {
            has_pending_space = true;
            continue;
        }
        if std::mem::take(&mut has_pending_space) {
            line.push(' ');
        }
        line.push(if is_unsafe(character) { char::REPLACEMENT_CHARACTER } else { character });
    }
    line
}

/// Replaces control and directional characters with `\u{fffd}`, except line breaks and tabs.
#[must_use]
pub fn lines(text: &str) -> String {
    let sanitize = |character| match character {
        '\n' | '\t' => character,
        _ if is_unsafe(character) => char::REPLACEMENT_CHARACTER,
        _ => character,
    };
    text.chars().map(sanitize).collect()
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn columns_of(character: char) -> usize {
    character.width().unwrap_or(0)
}

fn start_of(text: &str, columns: usize) -> &str {
    let mut total_columns = 0;
    for (offset, character) in text.char_indices() {
        total_columns += columns_of(character);
        if total_columns > columns {
            return text.get(..offset).unwrap_or(text);
        }
    }
    text
}

fn end_of(text: &str, columns: usize) -> &str {
    let mut total_columns = 0;
    let mut start = text.len();
    for (offset, character) in text.char_indices().rev() {
        total_columns += columns_of(character);
        if total_columns > columns {
            break;
        }
        // A combining mark without its base character is dropped.
        if columns_of(character) > 0 {
            start = offset;
        }
    }
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_unchanged() {
        assert_eq!(truncate_middle("naïve", 5), "naïve");
        assert_eq!(truncate_end("naïve", 5), "naïve");
    }

    #[test]
    fn truncates_in_the_middle_and_at_the_end() {
        assert_eq!(truncate_middle("0123456789", 7), "012…789");
        assert_eq!(truncate_middle("0123456789", 6), "012…89");
        assert_eq!(truncate_end("one two three", 9), "one two…");
    }

    #[test]
    fn wide_and_combining_characters_are_not_split() {
        assert_eq!(truncate_middle("内存不足错误", 8), "内存…误");
        let accents = "e\u{301}".repeat(10);
        assert_eq!(truncate_middle(&accents, 5), "e\u{301}e\u{301}…e\u{301}e\u{301}");
        for columns in 0..12 {
            assert!(
                width(&truncate_middle("a内b存c不d足", columns)) <= columns.max(1),
                "{columns}"
            );
        }
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(
            one_line(" red:\u{1b}[31m\r\n\t next\u{202e}txt "),
            "red:\u{fffd}[31m next\u{fffd}txt"
        );
    }

    proptest::proptest! {
        #[test]
        fn truncated_text_fits_and_sanitized_text_is_one_line(text in ".{0,60}", columns in 1_usize..40) {
            proptest::prop_assert!(width(&truncate_middle(&text, columns)) <= columns);
            proptest::prop_assert!(width(&truncate_end(&text, columns)) <= columns);
            let line = one_line(&text);
            proptest::prop_assert!(!line.chars().any(is_unsafe));
            proptest::prop_assert_eq!(&one_line(&line), &line);
        }
    }
}
