//! Finds word boundaries in telemetry, where an escape such as `\n`, `%3D` or a terminal color can precede a
//! word.

pub(crate) fn before(text: &str, offset: usize) -> &str {
    text.get(..offset).unwrap_or_default()
}

pub(crate) fn after(text: &str, offset: usize) -> &str {
    text.get(offset..).unwrap_or_default()
}

pub(crate) fn chars_before(text: &str, offset: usize, max: usize) -> &str {
    let before = before(text, offset);
    let start =
        before.char_indices().rev().take(max).last().map_or(before.len(), |(offset, _)| offset);
    after(before, start)
}

/// Returns `true` if no word continues across `offset`. A letter that ends an escape does not count.
pub(crate) fn begins_word(text: &str, offset: usize) -> bool {
    let before = before(text, offset);
    !before.ends_with(is_word_character) || ends_with_escape(before)
}

pub(crate) fn ends_word(text: &str, offset: usize) -> bool {
    !after(text, offset).starts_with(is_word_character)
}

pub(crate) fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns `true` if a text ends with an escape from JSON (`\n`, `\u003d`), a URL (`%3D`) or a
/// terminal (`ESC[31m`).
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
            opening.is_some_and(|index| rest.get(index) == Some(&b'['))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_after_escapes() {
        for (prefix, expected) in [
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
            let text = format!("{prefix}word");
            assert_eq!(begins_word(&text, prefix.len()), expected, "{prefix:?}");
        }
        assert!(ends_word("word", 4) && ends_word("word-", 4) && !ends_word("words", 4));
    }

    #[test]
    fn returns_the_characters_before_an_offset() {
        assert_eq!(chars_before("äöü", 6, 2), "öü");
        assert_eq!(chars_before("ab", 2, 9), "ab");
        assert_eq!(chars_before("ab", 0, 9), "");
    }
}
