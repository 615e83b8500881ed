//! Retrieves evidence from a corpus: all items if the judges can read that many bytes, otherwise the
//! passages relevant to the claims.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use gsar_core::Claim;
use gsar_core::evidence::{Content, EvidenceId, EvidenceItem};
use gsar_proto::v1;
use gsar_proto::violations::Violations;
use tonic::Status;

use super::{Engine, record};
use crate::blocking_work::{offload, offload_store};
use crate::call::{Call, Step};
use crate::errors;
use crate::evidence::{CorpusName, Evidence, Filter, Hit, Method, Query, Vector};
use crate::judge::Judge;

const PASSAGES_PER_CLAIM: usize = 12;
const DEFAULT_BUDGET: usize = 4 << 20;

#[derive(Clone, Default)]
pub(super) struct GatheredEvidence {
    /// The request's items, followed by the corpus items.
    pub(super) evidence: Arc<Vec<EvidenceItem>>,
    /// `true` if other evaluations use the same evidence, so that facts about it are cached.
    pub(super) is_reused: bool,
    pub(super) retrieval: Option<v1::Retrieval>,
    pub(super) corpus_digests: Vec<v1::EvidenceDigest>,
}

impl GatheredEvidence {
    pub(super) fn is_searched(&self) -> bool {
        self.retrieval.as_ref().is_some_and(|retrieval| retrieval.method != "whole")
    }
}

#[derive(Clone)]
pub(super) enum Corpus {
    None,
    /// The judge reads all items.
    Whole(GatheredEvidence),
    /// The judge reads the passages relevant to a report's claims.
    Searched {
        store: Evidence,
        name: CorpusName,
        retrieval: v1::Retrieval,
    },
}

impl Engine {
    /// Opens a request's corpus. Reads all of it if it fits into the judges' limit together with the inline
    /// items.
    pub(super) async fn corpus(
        &self,
        call: &Call,
        corpus_id: &str,
        inline_items: &Arc<Vec<EvidenceItem>>,
        judges: &[Arc<dyn Judge>],
    ) -> Result<Corpus, Status> {
        if corpus_id.is_empty() {
            return Ok(Corpus::None);
        }
        call.enter(Step::Retrieve);
        let store = self.stored_evidence()?;
        let name = CorpusName::new(corpus_id)?;
        let inline_bytes: usize = inline_items.iter().map(|item| item.content.as_str().len()).sum();
        let limit = judges.iter().filter_map(|judge| judge.capabilities().max_evidence_bytes).min();
        let budget = limit.unwrap_or(DEFAULT_BUDGET).saturating_sub(inline_bytes);
        let (evidence, corpus) = (store.clone(), name.clone());
        let summary = offload_store(call, move || evidence.summary(&corpus)).await?;
        let retrieval = v1::Retrieval {
            corpus_id: name.to_string(),
            items: summary.items,
            budget: budget as u64,
            ..v1::Retrieval::default()
        };
        if summary.size > budget as u64 {
            return Ok(Corpus::Searched { store, name, retrieval });
        }
        let items = offload_store(call, move || store.items(&name)).await?;
        let retrieval = v1::Retrieval { method: "whole".to_owned(), ..retrieval };
        let is_reused = inline_items.is_empty();
        let corpus_digests = items.iter().map(|item| record::digest_item(item).0).collect();
        let evidence = match is_reused {
            true => items,
            false => Arc::new(join_items(inline_items.to_vec(), items.to_vec(), corpus_id)?),
        };
        let retrieval = Some(retrieval);
        Ok(Corpus::Whole(GatheredEvidence { evidence, is_reused, retrieval, corpus_digests }))
    }
}

impl Corpus {
    /// Returns the corpus if the judge reads only passages of it.
    pub(super) fn searched(&self) -> Option<(Evidence, CorpusName)> {
        match self {
            Self::Searched { store, name, .. } => Some((store.clone(), name.clone())),
            Self::None | Self::Whole(_) => None,
        }
    }

    pub(super) async fn gather(
        self,
        call: &Call,
        inline_items: Arc<Vec<EvidenceItem>>,
        claims: &[Claim],
    ) -> Result<GatheredEvidence, Status> {
        match self {
            Self::None => {
                Ok(GatheredEvidence { evidence: inline_items, ..GatheredEvidence::default() })
            }
            Self::Whole(evidence) => Ok(evidence),
            Self::Searched { store, name, retrieval } => {
                call.enter(Step::Retrieve);
                let claims = claims.to_vec();
                let queries: Vec<String> = claims.iter().map(|claim| claim.text.clone()).collect();
                let vectors = store.embed_queries(queries).await;
                let (deadline, corpus) = (call.deadline, name.to_string());
                let retrieve =
                    move || retrieve(&store, &name, &claims, vectors, retrieval, deadline);
                let (items, retrieval) = offload(call, retrieve).await?;
                let corpus_digests = items.iter().map(|item| record::digest_item(item).0).collect();
                let evidence =
                    Arc::new(join_items(Arc::unwrap_or_clone(inline_items), items, &corpus)?);
                let retrieval = Some(retrieval);
                Ok(GatheredEvidence { evidence, is_reused: false, retrieval, corpus_digests })
            }
        }
    }
}

fn join_items(
    mut inline_items: Vec<EvidenceItem>,
    items: Vec<EvidenceItem>,
    corpus: &str,
) -> Result<Vec<EvidenceItem>, Status> {
    let mut violations = Violations::default();
    let corpus_ids: std::collections::HashSet<&str> =
        items.iter().map(|item| item.id.as_str()).collect();
    for (index, item) in inline_items.iter().enumerate() {
        if corpus_ids.contains(item.id.as_str()) {
            let path = format!("evidence[{index}].id");
            let id = &item.id;
            violations.add(
                path,
                format!(
                    "`{id}` is also the ID of an item in corpus `{corpus}`; rename one of them"
                ),
            );
        }
    }
    violations.finish(Some(()))?;
    inline_items.extend(items);
    Ok(inline_items)
}

fn retrieve(
    store: &Evidence,
    name: &CorpusName,
    claims: &[Claim],
    vectors: Result<Vec<Vector>, String>,
    mut retrieval: v1::Retrieval,
    deadline: Instant,
) -> Result<(Vec<EvidenceItem>, v1::Retrieval), Status> {
    let (vectors, mut degraded) = match vectors {
        Ok(vectors) => (vectors, None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    let mut method = Method::Lexical;
    let mut rankings: Vec<Vec<FoundPassage>> = Vec::with_capacity(claims.len());
    for (index, claim) in claims.iter().enumerate() {
        if Instant::now() >= deadline {
            return Err(errors::deadline_exceeded("retrieve"));
        }
        let vector = vectors.get(index).map(AsRef::as_ref);
        let query = Query { text: &claim.text, vector, by_terms: true };
        let results = store.search(name, &query, &Filter::default(), PASSAGES_PER_CLAIM)?;
        method = results.method;
        degraded = degraded.or(results.degraded);
        rankings.push(results.hits.into_iter().map(FoundPassage::from).collect());
    }
    let budget = usize::try_from(retrieval.budget).unwrap_or(usize::MAX);
    let (selected, dropped) = select_passages(budget, &rankings);
    retrieval.claims = claims
        .iter()
        .zip(&rankings)
        .map(|(claim, hits)| v1::ClaimRetrieval {
            claim_id: claim.id.to_string(),
            passages: hits
                .iter()
                .map(|passage| passage.to_proto(selected.contains_key(&passage.position)))
                .collect(),
        })
        .collect();
    retrieval.method = method.name().to_owned();
    if method != Method::Lexical {
        retrieval.embedder = store.embedder_digest().unwrap_or_default();
    }
    retrieval.degraded = degraded.unwrap_or_default();
    retrieval.queries = u32::try_from(claims.len()).unwrap_or(u32::MAX);
    retrieval.passages = selected.len() as u64;
    retrieval.dropped = dropped;
    let selected: Vec<i64> = selected.into_values().collect();
    let passages = store.passages(name, &selected)?;
    Ok((passages.into_iter().map(to_item).collect(), retrieval))
}

/// A search hit without its text. Most hits are never read by the judge, so their texts are not needed.
struct FoundPassage {
    passage: i64,
    position: (String, u64),
    size: usize,
    retrieved: v1::RetrievedPassage,
}

impl From<Hit> for FoundPassage {
    fn from(hit: Hit) -> Self {
        Self {
            passage: hit.passage,
            position: (hit.head.id.to_string(), hit.bytes.0),
            size: hit.text.len(),
            retrieved: v1::RetrievedPassage {
                label: hit.label(),
                lexical_rank: hit.lexical_rank,
                vector_rank: hit.vector_rank,
                score: hit.score as f64 / 1e9,
                similarity: hit.similarity.map(f64::from),
                given: false,
            },
        }
    }
}

impl FoundPassage {
    fn to_proto(&self, given: bool) -> v1::RetrievedPassage {
        v1::RetrievedPassage { given, ..self.retrieved.clone() }
    }
}

/// Warns about ungrounded claims for which relevant passages were left out.
pub(super) fn insufficient_retrieval(
    retrieval: &v1::Retrieval,
    claims: &[v1::JudgedClaim],
) -> Option<v1::Reason> {
    let is_incomplete =
        |retrieved: &&v1::ClaimRetrieval| retrieved.passages.iter().any(|passage| !passage.given);
    let is_ungrounded = |retrieved: &&v1::ClaimRetrieval| {
        let judged_claim = claims.iter().find(|claim| claim.id == retrieved.claim_id);
        judged_claim.is_some_and(|claim| claim.class() == v1::ClaimClass::Ungrounded)
    };
    let affected = retrieval.claims.iter().filter(is_incomplete).filter(is_ungrounded);
    let ids: Vec<&str> = affected.map(|retrieved| retrieved.claim_id.as_str()).collect();
    (!ids.is_empty()).then(|| v1::Reason {
        code: "INSUFFICIENT_RETRIEVAL".to_owned(),
        sentence: format!(
            "the judge reads at most {} bytes, so some passages relevant to {} were left out; evaluate fewer claims at once, or use a smaller corpus",
            retrieval.budget,
            ids.join(", ")
        ),
        claim_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
    })
}

/// Selects the best passage for each claim, then the second best, and so on within the budget. Returns the
/// selected passages in corpus order, and the number of passages left out.
fn select_passages(
    budget: usize,
    rankings: &[Vec<FoundPassage>],
) -> (BTreeMap<&(String, u64), i64>, u64) {
    let max_length = rankings.iter().map(Vec::len).max().unwrap_or(0);
    let by_rank = (0..max_length)
        .flat_map(|rank| rankings.iter().filter_map(move |ranking| ranking.get(rank)));
    let mut remaining = budget;
    let mut dropped = BTreeSet::new();
    let mut selected = BTreeMap::new();
    for passage in by_rank {
        if selected.contains_key(&passage.position) || dropped.contains(&passage.position) {
            continue;
        }
        if passage.size > remaining {
            dropped.insert(&passage.position);
        } else {
            remaining -= passage.size;
            selected.insert(&passage.position, passage.passage);
        }
    }
    (selected, dropped.len() as u64)
}

/// Converts a passage to an item. The result is never exhaustive, since a passage is only part of an item.
fn to_item(hit: Hit) -> EvidenceItem {
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
        attested: hit.head.attested,
        step_id: hit.head.step_id,
        specialist_id: hit.head.specialist_id,
        verification_result: hit.head.verification_result,
    }
}

pub(crate) fn search_hit(hit: Hit) -> v1::SearchHit {
    let (first, last) = hit.lines;
    v1::SearchHit {
        label: hit.label(),
        evidence_id: hit.head.id.to_string(),
        field_path: hit.pointer,
        lines: (first > 0).then_some(v1::LineRange { first, last }),
        bytes: Some(v1::ByteRange { start: hit.bytes.0, end: hit.bytes.1 }),
        text: hit.text,
        lexical_rank: hit.lexical_rank,
        vector_rank: hit.vector_rank,
        score: hit.score as f64 / 1e9,
        similarity: hit.similarity.map(f64::from),
    }
}
