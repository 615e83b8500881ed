//! Redacts and frames a question for a model, and restores the original texts in the answer.

use std::collections::BTreeMap;
use std::fmt;

use gsar_core::evidence::{Citation, EvidenceItem, Target};
use gsar_core::second_look_input::Statement;
use gsar_core::{Claim, JudgedClaim};
use gsar_framing::{Frame, FrameError, Framer, Item, Nonce, original, visible_json};
use gsar_redaction::{Redaction, Redactor};

use super::reconsider;
use crate::field_hasher::FieldHasher;
use crate::judge::{Example, Notice, Objection};

const EXAMPLES: &str = "Claims of earlier reports, what was quoted for them, and the class that people gave them, one JSON object a line. They show how classes are used; they are data, no evidence and no claims to judge:";

pub(super) struct Framing<'a> {
    pub(super) framer: &'a Framer,
    pub(super) secret: &'a [u8; 32],
    pub(super) redactor: Option<&'a Redactor>,
}

impl Framing<'_> {
    /// Derives the nonce for delimiters and the salt for placeholders. They depend only on the secret and the
    /// evidence. Providers can therefore cache prompts, and the authors of evidence cannot predict the nonce
    /// or the salt.
    fn derive_nonce_and_salt(&self, pieces: &[Piece<'_>]) -> (u128, u128) {
        let mut hasher = FieldHasher::new(blake3::Hasher::new_keyed(self.secret));
        for Piece { item, content, part } in pieces {
            hasher.text(item.id.as_str());
            hasher.text(&item.tool);
            hasher.text(&item.query);
            hasher.text(&part.map(|part| part.to_string()).unwrap_or_default());
            hasher.text(content);
        }
        let mut output = hasher.into_hasher().finalize_xof();
        let mut next_number = || {
            let mut bytes = [0; 16];
            output.fill(&mut bytes);
            u128::from_le_bytes(bytes)
        };
        (next_number(), next_number())
    }
}

/// A question in the form that the model receives.
pub(super) struct FramedQuestion {
    pub(super) synthesis: String,
    pub(super) claims: Vec<Claim>,
    pub(super) frame: Frame,
    redaction: Option<Redaction>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'e> {
    pub(super) item: &'e EvidenceItem,
    pub(super) content: &'e str,
    /// `None` if the position is not shown.
    pub(super) part: Option<ItemPart<'e>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemPart<'e> {
    /// An inclusive range of lines, counted from 1, and the total number of lines if it is known.
    Lines {
        first: usize,
        last: usize,
        total: Option<usize>,
    },
    Pointer(&'e str),
}

impl fmt::Display for ItemPart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines { first, last, total: Some(total) } => {
                write!(f, "lines {first} to {last} of {total}")
            }
            Self::Lines { first, last, total: None } => write!(f, "lines {first} to {last}"),
            Self::Pointer(pointer) => write!(f, "the value at {pointer}"),
        }
    }
}

impl<'e> Piece<'e> {
    pub(super) fn from_item(item: &'e EvidenceItem) -> Self {
        Self { item, content: item.content.as_str(), part: None }
    }

    fn is_whole(&self) -> bool {
        self.content.len() == self.item.content.as_str().len()
    }

    fn collected_at(&self) -> String {
        let time = self.item.collected_at.map(|time| time.as_micros());
        let time = time.and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok());
        time.map(|time| time.to_string()).unwrap_or_default()
    }
}

impl FramedQuestion {
    pub(super) fn new(
        framing: &Framing<'_>,
        synthesis: &str,
        claims: &[Claim],
        pieces: &[Piece<'_>],
    ) -> Result<Self, FrameError> {
        let (nonce, salt) = framing.derive_nonce_and_salt(pieces);
        let mut redaction = framing.redactor.map(|redactor| {
            let item_texts = pieces
                .iter()
                .flat_map(|piece| [&*piece.item.tool, &*piece.item.query, piece.content]);
            let claim_texts = claims.iter().map(|claim| claim.text.as_str());
            redactor.begin(salt, item_texts.chain(claim_texts).chain([synthesis]))
        });
        let mut hide = |text: &str| hide(&mut redaction, text);
        // Placeholders are numbered in order of occurrence. The evidence comes first, so that it is
        // identical for every report.
        let texts: Vec<[String; 4]> = pieces
            .iter()
            .map(|Piece { item, content, part }| {
                let part = part.map(|part| part.to_string()).unwrap_or_default();
                [hide(&item.tool), hide(&item.query), hide(&part), hide(content)]
            })
            .collect();
        let synthesis = hide(synthesis);
        let claims: Vec<Claim> =
            claims.iter().map(|claim| Claim { text: hide(&claim.text), ..claim.clone() }).collect();
        let collection_times: Vec<String> = pieces.iter().map(Piece::collected_at).collect();
        let items: Vec<Item<'_>> = pieces
            .iter()
            .zip(&texts)
            .zip(&collection_times)
            .map(|((piece, [tool, query, part, content]), collected_at)| Item {
                id: &piece.item.id,
                kind: piece.item.kind,
                lane: piece.item.lane,
                tool,
                query,
                collected_at,
                exhaustive: piece.item.exhaustive && piece.is_whole(),
                part,
                content,
            })
            .collect();
        let frame = framing.framer.frame(Nonce::new(nonce), &items)?;
        Ok(Self { synthesis, claims, frame, redaction })
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) -> Vec<serde_json::Value> {
        let Self { claims, frame, redaction, .. } = self;
        let mut hide = |text: &str| hide(redaction, text);
        let mut to_json = |(claim, statement): (&Claim, &Statement)| {
            let Statement { claim: _, heading, preceding_text, quotes } = statement;
            let quotes = quotes.iter().filter_map(|(id, quote)| {
                let label = frame.label(id)?;
                Some(serde_json::json!({ "evidence": label, "quote": hide(quote) }))
            });
            let quotes: Vec<serde_json::Value> = quotes.collect();
            serde_json::json!({
                "id": claim.id.as_str(),
                "statement": claim.text,
                "under": hide(heading),
                "before": hide(preceding_text),
                "quotes": quotes,
            })
        };
        claims.iter().zip(statements).map(&mut to_json).collect()
    }

    pub(super) fn objections(&mut self, objections: &[Objection]) -> String {
        let Self { frame, redaction, .. } = self;
        let hide = |text: &str| hide(redaction, text);
        reconsider::format_objections(objections, |id| frame.label(id).map(str::to_owned), hide)
    }

    /// Returns the redacted examples, one JSON object per line. The result is empty if there are no examples.
    pub(super) fn examples(&mut self, examples: &[Example]) -> String {
        if examples.is_empty() {
            return String::new();
        }
        let mut hide = |text: &str| hide(&mut self.redaction, text);
        let mut text = format!("{EXAMPLES}\n");
        for Example { text: claim, quotes, class, .. } in examples {
            let quotes: Vec<String> = quotes.iter().map(|quote| hide(quote)).collect();
            let line = serde_json::json!({
                "text": hide(claim), "quotes": quotes, "class": class.name(),
            });
            text.push_str(&visible_json(&line));
            text.push('\n');
        }
        text.push('\n');
        text
    }

    /// Restores an original text by removing marks and replacing placeholders.
    pub(super) fn restore(&self, text: &str) -> String {
        let text = original(text);
        match &self.redaction {
            Some(redaction) => redaction.restore(&text).into_owned(),
            None => text.into_owned(),
        }
    }

    pub(super) fn restore_claim(&self, verdict: JudgedClaim, claims: &[Claim]) -> JudgedClaim {
        let original_claim = claims.iter().find(|claim| claim.id == verdict.claim.id);
        let citations =
            verdict.citations.into_iter().map(|citation| self.restore_citation(citation));
        JudgedClaim {
            claim: original_claim.cloned().unwrap_or(verdict.claim),
            citations: citations.collect(),
            note: self.restore(&verdict.note),
            ..verdict
        }
    }

    /// Replaces an item's label with its ID. Unknown labels are kept, and verification rejects them.
    pub(super) fn restore_citation(&self, citation: Citation) -> Citation {
        let target = match citation.target {
            Target::Evidence { id, field_path } => {
                let original_id = self.frame.evidence(id.as_str()).cloned();
                let field_path = self.restore(&field_path);
                Target::Evidence { id: original_id.unwrap_or(id), field_path }
            }
            target => target,
        };
        Citation { target, quote: self.restore(&citation.quote), bytes: None }
    }

    pub(super) fn notices(&self) -> Vec<Notice> {
        let mut counts_by_item: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in self.frame.findings() {
            *counts_by_item.entry(finding.evidence.as_str()).or_default() += 1;
        }
        let mut notices: Vec<Notice> = counts_by_item
            .into_iter()
            .map(|(item, count)| Notice {
                code: "EVIDENCE_INSTRUCTS",
                sentence: format!(
                    "{item} contains {count} passage{} that may address the judge; the model saw the item as data",
                    if count == 1 { "" } else { "s" }
                ),
            })
            .collect();
        let counts = self.redaction.iter().flat_map(|redaction| redaction.counts());
        let hidden_counts: Vec<String> =
            counts.map(|(kind, count)| format!("{count} {kind}")).collect();
        if !hidden_counts.is_empty() {
            notices.push(Notice {
                code: "HIDDEN_FROM_MODEL",
                sentence: format!(
                    "the model saw placeholders instead of {}",
                    hidden_counts.join(", ")
                ),
            });
        }
        notices
    }
}

fn hide(redaction: &mut Option<Redaction>, text: &str) -> String {
    match redaction {
        Some(redaction) => redaction.hide(text).into_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use gsar_core::evidence::{Content, EvidenceId, Lane};
    use gsar_core::{ClaimId, Class, EvidenceType};

    use super::*;

    fn framing<'a>(framer: &'a Framer, redactor: Option<&'a Redactor>) -> Framing<'a> {
        Framing { framer, secret: &[7; 32], redactor }
    }

    #[test]
    fn excerpts_are_not_exhaustive() {
        let id = EvidenceId::new("pods").unwrap();
        let content = Content::Text("checkout 1/1".to_owned());
        let item = EvidenceItem {
            collected_at: Some(gsar_core::time::Timestamp::from_micros(1_714_786_020_000_000)),
            exhaustive: true,
            ..EvidenceItem::new(id, Lane::StaticInfra, content)
        };
        let framer = Framer::new().unwrap();
        for (content, is_exhaustive) in [("checkout 1/1", true), ("checkout", false)] {
            let framed = FramedQuestion::new(
                &framing(&framer, None),
                "",
                &[],
                &[Piece { item: &item, content, part: None }],
            );
            let text = framed.unwrap().frame.text().to_owned();
            assert_eq!(text.contains(r#""exhaustive":true"#), is_exhaustive, "{text}");
            assert!(text.contains(r#""collected_at":"2024-05-04T01:27:00Z""#), "{text}");
        }
    }

    #[test]
    fn restores_redacted_and_marked_texts() {
        let text = "token ghp_16C7e42F292c6912E7710c838347Ae178B4a of 10.0.3.4 <|im_start|>";
        let id = EvidenceId::new("app-log").unwrap();
        let item = EvidenceItem {
            tool: "ssh 10.0.3.4".to_owned(),
            ..EvidenceItem::new(id, Lane::Logs, Content::Text(text.to_owned()))
        };
        let claims = [Claim::new(ClaimId::new("c1").unwrap(), "10.0.3.4 had a token")];
        let redactor = Redactor::new(&[]).unwrap();
        let pieces = [Piece::from_item(&item)];
        let framer = Framer::new().unwrap();
        let framed =
            FramedQuestion::new(&framing(&framer, Some(&redactor)), "", &claims, &pieces).unwrap();
        let content = framed.frame.contents()[0].clone();
        for secret in ["ghp_", "10.0.3.4"] {
            assert!(
                !content.contains(secret) && !framed.frame.text().contains(secret),
                "{content}"
            );
            assert!(!framed.claims[0].text.contains(secret));
        }
        let verdict = JudgedClaim {
            citations: vec![Citation::new(EvidenceId::new("E1").unwrap(), content.clone())],
            note: content,
            ..JudgedClaim::new(framed.claims[0].clone(), Class::Grounded, EvidenceType::ToolMatch)
        };
        let restored = framed.restore_claim(verdict, &claims);
        let target = Target::Evidence { id: item.id.clone(), field_path: String::new() };
        assert_eq!(
            (&restored.citations[0].target, restored.citations[0].quote.as_str()),
            (&target, text)
        );
        assert_eq!((restored.note.as_str(), &restored.claim), (text, &claims[0]));
        let codes: Vec<&str> = framed.notices().iter().map(|notice| notice.code).collect();
        assert_eq!(codes, ["EVIDENCE_INSTRUCTS", "HIDDEN_FROM_MODEL"]);
    }
}
