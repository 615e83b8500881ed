//! Normalizes a text for searching: folded, in lower case, with JSON escapes decoded and, optionally, look-alike
//! letters of other scripts replaced by Latin ones. Each byte of a view is mapped to its origin.

use std::cell::OnceCell;
use std::ops::Range;

use gsar_core::text::fold::{Folded, has_typed_form};
use unicode_normalization::{IsNormalized, is_nfkc_quick};

/// Letters of other scripts that look like Latin letters, and those Latin letters.
#[rustfmt::skip]
const LOOKALIKES: [(char, char); 33] = [
    ('а', 'a'), ('ѕ', 's'), ('с', 'c'), ('ԁ', 'd'), ('е', 'e'), ('ո', 'n'), ('һ', 'h'), ('і', 'i'),
    ('ј', 'j'), ('ӏ', 'l'), ('м', 'm'), ('о', 'o'), ('р', 'p'), ('ԛ', 'q'), ('т', 't'), ('υ', 'u'),
    ('ѵ', 'v'), ('ԝ', 'w'), ('х', 'x'), ('у', 'y'), ('в', 'b'), ('н', 'h'), ('к', 'k'), ('α', 'a'),
    ('ε', 'e'), ('ι', 'i'), ('ν', 'v'), ('ο', 'o'), ('ρ', 'p'), ('τ', 't'), ('χ', 'x'), ('ɡ', 'g'),
    ('ı', 'i'),
];

/// How to read letters of other scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// Unchanged.
    Unchanged,
    /// As the Latin letters that they look like.
    Latin,
}

/// Returns `true` if a text contains letters that look like Latin ones.
pub(super) fn has_lookalikes(text: &str) -> bool {
    !text.is_ascii() && text.chars().filter(|c| !c.is_ascii()).any(|c| latin(lower(c)).is_some())
}

/// The normalized view of a text.
pub(super) struct View<'t> {
    original: &'t str,
    letters: Letters,
    text: String,
    is_plain: bool,
    /// Computed on first use if the text is plain.
    origins: OnceCell<Origins<'t>>,
}

/// The origins of the bytes of a view.
struct Origins<'t> {
    folded: Folded<'t>,
    /// For each byte of the view, its bytes in the folded text.
    sources: Vec<(u32, u32)>,
}

impl<'t> View<'t> {
    pub(super) fn new(original: &'t str, letters: Letters) -> Self {
        if is_plain(original) {
            let text = read_plain(original, letters);
            return Self { original, letters, text, is_plain: true, origins: OnceCell::new() };
        }
        let (text, origins) = read(original, letters);
        Self { original, letters, text, is_plain: false, origins: OnceCell::from(origins) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns `true` if the text has nothing invisible, and folding changes only its whitespace.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns the bytes of the original behind a range of the view.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let Origins { folded, sources } =
            self.origins.get_or_init(|| read(self.original, self.letters).1);
        let start = sources.get(range.start).map_or(0, |source| source.0);
        let last = range.end.checked_sub(1).and_then(|last| sources.get(last));
        let end = last.map_or(start, |source| source.1);
        folded.original(start as usize..end as usize)
    }
}

/// Normalizes any text, and records the origin of each byte.
fn read(original: &str, letters: Letters) -> (String, Origins<'_>) {
    let folded = Folded::new(original);
    let mut text = String::with_capacity(folded.as_str().len());
    let mut sources = Vec::with_capacity(folded.as_str().len());
    let mut rest = folded.as_str();
    let mut start = 0;
    while let Some(first) = rest.chars().next() {
        let (read, length) = unescaped(rest).unwrap_or((first, first.len_utf8()));
        push(read, letters, &mut text);
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        sources.resize(text.len(), (position(start), position(start + length)));
        start += length;
        rest = rest.get(length..).unwrap_or_default();
    }
    (text, Origins { folded, sources })
}

/// Returns `true` if folding only collapses the whitespace of a text.
fn is_plain(text: &str) -> bool {
    if text.is_ascii() {
        let is_plain =
            |byte: u8| (b' '..=b'~').contains(&byte) | matches!(byte, b'\t' | b'\n' | b'\r');
        return text.bytes().fold(true, |all, byte| all & is_plain(byte));
    }
    !text.chars().any(|c| super::invisible::is_invisible(c) || has_typed_form(c) || c == '\u{1b}')
        && is_nfkc_quick(text.chars()) == IsNormalized::Yes
}

/// Normalizes a plain text: same result as [`read`], but much faster.
fn read_plain(original: &str, letters: Letters) -> String {
    if let Some(text) = read_single_spaced(original) {
        return text;
    }
    let mut text = String::with_capacity(original.len());
    for (place, word) in original.split_whitespace().enumerate() {
        if place > 0 && !text.ends_with(' ') {
            text.push(' ');
        }
        let mut rest = word;
        while let Some((before, _)) = rest.split_once('\\') {
            text.push_str(before);
            rest = rest.get(before.len()..).unwrap_or_default();
            let (read, length) = unescaped(rest).unwrap_or(('\\', 1));
            push(read, letters, &mut text);
            rest = rest.get(length..).unwrap_or_default();
        }
        text.push_str(rest);
    }
    if original.is_ascii() {
        text.make_ascii_lowercase();
        return text;
    }
    text.chars().map(|c| small(c, letters)).collect()
}

/// Normalizes a plain ASCII text without backslashes and with single spaces between words, as most logs are.
fn read_single_spaced(original: &str) -> Option<String> {
    let bytes = original.trim_ascii().as_bytes();
    let is_space = |byte: u8| byte <= b' ';
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let has_runs =
        pairs.fold(false, |found, (one, next)| found | (is_space(*one) & is_space(*next)));
    if has_runs || bytes.contains(&b'\\') || !bytes.is_ascii() {
        return None;
    }
    let small = |byte: &u8| if is_space(*byte) { b' ' } else { byte.to_ascii_lowercase() };
    String::from_utf8(bytes.iter().map(small).collect()).ok()
}

/// Returns a character in lower case, and as a Latin letter if requested.
fn small(c: char, letters: Letters) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let small = lower(c);
    match letters {
        Letters::Unchanged => small,
        Letters::Latin => latin(small).unwrap_or(small),
    }
}

/// Adds a normalized character.
fn push(read: char, letters: Letters, text: &mut String) {
    let small = small(read, letters);
    let is_repeated_space = small.is_whitespace() && text.ends_with(' ');
    if is_repeated_space || super::invisible::is_invisible(small) {
        return;
    }
    text.push(if small.is_whitespace() { ' ' } else { small });
}

/// Returns a character in lower case, if that is a single character.
fn lower(c: char) -> char {
    let mut small = c.to_lowercase();
    match (small.next(), small.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn latin(small: char) -> Option<char> {
    LOOKALIKES.iter().find(|(lookalike, _)| *lookalike == small).map(|(_, latin)| *latin)
}

/// The maximum number of backslashes before an escape: JSON nested three deep has seven.
const MAX_SLASHES: usize = 8;

/// Parses a JSON escape at the start of a text. Returns its character and its length. Backslashes may be escaped
/// themselves.
fn unescaped(text: &str) -> Option<(char, usize)> {
    let slashes = text.bytes().take(MAX_SLASHES + 1).take_while(|byte| *byte == b'\\').count();
    if !(1..=MAX_SLASHES).contains(&slashes) {
        return None;
    }
    let behind = text.get(slashes..)?;
    let escaped = behind.chars().next()?;
    match escaped {
        'n' | 'r' | 't' => Some((' ', slashes + 1)),
        '"' | '/' | '\'' => Some((escaped, slashes + 1)),
        'u' => {
            let code = u32::from_str_radix(behind.get(1..5)?, 16).ok()?;
            Some((char::from_u32(code)?, slashes + 5))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn normalizes_disguises_and_maps_origins() {
        for (text, letters, expected) in [
            ("Ig\u{200b}NORE  this", Letters::Unchanged, "ignore this"),
            (r"a\nb \u0049gnore \\u0049", Letters::Unchanged, "a b ignore i"),
            ("іgnоrе", Letters::Latin, "ignore"),
            ("ｉｇｎｏｒｅ", Letters::Unchanged, "ignore"),
            (r"c:\windows", Letters::Unchanged, r"c:\windows"),
        ] {
            assert_eq!(View::new(text, letters).as_str(), expected, "{text}");
        }
        let text = r"a \u0049gnore b";
        let view = View::new(text, Letters::Unchanged);
        assert_eq!(text.get(view.original(2..8)), Some(r"\u0049gnore"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn read_plain_equals_read(
            pieces in prop::collection::vec(
                prop_oneof![
                    r#"[ -~\t\r\n]{0,6}|[ \t\r\n\\]{0,4}|\\{1,10}[nrtu"\/']|\\{1,2}u(00|20|D8|04)[0-9A-Fa-f+]{0,2}"#,
                    "[äÄßéñİŞſКоԁΑΣς→☃😀日本한\u{1680}\u{3000}\u{301}…]{0,4}|\\PC{0,6}",
                ],
                0..8,
            ),
        ) {
            // The longest plain prefix in steps of pieces.
            let text = pieces.iter().fold(String::new(), |text, piece| {
                let more = text.clone() + piece;
                if is_plain(&more) { more } else { text }
            });
            for letters in [Letters::Unchanged, Letters::Latin] {
                prop_assert_eq!(read_plain(&text, letters), read(&text, letters).0, "{:?}", text);
            }
        }
    }

    #[test]
    fn read_plain_equals_read_for_every_character() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}z");
            let is_shown = !super::super::invisible::is_invisible(c);
            assert!(is_shown || !is_plain(&text), "{c:?}");
            if is_plain(&text) {
                let letters = Letters::Latin;
                assert_eq!(read_plain(&text, letters), read(&text, letters).0, "{c:?}");
            }
        }
        for (text, expected) in [
            ("tab\tand\r\n", true),
            ("ü → 日本", true),
            ("ﬃ", false),
            ("\u{b}", false),
            ("ü ≥ 3", false),
            ("ü \u{1b}[0m", false),
        ] {
            assert_eq!(is_plain(text), expected, "{text:?}");
        }
    }
}
