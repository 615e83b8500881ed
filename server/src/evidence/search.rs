//! Search queries and results, and the fusion of the rankings by terms (Okapi BM25: Robertson and Zaragoza
//! 2009) and by meaning (cosine similarity of vectors).

use std::collections::{HashMap, HashSet};

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::time::Window;
use gsar_retrieval::diversity::diverse;
use gsar_retrieval::fusion::fuse;
use gsar_retrieval::terms::terms;
use gsar_vectors::Hit as Nearest;

use super::store::Head;

/// Restricts a search to passages that match every given condition.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The allowed kinds of items; empty allows all.
    pub kinds: Vec<EvidenceKind>,
    /// The allowed lanes of items; empty allows all.
    pub lanes: Vec<Lane>,
    /// Entities that must all occur in the passage or in its item's tool and query.
    pub entities: Vec<String>,
    /// The window in which the item must have been collected; excludes items without a time.
    pub window: Option<Window>,
}

impl Filter {
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
            && self.lanes.is_empty()
            && self.entities.is_empty()
            && self.window.is_none()
    }

    /// Returns the first term of each entity.
    pub(super) fn entity_terms(&self) -> impl Iterator<Item = String> {
        self.entities.iter().filter_map(|entity| terms(entity).into_iter().next())
    }
}

/// A passage found by a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The number of the passage in the corpus.
    pub passage: i64,
    /// The number of the item.
    pub item: i64,
    /// The metadata of the item.
    pub head: Head,
    /// The JSON pointer; empty for text.
    pub pointer: String,
    /// The first and the last line, from 1; zeros for JSON.
    pub lines: (u64, u64),
    /// The half-open byte range in the content.
    pub bytes: (u64, u64),
    /// The text.
    pub text: String,
    /// The rank by terms, from 1, or 0 if the passage was not found by terms.
    pub lexical_rank: u32,
    /// The rank by meaning, from 1, or 0 if the passage was not found by meaning.
    pub vector_rank: u32,
    /// The reciprocal rank fusion score, in billionths.
    pub score: u64,
    /// The cosine similarity to the query, or `None` if the passage was not found by meaning.
    pub similarity: Option<f32>,
}

impl Hit {
    /// Returns a label such as `pods#/items/3` or `app-log#L120-143`.
    #[must_use]
    pub fn label(&self) -> String {
        let id = &self.head.id;
        match self.lines {
            (0, _) => format!("{id}#{}", self.pointer),
            (first, last) => format!("{id}#L{first}-{last}"),
        }
    }
}

/// The number of ranked passages per result. Dissimilar passages are selected from them.
pub(super) const CANDIDATES_PER_HIT: usize = 4;
/// The weight of the ranking by terms; the ranking by meaning has a weight of 1. See "How the rankings are
/// fused" in docs/EVALUATION.md.
const TERMS_WEIGHT: u32 = 4;
const MAX_TERMS: usize = 64;

/// Returns the distinct terms of a query, in order.
pub(super) fn query_terms(text: &str) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for term in terms(text) {
        if !distinct.contains(&term) && distinct.len() < MAX_TERMS {
            distinct.push(term);
        }
    }
    distinct
}

/// A search query.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// The text.
    pub text: &'q str,
    /// The vector of the text; `None` to search by terms only.
    pub vector: Option<&'q [f32]>,
    /// `true` to search by terms.
    pub by_terms: bool,
}

impl Query<'_> {
    /// Returns the method of the search. `has_meaning` states whether there is a ranking by meaning.
    pub(super) fn method(&self, has_meaning: bool) -> Method {
        match (has_meaning, self.by_terms) {
            (false, _) => Method::Lexical,
            (true, true) => Method::Hybrid,
            (true, false) => Method::Vector,
        }
    }
}

/// A search method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By terms.
    Lexical,
    /// By meaning.
    Vector,
    /// By terms and by meaning.
    Hybrid,
}

impl Method {
    /// Returns the name used in responses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Vector => "vector",
            Self::Hybrid => "hybrid",
        }
    }
}

/// The result of a search.
#[derive(Debug)]
pub struct Hits {
    /// The passages, best first.
    pub hits: Vec<Hit>,
    /// The method used.
    pub method: Method,
    /// The reason why the search was lexical although a search by meaning was requested.
    pub degraded: Option<String>,
}

/// Returns the best dissimilar passages from two rankings. `read` returns a passage by number, or `None` if it was
/// deleted.
pub(super) fn select_best<E>(
    by_terms: &[u64],
    by_meaning: &[Nearest],
    limit: usize,
    mut read: impl FnMut(u64) -> Result<Option<Hit>, E>,
) -> Result<Vec<Hit>, E> {
    let term_ranks: HashMap<u64, u32> = by_terms.iter().copied().zip(1..).collect();
    let similarities: HashMap<u64, (u32, f32)> =
        (1..).zip(by_meaning).map(|(rank, hit)| (hit.key, (rank, hit.similarity))).collect();
    let meaning: Vec<u64> = by_meaning.iter().map(|hit| hit.key).collect();
    let mut hits = Vec::new();
    for fused in fuse(&[(TERMS_WEIGHT, by_terms), (1, &meaning)]) {
        if hits.len() >= limit.saturating_mul(CANDIDATES_PER_HIT) {
            break;
        }
        // A deleted passage can still have a vector.
        let Some(hit) = read(fused.key)? else { continue };
        let nearest = similarities.get(&fused.key);
        hits.push(Hit {
            lexical_rank: term_ranks.get(&fused.key).copied().unwrap_or(0),
            vector_rank: nearest.map_or(0, |(rank, _)| *rank),
            score: fused.score,
            similarity: nearest.map(|(_, similarity)| *similarity),
            ..hit
        });
    }
    let texts: Vec<HashSet<String>> =
        hits.iter().map(|hit: &Hit| terms(&hit.text).into_iter().collect()).collect();
    let mut selected = diverse(&texts, limit);
    selected.sort_unstable();
    let mut hits: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
    Ok(selected.into_iter().filter_map(|index| hits.get_mut(index)?.take()).collect())
}
