//! Selects graded claims as examples for chat models. Graded claims are read from the calling principal's
//! ledger and cached briefly.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use gsar_core::{Claim, Class};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use gsar_retrieval::terms::terms;
use moka::sync::Cache;
use prost::Message as _;

use super::Engine;
use crate::judge::{Example, Judge, jaccard};
use crate::ledger::{Cursor, Entry, Ledger, LedgerError, PageRequest, Reports, Selection};

const TIME_TO_LIVE: Duration = Duration::from_secs(60);
const MAX_PRINCIPALS: u64 = 64;
const MAX_EVALUATIONS: NonZeroUsize = NonZeroUsize::new(500).unwrap();
const MAX_CLAIMS: usize = 2_000;
const MAX_BYTES: usize = 1 << 10;
const MAX_QUOTES: usize = 3;

/// A cache of graded claims by principal. Clones share it.
#[derive(Clone)]
pub(crate) struct GradedClaims(Cache<String, Arc<Vec<GradedClaim>>>);

struct GradedClaim {
    example: Example,
    terms: HashSet<String>,
}

impl Default for GradedClaims {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MAX_PRINCIPALS).time_to_live(TIME_TO_LIVE).build())
    }
}

impl Engine {
    pub(crate) fn forget_graded_claims(&self) {
        self.graded_claims.0.invalidate(self.principal().name());
    }

    /// Returns the graded claims most similar to `claims`, up to the number that the judges use. Returns
    /// no examples if reading fails.
    pub(super) async fn examples(
        &self,
        judges: &[Arc<dyn Judge>],
        claims: &[Claim],
    ) -> Arc<[Example]> {
        let max = judges.iter().map(|judge| judge.examples()).max().unwrap_or(0);
        let (Some(ledger), 1..) = (self.ledger(), max) else { return Arc::default() };
        let principal = self.principal().name().to_owned();
        if let Some(graded_claims) = self.graded_claims.0.get(&principal) {
            return most_similar_examples(&graded_claims, claims, max);
        }
        match read_graded_claims(ledger).await {
            Ok(graded_claims) => {
                let examples = most_similar_examples(&graded_claims, claims, max);
                self.graded_claims.0.insert(principal, Arc::new(graded_claims));
                examples
            }
            Err(error) => {
                tracing::warn!(%error, "failed to read graded claims; the judges are shown no examples");
                Arc::default()
            }
        }
    }
}

async fn read_graded_claims(ledger: &Arc<dyn Ledger>) -> Result<Vec<GradedClaim>, LedgerError> {
    let selection = Selection { graded: Some(true), ..Selection::default() };
    let mut request = PageRequest { selection, cursor: Cursor::NEWEST, limit: MAX_EVALUATIONS };
    let latest = ledger.list(request.clone()).await?.evaluations;
    request.selection.from_micros = latest.iter().map(|summary| summary.evaluated_at_micros).min();
    let mut graded_claims = Vec::new();
    let mut next = (!latest.is_empty()).then_some(Cursor::OLDEST);
    while let Some(cursor) = next.filter(|_| graded_claims.len() < MAX_CLAIMS) {
        request.cursor = cursor;
        let page = ledger.entries(request.clone(), Reports::Omit).await?;
        page.evaluations.into_iter().for_each(|entry| add_graded_claims(entry, &mut graded_claims));
        next = page.next;
    }
    graded_claims.truncate(MAX_CLAIMS);
    Ok(graded_claims)
}

fn add_graded_claims(entry: Entry, graded_claims: &mut Vec<GradedClaim>) {
    let Ok(answer) = v1::EvaluateResponse::decode(entry.response.as_slice()) else { return };
    let mut classes: BTreeMap<&str, HashSet<i32>> = BTreeMap::new();
    for stored_grade in
        entry.grades.iter().filter(|stored_grade| !stored_grade.grade.claim_id.is_empty())
    {
        classes.entry(&stored_grade.grade.claim_id).or_default().insert(stored_grade.grade.verdict);
    }
    for claim in &answer.claims {
        let unanimous = classes.get(claim.id.as_str()).filter(|classes| classes.len() == 1);
        let class = unanimous.and_then(|classes| Class::from_number(*classes.iter().next()?));
        let Some(class) = class.filter(|_| claim.text.len() <= MAX_BYTES) else { continue };
        let quotes = claim.citations.iter().map(|citation| citation.quote.clone());
        let quotes = quotes.filter(|quote| !quote.is_empty() && quote.len() <= MAX_BYTES);
        graded_claims.push(GradedClaim {
            terms: terms(&claim.text).into_iter().collect(),
            example: Example {
                evaluation_id: entry.summary.evaluation_id.clone(),
                claim_id: claim.id.clone(),
                text: claim.text.clone(),
                quotes: quotes.take(MAX_QUOTES).collect(),
                class,
            },
        });
    }
}

/// Returns the graded claims that share the most terms with one of `claims`, best first. Identical claims
/// are left out, since they would reveal the answer.
fn most_similar_examples(
    graded_claims: &[GradedClaim],
    claims: &[Claim],
    max: usize,
) -> Arc<[Example]> {
    let queries: Vec<(&str, HashSet<String>)> = claims
        .iter()
        .map(|claim| (claim.text.as_str(), terms(&claim.text).into_iter().collect()))
        .collect();
    let similarity = |claim: &GradedClaim| {
        queries.iter().map(|(_, terms)| jaccard(terms, &claim.terms)).max().unwrap_or(0)
    };
    let mut ranked: Vec<(u128, &GradedClaim)> = graded_claims
        .iter()
        .filter(|claim| queries.iter().all(|(text, _)| *text != claim.example.text))
        .map(|claim| (similarity(claim), claim))
        .filter(|(similarity, _)| *similarity > 0)
        .collect();
    // Among equally similar claims, the newest comes first.
    ranked.reverse();
    ranked.sort_by_key(|(similarity, _)| std::cmp::Reverse(*similarity));
    let mut seen_texts = HashSet::new();
    ranked.retain(|(_, claim)| seen_texts.insert(&claim.example.text));
    ranked.into_iter().take(max).map(|(_, claim)| claim.example.clone()).collect()
}

#[cfg(test)]
mod tests {
    use gsar_core::ClaimId;

    use super::*;

    fn graded_claim(id: &str, text: &str) -> GradedClaim {
        let example = Example {
            evaluation_id: "e".to_owned(),
            claim_id: id.to_owned(),
            text: text.to_owned(),
            quotes: Vec::new(),
            class: Class::Grounded,
        };
        GradedClaim { example, terms: terms(text).into_iter().collect() }
    }

    #[test]
    fn skips_duplicate_and_identical_claims() {
        let graded_claims = [
            graded_claim("c1", "The pool of orders-db is exhausted."),
            graded_claim("c2", "Nothing alike here."),
            graded_claim("c3", "The pool of payments-db is full."),
            graded_claim("c4", "The pool of payments-db is exhausted."),
            graded_claim("c5", "The pool of orders-db is exhausted."),
        ];
        let claim = |text: &str| Claim::new(ClaimId::new("c").unwrap(), text);
        let claims = [claim("The pool of payments-db is exhausted."), claim("A remark.")];
        let most_similar_ids = |max| {
            let examples = most_similar_examples(&graded_claims, &claims, max);
            examples.iter().map(|example| example.claim_id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(most_similar_ids(9), ["c3", "c5"]);
        assert_eq!(most_similar_ids(1), ["c3"]);
        assert!(most_similar_examples(&graded_claims, &[], 9).is_empty());
    }
}
