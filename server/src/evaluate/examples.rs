//! This module finds claims that people graded and that are like those of a report, for chat models that are shown examples. It
//! reads the ledger of the principal that calls and keeps what it read for a minute; it judges nothing.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use gsar_core::{Claim, Class};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use gsar_retrieval::terms::terms;
use moka::sync::Cache;
use prost::Message as _;

use super::Engine;
use crate::judge::{Example, Judge};
use crate::ledger::{Cursor, Entry, Ledger, LedgerError, PageRequest, Selection};

/// How long graded claims are kept until they are read again.
const TIME_TO_LIVE: Duration = Duration::from_secs(60);
/// The most principals whose graded claims are kept.
const MAX_PRINCIPALS: u64 = 64;
/// How many graded evaluations are read, the latest ones.
const MAX_EVALUATIONS: usize = 500;
/// The most graded claims of a principal.
const MAX_CLAIMS: usize = 2_000;
/// A longer claim, or a longer quote, is no example.
const MAX_BYTES: usize = 1 << 10;
/// The most quotes of an example.
const MAX_QUOTES: usize = 3;

/// Graded claims by principal. A copy shares them.
#[derive(Clone)]
pub(crate) struct GradedClaims(Cache<String, Arc<Vec<Graded>>>);

/// A claim that was graded, and its terms.
struct Graded {
    example: Example,
    terms: HashSet<String>,
}

impl Default for GradedClaims {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MAX_PRINCIPALS).time_to_live(TIME_TO_LIVE).build())
    }
}

impl Engine {
    /// Has graded claims read again: its principal has graded some.
    pub(crate) fn forget_graded_claims(&self) {
        self.graded_claims.0.invalidate(self.principal().name());
    }

    /// The graded claims that are most like `claims`, as many as the judges want; none where they cannot be read.
    pub(super) async fn examples(
        &self,
        judges: &[Arc<dyn Judge>],
        claims: &[Claim],
    ) -> Arc<[Example]> {
        let most = judges.iter().map(|judge| judge.examples()).max().unwrap_or(0);
        let (Some(ledger), 1..) = (self.ledger(), most) else { return Arc::default() };
        let principal = self.principal().name().to_owned();
        if let Some(graded) = self.graded_claims.0.get(&principal) {
            return nearest(&graded, claims, most);
        }
        match read(ledger).await {
            Ok(graded) => {
                let examples = nearest(&graded, claims, most);
                self.graded_claims.0.insert(principal, Arc::new(graded));
                examples
            }
            Err(error) => {
                tracing::warn!(%error, "graded claims cannot be read; judges are shown no examples");
                Arc::default()
            }
        }
    }
}

/// The graded claims of the latest evaluations.
async fn read(ledger: &Arc<dyn Ledger>) -> Result<Vec<Graded>, LedgerError> {
    let selection = Selection { graded: Some(true), ..Selection::default() };
    let mut request = PageRequest { selection, cursor: Cursor::NEWEST, limit: MAX_EVALUATIONS };
    let latest = ledger.list(request.clone()).await?.evaluations;
    request.selection.from_micros = latest.iter().map(|summary| summary.evaluated_at_micros).min();
    let mut graded = Vec::new();
    let mut next = (!latest.is_empty()).then_some(Cursor::OLDEST);
    while let Some(cursor) = next.filter(|_| graded.len() < MAX_CLAIMS) {
        request.cursor = cursor;
        let page = ledger.entries(request.clone()).await?;
        page.evaluations.into_iter().for_each(|entry| add(entry, &mut graded));
        next = page.next;
    }
    graded.truncate(MAX_CLAIMS);
    Ok(graded)
}

/// Adds the claims of an evaluation on whose class everybody who graded them agrees.
fn add(entry: Entry, graded: &mut Vec<Graded>) {
    let Ok(answer) = v1::EvaluateResponse::decode(entry.response.as_slice()) else { return };
    let mut classes: BTreeMap<&str, HashSet<i32>> = BTreeMap::new();
    for stored in entry.grades.iter().filter(|stored| !stored.grade.claim_id.is_empty()) {
        classes.entry(&stored.grade.claim_id).or_default().insert(stored.grade.verdict);
    }
    for claim in &answer.claims {
        let agreed = classes.get(claim.id.as_str()).filter(|classes| classes.len() == 1);
        let class = agreed.and_then(|classes| Class::from_number(*classes.iter().next()?));
        let Some(class) = class.filter(|_| claim.text.len() <= MAX_BYTES) else { continue };
        let quotes = claim.citations.iter().map(|citation| citation.quote.clone());
        let quotes = quotes.filter(|quote| !quote.is_empty() && quote.len() <= MAX_BYTES);
        graded.push(Graded {
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

/// The graded claims that share most terms with one of `claims`, the nearest first. Not one that says the same: it would be
/// an answer.
fn nearest(graded: &[Graded], claims: &[Claim], most: usize) -> Arc<[Example]> {
    let asked: Vec<(&str, HashSet<String>)> = claims
        .iter()
        .map(|claim| (claim.text.as_str(), terms(&claim.text).into_iter().collect()))
        .collect();
    let nearness = |of: &Graded| {
        let near = asked.iter().map(|(_, terms)| {
            let shared = terms.intersection(&of.terms).count();
            let all = terms.len() + of.terms.len() - shared;
            (shared * 1_000_000).checked_div(all).unwrap_or(0)
        });
        near.max().unwrap_or(0)
    };
    let mut ranked: Vec<(usize, &Graded)> = graded
        .iter()
        .filter(|of| asked.iter().all(|(text, _)| *text != of.example.text))
        .map(|of| (nearness(of), of))
        .filter(|(nearness, _)| *nearness > 0)
        .collect();
    // Of equals the latest.
    ranked.reverse();
    ranked.sort_by_key(|(nearness, _)| std::cmp::Reverse(*nearness));
    let mut known = HashSet::new();
    ranked.retain(|(_, of)| known.insert(&of.example.text));
    ranked.into_iter().take(most).map(|(_, of)| of.example.clone()).collect()
}

#[cfg(test)]
mod tests {
    use gsar_core::ClaimId;

    use super::*;

    fn graded(id: &str, text: &str) -> Graded {
        let example = Example {
            evaluation_id: "e".to_owned(),
            claim_id: id.to_owned(),
            text: text.to_owned(),
            quotes: Vec::new(),
            class: Class::Grounded,
        };
        Graded { example, terms: terms(text).into_iter().collect() }
    }

    #[test]
    fn the_nearest_are_shown_each_once_and_none_that_says_the_same() {
        let graded = [
            graded("c1", "The pool of orders-db is exhausted."),
            graded("c2", "Nothing alike here."),
            graded("c3", "The pool of payments-db is full."),
            graded("c4", "The pool of payments-db is exhausted."),
            graded("c5", "The pool of orders-db is exhausted."),
        ];
        let claim = |text: &str| Claim {
            id: ClaimId::new("c").unwrap(),
            text: text.to_owned(),
            span: None,
        };
        let asked = [claim("The pool of payments-db is exhausted."), claim("A remark.")];
        let shown = |most| {
            let shown = nearest(&graded, &asked, most);
            shown.iter().map(|example| example.claim_id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(shown(9), ["c3", "c5"]);
        assert_eq!(shown(1), ["c3"]);
        assert!(nearest(&graded, &[], 9).is_empty());
    }
}
