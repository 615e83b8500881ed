//! Parses claims with their evidence: the common format, FEVER with gold sentences, and stored judgements.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Gold, GoldClaim, Item, Row};
use crate::judgement::Judgement;

/// `{"id", "claim", "label", "evidence": [{"id", "title", "text"}]}`. In FEVER, an item is `[page,
/// sentence, text]`.
#[derive(Deserialize)]
pub(super) struct ClaimLine {
    id: Value,
    claim: String,
    label: Gold,
    evidence: Vec<Piece>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Piece {
    Item { id: Option<String>, title: Option<String>, text: String },
    Sentence(String, IgnoredAny, String),
}

impl From<ClaimLine> for Row {
    fn from(line: ClaimLine) -> Self {
        let evidence = line.evidence.into_iter().enumerate().map(|(at, piece)| match piece {
            Piece::Item { id, title, text } => {
                Item::titled(id.unwrap_or_else(|| format!("e{at}")), title.as_deref(), text)
            }
            Piece::Sentence(page, _, text) => {
                Item::titled(format!("e{at}"), Some(&title(&page)), text)
            }
        });
        Self {
            id: line.id.as_str().map_or_else(|| line.id.to_string(), str::to_owned),
            report: String::new(),
            claims: vec![GoldClaim::unjudged(line.claim, line.label)],
            evidence: evidence.collect(),
        }
    }
}

/// Decodes a FEVER page title, in which `_` joins words and brackets are spelled out.
fn title(page: &str) -> String {
    page.replace('_', " ").replace("-LRB-", "(").replace("-RRB-", ")").replace("-COLON-", ":")
}

/// `{"id", "evidence": [{"id", "title", "text"}], "claims": [{"text", "gold", "class", "type",
/// "citations"}]}`.
#[derive(Deserialize)]
pub(super) struct JudgedLine {
    id: String,
    evidence: Vec<TitledItem>,
    claims: Vec<JudgedClaimLine>,
}

#[derive(Deserialize)]
struct TitledItem {
    id: String,
    title: Option<String>,
    text: String,
}

#[derive(Deserialize)]
struct JudgedClaimLine {
    text: String,
    gold: Gold,
    #[serde(flatten)]
    judged: Judgement,
}

impl From<JudgedLine> for Row {
    fn from(line: JudgedLine) -> Self {
        let claims = line.claims.into_iter().map(|claim| {
            let JudgedClaimLine { text, gold, judged } = claim;
            GoldClaim { text, gold, judged: Some(judged) }
        });
        let items = line.evidence.into_iter();
        Self {
            id: line.id,
            report: String::new(),
            claims: claims.collect(),
            evidence: items
                .map(|item| Item::titled(item.id, item.title.as_deref(), item.text))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::Class;

    #[test]
    fn parses_items_and_fever_sentences() {
        let common = r#"{"id":"f:1","source":"f","split":"test","claim":"It is up.","label":"REFUTES","meta":{},
            "evidence":[{"id":"e0","title":null,"text":"one"},{"id":"e1","title":"T","text":"two"}]}"#;
        let fever = r#"{"id":41,"claim":"It is up.","label":"NOT ENOUGH INFO","evidence":[["A_Page",3,"one"]]}"#;
        let row = |text: &str| Row::from(serde_json::from_str::<ClaimLine>(text).unwrap());
        let texts = |row: &Row| {
            let items = row.evidence.iter().map(|item| (item.id.clone(), item.text.clone()));
            items.collect::<Vec<_>>()
        };
        let item = |id: &str, text: &str| (id.to_owned(), text.to_owned());
        let common = row(common);
        assert_eq!(texts(&common), [item("e0", "one"), item("e1", "T\ntwo")]);
        assert_eq!((common.id.as_str(), common.claims[0].gold), ("f:1", Gold(Class::Contradicted)));
        let fever = row(fever);
        assert_eq!(texts(&fever), [item("e0", "A Page\none")]);
        assert_eq!((fever.id.as_str(), fever.claims[0].gold), ("41", Gold(Class::Ungrounded)));
    }
}
