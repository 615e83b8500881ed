//! This module stores evidence that outlives one call: corpora of items, each in a folder of its own below the data
//! directory, and the search in them.
//!
//! Everything of a corpus stands in one database (contents, passages, terms): what is acknowledged together is kept
//! together, and deleting a corpus is deleting its folder. This module knows core and [`gsar_retrieval`], nothing of the
//! contract. Everything here blocks.

mod content;
mod corpus;
mod database;
mod embedding;
mod error;
mod name;
mod put;
mod receive;
mod search;
mod snapshot;
mod whole;

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gsar_core::evidence::EvidenceItem;

use corpus::Corpus;
pub use corpus::{Head, Summary};
pub use embedding::Embeddings;
use embedding::ModelOnDemand;
pub use error::StoreError;
pub use gsar_embedding::Vector;
pub use name::CorpusName;
pub use put::Put;
pub use receive::Stored;
pub use search::{Filter, Hit, Hits, Method, Query};
pub use snapshot::{Named, Part, Snapshot};

use whole::WholeCorpora;

use crate::storage::{LockError, create_folder, lock};

/// The folder of all corpora below the data directory.
const FOLDER: &str = "evidence";
/// The file that one process holds while it owns the folder.
const LOCK: &str = ".lock";
/// The most corpora that stay open while nobody uses them.
const MAX_OPEN: usize = 64;
/// How a folder is renamed before it is deleted, so that a half-deleted corpus is never opened.
const DELETED: &str = ".deleted-";

/// Bounds on what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most bytes of contents in one corpus.
    pub max_corpus_size: u64,
    /// The most bytes of contents in all corpora.
    pub max_size: u64,
    /// How long a corpus is kept that says nothing else; `None` for ever.
    pub time_to_live: Option<Duration>,
    /// The most bytes of contents that stay in memory.
    pub kept_in_memory: u64,
}

/// All corpora of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Evidence {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    bounds: Bounds,
    open: Mutex<HashMap<CorpusName, Arc<Corpus>>>,
    /// The bytes of each corpus, once they were asked for.
    sizes: Mutex<Option<HashMap<CorpusName, u64>>>,
    /// Corpora that were read as a whole.
    whole: WholeCorpora,
    model: ModelOnDemand,
    _lock: File,
}

impl Evidence {
    /// Opens the store below a data directory and takes it for this process. Corpora are opened when they are asked for;
    /// what was deleted in part is deleted.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where the folder cannot be made or read, or another process holds it.
    pub fn open(
        data_dir: &Path,
        bounds: Bounds,
        embeddings: Embeddings,
    ) -> Result<Self, StoreError> {
        let folder = data_dir.join(FOLDER);
        let failed = |error: std::io::Error| StoreError::of_system(&error, &folder);
        create_folder(&folder).map_err(failed)?;
        let lock = take(&folder)?;
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let is_deleted = path
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.starts_with(DELETED));
            if is_deleted {
                std::fs::remove_dir_all(&path).map_err(failed)?;
            }
        }
        let (open, sizes) = (Mutex::default(), Mutex::default());
        let whole = WholeCorpora::new(bounds.kept_in_memory);
        let model = ModelOnDemand::later(embeddings, &folder);
        let shared = Shared { folder, bounds, open, sizes, whole, model, _lock: lock };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Begins storing in a corpus, made where there is none.
    ///
    /// # Errors
    /// [`StoreError`] where the corpus cannot be opened.
    pub fn put(&self, name: CorpusName, time_to_live: Option<Duration>) -> Result<Put, StoreError> {
        let corpus = self.corpus(&name, true)?;
        let is_new = corpus.summary()?.items == 0;
        let lives = time_to_live.or(self.shared.bounds.time_to_live.filter(|_| is_new));
        if let Some(lives) = lives {
            let lives = i64::try_from(lives.as_micros()).unwrap_or(i64::MAX);
            corpus.expire(Some(now().saturating_add(lives)))?;
        }
        Ok(Put::begin(self.clone(), corpus))
    }

    /// A part of an item.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], [`StoreError::UnknownItem`], or that the corpus cannot be read.
    pub fn snapshot(
        &self,
        name: &CorpusName,
        named: &Named,
        part: Part,
    ) -> Result<Snapshot, StoreError> {
        let found = self.corpus(name, false)?.snapshot(named, part)?;
        found.ok_or_else(|| StoreError::UnknownItem {
            corpus: name.to_string(),
            item: match named {
                Named::Id(id) => format!("`{id}`"),
                Named::Digest(digest) => format!("with key {}", blake3::Hash::from(*digest)),
            },
        })
    }

    /// The passages of a corpus that bear on a query, the best first: by its terms, and by its meaning where it has a
    /// vector.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or that the corpus cannot be read.
    pub fn search(
        &self,
        name: &CorpusName,
        query: &Query<'_>,
        filter: &Filter,
        most: usize,
    ) -> Result<Hits, StoreError> {
        let corpus = self.corpus(name, false)?;
        let index = query.vector.map(|vector| (vector, self.index(&corpus)));
        corpus.search(query, index, filter, most)
    }

    /// Passages of a corpus by their numbers, in that order, not ranked; without those that were deleted.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or that the corpus cannot be read.
    pub fn passages(&self, name: &CorpusName, numbers: &[i64]) -> Result<Vec<Hit>, StoreError> {
        self.corpus(name, false)?.passages(numbers)
    }

    /// What is known of a corpus.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or that the corpus cannot be read.
    pub fn summary(&self, name: &CorpusName) -> Result<Summary, StoreError> {
        self.corpus(name, false)?.summary()
    }

    /// Every item of a corpus with its whole content, by id; kept in memory while it is asked for again.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or that the corpus cannot be read.
    pub fn items(&self, name: &CorpusName) -> Result<Arc<Vec<EvidenceItem>>, StoreError> {
        let corpus = self.corpus(name, false)?;
        self.shared.whole.items(&corpus)
    }

    /// Corpora in the order of their names, after one of them, at most `most`. One that cannot be opened is left out
    /// and logged.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where the folder cannot be read.
    pub fn list(
        &self,
        after: Option<&CorpusName>,
        most: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        let names = self.names()?.into_iter().filter(|name| after.is_none_or(|after| name > after));
        let mut found = Vec::new();
        for name in names {
            if found.len() >= most {
                break;
            }
            match self.glance(&name) {
                Ok(summary) => found.push(summary),
                // Deleted in between.
                Err(StoreError::UnknownCorpus { .. }) => {}
                Err(error) => tracing::warn!(corpus = %name, %error, "a corpus cannot be opened"),
            }
        }
        Ok(found)
    }

    /// Deletes a corpus, a damaged one as well; says what it was where that can be known.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or that its folder cannot be deleted.
    pub fn delete(&self, name: &CorpusName) -> Result<Option<Summary>, StoreError> {
        let summary = match self.summary(name) {
            Err(unknown @ StoreError::UnknownCorpus { .. }) => return Err(unknown),
            known => known.ok(),
        };
        let mut open = self.lock();
        open.remove(name);
        let folder = self.folder(name);
        let away = self.shared.folder.join(format!("{DELETED}{}", uuid::Uuid::now_v7()));
        let failed = |error: std::io::Error| StoreError::of_system(&error, &folder);
        std::fs::rename(&folder, &away).map_err(failed)?;
        drop(open);
        self.count_size(name, None);
        std::fs::remove_dir_all(&away).map_err(failed)?;
        Ok(summary)
    }

    /// Deletes the corpora that have expired; returns how many.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where the folder cannot be read.
    pub fn delete_expired(&self) -> Result<usize, StoreError> {
        let now = now();
        let mut deleted = 0;
        for summary in self.list(None, usize::MAX)? {
            if summary.expires_at.is_some_and(|at| at <= now) {
                self.delete(&summary.name)?;
                tracing::info!(corpus = %summary.name, "a corpus has expired");
                deleted += 1;
            }
        }
        Ok(deleted)
    }

    /// What is known of a corpus that need not stay open for it.
    fn glance(&self, name: &CorpusName) -> Result<Summary, StoreError> {
        let open = self.lock().get(name).cloned();
        match open {
            Some(corpus) => corpus.summary(),
            None => corpus::glance(name, &self.folder(name)),
        }
    }

    fn names(&self) -> Result<BTreeSet<CorpusName>, StoreError> {
        let folder = &self.shared.folder;
        let failed = |error: std::io::Error| StoreError::of_system(&error, folder);
        let mut names = BTreeSet::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            names.extend(name.to_str().and_then(|name| CorpusName::new(name).ok()));
        }
        Ok(names)
    }

    /// The corpus of that name, opened once.
    fn corpus(&self, name: &CorpusName, make: bool) -> Result<Arc<Corpus>, StoreError> {
        let mut open = self.lock();
        if let Some(corpus) = open.get(name) {
            return Ok(Arc::clone(corpus));
        }
        let folder = self.folder(name);
        if !folder.join(corpus::DATABASE).is_file() {
            if !make {
                return Err(StoreError::UnknownCorpus { corpus: name.to_string() });
            }
            create_folder(&folder).map_err(|error| StoreError::of_system(&error, &folder))?;
        }
        if open.len() >= MAX_OPEN {
            open.retain(|_, corpus| Arc::strong_count(corpus) > 1);
        }
        let corpus = Arc::new(Corpus::open(name.clone(), &folder, now())?);
        open.insert(name.clone(), Arc::clone(&corpus));
        Ok(corpus)
    }

    fn folder(&self, name: &CorpusName) -> PathBuf {
        self.shared.folder.join(name.as_str())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CorpusName, Arc<Corpus>>> {
        self.shared.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses `bytes` that would take a corpus past its bounds.
    fn admit(&self, corpus: &Corpus, added: u64) -> Result<(), StoreError> {
        let bounds = self.shared.bounds;
        let needed = corpus.summary()?.size.saturating_add(added);
        if needed > bounds.max_corpus_size {
            let limit = "evidence.max_corpus_size";
            return Err(StoreError::Full { limit, allowed: bounds.max_corpus_size, needed });
        }
        let needed = needed.saturating_add(self.size_of_others(corpus.name())?);
        if needed > bounds.max_size {
            let limit = "evidence.max_size";
            return Err(StoreError::Full { limit, allowed: bounds.max_size, needed });
        }
        Ok(())
    }

    /// The bytes of all corpora but one. Looked up once; then every change is counted.
    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError> {
        let is_known = self.sizes().is_some();
        if !is_known {
            let all = self.list(None, usize::MAX)?;
            let all = all.into_iter().map(|summary| (summary.name, summary.size)).collect();
            self.sizes().get_or_insert(all);
        }
        let sizes = self.sizes();
        let others = sizes.iter().flatten().filter(|(other, _)| *other != name);
        Ok(others.fold(0, |sum: u64, (_, size)| sum.saturating_add(*size)))
    }

    fn count_size(&self, name: &CorpusName, size: Option<u64>) {
        if let Some(sizes) = self.sizes().as_mut() {
            match size {
                Some(size) => sizes.insert(name.clone(), size),
                None => sizes.remove(name),
            };
        }
    }

    fn sizes(&self) -> MutexGuard<'_, Option<HashMap<CorpusName, u64>>> {
        self.shared.sizes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the folder for this process.
fn take(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    lock(&path).map_err(|error| match error {
        LockError::Held(_) => StoreError::Unavailable {
            reason: format!(
                "{} is held by another server; one server owns a data directory",
                path.display()
            ),
        },
        LockError::Refused(error) => StoreError::of_system(&error, &path),
    })
}

/// Microseconds since the epoch.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
