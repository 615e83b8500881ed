//! Extracts a byte range of a text with a few lines of context, in bounded size.

use std::borrow::Cow;
use std::ops::Range;

/// The number of context lines before and after the quote.
const LINES_AROUND: usize = 3;
/// The maximum size of a context line, in bytes.
const MAX_LINE: usize = 400;
/// The maximum size of the quote, in bytes.
const MAX_QUOTED: usize = 2_000;

/// A quote in context. Truncated parts are marked with `…`.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The number of the line where the quote begins, starting at 1.
    pub(super) line: usize,
    pub(super) before: String,
    pub(super) quoted: String,
    pub(super) behind: String,
}

/// Extracts a range of a text; `None` if the text has no such range.
pub(super) fn excerpt(text: &str, at: Range<usize>) -> Option<Excerpt> {
    let (before, quoted, behind) =
        (text.get(..at.start)?, text.get(at.clone())?, text.get(at.end..)?);
    let mut above: Vec<&str> = before.rsplit('\n').take(LINES_AROUND + 1).collect();
    above.reverse();
    let (own, above) = above.split_last()?;
    let mut shown = String::new();
    for line in above {
        shown.push_str(&start_of(line, MAX_LINE));
        shown.push('\n');
    }
    shown.push_str(&end_of(own, MAX_LINE));
    let below: Vec<_> =
        behind.split('\n').take(LINES_AROUND + 1).map(|line| start_of(line, MAX_LINE)).collect();
    Some(Excerpt {
        line: before.matches('\n').count() + 1,
        before: shown,
        quoted: start_of(quoted, MAX_QUOTED).into_owned(),
        behind: below.join("\n").trim_end_matches('\n').to_owned(),
    })
}

/// Truncates a text to `max` bytes at a character boundary.
pub(super) fn start_of(text: &str, max: usize) -> Cow<'_, str> {
    match text.get(..text.floor_char_boundary(max)) {
        Some(start) if start.len() < text.len() => Cow::Owned(format!("{start}…")),
        _ => Cow::Borrowed(text),
    }
}

/// Keeps the last `max` bytes of a text, at a character boundary.
fn end_of(text: &str, max: usize) -> Cow<'_, str> {
    match text.get(text.ceil_char_boundary(text.len().saturating_sub(max))..) {
        Some(end) if end.len() < text.len() => Cow::Owned(format!("…{end}")),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The length of `…` and a newline.
    const CUT: usize = 4;

    #[test]
    fn a_quote_has_context_lines() {
        let found = excerpt("1\n2\n3\n4\na b c\n6\n7\n8\n9\n", 10..11).unwrap();
        let all = format!("{}[{}]{}", found.before, found.quoted, found.behind);
        assert_eq!((found.line, all.as_str()), (5, "2\n3\n4\na [b] c\n6\n7\n8"));
        let short = excerpt("only\n", 0..4).unwrap();
        assert_eq!((short.line, short.before.as_str(), short.behind.as_str()), (1, "", ""));
        assert!(excerpt("ä", 0..1).is_none() && excerpt("ab", 1..3).is_none());
    }

    #[test]
    fn long_lines_are_truncated() {
        let text = "é".repeat(500_000);
        let found = excerpt(&text, 500_000..500_010).unwrap();
        assert_eq!(found.quoted, "é".repeat(5));
        assert_eq!(found.before, format!("…{}", "é".repeat(200)));
        assert_eq!(found.behind, format!("{}…", "é".repeat(200)));
        let all = excerpt(&text, 0..text.len()).unwrap();
        assert_eq!(all.quoted.len(), MAX_QUOTED + "…".len());
    }

    proptest! {
        #[test]
        fn an_excerpt_is_part_of_the_text_and_bounded(
            text in "(a|é|内|\n|a{390,420}|é{300}){0,20}",
            start in 0_usize..5_000,
            length in 0_usize..3_000,
        ) {
            let start = start % (text.len() + 1);
            let at = start..start + length;
            let Some(found) = excerpt(&text, at.clone()) else {
                prop_assert!(text.get(at).is_none());
                return Ok(());
            };
            let around = (LINES_AROUND + 1) * (MAX_LINE + CUT);
            prop_assert!(found.before.len() <= around && found.behind.len() <= around);
            prop_assert!(found.quoted.len() <= MAX_QUOTED + CUT);
            prop_assert!(text.get(at).unwrap().starts_with(found.quoted.trim_end_matches('…')));
            prop_assert!(found.before.matches('\n').count() <= LINES_AROUND);
            let all = format!("{}{}{}", found.before, found.quoted, found.behind);
            prop_assert!(all.split(['…', '\n']).all(|part| text.contains(part)));
            if !all.contains('…') {
                prop_assert!(text.contains(&all));
            }
        }
    }
}
