//! The key of a cached judgement. Fields are hashed with length prefixes, so that different questions have
//! different encodings.

use std::ops::Range;
use std::sync::Arc;

use gsar_core::evidence::{Citation, Content, EvidenceItem, Target, VerificationResult};
use gsar_core::second_look_input::Statement;
use gsar_core::time::Timestamp;
use gsar_core::{Claim, ClaimId};

use crate::evidence_size::content_bytes;
use crate::field_hasher::FieldHasher;
use crate::judge::{Example, Objection, Question};

/// Larger evidence is hashed on a blocking thread.
const LARGE_EVIDENCE_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::judge) struct Key([u8; 32]);

impl Key {
    pub(super) async fn new(judge: &str, fingerprint: &str, question: &Question) -> Self {
        let Question {
            synthesis,
            claims,
            objections,
            statements,
            evidence,
            examples,
            evidence_is_reused: _,
            explain,
            samples: _,
            sample,
            bypass_cache: _,
            deadline: _,
            call,
        } = question;
        let evidence = digest_evidence(evidence).await;
        let mut digest = new_hasher("gsar.dev 2026-11-29 judgements: question");
        digest.text(judge);
        digest.text(fingerprint);
        digest.text(synthesis);
        digest.count(claims.len());
        for Claim { id, text, span } in claims.iter() {
            digest.text(ClaimId::as_str(id));
            digest.text(text);
            digest.option(span.as_ref(), |digest, Range { start, end }| {
                digest.count(*start);
                digest.count(*end);
            });
        }
        digest.bytes(&evidence);
        digest.flag(*explain);
        digest.number(u64::from(*sample));
        for Objection { verdict, findings, votes: _ } in objections {
            digest.text(verdict.class.name());
            digest.text(verdict.evidence_type.name());
            digest.count(verdict.citations.len());
            verdict.citations.iter().for_each(|citation| add_citation(&mut digest, citation));
            digest.count(findings.len());
            findings.iter().for_each(|finding| digest.text(finding));
        }
        digest.count(statements.len());
        for Statement { claim: _, heading, preceding_text, quotes } in statements {
            digest.text(heading);
            digest.text(preceding_text);
            digest.count(quotes.len());
            for (id, quote) in quotes {
                digest.text(id.as_str());
                digest.text(quote);
            }
        }
        digest.count(examples.len());
        for Example { evaluation_id: _, claim_id: _, text, quotes, class } in examples.iter() {
            digest.text(text);
            digest.count(quotes.len());
            quotes.iter().for_each(|quote| digest.text(quote));
            digest.text(class.name());
        }
        // Principals do not share cached judgements.
        digest.text(call.as_ref().map_or("", |call| call.principal.name()));
        Self(digest.finish())
    }

    /// Returns a key that matches no question.
    #[cfg(test)]
    pub(super) fn from_number(number: u8) -> Self {
        Self([number; 32])
    }

    pub(in crate::judge) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

async fn digest_evidence(evidence: &Arc<Vec<EvidenceItem>>) -> [u8; 32] {
    if content_bytes(evidence) > LARGE_EVIDENCE_BYTES {
        let items = Arc::clone(evidence);
        if let Ok(digest) = tokio::task::spawn_blocking(move || digest_items(&items)).await {
            return digest;
        }
    }
    digest_items(evidence)
}

/// Returns the digest of the items' fields that a judgement depends on.
pub(in crate::judge) fn digest_items(evidence: &[EvidenceItem]) -> [u8; 32] {
    let mut digest = new_hasher("gsar.dev 2026-11-22 judgements: evidence");
    digest.count(evidence.len());
    for item in evidence {
        let EvidenceItem {
            id,
            kind,
            lane,
            tool,
            query,
            content,
            collected_at,
            exhaustive,
            attested,
            step_id: _,
            specialist_id: _,
            verification_result,
        } = item;
        digest.text(id.as_str());
        digest.text(kind.name());
        digest.text(lane.name());
        digest.text(tool);
        digest.text(query);
        digest.flag(matches!(content, Content::Json(_)));
        digest.text(content.as_str());
        digest.option(collected_at.as_ref(), |digest, time: &Timestamp| {
            digest.bytes(&time.as_micros().to_le_bytes());
        });
        digest.flag(*exhaustive);
        digest.flag(*attested);
        digest.text(verification_result.map_or("", VerificationResult::name));
    }
    digest.finish()
}

fn new_hasher(context: &str) -> FieldHasher {
    FieldHasher::new(blake3::Hasher::new_derive_key(context))
}

fn add_citation(digest: &mut FieldHasher, Citation { target, quote, bytes: _ }: &Citation) {
    match target {
        Target::Evidence { id, field_path } => {
            digest.flag(true);
            digest.text(id.as_str());
            digest.text(field_path);
        }
        Target::Claim(id) => {
            digest.flag(false);
            digest.text(id.as_str());
        }
    }
    digest.text(quote);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Instant;

    use gsar_core::evidence::{EvidenceId, EvidenceKind, Lane};
    use proptest::prelude::*;

    use super::*;
    use crate::judge::cached::testing::{claim, item, question};

    fn key(question: &Question) -> Key {
        let key = Key::new("a judge", "a fingerprint", question);
        futures_util::FutureExt::now_or_never(key).unwrap()
    }

    fn with_claim(change: impl FnOnce(&mut Claim)) -> Question {
        let mut question = question();
        change(Arc::make_mut(&mut question.claims).first_mut().unwrap());
        question
    }

    fn with_item(change: impl FnOnce(&mut EvidenceItem)) -> Question {
        let mut question = question();
        let mut items = question.evidence.to_vec();
        change(items.first_mut().unwrap());
        question.evidence = Arc::new(items);
        question
    }

    #[test]
    fn every_relevant_field_changes_the_key() {
        let original = question();
        let questions = [
            question(),
            Question { synthesis: "other".into(), ..question() },
            Question { explain: !original.explain, ..question() },
            Question { sample: original.sample + 1, ..question() },
            Question { claims: Arc::default(), ..question() },
            Question { evidence: Arc::default(), ..question() },
            with_claim(|claim| claim.id = ClaimId::new("other").unwrap()),
            with_claim(|claim| claim.text = "other".to_owned()),
            with_claim(|claim| claim.span = None),
            with_claim(|claim| claim.span = Some(0..1)),
            with_claim(|claim| claim.span = Some(0..2)),
            with_item(|item| item.id = EvidenceId::new("other").unwrap()),
            with_item(|item| item.kind = EvidenceKind::Signal),
            with_item(|item| item.lane = Lane::Traces),
            with_item(|item| item.tool = "other".to_owned()),
            with_item(|item| item.query = "other".to_owned()),
            with_item(|item| item.content = Content::Text("other".to_owned())),
            with_item(|item| item.content = Content::Json(item.content.as_str().to_owned())),
            with_item(|item| item.collected_at = None),
            with_item(|item| item.collected_at = Some(Timestamp::from_micros(8))),
            with_item(|item| item.exhaustive = !item.exhaustive),
            with_item(|item| item.attested = !item.attested),
        ];
        let keys: HashSet<Key> = questions.iter().map(key).collect();
        assert_eq!(keys.len(), questions.len());
        for (judge, fingerprint) in [("other", "a fingerprint"), ("a judge", "other")] {
            let other_key =
                futures_util::FutureExt::now_or_never(Key::new(judge, fingerprint, &original));
            assert_ne!(other_key.unwrap(), key(&original));
        }
    }

    #[test]
    fn irrelevant_fields_do_not_change_the_key() {
        let expected = key(&question());
        assert_eq!(key(&Question { deadline: Some(Instant::now()), ..question() }), expected);
        assert_eq!(key(&Question { evidence_is_reused: true, ..question() }), expected);
    }

    #[tokio::test]
    async fn large_evidence_has_the_same_digest_on_any_thread() {
        let long = item("e1", &"x".repeat(LARGE_EVIDENCE_BYTES + 1));
        let evidence = Arc::new(vec![long.clone(), item("e2", "short"), long]);
        assert_eq!(digest_evidence(&evidence).await, digest_items(&evidence));
    }

    proptest! {
        /// The concatenated texts are equal, and only the boundary differs.
        #[test]
        fn moving_a_field_boundary_changes_the_key(text in "[a-c]{2,8}", boundary in 1_usize..8) {
            let boundary = boundary.min(text.len() - 1);
            let (head, tail) = text.split_at(boundary);
            let split = Question { claims: [claim(head, tail)].into(), ..question() };
            let joined = Question { claims: [claim(&text, "")].into(), ..question() };
            prop_assert_ne!(key(&split), key(&joined));
            let items = |first: &str, second: &str| Question {
                evidence: Arc::new(vec![item("e1", first), item("e2", second)]),
                ..question()
            };
            prop_assert_ne!(key(&items(head, tail)), key(&items(&text, "")));
        }
    }
}
