//! A nearest-neighbour graph (HNSW, Malkov and Yashunin 2018). No other module uses `usearch`.
//!
//! The graph stores rows, not keys, and returns candidates that the caller ranks and filters. Verify the
//! checksum of a file before passing it in: `usearch` reads out of bounds if the file is damaged.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use crate::settings::{Scalar, Settings};
use crate::unit_vector::quantized;

/// The maximum number of neighbours in the upper layers (HNSW's M).
const CONNECTIVITY: usize = 16;
/// The number of candidates during an insertion (HNSW's efConstruction).
const EXPANSION_ADD: usize = 128;
/// The number of candidates when searching a small graph (HNSW's ef).
pub(crate) const EXPANSION_SEARCH: usize = 128;
/// The number of threads that insert rows.
const BUILDERS: usize = 1;

pub(crate) type GraphError = String;

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
    pub(crate) fn new(settings: &Settings) -> Result<Self, GraphError> {
        let (metric, quantization) = match settings.scalar {
            // For vectors of length 1 the inner product equals the cosine and is cheaper.
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

    /// Opens a graph of `size` vectors from a verified file. Memory-maps the file if `mapped` is set.
    /// Otherwise, loads it into memory, so that rows can be inserted.
    pub(crate) fn open(
        file: &Path,
        settings: &Settings,
        covered: usize,
        size: usize,
        mapped: bool,
    ) -> Result<Self, GraphError> {
        let mut graph = Self::new(settings)?;
        let expected = graph.shape();
        let path = file.to_str().ok_or("its path is not UTF-8")?;
        let result = match mapped {
            true => graph.index.view(path),
            false => graph.index.load(path),
        };
        result.map_err(|error| error.to_string())?;
        graph.mapped = mapped;
        // Reading replaces the dimension and scalar type with those in the file.
        if graph.shape() != expected || graph.size() != size {
            return Err("its shape differs from the manifest".to_owned());
        }
        graph.index.change_expansion_search(expansion(size));
        graph.set_covered(covered);
        graph.set_saved();
        Ok(graph)
    }

    fn shape(&self) -> (usize, MetricKind, ScalarKind) {
        (self.index.dimensions(), self.index.metric_kind(), self.index.scalar_kind())
    }

    pub(crate) fn size(&self) -> usize {
        self.index.size()
    }

    /// Returns the number of rows that the graph covers. Rows below this number are in the graph, unless
    /// they were removed before insertion.
    pub(crate) fn covered(&self) -> usize {
        self.covered.load(Ordering::Acquire)
    }

    pub(crate) fn set_covered(&self, rows: usize) {
        self.covered.store(rows, Ordering::Release);
    }

    pub(crate) fn is_mapped(&self) -> bool {
        self.mapped
    }

    pub(crate) fn is_saved(&self) -> bool {
        self.saved.load(Ordering::Acquire)
    }

    pub(crate) fn set_saved(&self) {
        self.saved.store(true, Ordering::Release);
    }

    /// Reserves capacity for `vectors`. `&mut` excludes concurrent searches and insertions.
    pub(crate) fn reserve(&mut self, vectors: usize) -> Result<(), GraphError> {
        if vectors <= self.index.capacity() {
            return Ok(());
        }
        let capacity = vectors.checked_next_power_of_two().unwrap_or(vectors);
        self.index.change_expansion_search(expansion(capacity));
        self.index
            .reserve_capacity_and_threads(capacity, self.threads)
            .map_err(|error| error.to_string())
    }

    pub(crate) fn expansion(&self) -> usize {
        self.index.expansion_search()
    }

    /// Inserts a row unless it is already in the graph. The caller must exclude concurrent searches.
    pub(crate) fn insert(&self, row: usize, vector: &[f32]) -> Result<(), GraphError> {
        let row = row as u64;
        if self.index.contains(row) {
            return Ok(());
        }
        self.saved.store(false, Ordering::Release);
        match self.scalar {
            Scalar::F32 => self.index.add(row, vector),
            Scalar::I8 => self.index.add(row, &quantized(vector)),
        }
        .map_err(|error| error.to_string())
    }

    /// Returns about `count` nearest rows. If `allowed` is given, returns only rows that it accepts. At
    /// most `Settings::callers` calls may run concurrently. A panic in `allowed` aborts the process.
    pub(crate) fn candidates(
        &self,
        query: &[f32],
        count: usize,
        allowed: Option<&dyn Fn(usize) -> bool>,
    ) -> Result<Vec<u64>, GraphError> {
        #[expect(clippy::cast_possible_truncation, reason = "rows are usize")]
        let filter = allowed.map(|allowed| move |row: u64| allowed(row as usize));
        let matches = match (self.scalar, filter) {
            (Scalar::F32, None) => self.index.search(query, count),
            (Scalar::F32, Some(filter)) => self.index.filtered_search(query, count, filter),
            (Scalar::I8, None) => self.index.search(&quantized(query), count),
            (Scalar::I8, Some(filter)) => {
                self.index.filtered_search(&quantized(query), count, filter)
            }
        };
        matches.map(|matches| matches.keys).map_err(|error| error.to_string())
    }

    /// Writes the graph to `file`, which is complete only if its length is [`Graph::bytes`].
    pub(crate) fn write(&self, file: &Path) -> Result<(), GraphError> {
        let path = file.to_str().ok_or("its path is not UTF-8")?;
        self.index.save(path).map_err(|error| error.to_string())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.index.serialized_length()
    }
}

/// Returns the number of candidates for a search among `vectors`, such that recall@10 is about 99% even for
/// unclustered vectors.
fn expansion(vectors: usize) -> usize {
    match vectors {
        0..=16_384 => EXPANSION_SEARCH,
        16_385..=65_536 => 2 * EXPANSION_SEARCH,
        _ => 3 * EXPANSION_SEARCH,
    }
}

pub(crate) fn library() -> &'static str {
    usearch::version()
}
