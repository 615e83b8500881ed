//! Parses responses with spans marked as unsupported (RAGTruth: Niu et al. 2024; FaithBench: Bao et al.
//! 2024). Each sentence is a claim with the class of its worst span.

use gsar_core::Class;
use gsar_core::budget::Budget;
use serde::Deserialize;

use super::{Gold, GoldClaim, Item, Row};

/// `{"id", "source_text", "response", "spans": [{"start", "end", "label"}]}`, with offsets in code points.
#[derive(Deserialize)]
pub(super) struct SpansLine {
    id: String,
    source_text: String,
    response: String,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    start: usize,
    end: usize,
    label: String,
}

impl Span {
    /// Returns `None` for benign or disputed spans.
    fn class(&self) -> Option<Class> {
        let has = |word: &str| self.label.contains(word);
        if has("Conflict") || has("Intrinsic") {
            Some(Class::Contradicted)
        } else if has("Baseless") || has("Unwanted") {
            Some(Class::Ungrounded)
        } else {
            None
        }
    }
}

impl From<SpansLine> for Row {
    fn from(line: SpansLine) -> Self {
        let SpansLine { id, source_text, response, spans } = line;
        let bytes: Vec<usize> = response.char_indices().map(|(at, _)| at).collect();
        let byte = |point: usize| bytes.get(point).copied().unwrap_or(response.len());
        let marked: Vec<(usize, usize, Class)> = spans
            .iter()
            .filter_map(|span| Some((byte(span.start), byte(span.end), span.class()?)))
            .collect();
        let claims = gsar_core::split_report::split(&response, &Budget::unlimited())
            .into_iter()
            .map(|claim| {
                let (start, end) =
                    claim.span.as_ref().map_or((0, 0), |span| (span.start, span.end));
                let overlapping = marked.iter().filter(|(from, to, _)| *from < end && start < *to);
                let worst = overlapping.map(|(_, _, class)| *class).max();
                GoldClaim::unjudged(claim.text, Gold(worst.unwrap_or(Class::Grounded)))
            });
        Self {
            id,
            claims: claims.collect(),
            evidence: vec![Item::text("source".to_owned(), source_text)],
            report: response,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_get_the_class_of_their_worst_span() {
        let line = r#"{"id":"r:1","source_text":"S","response":"Ünder one. It is two. It is three. It is four.",
            "spans":[{"start":18,"end":20,"label":"Evident Baseless Info"},{"start":17,"end":21,"label":"Evident Conflict"},
                     {"start":28,"end":33,"label":"Benign"},{"start":41,"end":45,"label":"Unwanted|Unwanted.Extrinsic"}]}"#;
        let row = Row::from(serde_json::from_str::<SpansLine>(line).unwrap());
        let classes: Vec<(&str, Class)> =
            row.claims.iter().map(|claim| (claim.text.as_str(), claim.gold.0)).collect();
        let expected = [
            ("Ünder one", Class::Grounded),
            ("It is two", Class::Contradicted),
            ("It is three", Class::Grounded),
            ("It is four", Class::Ungrounded),
        ];
        assert_eq!(classes, expected);
        assert!(row.report.starts_with("Ünder"));
    }
}
