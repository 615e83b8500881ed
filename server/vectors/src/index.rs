//! This module is the index: rows that are found at once, a graph that follows them, and files that follow when they
//! are saved.
//!
//! Searches share one lock; a change of rows takes it alone while they are copied. Everything slow (the
//! graph, the files) happens beside searches, one change at a time. The graph may lag: the rows that it does not
//! cover yet are compared one by one, so what was added is found at once and what is found is always right.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::callers::Callers;
use crate::disk::Disk;
use crate::error::{IndexError, Reason};
use crate::files::{Files, SavedIndex};
use crate::graph::{EXPANSION_SEARCH, Graph};
use crate::ranking::{Best, Hit};
use crate::settings::Settings;
use crate::table::{MAX_ROWS, REMOVED, Table};
use crate::unit::{normalised, similarity};

/// The candidates of the graph for each hit that is wanted.
const CANDIDATES_PER_HIT: usize = 4;
/// The rows that [`VectorIndex::build_graph`] inserts before it lets other changes pass.
const ROWS_AT_ONCE: usize = 256;
/// The rows that are inserted before waiting searches have their turn: some milliseconds.
const ROWS_BEFORE_SEARCHES: usize = 8;

/// An index that is open; share it by reference or in an `Arc`.
///
/// What was added or removed since the last [`VectorIndex::save`] is lost when this is dropped. In memory each
/// vector takes `4 × dimension` bytes and about 40 more, until it was removed and the index was saved; in the
/// graph about `4 × dimension + 150` bytes more (`dimension + 150` with [`crate::Scalar::I8`]), of which a graph
/// that was opened and is not yet added to takes only what searches touch.
#[derive(Debug)]
pub struct VectorIndex {
    settings: Settings,
    callers: Callers,
    state: RwLock<State>,
    changes: Mutex<Changes>,
}

/// What searches read.
#[derive(Debug)]
struct State {
    table: Table,
    graph: Option<Graph>,
}

/// What one change at a time holds.
#[derive(Debug)]
struct Changes {
    files: Files,
    /// Something was changed after the last save.
    unsaved: bool,
    /// The rows that were saved are still the first of the table.
    same_rows: bool,
}

/// What [`VectorIndex::open`] found.
#[must_use = "an index may have to be filled again"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// A new index.
    Empty,
    /// Everything that was saved.
    Complete,
    /// Every vector that was saved, but not the graph. Searches are exact and slow until the graph was built:
    /// see [`VectorIndex::build_graph`].
    GraphMissing(Reason),
    /// Files of which nothing can be used. The index is empty and everything must be embedded again; the next
    /// save removes the files.
    EmbedAgain(Reason),
}

impl VectorIndex {
    /// Opens the index in `directory`, creates it where there is none, and holds it until it is dropped. Reads
    /// and verifies every file.
    ///
    /// A file that is damaged or of another model is no error but said in [`Opened`], and logged.
    ///
    /// # Errors
    /// [`IndexError::InvalidSetting`], [`IndexError::UnusableDirectory`], [`IndexError::Locked`] or
    /// [`IndexError::Unreadable`].
    pub fn open(directory: &Path, settings: Settings) -> Result<(Self, Opened), IndexError> {
        settings.check()?;
        let (files, found) = Files::open(Disk::take(directory)?, &settings)?;
        let (table, graph, opened) = match found {
            SavedIndex::Nothing => (Table::new(settings.dimension), None, Opened::Empty),
            SavedIndex::Unusable(reason) => {
                tracing::warn!(%reason, directory = %directory.display(), "a vector index cannot be used; everything must be embedded again");
                (Table::new(settings.dimension), None, Opened::EmbedAgain(reason))
            }
            SavedIndex::Rows { table, graph } => {
                let (graph, reason) = match graph {
                    Ok(graph) => (graph, Reason::Incomplete),
                    Err(reason) => (None, reason),
                };
                let behind = wants_graph(&settings, &table)
                    && behind(&table, graph.as_ref()) > settings.waiting_rows();
                let opened = match behind || reason != Reason::Incomplete {
                    false => Opened::Complete,
                    true => {
                        tracing::warn!(%reason, directory = %directory.display(), "the graph of a vector index must be built; searches are slow until then");
                        Opened::GraphMissing(reason)
                    }
                };
                (table, graph, opened)
            }
        };
        let index = Self {
            callers: Callers::new(settings.callers),
            settings,
            state: RwLock::new(State { table, graph }),
            changes: Mutex::new(Changes { files, unsaved: false, same_rows: true }),
        };
        Ok((index, opened))
    }

    /// Adds vectors, each in place of the one that its key had; of a key that is there twice the last one
    /// counts. They are found as soon as this returns. Lengths do not matter: only directions are kept.
    ///
    /// All or none are added. Blocks for about as long as inserting twice as many vectors into the graph takes,
    /// and for the change that is going on.
    ///
    /// # Errors
    /// [`IndexError::InvalidVector`], [`IndexError::ReservedKey`] or [`IndexError::Full`].
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
        let mut changes = self.change();
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
        if self.rows_behind() > self.settings.waiting_rows()
            && let Err(reason) = self.extend_graph(&changes, units.len().saturating_mul(2))
        {
            tracing::warn!(
                reason,
                "vectors are found without the graph of their index; check the memory"
            );
        }
        Ok(())
    }

    /// Removes keys; returns how many were there. They are not found from now on.
    pub fn remove(&self, keys: &[u64]) -> usize {
        let mut changes = self.change();
        let mut state = self.write();
        let removed = keys.iter().filter(|key| state.table.remove(**key)).count();
        changes.unsaved |= removed > 0;
        removed
    }

    /// The `k` vectors most similar to `query`, best first, equal ones by key; fewer when there are fewer. With
    /// `allowed`, in any order, only those keys are found.
    ///
    /// Exact where comparing one by one is cheaper than the graph, which it is for few vectors, for few allowed
    /// keys and for a large `k`; else about 99 of 100 of the best are found. Waits while as many searches as the
    /// settings say are in the graph.
    ///
    /// # Errors
    /// [`IndexError::InvalidQuery`].
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
        let number = rows.as_ref().map_or(table.len(), Vec::len);
        let k = k.min(number);
        if k == 0 {
            return Ok(Vec::new());
        }
        let wanted = k.saturating_mul(CANDIDATES_PER_HIT);
        if let Some(graph) = &state.graph
            && !self.scan_is_cheaper(number, graph.covered(), wanted.max(graph.expansion()))
        {
            match self.search_graph(table, graph, &query, k, wanted, rows.as_deref()) {
                Ok(hits) if hits.len() == k => return Ok(hits),
                // The way to the last allowed rows may lead past others that are not candidates.
                Ok(_) => {}
                Err(reason) => {
                    tracing::warn!(reason, "a search was done without the graph; check the memory");
                }
            }
        }
        let mut best = Best::new(k);
        match rows {
            None => table.for_each_from(0, |key, vector| {
                best.offer(Hit { key, similarity: similarity(&query, vector) });
            }),
            Some(rows) => rows.iter().for_each(|row| offer(&mut best, table, *row, &query)),
        }
        Ok(best.best_first())
    }

    /// How many vectors are in the index.
    #[must_use]
    pub fn len(&self) -> usize {
        self.read().table.len()
    }

    /// Whether there is no vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is a vector of that key.
    #[must_use]
    pub fn contains(&self, key: u64) -> bool {
        self.read().table.row(key).is_some()
    }

    /// Builds what is missing of the graph, where one is needed; searches and other changes go on in between.
    /// For a thread of its own after [`Opened::GraphMissing`]; after adding, the graph follows by itself.
    ///
    /// # Errors
    /// [`IndexError::NoGraph`]; searches stay right then.
    pub fn build_graph(&self) -> Result<(), IndexError> {
        loop {
            let changes = self.change();
            if self.rows_behind() == 0 {
                return Ok(());
            }
            self.extend_graph(&changes, ROWS_AT_ONCE)
                .map_err(|reason| IndexError::NoGraph { reason })?;
            drop(changes);
            std::thread::yield_now();
        }
    }

    /// Writes what changed since the last save; when this returns it survives the loss of power. Searches go on
    /// meanwhile, changes wait.
    ///
    /// Where removed vectors are the most, they are dropped first, and the graph is built again as vectors are
    /// added or by [`VectorIndex::build_graph`].
    ///
    /// # Errors
    /// [`IndexError::NotSaved`]: what was saved before is kept, the index goes on, and the next save writes
    /// everything that this one did not.
    pub fn save(&self) -> Result<(), IndexError> {
        let mut changes = self.change();
        let changes = &mut *changes;
        let graph_unsaved = self.read().graph.as_ref().is_some_and(|graph| !graph.is_saved());
        if !changes.unsaved && !graph_unsaved {
            return Ok(());
        }
        self.drop_removed(changes);
        let state = self.read();
        let same_rows = changes.same_rows;
        changes.files.write(&self.settings, &state.table, state.graph.as_ref(), same_rows)?;
        (changes.unsaved, changes.same_rows) = (false, true);
        Ok(())
    }

    /// Drops removed rows when they are more than the others.
    fn drop_removed(&self, changes: &mut Changes) {
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
        wanted: usize,
        rows: Option<&[usize]>,
    ) -> Result<Vec<Hit>, String> {
        // Rows that are inserted from now on are compared one by one.
        let covered = graph.covered();
        let candidates = {
            let _place = self.callers.enter();
            match rows {
                Some(rows) => {
                    let allowed = Bits::of(rows, table.rows());
                    graph.candidates(query, wanted, Some(&|row| allowed.contains(row)))
                }
                None if table.len() < table.rows() => {
                    graph.candidates(query, wanted, Some(&|row| table.key(row).is_some()))
                }
                None => graph.candidates(query, wanted, None),
            }?
        };
        let mut best = Best::new(k);
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
        Ok(best.best_first())
    }

    /// Whether comparing `number` vectors costs less than looking at as many candidates of a graph of `covered`
    /// rows.
    ///
    /// A scan costs as much as there is to compare. The graph costs as much as is looked at, and the more rows
    /// are not allowed the more of them it walks past. Where everything is allowed they are equal at the
    /// crossover.
    fn scan_is_cheaper(&self, number: usize, covered: usize, looked_at: usize) -> bool {
        let [number, covered, looked_at, crossover, usual] =
            [number, covered, looked_at, self.settings.crossover, EXPANSION_SEARCH]
                .map(|count| count as u128);
        let squared = number.saturating_mul(number);
        squared.saturating_mul(usual) <= crossover.saturating_mul(covered).saturating_mul(looked_at)
    }

    /// Rows that a graph should have and has not.
    fn rows_behind(&self) -> usize {
        let state = self.read();
        match state.graph.is_some() || wants_graph(&self.settings, &state.table) {
            true => behind(&state.table, state.graph.as_ref()),
            false => 0,
        }
    }

    /// Inserts up to `most` rows into the graph; creates it, or loads it where it is mapped.
    fn extend_graph(&self, changes: &Changes, most: usize) -> Result<(), String> {
        let replaced = match &self.read().graph {
            None => Some(Graph::new(&self.settings)?),
            Some(graph) if graph.is_mapped() => match changes.files.load_graph(&self.settings) {
                Ok(Some(graph)) => Some(graph),
                Ok(None) => Some(Graph::new(&self.settings)?),
                Err(reason) => {
                    tracing::warn!(%reason, "the graph of a vector index is built again");
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
            let end = graph.covered().saturating_add(most).min(rows);
            graph.reserve(end)?;
            end
        };
        loop {
            // Searching the graph while a row is inserted has crashed the process, so nobody searches then.
            let state = self.write();
            let Some(graph) = &state.graph else { return Ok(()) };
            let first = graph.covered();
            for row in first..end.min(first.saturating_add(ROWS_BEFORE_SEARCHES)) {
                if state.table.key(row).is_some()
                    && let Some(vector) = state.table.vector(row)
                {
                    graph.insert(row, vector)?;
                }
                graph.cover(row + 1);
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

    fn change(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `steps` more changes of the disk succeed and none after them.
    #[cfg(test)]
    pub(crate) fn fill_disk_after(&self, steps: usize) {
        self.change().files.disk.faults.after(steps);
    }
}

fn wants_graph(settings: &Settings, table: &Table) -> bool {
    table.len() > settings.crossover
}

fn behind(table: &Table, graph: Option<&Graph>) -> usize {
    table.rows() - graph.map_or(0, Graph::covered).min(table.rows())
}

fn offer(best: &mut Best, table: &Table, row: usize, query: &[f32]) {
    if let Some(key) = table.key(row)
        && let Some(vector) = table.vector(row)
    {
        best.offer(Hit { key, similarity: similarity(query, vector) });
    }
}

/// The rows of those keys that are there, each once, in order.
fn allowed_rows(table: &Table, keys: &[u64]) -> Vec<usize> {
    let mut rows: Vec<usize> = keys.iter().filter_map(|key| table.row(*key)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// A set of rows that answers without touching the table.
struct Bits(Vec<u64>);

impl Bits {
    fn of(rows: &[usize], end: usize) -> Self {
        let mut words = vec![0; end.div_ceil(64)];
        for row in rows {
            if let Some(word) = words.get_mut(row / 64) {
                *word |= 1 << (row % 64);
            }
        }
        Self(words)
    }

    fn contains(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}
