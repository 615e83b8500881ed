//! This module finds the sentence of a report that a claim is a part of: a fragment is read with the words around it.
//! It judges nothing.

use core::ops::Range;

use crate::text::part;
use crate::text::sentences::sentences;

/// The most bytes on either side of a claim that are looked at.
const MAX_REACH: usize = 1_000;

/// The sentence that holds the start of a span, within its paragraph, list item or row.
pub(super) fn sentence_around<'r>(report: &'r str, span: &Range<usize>) -> Option<&'r str> {
    let before = part(report, floor(report, span.start.saturating_sub(MAX_REACH))..span.start);
    let after = part(report, span.start..floor(report, span.start.saturating_add(MAX_REACH)));
    let start = span.start - (before.len() - start_of_block(before));
    let end = span.start + end_of_block(after);
    let block = part(report, start..end);
    let at = span.start - start;
    let sentence = sentences(block).into_iter().find(|sentence| sentence.contains(&at))?;
    Some(part(block, sentence))
}

fn floor(report: &str, offset: usize) -> usize {
    report.floor_char_boundary(offset.min(report.len()))
}

/// Where the last block of a text begins: behind its last line break that no sentence runs over.
fn start_of_block(text: &str) -> usize {
    let mut breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    breaks.rfind(|at| begins_block(part(text, *at..text.len()))).unwrap_or(0)
}

fn end_of_block(text: &str) -> usize {
    let mut breaks = text.match_indices('\n').map(|(at, _)| at);
    breaks.find(|at| begins_block(part(text, at + 1..text.len()))).unwrap_or(text.len())
}

/// Whether a line goes on with nothing before it: it is blank, or begins with a mark or a number.
fn begins_block(line: &str) -> bool {
    !line.trim_start_matches([' ', '\t']).starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_fragment_is_read_with_its_sentence_and_nothing_else() {
        let report =
            "# Pool\nFirst. The pool of orders was full,\nwhich made calls wait. Last.\n- a row";
        let of = |words: &str| {
            let start = report.find(words).unwrap();
            sentence_around(report, &(start..start + words.len()))
        };
        let whole = Some("The pool of orders was full,\nwhich made calls wait.");
        assert_eq!(of("made calls wait"), whole);
        assert_eq!(of("The pool of orders"), whole);
        assert_eq!(of("Last"), Some("Last."));
        assert_eq!(of("a row"), Some("- a row"));
    }

    proptest! {
        #[test]
        fn any_span_of_any_report_is_read(report in "(\\PC|[a-zé]{1,6} |[.\n#-]){0,60}", a in 0_usize..200, b in 0_usize..200) {
            let span = a.min(b)..a.max(b);
            if let Some(sentence) = sentence_around(&report, &span) {
                prop_assert!(report.contains(sentence));
            }
        }
    }
}
