//! This module finds the line of the evidence that shares most words with a claim. It asks nobody.

use std::collections::BTreeSet;

use super::stored::{Citation, Item};

/// The longest line that is quoted whole, in bytes; of a longer one the beginning is quoted.
const MAX_LINE: usize = 400;

/// The line that shares most words with a claim, and its item: of equals the first. `None` where there is no
/// line.
pub(crate) fn nearest_line<'a>(claim: &str, evidence: &'a [Item]) -> Option<(&'a Item, Citation)> {
    let wanted = words(claim);
    let lines = evidence.iter().flat_map(|item| item.content.lines().map(move |line| (item, line)));
    let (_, item, line) = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(item, line)| (words(line).intersection(&wanted).count(), item, line))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let quote = line.get(..line.floor_char_boundary(MAX_LINE)).unwrap_or_default().trim();
    let citation =
        Citation { evidence: item.id.clone(), field_path: None, quote: quote.to_owned() };
    Some((item, citation))
}

fn words(text: &str) -> BTreeSet<String> {
    let split = text.split(|c: char| !c.is_alphanumeric());
    split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::stored::tests::case;
    use super::*;

    #[test]
    fn the_first_of_the_lines_that_share_most() {
        let case = case("one two\n\n  Two three. \nthree two", Vec::new());
        let (item, citation) = nearest_line("two, THREE", &case.evidence).unwrap();
        assert_eq!((item.id.as_str(), citation.quote.as_str()), ("e1", "Two three."));
        let long = super::super::stored::tests::case(&"é".repeat(300), Vec::new());
        assert_eq!(nearest_line("x", &long.evidence).unwrap().1.quote.len(), MAX_LINE);
        assert!(nearest_line("x", &[]).is_none());
    }
}
