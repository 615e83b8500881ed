//! Prepares a question for a call. It shuffles the claims, so that their order does not reveal their
//! classes, and adds a canary.

use gsar_core::second_look_input::Statement;
use gsar_core::{Claim, ClaimId};

use super::canary::create_canary;
use super::framed::Piece;
use super::insert_sentence::insert_sentence;
use super::rng::Rng;
use crate::field_hasher::FieldHasher;
use crate::judge::Question;

pub(super) struct ShuffledQuestion {
    pub(super) claims: Vec<Claim>,
    pub(super) statements: Vec<Statement>,
    pub(super) synthesis: String,
    canary: Option<ClaimId>,
}

impl ShuffledQuestion {
    pub(super) fn new(question: &Question, part: &[Piece<'_>], with_canary: bool) -> Self {
        let mut claims: Vec<(usize, Claim)> = question.claims.iter().cloned().enumerate().collect();
        order_rng(question, part).shuffle(&mut claims);
        let statement = |index: &usize| question.statements.get(*index).cloned();
        let statements = claims.iter().filter_map(|(index, _)| statement(index)).collect();
        let mut shuffled = Self {
            claims: claims.into_iter().map(|(_, claim)| claim).collect(),
            statements,
            synthesis: question.synthesis.to_string(),
            canary: None,
        };
        let mut rng = Rng::from_os();
        if with_canary && let Some(canary) = create_canary(question, part, &mut rng) {
            shuffled.insert(canary, &question.synthesis, &mut rng);
        }
        shuffled
    }

    /// Inserts the canary at a random position. In a second look, the canary gets the quotes of another
    /// statement.
    fn insert(&mut self, canary: Claim, synthesis: &str, rng: &mut Rng) {
        self.synthesis = insert_sentence(synthesis, &canary.text, rng);
        self.canary = Some(canary.id.clone());
        let index = rng.number_below(self.claims.len() + 1);
        if let Some(Statement { quotes, .. }) = rng.choose(&self.statements) {
            let quotes = quotes.clone();
            let (claim, empty) = (canary.clone(), String::new());
            let statement =
                Statement { claim, heading: empty.clone(), preceding_text: empty, quotes };
            self.statements.insert(index, statement);
        }
        self.claims.insert(index, canary);
    }

    pub(super) fn is_canary(&self, id: &ClaimId) -> bool {
        self.canary.as_ref() == Some(id)
    }
}

fn order_rng(question: &Question, part: &[Piece<'_>]) -> Rng {
    let context = "gsar.dev 2026-11-22 order of claims";
    let mut hasher = FieldHasher::new(blake3::Hasher::new_derive_key(context));
    hasher.text(&question.synthesis);
    for claim in question.claims.iter() {
        hasher.text(claim.id.as_str());
        hasher.text(&claim.text);
    }
    for piece in part {
        hasher.text(piece.item.id.as_str());
        hasher.text(piece.content);
    }
    hasher.feed(&question.sample.to_le_bytes());
    Rng::from_hasher(&hasher.into_hasher())
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, Lane};

    use super::*;

    pub(in crate::judge::model) fn question(
        synthesis: &str,
        claims: &[&str],
        evidence: &str,
    ) -> Question {
        let (id, content) = (EvidenceId::new("log").unwrap(), Content::Text(evidence.to_owned()));
        let item = EvidenceItem {
            tool: "kubectl".to_owned(),
            ..EvidenceItem::new(id, Lane::Logs, content)
        };
        let claim = |(index, text): (usize, &&str)| {
            Claim::new(ClaimId::new(format!("c{}", index + 1)).unwrap(), *text)
        };
        Question {
            synthesis: synthesis.into(),
            claims: claims.iter().enumerate().map(claim).collect(),
            evidence: Arc::new(vec![item]),
            ..Question::default()
        }
    }

    fn ids(question: &Question, with_canary: bool) -> Vec<String> {
        let part: Vec<Piece<'_>> = question.evidence.iter().map(Piece::from_item).collect();
        let shuffled = ShuffledQuestion::new(question, &part, with_canary);
        let shuffled = shuffled.claims.iter().filter(|claim| !shuffled.is_canary(&claim.id));
        shuffled.map(|claim| claim.id.to_string()).collect()
    }

    #[test]
    fn the_order_depends_on_the_question_and_the_sample() {
        let texts: Vec<String> =
            (1..=12).map(|n| format!("The pool of node-{n} is full.")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let original = question("", &texts, "pools");
        let shuffled_ids = ids(&original, false);
        assert_eq!(ids(&original, false), shuffled_ids);
        // The canary does not change the order of the other claims.
        assert_eq!(ids(&original, true), shuffled_ids);
        let mut sorted = shuffled_ids.clone();
        sorted.sort_by_key(|id| id.trim_start_matches('c').parse::<u32>().unwrap());
        let original_ids: Vec<String> =
            original.claims.iter().map(|claim| claim.id.to_string()).collect();
        assert_eq!(sorted, original_ids);
        let orders: HashSet<Vec<String>> = (0..10)
            .map(|sample| ids(&Question { sample, ..original.clone() }, false))
            .chain([ids(&question("", &texts, "other"), false), original_ids])
            .collect();
        assert_eq!(orders.len(), 12);
    }

    #[test]
    fn the_report_contains_the_canary() {
        let report = "The pool of payments-db was full.\n\nThe node of orders-db was lost.\n";
        let claims = ["The pool of payments-db was full.", "The node of orders-db was lost."];
        let (mut positions, mut texts) = (HashSet::new(), HashSet::new());
        for _ in 0..200 {
            let shuffled =
                ShuffledQuestion::new(&question(report, &claims, "payments-db full"), &[], true);
            let position =
                shuffled.claims.iter().position(|claim| shuffled.is_canary(&claim.id)).unwrap();
            assert_eq!(shuffled.claims.len(), 3);
            for claim in &shuffled.claims {
                assert!(shuffled.synthesis.contains(&claim.text), "{}", shuffled.synthesis);
            }
            positions.insert(position);
            texts.insert(shuffled.claims[position].text.clone());
        }
        assert_eq!(positions.len(), 3);
        assert!(texts.len() > 20);
        let without_canary =
            ShuffledQuestion::new(&question(report, &claims, "payments-db full"), &[], false);
        assert_eq!((without_canary.synthesis.as_str(), without_canary.claims.len()), (report, 2));
    }

    #[test]
    fn every_claim_occurs_at_every_position() {
        let mut positions = HashSet::new();
        for sample in 0..200 {
            let question = Question { sample, ..question("", &["One.", "Two.", "Three."], "e") };
            positions.extend(ids(&question, false).into_iter().enumerate());
        }
        assert_eq!(positions.len(), 9);
    }
}
