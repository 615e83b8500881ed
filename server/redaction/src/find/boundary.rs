//! Finds the boundaries of words in telemetry, where escapes may precede a word: `\n`, `%3D`, terminal colours.

/// Returns the text before an offset.
pub(crate) fn before(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or_default()
}

/// Returns the text after an offset.
pub(crate) fn behind(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// Returns the last `max` characters before an offset.
pub(crate) fn shortly_before(text: &str, at: usize, max: usize) -> &str {
    let before = before(text, at);
    let start = before.char_indices().rev().take(max).last().map_or(before.len(), |(at, _)| at);
    behind(before, start)
}

/// Returns `true` if a word may start here: not after a letter, digit or underscore, except one of an escape.
pub(crate) fn begins_word(text: &str, at: usize) -> bool {
    let before = before(text, at);
    !before.ends_with(is_word_character) || ends_with_escape(before)
}

/// Returns `true` if a word may end here.
pub(crate) fn ends_word(text: &str, at: usize) -> bool {
    !behind(text, at).starts_with(is_word_character)
}

/// Returns `true` if a character belongs to a word.
pub(crate) fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns `true` if a text ends with an escape of JSON (`\n`, `\u003d`), a URL (`%3D`) or a terminal (`ESC[31m`).
fn ends_with_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', first, second] if first.is_ascii_hexdigit() => second.is_ascii_hexdigit(),
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()),
        [rest @ .., b'm'] => {
            let is_parameter = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let parameters = rest.iter().rev().take(12).take_while(is_parameter).count();
            let opening = rest.len().checked_sub(parameters + 1);
            opening.is_some_and(|at| rest.get(at) == Some(&b'['))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_start_after_escapes() {
        for (before, expected) in [
            ("", true),
            ("a ", true),
            ("a", false),
            ("ä", false),
            ("_", false),
            (r"line\n", true),
            (r"\u003d", true),
            ("ip%3D", true),
            ("\u{1b}[31m", true),
            ("\u{1b}[1;31m", true),
            (r"\u001b[0m", true),
            ("31m", false),
        ] {
            let text = format!("{before}word");
            assert_eq!(begins_word(&text, before.len()), expected, "{before:?}");
        }
        assert!(ends_word("word", 4) && ends_word("word-", 4) && !ends_word("words", 4));
    }

    #[test]
    fn a_few_characters_before_a_place() {
        assert_eq!(shortly_before("äöü", 6, 2), "öü");
        assert_eq!(shortly_before("ab", 2, 9), "ab");
        assert_eq!(shortly_before("ab", 0, 9), "");
    }
}
