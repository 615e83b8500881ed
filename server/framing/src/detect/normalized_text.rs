//! Normalizes a text for matching. The text is folded and converted to lower case, JSON escapes are decoded,
//! and lookalike letters are optionally replaced with Latin ones. Each byte of the normalized view can be
//! mapped to the original.

use std::cell::OnceCell;
use std::ops::Range;

use gsar_core::text::fold::{Folded, has_ascii_form};
use unicode_normalization::{IsNormalized, is_nfkc_quick};

#[rustfmt::skip]
const LOOKALIKES: [(char, char); 33] = [
    ('а', 'a'), ('ѕ', 's'), ('с', 'c'), ('ԁ', 'd'), ('е', 'e'), ('ո', 'n'), ('һ', 'h'), ('і', 'i'),
    ('ј', 'j'), ('ӏ', 'l'), ('м', 'm'), ('о', 'o'), ('р', 'p'), ('ԛ', 'q'), ('т', 't'), ('υ', 'u'),
    ('ѵ', 'v'), ('ԝ', 'w'), ('х', 'x'), ('у', 'y'), ('в', 'b'), ('н', 'h'), ('к', 'k'), ('α', 'a'),
    ('ε', 'e'), ('ι', 'i'), ('ν', 'v'), ('ο', 'o'), ('ρ', 'p'), ('τ', 't'), ('χ', 'x'), ('ɡ', 'g'),
    ('ı', 'i'),
];

/// The treatment of lookalike letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// Leaves lookalike letters unchanged.
    Unchanged,
    /// Replaces lookalike letters with Latin letters.
    Latin,
}

pub(super) fn has_lookalikes(text: &str) -> bool {
    !text.is_ascii()
        && text.chars().filter(|c| !c.is_ascii()).any(|c| latin(single_lowercase(c)).is_some())
}

pub(super) struct View<'t> {
    original: &'t str,
    letters: Letters,
    text: String,
    is_plain: bool,
    /// For plain texts, this is computed on first use.
    origins: OnceCell<Origins<'t>>,
}

struct Origins<'t> {
    folded: Folded<'t>,
    /// The range in the folded text for each byte of the view.
    sources: Vec<(u32, u32)>,
}

impl<'t> View<'t> {
    pub(super) fn new(original: &'t str, letters: Letters) -> Self {
        if is_plain(original) {
            let text = normalize_plain(original, letters);
            return Self { original, letters, text, is_plain: true, origins: OnceCell::new() };
        }
        let (text, origins) = normalize(original, letters);
        Self { original, letters, text, is_plain: false, origins: OnceCell::from(origins) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns `true` if the text has no invisible characters and folding changes only whitespace.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns the original range for a range of the view.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let Origins { folded, sources } =
            self.origins.get_or_init(|| normalize(self.original, self.letters).1);
        let start = sources.get(range.start).map_or(0, |source| source.0);
        let last = range.end.checked_sub(1).and_then(|last| sources.get(last));
        let end = last.map_or(start, |source| source.1);
        folded.original(start as usize..end as usize)
    }
}

fn normalize(original: &str, letters: Letters) -> (String, Origins<'_>) {
    let folded = Folded::new(original);
    let mut text = String::with_capacity(folded.as_str().len());
    let mut sources = Vec::with_capacity(folded.as_str().len());
    let mut rest = folded.as_str();
    let mut start = 0;
    while let Some(first) = rest.chars().next() {
        let (c, length) = unescaped(rest).unwrap_or((first, first.len_utf8()));
        push(c, letters, &mut text);
        let to_u32 = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        sources.resize(text.len(), (to_u32(start), to_u32(start + length)));
        start += length;
        rest = rest.get(length..).unwrap_or_default();
    }
    (text, Origins { folded, sources })
}

/// Returns `true` if folding only collapses whitespace.
fn is_plain(text: &str) -> bool {
    if text.is_ascii() {
        let is_plain =
            |byte: u8| (b' '..=b'~').contains(&byte) | matches!(byte, b'\t' | b'\n' | b'\r');
        return text.bytes().fold(true, |all_plain, byte| all_plain & is_plain(byte));
    }
    !text.chars().any(|c| super::invisible::is_invisible(c) || has_ascii_form(c) || c == '\u{1b}')
        && is_nfkc_quick(text.chars()) == IsNormalized::Yes
}

/// Normalizes plain text. Returns the same text as [`normalize`], but is much faster.
fn normalize_plain(original: &str, letters: Letters) -> String {
    if let Some(text) = normalize_single_spaced(original) {
        return text;
    }
    let mut text = String::with_capacity(original.len());
    for (index, word) in original.split_whitespace().enumerate() {
        if index > 0 && !text.ends_with(' ') {
            text.push(' ');
        }
        let mut rest = word;
        while let Some((before, _)) = rest.split_once('\\') {
            text.push_str(before);
            rest = rest.get(before.len()..).unwrap_or_default();
            let (c, length) = unescaped(rest).unwrap_or(('\\', 1));
            push(c, letters, &mut text);
            rest = rest.get(length..).unwrap_or_default();
        }
        text.push_str(rest);
    }
    if original.is_ascii() {
        text.make_ascii_lowercase();
        return text;
    }
    text.chars().map(|c| lowercase(c, letters)).collect()
}

/// Normalizes plain ASCII text that has single spaces and no backslashes, as most logs do.
fn normalize_single_spaced(original: &str) -> Option<String> {
    let bytes = original.trim_ascii().as_bytes();
    let is_space = |byte: u8| byte <= b' ';
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let has_runs =
        pairs.fold(false, |has_run, (byte, next)| has_run | (is_space(*byte) & is_space(*next)));
    if has_runs || bytes.contains(&b'\\') || !bytes.is_ascii() {
        return None;
    }
    let lower = |byte: &u8| if is_space(*byte) { b' ' } else { byte.to_ascii_lowercase() };
    String::from_utf8(bytes.iter().map(lower).collect()).ok()
}

fn lowercase(c: char, letters: Letters) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let lower = single_lowercase(c);
    match letters {
        Letters::Unchanged => lower,
        Letters::Latin => latin(lower).unwrap_or(lower),
    }
}

/// Appends a normalized character. Skips invisible characters and repeated spaces.
fn push(c: char, letters: Letters, text: &mut String) {
    let lower = lowercase(c, letters);
    let is_repeated_space = lower.is_whitespace() && text.ends_with(' ');
    if is_repeated_space || super::invisible::is_invisible(lower) {
        return;
    }
    text.push(if lower.is_whitespace() { ' ' } else { lower });
}

/// Returns the lower-case form of a character if it is a single character.
fn single_lowercase(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) => single,
        _ => c,
    }
}

fn latin(c: char) -> Option<char> {
    LOOKALIKES.iter().find(|(lookalike, _)| *lookalike == c).map(|(_, latin)| *latin)
}

/// The maximum number of backslashes before an escape. JSON nested three levels deep has seven.
const MAX_SLASHES: usize = 8;

/// Parses a JSON escape, possibly with escaped backslashes. Returns the character and the escape's length.
fn unescaped(text: &str) -> Option<(char, usize)> {
    let slashes = text.bytes().take(MAX_SLASHES + 1).take_while(|byte| *byte == b'\\').count();
    if !(1..=MAX_SLASHES).contains(&slashes) {
        return None;
    }
    let suffix = text.get(slashes..)?;
    let escaped = suffix.chars().next()?;
    match escaped {
        'n' | 'r' | 't' => Some((' ', slashes + 1)),
        '"' | '/' | '\'' => Some((escaped, slashes + 1)),
        'u' => {
            let code = u32::from_str_radix(suffix.get(1..5)?, 16).ok()?;
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
        fn normalize_plain_equals_normalize(
            pieces in prop::collection::vec(
                prop_oneof![
                    r#"[ -~\t\r\n]{0,6}|[ \t\r\n\\]{0,4}|\\{1,10}[nrtu"\/']|\\{1,2}u(00|20|D8|04)[0-9A-Fa-f+]{0,2}"#,
                    "[äÄßéñİŞſКоԁΑΣς→☃😀日本한\u{1680}\u{3000}\u{301}…]{0,4}|\\PC{0,6}",
                ],
                0..8,
            ),
        ) {
            let text = pieces.iter().fold(String::new(), |text, piece| {
                let extended = text.clone() + piece;
                if is_plain(&extended) { extended } else { text }
            });
            for letters in [Letters::Unchanged, Letters::Latin] {
                prop_assert_eq!(normalize_plain(&text, letters), normalize(&text, letters).0, "{:?}", text);
            }
        }
    }

    #[test]
    fn normalize_plain_equals_normalize_for_every_character() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}z");
            let is_shown = !super::super::invisible::is_invisible(c);
            assert!(is_shown || !is_plain(&text), "{c:?}");
            if is_plain(&text) {
                let letters = Letters::Latin;
                assert_eq!(normalize_plain(&text, letters), normalize(&text, letters).0, "{c:?}");
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
