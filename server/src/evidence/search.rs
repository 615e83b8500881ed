//! Queries and results of search, and the fusion of two rankings: by terms (Okapi BM25: Robertson and Zaragoza 2009)
//! and by meaning (cosine of vectors).

use std::collections::{HashMap, HashSet};

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::time::Window;
use gsar_retrieval::fusion::fuse;
use gsar_retrieval::selection::diverse;
use gsar_retrieval::terms::terms;
use gsar_vectors::Hit as Nearest;

use super::store::Head;

/// Restricts a search; all given parts must match.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Kinds of items; empty for all.
    pub kinds: Vec<EvidenceKind>,
    /// Lanes of items; empty for all.
    pub lanes: Vec<Lane>,
    /// Entities that the passage or the tool of its item must name, all of them.
    pub entities: Vec<String>,
    /// The window in which the item was collected; items without a time match no window.
    pub window: Option<Window>,
}

impl Filter {
    /// Returns `true` if it restricts nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
            && self.lanes.is_empty()
            && self.entities.is_empty()
            && self.window.is_none()
    }
}

/// A passage found by a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number in the corpus.
    pub passage: i64,
    /// The number of its item.
    pub item: i64,
    /// The head of its item.
    pub head: Head,
    /// Its JSON pointer; empty for text.
    pub pointer: String,
    /// Its first and last line, from 1; zeros for JSON.
    pub lines: (u64, u64),
    /// Its half-open byte range in the content.
    pub bytes: (u64, u64),
    /// Its text.
    pub text: String,
    /// Its rank by terms, from 1; 0 if it was not found by terms.
    pub lexical_rank: u32,
    /// Its rank by meaning, from 1; 0 if it was not found by meaning.
    pub vector_rank: u32,
    /// The score of reciprocal rank fusion over both rankings, in billionths.
    pub score: u64,
    /// The cosine similarity of its vector and the query's, -1 to 1; `None` if it was not found by meaning.
    pub similarity: Option<f32>,
}

impl Hit {
    /// Returns a label of the passage: `pods#/items/3`, `app-log#L120-143`.
    #[must_use]
    pub fn label(&self) -> String {
        let id = &self.head.id;
        match self.lines {
            (0, _) => format!("{id}#{}", self.pointer),
            (first, last) => format!("{id}#L{first}-{last}"),
        }
    }
}

/// The number of ranked passages per requested one, so that dissimilar ones can be chosen.
pub(super) const RANKED_FOR_EACH: usize = 4;
/// The weight of the ranking by terms; the ranking by meaning has weight 1. See docs/EVALUATION.md, "How the rankings
/// are fused".
const WEIGHT_OF_TERMS: u32 = 4;
/// The maximum number of terms of a query; a longer query is rarely a single statement.
pub(super) const MAX_TERMS: usize = 64;

/// A search query.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// The text.
    pub text: &'q str,
    /// Its vector; `None` to search by terms only.
    pub vector: Option<&'q [f32]>,
    /// `true` to search by terms.
    pub by_terms: bool,
}

/// The method of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By terms.
    Lexical,
    /// By meaning.
    Vector,
    /// By both.
    Hybrid,
}

impl Method {
    /// The name used in answers.
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
    /// The reason why meaning was not used, if it was requested.
    pub degraded: Option<String>,
}

/// Returns the best dissimilar passages of two rankings.
///
/// `read` returns a passage by its number, unranked; `None` if it was deleted.
///
/// # Errors
/// Errors of `read`.
pub(super) fn best_of<E>(
    by_terms: &[u64],
    by_meaning: &[Nearest],
    limit: usize,
    mut read: impl FnMut(u64) -> Result<Option<Hit>, E>,
) -> Result<Vec<Hit>, E> {
    let term_ranks: HashMap<u64, u32> = by_terms.iter().copied().zip(1..).collect();
    let similarities: HashMap<u64, (u32, f32)> =
        (1..).zip(by_meaning).map(|(rank, near)| (near.key, (rank, near.similarity))).collect();
    let meaning: Vec<u64> = by_meaning.iter().map(|near| near.key).collect();
    let mut hits = Vec::new();
    for fused in fuse(&[(WEIGHT_OF_TERMS, by_terms), (1, &meaning)]) {
        if hits.len() >= limit.saturating_mul(RANKED_FOR_EACH) {
            break;
        }
        // The vector of a deleted passage may remain.
        let Some(found) = read(fused.key)? else { continue };
        let near = similarities.get(&fused.key);
        hits.push(Hit {
            lexical_rank: term_ranks.get(&fused.key).copied().unwrap_or(0),
            vector_rank: near.map_or(0, |(rank, _)| *rank),
            score: fused.score,
            similarity: near.map(|(_, similarity)| *similarity),
            ..found
        });
    }
    let texts: Vec<HashSet<String>> =
        hits.iter().map(|hit: &Hit| terms(&hit.text).into_iter().collect()).collect();
    let mut chosen = diverse(&texts, limit);
    chosen.sort_unstable();
    let mut hits: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
    Ok(chosen.into_iter().filter_map(|place| hits.get_mut(place)?.take()).collect())
}
