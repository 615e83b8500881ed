//! This module says what a search asks for and finds, and chooses the best passages of two rankings: by their terms
//! (Okapi BM25: Robertson and Zaragoza 2009) and by their meaning (cosine of vectors). It reads nothing.

use std::collections::{HashMap, HashSet};

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::time::Window;
use gsar_retrieval::fusion::fuse;
use gsar_retrieval::selection::diverse;
use gsar_retrieval::terms::terms;
use gsar_vectors::Hit as Nearest;

use super::store::Head;

/// What restricts a search; every part that is given must hold.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Kinds of items; empty for all.
    pub kinds: Vec<EvidenceKind>,
    /// Lanes of items; empty for all.
    pub lanes: Vec<Lane>,
    /// What a passage or the tool of its item must name, all of them.
    pub entities: Vec<String>,
    /// When the item was collected; items without a time are in no window.
    pub window: Option<Window>,
}

impl Filter {
    /// Whether it restricts nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
            && self.lanes.is_empty()
            && self.entities.is_empty()
            && self.window.is_none()
    }
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number in the corpus.
    pub passage: i64,
    /// The number of its item.
    pub item: i64,
    /// What its item is.
    pub head: Head,
    /// Its JSON pointer; empty for text.
    pub pointer: String,
    /// Its first and last line, from 1; zeros for JSON.
    pub lines: (u64, u64),
    /// Its bytes in the content, half-open.
    pub bytes: (u64, u64),
    /// What it says.
    pub text: String,
    /// Its rank among those found by their terms, from 1; 0 where it was not.
    pub lexical_rank: u32,
    /// Its rank among those found by their meaning, from 1; 0 where it was not.
    pub vector_rank: u32,
    /// The sum of reciprocal rank fusion over both rankings, in billionths.
    pub score: u64,
    /// The cosine of its vector and the query's, -1 to 1, where it was found by its meaning.
    pub similarity: Option<f32>,
}

impl Hit {
    /// Names the passage: `pods#/items/3`, `app-log#L120-143`.
    #[must_use]
    pub fn label(&self) -> String {
        let id = &self.head.id;
        match self.lines {
            (0, _) => format!("{id}#{}", self.pointer),
            (first, last) => format!("{id}#L{first}-{last}"),
        }
    }
}

/// How many passages are ranked for each one that is wanted, so that those that differ can be chosen.
pub(super) const RANKED_FOR_EACH: usize = 4;
/// The weight of the ranking by terms; that by meaning has weight 1. docs/EVALUATION.md, "How the rankings are
/// fused".
const WEIGHT_OF_TERMS: u32 = 4;
/// The most terms of a query that are looked for; a longer query is hardly one statement.
pub(super) const MAX_TERMS: usize = 64;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// In plain words.
    pub text: &'q str,
    /// Its vector; `None` to look for terms only.
    pub vector: Option<&'q [f32]>,
    /// Whether terms count.
    pub by_terms: bool,
}

/// How passages were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By their terms.
    Lexical,
    /// By their meaning.
    Vector,
    /// By both.
    Hybrid,
}

impl Method {
    /// The word used in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Vector => "vector",
            Self::Hybrid => "hybrid",
        }
    }
}

/// What was found.
#[derive(Debug)]
pub struct Hits {
    /// The passages, the best first.
    pub hits: Vec<Hit>,
    /// How they were found.
    pub method: Method,
    /// Why meaning did not count, where it should have.
    pub degraded: Option<String>,
}

/// The best passages of two rankings that differ from one another.
///
/// `read` gives a passage by its number, not ranked; `None` where it was deleted.
///
/// # Errors
/// Those of `read`.
pub(super) fn best_of<E>(
    said: &[u64],
    meant: &[Nearest],
    most: usize,
    mut read: impl FnMut(u64) -> Result<Option<Hit>, E>,
) -> Result<Vec<Hit>, E> {
    let by_terms: HashMap<u64, u32> = said.iter().copied().zip(1..).collect();
    let by_meaning: HashMap<u64, (u32, f32)> =
        (1..).zip(meant).map(|(rank, near)| (near.key, (rank, near.similarity))).collect();
    let meant: Vec<u64> = meant.iter().map(|near| near.key).collect();
    let mut hits = Vec::new();
    for fused in fuse(&[(WEIGHT_OF_TERMS, said), (1, &meant)]) {
        if hits.len() >= most.saturating_mul(RANKED_FOR_EACH) {
            break;
        }
        // A passage that was deleted may still have its vector.
        let Some(found) = read(fused.key)? else { continue };
        let near = by_meaning.get(&fused.key);
        hits.push(Hit {
            lexical_rank: by_terms.get(&fused.key).copied().unwrap_or(0),
            vector_rank: near.map_or(0, |(rank, _)| *rank),
            score: fused.score,
            similarity: near.map(|(_, similarity)| *similarity),
            ..found
        });
    }
    let texts: Vec<HashSet<String>> =
        hits.iter().map(|hit: &Hit| terms(&hit.text).into_iter().collect()).collect();
    let mut chosen = diverse(&texts, most);
    chosen.sort_unstable();
    let mut hits: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
    Ok(chosen.into_iter().filter_map(|place| hits.get_mut(place)?.take()).collect())
}
