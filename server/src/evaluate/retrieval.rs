//! What of a corpus the judge is given: every item where it reads that much, else the passages that bear on the claims.

use std::collections::BTreeMap;
use std::sync::Arc;

use gsar_core::Claim;
use gsar_core::evidence::{Content, EvidenceId, EvidenceItem};
use gsar_proto::violations::Violations;
use gsar_proto::{parse, v1};
use tonic::Status;

use super::Engine;
use crate::api::door::{Call, Step};
use crate::api::errors;
use crate::evidence::{CorpusName, Evidence, Hit, Restriction, StoreError};
use crate::judge::Judge;

/// Passages that are looked for with each claim.
const PASSAGES_OF_CLAIM: usize = 12;
/// What is given to a judge that has no bound of its own, in bytes.
const USUAL_BUDGET: usize = 4 << 20;

/// The evidence of an evaluation.
pub(super) struct Gathered {
    /// What the judge is given: the items of the request, then those of the corpus.
    pub(super) evidence: Vec<EvidenceItem>,
    /// What of the corpus that is.
    pub(super) retrieval: Option<v1::Retrieval>,
}

impl Engine {
    /// Adds what bears on a report from the corpus that its request names.
    pub(super) async fn gather(
        &self,
        call: &Call,
        corpus_id: &str,
        inline: Vec<EvidenceItem>,
        report: &parse::ParsedReport,
        judges: &[Arc<dyn Judge>],
    ) -> Result<Gathered, Status> {
        if corpus_id.is_empty() {
            return Ok(Gathered { evidence: inline, retrieval: None });
        }
        call.enter(Step::Retrieve);
        let store = self.evidence().cloned().ok_or_else(|| {
            errors::not_allowed("this server keeps no evidence", "have evidence.enabled turned on")
        })?;
        let name = CorpusName::new(corpus_id).map_err(|error| errors::evidence(&error))?;
        let given: usize = inline.iter().map(|item| item.content.as_str().len()).sum();
        let bound = judges.iter().filter_map(|judge| judge.capabilities().max_evidence_bytes).min();
        let budget = bound.unwrap_or(USUAL_BUDGET).saturating_sub(given);
        let claims = match report.claims.as_slice() {
            [] => gsar_rules::split(&report.synthesis),
            claims => claims.to_vec(),
        };
        let place = call.clone();
        let found = tokio::task::spawn_blocking(move || {
            let _place = place;
            retrieve(&store, &name, &claims, budget)
        });
        let (items, retrieval) = match found.await {
            Ok(found) => found.map_err(|error| errors::evidence(&error))?,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        Ok(Gathered { evidence: joined(inline, items, corpus_id)?, retrieval: Some(retrieval) })
    }
}

/// The items of a request and of a corpus; one id names one item.
fn joined(
    mut inline: Vec<EvidenceItem>,
    items: Vec<EvidenceItem>,
    corpus: &str,
) -> Result<Vec<EvidenceItem>, Status> {
    let mut violations = Violations::default();
    let stored: std::collections::HashSet<&str> =
        items.iter().map(|item| item.id.as_str()).collect();
    for (number, item) in inline.iter().enumerate() {
        if stored.contains(item.id.as_str()) {
            let path = format!("evidence[{number}].id");
            let id = &item.id;
            violations.add(
                path,
                format!("`{id}` is an item of corpus `{corpus}` as well; rename one of them"),
            );
        }
    }
    violations.finish(Some(()))?;
    inline.extend(items);
    Ok(inline)
}

fn retrieve(
    store: &Evidence,
    name: &CorpusName,
    claims: &[Claim],
    budget: usize,
) -> Result<(Vec<EvidenceItem>, v1::Retrieval), StoreError> {
    let summary = store.summary(name)?;
    let mut retrieval = v1::Retrieval {
        corpus_id: name.to_string(),
        items: summary.items,
        budget: budget as u64,
        ..v1::Retrieval::default()
    };
    if summary.size <= budget as u64 {
        retrieval.method = "whole".to_owned();
        return Ok((store.items(name)?, retrieval));
    }
    retrieval.method = "lexical".to_owned();
    retrieval.queries = u32::try_from(claims.len()).unwrap_or(u32::MAX);
    let mut rankings: Vec<std::vec::IntoIter<Hit>> = Vec::with_capacity(claims.len());
    for claim in claims {
        let hits = store.search(name, &claim.text, &Restriction::default(), PASSAGES_OF_CLAIM)?;
        rankings.push(hits.into_iter());
    }
    let (passages, dropped) = within(budget, rankings);
    retrieval.passages = passages.len() as u64;
    retrieval.dropped = dropped;
    Ok((passages.into_values().map(passage).collect(), retrieval))
}

/// The best passages of every claim, then the second best, as long as the budget lasts; in the order of the corpus.
fn within(
    budget: usize,
    mut rankings: Vec<std::vec::IntoIter<Hit>>,
) -> (BTreeMap<(String, u64), Hit>, u64) {
    let mut left = budget;
    let mut dropped = 0;
    let mut chosen = BTreeMap::new();
    loop {
        let round: Vec<Hit> = rankings.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            return (chosen, dropped);
        }
        for hit in round {
            let place = (hit.head.id.to_string(), hit.bytes.0);
            if chosen.contains_key(&place) {
                continue;
            }
            if hit.text.len() > left {
                dropped += 1;
                continue;
            }
            left -= hit.text.len();
            chosen.insert(place, hit);
        }
    }
}

/// A passage as an item of its own, under its label. It shows a part, so that nothing follows from what it lacks.
fn passage(hit: Hit) -> EvidenceItem {
    let label = EvidenceId::new(hit.label());
    let is_document = !hit.pointer.is_empty() || hit.head.is_json;
    let is_whole = is_document && serde_json::from_str::<serde::de::IgnoredAny>(&hit.text).is_ok();
    EvidenceItem {
        id: label.unwrap_or(hit.head.id),
        kind: hit.head.kind,
        lane: hit.head.lane,
        tool: hit.head.tool,
        query: hit.head.query,
        content: if is_whole { Content::Json(hit.text) } else { Content::Text(hit.text) },
        collected_at: hit.head.collected_at,
        exhaustive: false,
        attested: false,
    }
}
