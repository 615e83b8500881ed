//! Extracts a quote with a few lines of context.

use std::borrow::Cow;
use std::ops::Range;

const CONTEXT_LINES: usize = 3;
/// In bytes.
const MAX_LINE_BYTES: usize = 400;
/// In bytes.
const MAX_QUOTE_BYTES: usize = 2_000;

/// A quote in context. `…` marks truncated parts.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The line number of the quote, starting at 1.
    pub(super) line: usize,
    pub(super) before: String,
    pub(super) quoted: String,
    pub(super) after: String,
}

/// Extracts a byte range. Returns `None` if it is not a valid range of the text.
pub(super) fn excerpt(text: &str, at: Range<usize>) -> Option<Excerpt> {
    let (before, quoted, after) =
        (text.get(..at.start)?, text.get(at.clone())?, text.get(at.end..)?);
    let mut above: Vec<&str> = before.rsplit('\n').take(CONTEXT_LINES + 1).collect();
    above.reverse();
    let (own, above) = above.split_last()?;
    let mut shown = String::new();
    for line in above {
        shown.push_str(&start_of(line, MAX_LINE_BYTES));
        shown.push('\n');
    }
    shown.push_str(&end_of(own, MAX_LINE_BYTES));
    let below: Vec<_> = after
        .split('\n')
        .take(CONTEXT_LINES + 1)
        .map(|line| start_of(line, MAX_LINE_BYTES))
        .collect();
    Some(Excerpt {
        line: before.matches('\n').count() + 1,
        before: shown,
        quoted: start_of(quoted, MAX_QUOTE_BYTES).into_owned(),
        after: below.join("\n").trim_end_matches('\n').to_owned(),
    })
}

/// Truncates text to its first `max` bytes.
pub(super) fn start_of(text: &str, max: usize) -> Cow<'_, str> {
    match text.get(..text.floor_char_boundary(max)) {
        Some(start) if start.len() < text.len() => Cow::Owned(format!("{start}…")),
        _ => Cow::Borrowed(text),
    }
}

/// Truncates text to its last `max` bytes.
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

    /// The size of `…` and a newline.
    const MARK_BYTES: usize = 4;

    #[test]
    fn quotes_have_context_lines() {
        let found = excerpt("1\n2\n3\n4\na b c\n6\n7\n8\n9\n", 10..11).unwrap();
        let all = format!("{}[{}]{}", found.before, found.quoted, found.after);
        assert_eq!((found.line, all.as_str()), (5, "2\n3\n4\na [b] c\n6\n7\n8"));
        let short = excerpt("only\n", 0..4).unwrap();
        assert_eq!((short.line, short.before.as_str(), short.after.as_str()), (1, "", ""));
        assert!(excerpt("ä", 0..1).is_none() && excerpt("ab", 1..3).is_none());
    }

    #[test]
    fn long_lines_are_truncated() {
        let text = "é".repeat(500_000);
        let found = excerpt(&text, 500_000..500_010).unwrap();
        assert_eq!(found.quoted, "é".repeat(5));
        assert_eq!(found.before, format!("…{}", "é".repeat(200)));
        assert_eq!(found.after, format!("{}…", "é".repeat(200)));
        let all = excerpt(&text, 0..text.len()).unwrap();
        assert_eq!(all.quoted.len(), MAX_QUOTE_BYTES + "…".len());
    }

    proptest! {
        #[test]
        fn excerpts_are_bounded_parts_of_the_text(
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
            let around = (CONTEXT_LINES + 1) * (MAX_LINE_BYTES + MARK_BYTES);
            prop_assert!(found.before.len() <= around && found.after.len() <= around);
            prop_assert!(found.quoted.len() <= MAX_QUOTE_BYTES + MARK_BYTES);
            prop_assert!(text.get(at).unwrap().starts_with(found.quoted.trim_end_matches('…')));
            prop_assert!(found.before.matches('\n').count() <= CONTEXT_LINES);
            let all = format!("{}{}{}", found.before, found.quoted, found.after);
            prop_assert!(all.split(['…', '\n']).all(|part| text.contains(part)));
            if !all.contains('…') {
                prop_assert!(text.contains(&all));
            }
        }
    }
}
