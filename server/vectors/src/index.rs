//! A vector index: a table of rows, a graph over those rows, and the files written by saves.
//!
//! Searches share a read lock. Changes run one at a time, and hold the write lock only briefly. Building
//! the graph and writing files do not block searches. Rows missing from the graph are compared one by one.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::disk::Disk;
use crate::error::{IndexError, Reason};
use crate::files::{Files, SavedIndex};
use crate::graph::{EXPANSION_SEARCH, Graph};
use crate::ranking::{Hit, TopHits};
use crate::semaphore::Semaphore;
use crate::settings::Settings;
use crate::table::{MAX_ROWS, REMOVED, Table};
use crate::unit_vector::{normalised, similarity};

/// The number of graph candidates per requested hit.
const CANDIDATES_PER_HIT: usize = 4;
/// The number of rows that [`VectorIndex::build_graph`] inserts before it lets other changes proceed.
const ROWS_PER_CHANGE: usize = 256;
/// The number of rows inserted per write lock, which takes a few milliseconds.
const ROWS_PER_LOCK: usize = 8;

/// An open vector index, shared by reference or in an `Arc`.
///
/// Changes since the last [`VectorIndex::save`] are lost on drop. A vector uses about `4 × dimension + 40`
/// bytes in the table and about `4 × dimension + 150` bytes in the graph (`dimension + 150` with
/// [`crate::Scalar::I8`]). Removed vectors use memory until the next save. An opened graph is memory-mapped
/// until vectors are added.
#[derive(Debug)]
pub struct VectorIndex {
    settings: Settings,
    callers: Semaphore,
    state: RwLock<State>,
    changes: Mutex<Changes>,
}

#[derive(Debug)]
struct State {
    table: Table,
    graph: Option<Graph>,
}

#[derive(Debug)]
struct Changes {
    files: Files,
    unsaved: bool,
    /// `true` if the table still starts with the saved rows.
    same_rows: bool,
}

/// The result of [`VectorIndex::open`].
#[must_use = "an index may have to be refilled"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// The directory had no saved index.
    Empty,
    /// The saved index was loaded completely.
    Complete,
    /// All saved vectors were loaded, but the graph is missing or incomplete. Searches are exact and slow until
    /// [`VectorIndex::build_graph`] has run.
    GraphMissing(Reason),
    /// The files are unusable. The index is empty, and all vectors must be added again; the next save deletes
    /// the files.
    EmbedAgain(Reason),
}

impl VectorIndex {
    /// Opens or creates the index in `directory`, and locks the directory until drop. Verifies every file.
    ///
    /// Damaged files, and files for another model, are not errors: they are reported in [`Opened`] and logged.
    ///
    /// # Errors
    /// Returns [`IndexError::InvalidSetting`], [`IndexError::UnusableDirectory`], [`IndexError::Locked`] or
    /// [`IndexError::Unreadable`].
    pub fn open(directory: &Path, settings: Settings) -> Result<(Self, Opened), IndexError> {
        settings.check()?;
        let (files, found) = Files::open(Disk::lock(directory)?, &settings)?;
        let (table, graph, opened) = match found {
            SavedIndex::Nothing => (Table::new(settings.dimension), None, Opened::Empty),
            SavedIndex::Unusable(reason) => {
                tracing::warn!(%reason, directory = %directory.display(), "a saved vector index is unusable; its vectors must be added again");
                (Table::new(settings.dimension), None, Opened::EmbedAgain(reason))
            }
            SavedIndex::Rows { table, graph } => {
                let (graph, reason) = match graph {
                    Ok(graph) => (graph, None),
                    Err(reason) => (None, Some(reason)),
                };
                let is_behind = needs_graph(&settings, &table)
                    && rows_behind(&table, graph.as_ref()) > settings.max_rows_behind();
                let opened = match reason.or(is_behind.then_some(Reason::Incomplete)) {
                    None => Opened::Complete,
                    Some(reason) => {
                        tracing::warn!(%reason, directory = %directory.display(), "searches of a vector index are slow until its graph is built");
                        Opened::GraphMissing(reason)
                    }
                };
                (table, graph, opened)
            }
        };
        let index = Self {
            callers: Semaphore::new(settings.callers),
            settings,
            state: RwLock::new(State { table, graph }),
            changes: Mutex::new(Changes { files, unsaved: false, same_rows: true }),
        };
        Ok((index, opened))
    }

    /// Adds vectors, replacing those with the same keys. If a key is repeated, its last vector wins. Stores
    /// only the direction of a vector, not its length.
    ///
    /// Adds all vectors or none. Blocks while another change is in progress, and while the graph is extended.
    ///
    /// # Errors
    /// Returns [`IndexError::InvalidVector`], [`IndexError::ReservedKey`] or [`IndexError::Full`].
    pub fn add<V: AsRef<[f32]>>(&self, vectors: &[(u64, V)]) -> Result<(), IndexError> {
        let mut units = Vec::with_capacity(vectors.len());
        for (position, (key, vector)) in vectors.iter().enumerate() {
            if *key == REMOVED {
                return Err(IndexError::ReservedKey { position });
            }
            let unit = normalised(vector.as_ref(), self.settings.dimension)
                .map_err(|fault| IndexError::InvalidVector { position, key: *key, fault })?;
            units.push((*key, unit));
        }
        let mut changes = self.lock_changes();
        {
            let mut state = self.write();
            let given = state.table.rows().saturating_add(units.len());
            if given > MAX_ROWS {
                return Err(IndexError::Full { given, allowed: MAX_ROWS });
            }
            for (key, unit) in &units {
                let table = &mut state.table;
                if table.row(*key).and_then(|row| table.vector(row)) != Some(unit.as_slice()) {
                    table.push(*key, unit);
                    changes.unsaved = true;
                }
            }
        }
        if self.rows_behind() > self.settings.max_rows_behind()
            && let Err(reason) = self.extend_graph(&changes, units.len().saturating_mul(2))
        {
            tracing::warn!(
                reason,
                "failed to extend the graph of a vector index; searches are slow: check the available memory"
            );
        }
        Ok(())
    }

    /// Removes keys, so that searches no longer find their vectors. Returns the number of keys that
    /// existed.
    pub fn remove(&self, keys: &[u64]) -> usize {
        let mut changes = self.lock_changes();
        let mut state = self.write();
        let removed = keys.iter().filter(|key| state.table.remove(**key)).count();
        changes.unsaved |= removed > 0;
        removed
    }

    /// Returns up to `k` vectors, sorted by descending similarity to `query` and then by key. Searches only the
    /// keys in `allowed`, if given.
    ///
    /// Searches the graph, which finds about 99% of the best vectors, unless an exact scan is cheaper. Blocks
    /// while [`Settings::callers`] other searches use the graph.
    ///
    /// # Errors
    /// Returns [`IndexError::InvalidQuery`].
    pub fn search(
        &self,
        query: &[f32],
        k: usize,
        allowed: Option<&[u64]>,
    ) -> Result<Vec<Hit>, IndexError> {
        let query = normalised(query, self.settings.dimension)
            .map_err(|fault| IndexError::InvalidQuery { fault })?;
        let state = self.read();
        let table = &state.table;
        let rows = allowed.map(|keys| allowed_rows(table, keys));
        let count = rows.as_ref().map_or(table.len(), Vec::len);
        let k = k.min(count);
        if k == 0 {
            return Ok(Vec::new());
        }
        let max_candidates = k.saturating_mul(CANDIDATES_PER_HIT);
        if let Some(graph) = &state.graph
            && !self.scan_is_cheaper(count, graph.covered(), max_candidates.max(graph.expansion()))
        {
            match self.search_graph(table, graph, &query, k, max_candidates, rows.as_deref()) {
                Ok(hits) if hits.len() == k => return Ok(hits),
                // Some allowed rows may be reachable only through rows that are not candidates.
                Ok(_) => {}
                Err(reason) => {
                    tracing::warn!(
                        reason,
                        "failed to search the graph of a vector index; compared all vectors instead: check the available memory"
                    );
                }
            }
        }
        let mut best = TopHits::new(k);
        match rows {
            None => table.for_each_from(0, |key, vector| {
                best.offer(Hit { key, similarity: similarity(&query, vector) });
            }),
            Some(rows) => rows.iter().for_each(|row| offer(&mut best, table, *row, &query)),
        }
        Ok(best.into_sorted())
    }

    /// Returns the number of vectors in the index.
    #[must_use]
    pub fn len(&self) -> usize {
        self.read().table.len()
    }

    /// Returns `true` if the index has no vectors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if the index has a vector for `key`.
    #[must_use]
    pub fn contains(&self, key: u64) -> bool {
        self.read().table.row(key).is_some()
    }

    /// Adds the missing rows to the graph if needed. Other calls can proceed in between. Call this on a
    /// separate thread after [`Opened::GraphMissing`]; [`VectorIndex::add`] extends the graph itself.
    ///
    /// # Errors
    /// Returns [`IndexError::NoGraph`]. In that case, searches remain correct.
    pub fn build_graph(&self) -> Result<(), IndexError> {
        loop {
            let changes = self.lock_changes();
            if self.rows_behind() == 0 {
                return Ok(());
            }
            self.extend_graph(&changes, ROWS_PER_CHANGE)
                .map_err(|reason| IndexError::NoGraph { reason })?;
            drop(changes);
            std::thread::yield_now();
        }
    }

    /// Writes the changes since the last save durably. Searches proceed meanwhile; changes wait.
    ///
    /// Compacts the index first if most rows are removed; the graph is then rebuilt by later calls of
    /// [`VectorIndex::add`] or [`VectorIndex::build_graph`].
    ///
    /// # Errors
    /// Returns [`IndexError::NotSaved`] if a write fails. The previous save is unchanged, and the next save
    /// tries again.
    pub fn save(&self) -> Result<(), IndexError> {
        let mut changes = self.lock_changes();
        let changes = &mut *changes;
        let graph_unsaved = self.read().graph.as_ref().is_some_and(|graph| !graph.is_saved());
        if !changes.unsaved && !graph_unsaved {
            return Ok(());
        }
        self.compact_if_sparse(changes);
        let state = self.read();
        let same_rows = changes.same_rows;
        changes.files.write(&self.settings, &state.table, state.graph.as_ref(), same_rows)?;
        (changes.unsaved, changes.same_rows) = (false, true);
        Ok(())
    }

    fn compact_if_sparse(&self, changes: &mut Changes) {
        let compacted = {
            let table = &self.read().table;
            if table.rows() - table.len() <= table.len() {
                return;
            }
            table.compacted()
        };
        let mut state = self.write();
        *state = State { table: compacted, graph: None };
        (changes.unsaved, changes.same_rows) = (true, false);
    }

    fn search_graph(
        &self,
        table: &Table,
        graph: &Graph,
        query: &[f32],
        k: usize,
        max_candidates: usize,
        rows: Option<&[usize]>,
    ) -> Result<Vec<Hit>, String> {
        // Rows inserted from now on are compared one by one.
        let covered = graph.covered();
        let candidates = {
            let _permit = self.callers.acquire();
            match rows {
                Some(rows) => {
                    let allowed = RowSet::new(rows, table.rows());
                    graph.candidates(query, max_candidates, Some(&|row| allowed.contains(row)))
                }
                None if table.len() < table.rows() => {
                    graph.candidates(query, max_candidates, Some(&|row| table.key(row).is_some()))
                }
                None => graph.candidates(query, max_candidates, None),
            }?
        };
        let mut best = TopHits::new(k);
        for row in candidates {
            if let Ok(row) = usize::try_from(row)
                && row < covered
            {
                offer(&mut best, table, row, query);
            }
        }
        match rows {
            None => table.for_each_from(covered, |key, vector| {
                best.offer(Hit { key, similarity: similarity(query, vector) });
            }),
            Some(rows) => {
                let first = rows.partition_point(|row| *row < covered);
                rows.iter().skip(first).for_each(|row| offer(&mut best, table, *row, query));
            }
        }
        Ok(best.into_sorted())
    }

    /// Returns `true` if comparing `count` vectors is cheaper than visiting `candidates` rows in a graph
    /// with `covered` rows. The costs are equal at the crossover if all rows are allowed. The cost of a
    /// graph search grows with the share of rows that are not allowed.
    fn scan_is_cheaper(&self, count: usize, covered: usize, candidates: usize) -> bool {
        let [count, covered, candidates, crossover, expansion] =
            [count, covered, candidates, self.settings.crossover, EXPANSION_SEARCH]
                .map(|count| count as u128);
        let graph = crossover.saturating_mul(covered).saturating_mul(candidates);
        count.saturating_mul(count).saturating_mul(expansion) <= graph
    }

    /// Returns the number of rows missing from the graph, or 0 if no graph is needed.
    fn rows_behind(&self) -> usize {
        let state = self.read();
        match state.graph.is_some() || needs_graph(&self.settings, &state.table) {
            true => rows_behind(&state.table, state.graph.as_ref()),
            false => 0,
        }
    }

    /// Inserts up to `max` rows into the graph, which it creates or loads if necessary.
    fn extend_graph(&self, changes: &Changes, max: usize) -> Result<(), String> {
        let replaced = match &self.read().graph {
            None => Some(Graph::new(&self.settings)?),
            Some(graph) if graph.is_mapped() => match changes.files.load_graph(&self.settings) {
                Ok(Some(graph)) => Some(graph),
                Ok(None) => Some(Graph::new(&self.settings)?),
                Err(reason) => {
                    tracing::warn!(%reason, "the saved graph of a vector index is unusable; rebuilding it");
                    Some(Graph::new(&self.settings)?)
                }
            },
            Some(_) => None,
        };
        let end = {
            let mut state = self.write();
            if replaced.is_some() {
                state.graph = replaced;
            }
            let rows = state.table.rows();
            let Some(graph) = &mut state.graph else { return Ok(()) };
            let end = graph.covered().saturating_add(max).min(rows);
            graph.reserve(end)?;
            end
        };
        loop {
            // Searching a graph during an insertion can crash the process.
            let state = self.write();
            let Some(graph) = &state.graph else { return Ok(()) };
            let first = graph.covered();
            for row in first..end.min(first.saturating_add(ROWS_PER_LOCK)) {
                if state.table.key(row).is_some()
                    && let Some(vector) = state.table.vector(row)
                {
                    graph.insert(row, vector)?;
                }
                graph.set_covered(row + 1);
            }
            if graph.covered() >= end {
                return Ok(());
            }
            drop(state);
            std::thread::yield_now();
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn fill_disk_after(&self, steps: usize) {
        self.lock_changes().files.disk.faults.fail_after(steps);
    }
}

fn needs_graph(settings: &Settings, table: &Table) -> bool {
    table.len() > settings.crossover
}

fn rows_behind(table: &Table, graph: Option<&Graph>) -> usize {
    table.rows() - graph.map_or(0, Graph::covered).min(table.rows())
}

fn offer(best: &mut TopHits, table: &Table, row: usize, query: &[f32]) {
    if let Some(key) = table.key(row)
        && let Some(vector) = table.vector(row)
    {
        best.offer(Hit { key, similarity: similarity(query, vector) });
    }
}

fn allowed_rows(table: &Table, keys: &[u64]) -> Vec<usize> {
    let mut rows: Vec<usize> = keys.iter().filter_map(|key| table.row(*key)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

struct RowSet(Vec<u64>);

impl RowSet {
    fn new(rows: &[usize], end: usize) -> Self {
        let mut bits = vec![0; end.div_ceil(64)];
        for row in rows {
            if let Some(bits_of_64_rows) = bits.get_mut(row / 64) {
                *bits_of_64_rows |= 1 << (row % 64);
            }
        }
        Self(bits)
    }

    fn contains(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|bits_of_64_rows| bits_of_64_rows >> (row % 64) & 1 == 1)
    }
}
