//! A text as a reader takes it in who looks through disguises: folded, in small letters, JSON escapes decoded, and, if
//! asked for, with letters of other scripts as the Latin ones they look like. Every byte remembers its origin.

use std::ops::Range;

use gsar_core::text::fold::Folded;

/// Letters of other scripts that look Latin, and the Latin ones.
const LOOKALIKES: [(char, char); 33] = [
    ('а', 'a'),
    ('ѕ', 's'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('ո', 'n'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('т', 't'),
    ('υ', 'u'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('в', 'b'),
    ('н', 'h'),
    ('к', 'k'),
    ('α', 'a'),
    ('ε', 'e'),
    ('ι', 'i'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('χ', 'x'),
    ('ɡ', 'g'),
    ('ı', 'i'),
];

/// How letters of other scripts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// As what they are.
    AsTheyAre,
    /// As the Latin letters they look like.
    Latin,
}

/// Whether a text mixes Latin letters with ones that look like them.
pub(super) fn has_lookalikes(text: &str) -> bool {
    text.chars().filter(|c| !c.is_ascii()).any(|c| latin(lower(c)).is_some())
}

/// The view of a text.
pub(super) struct View<'t> {
    folded: Folded<'t>,
    text: String,
    /// For each byte of `text`, the bytes of the folded text it came from.
    sources: Vec<(u32, u32)>,
}

impl<'t> View<'t> {
    pub(super) fn new(original: &'t str, letters: Letters) -> Self {
        let folded = Folded::new(original);
        let mut view = Self { text: String::new(), sources: Vec::new(), folded };
        view.read(letters);
        view
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The bytes of the original behind a range of the view.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let start = self.sources.get(range.start).map_or(0, |source| source.0);
        let last = range.end.checked_sub(1).and_then(|last| self.sources.get(last));
        let end = last.map_or(start, |source| source.1);
        self.folded.original(start as usize..end as usize)
    }

    fn read(&mut self, letters: Letters) {
        let folded = self.folded.as_str().to_owned();
        self.text.reserve(folded.len());
        self.sources.reserve(folded.len());
        let mut rest = folded.as_str();
        while let Some(first) = rest.chars().next() {
            let (read, length) = unescaped(rest).unwrap_or((first, first.len_utf8()));
            let start = folded.len() - rest.len();
            self.push(read, letters, start..start + length);
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    fn push(&mut self, read: char, letters: Letters, source: Range<usize>) {
        let small = lower(read);
        let small = match letters {
            Letters::AsTheyAre => small,
            Letters::Latin => latin(small).unwrap_or(small),
        };
        let is_repeated_space = small.is_whitespace() && self.text.ends_with(' ');
        if is_repeated_space || super::invisible::is_invisible(small) {
            return;
        }
        self.text.push(if small.is_whitespace() { ' ' } else { small });
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.sources.resize(self.text.len(), (position(source.start), position(source.end)));
    }
}

/// A character in small letters, where that is one character.
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

/// The most backslashes before an escape: JSON in JSON in JSON has seven.
const MOST_SLASHES: usize = 8;

/// The character that an escape of JSON at the start of a text stands for, and the length of the escape. Backslashes
/// may be escaped themselves.
fn unescaped(text: &str) -> Option<(char, usize)> {
    let slashes = text.bytes().take(MOST_SLASHES + 1).take_while(|byte| *byte == b'\\').count();
    if !(1..=MOST_SLASHES).contains(&slashes) {
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
    use super::*;

    #[test]
    fn disguises_are_looked_through_and_origins_kept() {
        for (text, letters, expected) in [
            ("Ig\u{200b}NORE  this", Letters::AsTheyAre, "ignore this"),
            (r"a\nb \u0049gnore \\u0049", Letters::AsTheyAre, "a b ignore i"),
            ("іgnоrе", Letters::Latin, "ignore"),
            ("ｉｇｎｏｒｅ", Letters::AsTheyAre, "ignore"),
            (r"c:\windows", Letters::AsTheyAre, r"c:\windows"),
        ] {
            assert_eq!(View::new(text, letters).as_str(), expected, "{text}");
        }
        let text = r"a \u0049gnore b";
        let view = View::new(text, Letters::AsTheyAre);
        assert_eq!(text.get(view.original(2..8)), Some(r"\u0049gnore"));
    }
}
