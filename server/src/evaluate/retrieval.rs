//! What of a corpus the judge is given: every item where it reads that much, else the passages that bear on the claims.

use std::collections::BTreeMap;
use std::sync::Arc;

use gsar_core::evidence::{Content, EvidenceId, EvidenceItem};
use gsar_proto::violations::Violations;
use gsar_proto::{parse, v1};
use tonic::Status;

use super::Engine;
use super::offload::offload_long;
use crate::api::door::{Call, Step};
use crate::api::errors;
use crate::evidence::{CorpusName, Evidence, Filter, Hit, Method, Query, StoreError, Vector};
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
        let (of, corpus) = (store.clone(), name.clone());
        let summary = stored(call, move || of.summary(&corpus)).await?;
        let retrieval = v1::Retrieval {
            corpus_id: name.to_string(),
            items: summary.items,
            budget: budget as u64,
            ..v1::Retrieval::default()
        };
        if summary.size <= budget as u64 {
            let items = stored(call, move || store.items(&name)).await?;
            let retrieval = v1::Retrieval { method: "whole".to_owned(), ..retrieval };
            let evidence = joined(inline, items, corpus_id)?;
            return Ok(Gathered { evidence, retrieval: Some(retrieval) });
        }
        let queries: Vec<String> = claims.into_iter().map(|claim| claim.text).collect();
        let vectors = store.embed_queries(queries.clone()).await;
        let found = stored(call, move || retrieve(&store, &name, &queries, vectors, retrieval));
        let (items, retrieval) = found.await?;
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

/// The passages that bear on the claims.
fn retrieve(
    store: &Evidence,
    name: &CorpusName,
    queries: &[String],
    vectors: Result<Vec<Vector>, String>,
    mut retrieval: v1::Retrieval,
) -> Result<(Vec<EvidenceItem>, v1::Retrieval), StoreError> {
    let (vectors, mut degraded) = match vectors {
        Ok(vectors) => (vectors, None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    let mut method = Method::Lexical;
    let mut rankings: Vec<std::vec::IntoIter<Hit>> = Vec::with_capacity(queries.len());
    for (number, text) in queries.iter().enumerate() {
        let vector = vectors.get(number).map(AsRef::as_ref);
        let query = Query { text, vector, by_terms: true };
        let found = store.search(name, &query, &Filter::default(), PASSAGES_OF_CLAIM)?;
        method = found.method;
        degraded = degraded.or(found.degraded);
        rankings.push(found.hits.into_iter());
    }
    let budget = usize::try_from(retrieval.budget).unwrap_or(usize::MAX);
    let (passages, dropped) = within(budget, rankings);
    retrieval.method = method.name().to_owned();
    retrieval.degraded = degraded.unwrap_or_default();
    retrieval.queries = u32::try_from(queries.len()).unwrap_or(u32::MAX);
    retrieval.passages = passages.len() as u64;
    retrieval.dropped = dropped;
    Ok((passages.into_values().map(passage).collect(), retrieval))
}

/// Asks the store on a thread that may wait for the disk.
async fn stored<T: Send + 'static>(
    call: &Call,
    ask: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Status> {
    offload_long(call, ask).await.map_err(|error| errors::evidence(&error))
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
    let is_whole =
        hit.head.is_json && serde_json::from_str::<serde::de::IgnoredAny>(&hit.text).is_ok();
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
