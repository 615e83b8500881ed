//! Finds the evidence line that shares the most words with a claim.

use crate::judgement::Citation;
use std::collections::BTreeSet;

use crate::baselines::words;
use crate::data_set::ItemLine;

/// The maximum length of a quote in bytes. Longer lines are split.
const MAX_QUOTE: usize = 400;

/// Returns the line with the most words in common with the claim, or the first such line on a tie, and its item.
/// Returns `None` if there are no lines.
pub(crate) fn nearest_line<'a>(
    claim: &str,
    evidence: &'a [ItemLine],
) -> Option<(&'a ItemLine, Citation)> {
    let words = |text: &str| words(text).collect::<BTreeSet<_>>();
    let claim_words = words(claim);
    let lines = evidence.iter().flat_map(|item| {
        item.content.lines().flat_map(segments).map(move |segment| (item, segment))
    });
    let (_, item, line) = lines
        .map(|(item, line)| (words(line).intersection(&claim_words).count(), item, line))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let citation = Citation { evidence: item.id.clone(), field_path: None, quote: line.to_owned() };
    Some((item, citation))
}

fn segments(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        let cut = if rest.len() <= MAX_QUOTE {
            rest.len()
        } else {
            let max = rest.floor_char_boundary(MAX_QUOTE);
            let space = rest.get(..max).and_then(|head| head.rfind(char::is_whitespace));
            space.filter(|space| *space > 0).unwrap_or(max)
        };
        let (segment, after) = rest.split_at_checked(cut)?;
        rest = after.trim_start();
        (!segment.is_empty()).then(|| segment.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::super::stored::tests::case;
    use super::*;

    #[test]
    fn finds_the_first_best_line() {
        let case = case("one two\n\n  Two three. \nthree two", Vec::new());
        let (item, citation) = nearest_line("two, THREE", &case.evidence).unwrap();
        assert_eq!((item.id.as_str(), citation.quote.as_str()), ("e1", "Two three."));
        let long = format!("{}two three", "word ".repeat(100));
        let long = super::super::stored::tests::case(&long, Vec::new());
        let quote = nearest_line("three", &long.evidence).unwrap().1.quote;
        assert!(quote.ends_with("word two three") && quote.len() < MAX_QUOTE, "{quote}");
        assert!(nearest_line("x", &[]).is_none());
    }
}
