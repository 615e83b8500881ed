//! Stored evidence: corpora of items that outlive one call, and search in them.
//!
//! The engines (`sqlite`, and `postgres` for servers that share a database) implement the traits in `store`. This
//! module adds the limits, receiving items, the cache of whole corpora, and the model. It must not depend on the
//! contract. Everything here blocks.

mod characters;
mod corpus_cache;
mod embedding;
mod error;
mod name;
pub(crate) mod postgres;
mod put;
mod receive;
mod search;
mod snapshot;
mod sqlite;
mod store;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gsar_core::evidence::EvidenceItem;
use tokio::runtime::Handle;

pub use embedding::Embeddings;
use embedding::{EmbeddingProgress, LazyModel, VectorCache};
pub use error::{Needed, StoreError};
pub use gsar_embedding::Vector;
pub use name::CorpusName;
use postgres::PostgresCorpora;
pub use put::Put;
pub use receive::StoredItem;
pub use search::{Filter, Hit, Hits, Method, Query};
pub use snapshot::{ItemRef, Part, Snapshot};
use sqlite::SqliteCorpora;
pub(crate) use store::item as item_of;
use store::{Corpus, CorpusStore};
pub use store::{Head, Summary};

use crate::owner::Owner;
use crate::storage::DatabaseFile;
use crate::storage::postgres::Database;
use corpus_cache::CorpusCache;

/// The folder of all corpora in the data directory.
const FOLDER: &str = "evidence";
/// The maximum number of corpora per query to the store.
const SUMMARY_BATCH: usize = 500;

/// Limits of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum size of the contents of one corpus, in bytes.
    pub max_corpus_size: u64,
    /// The maximum size of the contents of all corpora, in bytes.
    pub max_size: u64,
    /// The default time to live of a corpus; `None` for ever.
    pub time_to_live: Option<Duration>,
    /// The maximum size of contents cached in memory, in bytes.
    pub kept_in_memory: u64,
}

/// The evidence store of a server. Clones share it.
#[derive(Clone, Debug)]
pub struct Evidence {
    shared: Arc<Shared>,
    owner: Owner,
}

#[derive(Debug)]
struct Shared {
    store: Box<dyn CorpusStore>,
    bounds: Bounds,
    /// The cache of whole corpora.
    corpus_cache: CorpusCache,
    model: LazyModel,
    embedding: EmbeddingProgress,
}

impl Evidence {
    /// Opens the store in a data directory and locks it for this process. Corpora are opened on first use; interrupted
    /// deletions are completed.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the folder cannot be created or read, or another process holds it.
    pub fn open(
        data_dir: &Path,
        bounds: Bounds,
        embeddings: Embeddings,
    ) -> Result<Self, StoreError> {
        let folder = data_dir.join(FOLDER);
        let store = SqliteCorpora::open(&folder)?;
        let model = LazyModel::new(embeddings, VectorCache::below(&folder));
        Ok(Self::with_store(Box::new(store), bounds, model))
    }

    /// Opens the store in a shared database whose tables exist.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the database does not answer.
    pub(crate) fn shared(
        (database, runtime): (Database, Handle),
        bounds: Bounds,
        embeddings: Embeddings,
    ) -> Result<Self, StoreError> {
        let store = PostgresCorpora::open(database, runtime)?;
        let vectors = VectorCache::Shared(store.vector_cache());
        let model = LazyModel::new(embeddings, vectors);
        Ok(Self::with_store(Box::new(store), bounds, model))
    }

    fn with_store(store: Box<dyn CorpusStore>, bounds: Bounds, model: LazyModel) -> Self {
        let corpus_cache = CorpusCache::new(bounds.kept_in_memory);
        let embedding = EmbeddingProgress::default();
        let shared = Shared { store, bounds, corpus_cache, model, embedding };
        Self { shared: Arc::new(shared), owner: Owner::default() }
    }

    /// Returns this store for an owner: each owner has its own names of corpora, and finds what it may see.
    #[must_use]
    pub fn of(&self, owner: &Owner) -> Self {
        Self { shared: Arc::clone(&self.shared), owner: owner.clone() }
    }

    /// Starts storing items in a corpus, creating it if it does not exist.
    ///
    /// # Errors
    /// [`StoreError`] if the corpus cannot be opened.
    pub fn put(&self, name: CorpusName, time_to_live: Option<Duration>) -> Result<Put, StoreError> {
        let corpus = self.corpus(&name, true)?;
        let is_new = corpus.summary()?.items == 0;
        let time_to_live = time_to_live.or(self.shared.bounds.time_to_live.filter(|_| is_new));
        if let Some(time_to_live) = time_to_live {
            let micros = i64::try_from(time_to_live.as_micros()).unwrap_or(i64::MAX);
            corpus.expire(Some(self.shared.store.now()?.saturating_add(micros)))?;
        }
        Ok(Put::begin(self.clone(), corpus))
    }

    /// Reads a part of an item.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`] or [`StoreError::UnknownItem`], or an error of reading the corpus.
    pub fn snapshot(
        &self,
        name: &CorpusName,
        named: &ItemRef,
        part: Part,
    ) -> Result<Snapshot, StoreError> {
        let found = self.corpus(name, false)?.snapshot(named, part)?;
        found.ok_or_else(|| StoreError::UnknownItem {
            corpus: name.to_string(),
            item: match named {
                ItemRef::Id(id) => format!("`{id}`"),
                ItemRef::Digest(digest) => format!("with key {}", blake3::Hash::from(*digest)),
            },
        })
    }

    /// Searches the passages of a corpus, best first: by terms, and by meaning if the query has a vector.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or an error of reading the corpus.
    pub fn search(
        &self,
        name: &CorpusName,
        query: &Query<'_>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Hits, StoreError> {
        let corpus = self.corpus(name, false)?;
        let meaning = query.vector.map(|vector| (vector, self.space()));
        corpus.search(query, meaning, filter, limit)
    }

    /// Returns passages of a corpus by their numbers, in that order and unranked, without deleted ones.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or an error of reading the corpus.
    pub fn passages(&self, name: &CorpusName, numbers: &[i64]) -> Result<Vec<Hit>, StoreError> {
        self.corpus(name, false)?.passages(numbers)
    }

    /// Returns the summary of a corpus.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or an error of reading the corpus.
    pub fn summary(&self, name: &CorpusName) -> Result<Summary, StoreError> {
        let summary = self.corpus(name, false)?.summary()?;
        Ok(Summary { name: name.clone(), ..summary })
    }

    /// Returns every item of a corpus with its whole content, ordered by id. Cached in memory.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or an error of reading the corpus.
    pub fn items(&self, name: &CorpusName) -> Result<Arc<Vec<EvidenceItem>>, StoreError> {
        let corpus = self.corpus(name, false)?;
        self.shared.corpus_cache.items(&*corpus)
    }

    /// Lists at most `limit` corpora after a name, ordered by name. One that cannot be opened is skipped and logged.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the folder cannot be read.
    pub fn list(
        &self,
        after: Option<&CorpusName>,
        limit: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        let mut names: Vec<(CorpusName, CorpusName)> = self
            .shared
            .store
            .names()?
            .into_iter()
            .filter_map(|stored| Some((stored.visible_name(&self.owner)?, stored)))
            .filter(|(visible, _)| after.is_none_or(|after| visible > after))
            .collect();
        names.sort_unstable();
        let mut found = Vec::new();
        for batch in names.chunks(limit.clamp(1, SUMMARY_BATCH)) {
            if found.len() >= limit {
                break;
            }
            let stored: Vec<CorpusName> = batch.iter().map(|(_, stored)| stored.clone()).collect();
            let visible = |summary: Summary| {
                Some(Summary { name: summary.name.visible_name(&self.owner)?, ..summary })
            };
            found.extend(self.shared.store.summaries(&stored)?.into_iter().filter_map(visible));
        }
        found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        found.truncate(limit);
        Ok(found)
    }

    /// Deletes a corpus, even a damaged one. Returns its summary if it could be read.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or an error of deleting its folder.
    pub fn delete(&self, name: &CorpusName) -> Result<Option<Summary>, StoreError> {
        let summary = match self.summary(name) {
            Err(unknown @ StoreError::UnknownCorpus { .. }) => return Err(unknown),
            known => known.ok(),
        };
        self.shared.store.delete(&self.stored_name(name)?)?;
        Ok(summary)
    }

    /// Deletes expired corpora, and rows and files left behind. Returns the number of deleted corpora.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the folder cannot be read.
    pub fn delete_expired(&self) -> Result<usize, StoreError> {
        let now = self.shared.store.now()?;
        let mut deleted = 0;
        let all = self.of(&Owner::default());
        for summary in all.list(None, usize::MAX)? {
            if summary.expires_at.is_none_or(|at| at > now) {
                continue;
            }
            match all.delete(&summary.name) {
                // Another server deleted it first.
                Err(StoreError::UnknownCorpus { .. }) => continue,
                done => done?,
            };
            tracing::info!(corpus = %summary.name, "a corpus has expired");
            deleted += 1;
        }
        self.shared.store.sweep()?;
        Ok(deleted)
    }

    fn corpus(&self, name: &CorpusName, create: bool) -> Result<Arc<dyn Corpus>, StoreError> {
        self.shared.store.corpus(&self.stored_name(name)?, create)
    }

    /// Returns the stored name of a corpus. A corpus that the owner may not see is unknown.
    fn stored_name(&self, name: &CorpusName) -> Result<CorpusName, StoreError> {
        name.stored_name(&self.owner)
            .ok_or_else(|| StoreError::UnknownCorpus { corpus: name.to_string() })
    }

    /// Refuses bytes that would exceed a limit.
    fn admit(&self, corpus: &dyn Corpus, added: u64) -> Result<(), StoreError> {
        let bounds = self.shared.bounds;
        let needed = corpus.summary()?.size.saturating_add(added);
        if needed > bounds.max_corpus_size {
            let (limit, needed) = ("evidence.max_corpus_size", Needed::Bytes(needed));
            return Err(StoreError::Full { limit, allowed: bounds.max_corpus_size, needed });
        }
        let needed = needed.saturating_add(self.shared.store.size_of_others(corpus.name())?);
        if needed > bounds.max_size {
            let limit = "evidence.max_size";
            let sees_all = self.owner.only().is_none();
            let needed = if sees_all { Needed::Bytes(needed) } else { Needed::More };
            return Err(StoreError::Full { limit, allowed: bounds.max_size, needed });
        }
        Ok(())
    }
}

/// Returns the number of corpora in a data directory.
pub(crate) fn corpora_below(data_dir: &Path) -> usize {
    sqlite::database_files(&data_dir.join(FOLDER)).map_or(0, |files| files.len())
}

/// Returns the databases in a data directory: corpora and the vector cache.
pub(crate) fn database_files(data_dir: &Path) -> std::io::Result<Vec<DatabaseFile>> {
    let folder = data_dir.join(FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = sqlite::database_files(&folder)?;
    found.push(DatabaseFile { path: embedding::CACHE.into(), after_copy: "" });
    let below = |database: DatabaseFile| DatabaseFile {
        path: Path::new(FOLDER).join(database.path),
        ..database
    };
    Ok(found.into_iter().map(below).collect())
}

/// The current time, in microseconds since 1970-01-01T00:00:00Z.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
