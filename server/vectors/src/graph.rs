//! This module is the approximate nearest-neighbour graph (HNSW: Malkov and Yashunin 2018): rows in, candidates out.
//! No other module knows `usearch`.
//!
//! The graph knows rows, never keys, and what it returns are candidates: the caller ranks them by the vectors
//! and decides which of them are still there. It is given no file whose checksum was not verified just before,
//! because the library reads a damaged one out of bounds. Nothing that it calls back may panic: a panic in a
//! callback of the library ends the process.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use crate::settings::{Scalar, Settings};
use crate::unit::rounded;

/// The most neighbours of each vector in the upper layers: M of HNSW (Malkov and Yashunin 2018).
const CONNECTIVITY: usize = 16;
/// The candidates looked at when a vector is added: efConstruction of HNSW.
const EXPANSION_ADD: usize = 128;
/// The candidates looked at in a search of a small graph: ef of HNSW.
pub(crate) const EXPANSION_SEARCH: usize = 128;
/// How many threads add, beside those that search.
const BUILDERS: usize = 1;

/// What the library says when it does not do what it was asked.
pub(crate) type Refusal = String;

pub(crate) struct Graph {
    index: Index,
    scalar: Scalar,
    threads: usize,
    covered: AtomicUsize,
    mapped: bool,
    saved: AtomicBool,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Graph")
            .field("size", &self.size())
            .field("covered", &self.covered())
            .field("mapped", &self.mapped)
            .finish_non_exhaustive()
    }
}

impl Graph {
    /// An empty graph.
    pub(crate) fn new(settings: &Settings) -> Result<Self, Refusal> {
        let (metric, quantization) = match settings.scalar {
            // Of vectors with length 1 the inner product is the cosine, and cheaper.
            Scalar::F32 => (MetricKind::IP, ScalarKind::F32),
            Scalar::I8 => (MetricKind::Cos, ScalarKind::I8),
        };
        let index = Index::new(&IndexOptions {
            dimensions: settings.dimension,
            metric,
            quantization,
            connectivity: CONNECTIVITY,
            expansion_add: EXPANSION_ADD,
            expansion_search: expansion(0),
            multi: false,
        })
        .map_err(|error| error.to_string())?;
        let threads = settings.callers + BUILDERS;
        index.reserve_capacity_and_threads(0, threads).map_err(|error| error.to_string())?;
        let covered = AtomicUsize::new(0);
        let saved = AtomicBool::new(false);
        Ok(Self { index, scalar: settings.scalar, threads, covered, mapped: false, saved })
    }

    /// The graph of `size` vectors in a verified file, mapped: it takes no more memory than searches touch, and
    /// no rows.
    pub(crate) fn map(
        file: &Path,
        settings: &Settings,
        covered: usize,
        size: usize,
    ) -> Result<Self, Refusal> {
        let mut graph = Self::read(file, settings, covered, size, Index::view)?;
        graph.mapped = true;
        Ok(graph)
    }

    /// The same in memory, where rows can be added.
    pub(crate) fn load(
        file: &Path,
        settings: &Settings,
        covered: usize,
        size: usize,
    ) -> Result<Self, Refusal> {
        Self::read(file, settings, covered, size, Index::load)
    }

    fn read<E: ToString>(
        file: &Path,
        settings: &Settings,
        covered: usize,
        size: usize,
        read: impl FnOnce(&Index, &str) -> Result<(), E>,
    ) -> Result<Self, Refusal> {
        let graph = Self::new(settings)?;
        let expected = graph.shape();
        let path = file.to_str().ok_or("its path is not UTF-8")?;
        read(&graph.index, path).map_err(|error| error.to_string())?;
        // Reading replaces the dimension and the kind of number by those of the file.
        if graph.shape() != expected || graph.size() != size {
            return Err("it has another shape than the manifest says".to_owned());
        }
        graph.index.change_expansion_search(expansion(size));
        graph.cover(covered);
        graph.set_saved();
        Ok(graph)
    }

    fn shape(&self) -> (usize, MetricKind, ScalarKind) {
        (self.index.dimensions(), self.index.metric_kind(), self.index.scalar_kind())
    }

    /// How many vectors are in the graph.
    pub(crate) fn size(&self) -> usize {
        self.index.size()
    }

    /// The rows below this are in the graph, but for those that were removed before.
    pub(crate) fn covered(&self) -> usize {
        self.covered.load(Ordering::Acquire)
    }

    /// Says that the rows below `rows` are in.
    pub(crate) fn cover(&self, rows: usize) {
        self.covered.store(rows, Ordering::Release);
    }

    /// Whether it is mapped from its file and takes no rows.
    pub(crate) fn is_mapped(&self) -> bool {
        self.mapped
    }

    /// Whether its file holds what it holds.
    pub(crate) fn is_saved(&self) -> bool {
        self.saved.load(Ordering::Acquire)
    }

    /// Says that its file holds what it holds.
    pub(crate) fn set_saved(&self) {
        self.saved.store(true, Ordering::Release);
    }

    /// Makes room for as many vectors. No search and no insertion may be going on, which `&mut` says.
    pub(crate) fn reserve(&mut self, vectors: usize) -> Result<(), Refusal> {
        if vectors <= self.index.capacity() {
            return Ok(());
        }
        let room = vectors.checked_next_power_of_two().unwrap_or(vectors);
        self.index.change_expansion_search(expansion(room));
        self.index
            .reserve_capacity_and_threads(room, self.threads)
            .map_err(|error| error.to_string())
    }

    /// Candidates looked at in a search, at least.
    pub(crate) fn expansion(&self) -> usize {
        self.index.expansion_search()
    }

    /// Inserts a row; no search may be going on. Does nothing when it is in already.
    pub(crate) fn insert(&self, row: usize, vector: &[f32]) -> Result<(), Refusal> {
        let row = row as u64;
        if self.index.contains(row) {
            return Ok(());
        }
        self.saved.store(false, Ordering::Release);
        match self.scalar {
            Scalar::F32 => self.index.add(row, vector),
            Scalar::I8 => self.index.add(row, &rounded(vector)),
        }
        .map_err(|error| error.to_string())
    }

    /// About the `wanted` nearest rows of those that are `allowed`; all are, where it is `None`. At most as many
    /// callers at once as the settings say. `allowed` must not panic.
    pub(crate) fn candidates(
        &self,
        query: &[f32],
        wanted: usize,
        allowed: Option<&dyn Fn(usize) -> bool>,
    ) -> Result<Vec<u64>, Refusal> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the graph is given rows, which are usize"
        )]
        let filter = allowed.map(|allowed| move |row: u64| allowed(row as usize));
        let matches = match (self.scalar, filter) {
            (Scalar::F32, None) => self.index.search(query, wanted),
            (Scalar::F32, Some(filter)) => self.index.filtered_search(query, wanted, filter),
            (Scalar::I8, None) => self.index.search(&rounded(query), wanted),
            (Scalar::I8, Some(filter)) => {
                self.index.filtered_search(&rounded(query), wanted, filter)
            }
        };
        matches.map(|matches| matches.keys).map_err(|error| error.to_string())
    }

    /// Writes the graph to `file`, beside searches. The file is whole only when it has [`Graph::bytes`].
    pub(crate) fn write(&self, file: &Path) -> Result<(), Refusal> {
        let path = file.to_str().ok_or("its path is not UTF-8")?;
        self.index.save(path).map_err(|error| error.to_string())
    }

    /// The bytes of its file.
    pub(crate) fn bytes(&self) -> usize {
        self.index.serialized_length()
    }
}

/// Candidates looked at in a search among as many vectors, such that about 99 of 100 of the best are found even when
/// vectors are spread widely: the more there are, the more are nearly as good.
fn expansion(vectors: usize) -> usize {
    match vectors {
        0..=16_384 => EXPANSION_SEARCH,
        16_385..=65_536 => 2 * EXPANSION_SEARCH,
        _ => 3 * EXPANSION_SEARCH,
    }
}

/// The version of the library, which a file belongs to.
pub(crate) fn library() -> &'static str {
    usearch::version()
}
