//! Extracts a quote with a few lines of context.

use std::borrow::Cow;
use std::ops::Range;

const CONTEXT_LINES: usize = 3;
const MAX_LINE_BYTES: usize = 400;
const MAX_QUOTE_BYTES: usize = 2_000;

/// A quote in context. `…` marks truncated parts.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The line number of the quote, starting at 1.
    pub(super) line: usize,
    pub(super) before: String,
    pub(super) quote: String,
    pub(super) after: String,
}

/// Extracts a byte range. Returns `None` if it is not a valid range of the text.
pub(super) fn excerpt(text: &str, range: Range<usize>) -> Option<Excerpt> {
    let (before, quote, after) =
        (text.get(..range.start)?, text.get(range.clone())?, text.get(range.end..)?);
    let mut lines_before: Vec<&str> = before.rsplit('\n').take(CONTEXT_LINES + 1).collect();
    lines_before.reverse();
    let (quote_line, lines_before) = lines_before.split_last()?;
    let mut context_before = String::new();
    for line in lines_before {
        context_before.push_str(&start_of(line, MAX_LINE_BYTES));
        context_before.push('\n');
    }
    context_before.push_str(&end_of(quote_line, MAX_LINE_BYTES));
    let lines_after: Vec<_> = after
        .split('\n')
        .take(CONTEXT_LINES + 1)
        .map(|line| start_of(line, MAX_LINE_BYTES))
        .collect();
    Some(Excerpt {
        line: before.matches('\n').count() + 1,
        before: context_before,
        quote: start_of(quote, MAX_QUOTE_BYTES).into_owned(),
        after: lines_after.join("\n").trim_end_matches('\n').to_owned(),
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
        let context = excerpt("1\n2\n3\n4\na b c\n6\n7\n8\n9\n", 10..11).unwrap();
        let joined = format!("{}[{}]{}", context.before, context.quote, context.after);
        assert_eq!((context.line, joined.as_str()), (5, "2\n3\n4\na [b] c\n6\n7\n8"));
        let short = excerpt("only\n", 0..4).unwrap();
        assert_eq!((short.line, short.before.as_str(), short.after.as_str()), (1, "", ""));
        assert!(excerpt("ä", 0..1).is_none() && excerpt("ab", 1..3).is_none());
    }

    #[test]
    fn long_lines_are_truncated() {
        let text = "é".repeat(500_000);
        let context = excerpt(&text, 500_000..500_010).unwrap();
        assert_eq!(context.quote, "é".repeat(5));
        assert_eq!(context.before, format!("…{}", "é".repeat(200)));
        assert_eq!(context.after, format!("{}…", "é".repeat(200)));
        let joined = excerpt(&text, 0..text.len()).unwrap();
        assert_eq!(joined.quote.len(), MAX_QUOTE_BYTES + "…".len());
    }

    proptest! {
        #[test]
        fn excerpts_are_bounded_parts_of_the_text(
            text in "(a|é|内|\n|a{390,420}|é{300}){0,20}",
            start in 0_usize..5_000,
            length in 0_usize..3_000,
        ) {
            let start = start % (text.len() + 1);
            let range = start..start + length;
            let Some(context) = excerpt(&text, range.clone()) else {
                prop_assert!(text.get(range).is_none());
                return Ok(());
            };
            let max_context_bytes = (CONTEXT_LINES + 1) * (MAX_LINE_BYTES + MARK_BYTES);
            prop_assert!(context.before.len() <= max_context_bytes && context.after.len() <= max_context_bytes);
            prop_assert!(context.quote.len() <= MAX_QUOTE_BYTES + MARK_BYTES);
            prop_assert!(text.get(range).unwrap().starts_with(context.quote.trim_end_matches('…')));
            prop_assert!(context.before.matches('\n').count() <= CONTEXT_LINES);
            let joined = format!("{}{}{}", context.before, context.quote, context.after);
            prop_assert!(joined.split(['…', '\n']).all(|part| text.contains(part)));
            if !joined.contains('…') {
                prop_assert!(text.contains(&joined));
            }
        }
    }
}
