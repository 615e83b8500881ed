//! Stores evidence in named corpora and searches it.
//!
//! The engines (`sqlite`, and `postgres` for servers that share a database) implement the traits in
//! `store`. This module adds limits, a cache and the embedding model. It must not depend on the protobuf
//! types. Its synchronous functions block.

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
use std::time::Duration;

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
pub(crate) use store::build_item;
use store::{Corpus, CorpusStore};
pub use store::{Head, Summary};

use crate::data_owner::Owner;
use crate::storage::DatabaseFile;
use crate::storage::postgres::Database;
use corpus_cache::CorpusCache;

const FOLDER: &str = "evidence";
/// The maximum number of corpora whose summaries one query reads.
const SUMMARY_BATCH: usize = 500;

/// Size and time limits for stored evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum size of one corpus's contents, in bytes.
    pub max_corpus_size: u64,
    /// The maximum size of all corpora's contents, in bytes.
    pub max_size: u64,
    /// The default time to live of a corpus; `None` keeps it until it is deleted.
    pub time_to_live: Option<Duration>,
    /// The maximum size of corpora cached in memory, in bytes.
    pub max_cached_size: u64,
}

/// A server's evidence store. Clones share it.
///
/// Methods return [`StoreError::UnknownCorpus`] if a corpus does not exist or the owner cannot access it.
#[derive(Clone, Debug)]
pub struct Evidence {
    shared: Arc<Shared>,
    owner: Owner,
}

#[derive(Debug)]
struct Shared {
    store: Box<dyn CorpusStore>,
    bounds: Bounds,
    corpus_cache: CorpusCache,
    model: LazyModel,
    embedding: EmbeddingProgress,
}

impl Evidence {
    /// Opens the store in a data directory and locks it for this process. Finishes interrupted deletions.
    /// Each corpus is opened on first use.
    ///
    /// # Errors
    /// Returns [`StoreError::Unavailable`] if the folder cannot be created or read, or if another process
    /// has locked it.
    pub fn open(
        data_dir: &Path,
        bounds: Bounds,
        embeddings: Embeddings,
    ) -> Result<Self, StoreError> {
        let folder = data_dir.join(FOLDER);
        let store = SqliteCorpora::open(&folder)?;
        let model = LazyModel::new(embeddings, VectorCache::in_folder(&folder));
        Ok(Self::with_store(Box::new(store), bounds, model))
    }

    /// Opens the store in a shared database, in which its tables must exist.
    pub(crate) fn open_shared(
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
        let corpus_cache = CorpusCache::new(bounds.max_cached_size);
        let embedding = EmbeddingProgress::default();
        let shared = Shared { store, bounds, corpus_cache, model, embedding };
        Self { shared: Arc::new(shared), owner: Owner::default() }
    }

    /// Returns a view of this store for an owner, with the owner's own namespace of corpora.
    #[must_use]
    pub fn for_owner(&self, owner: &Owner) -> Self {
        Self { shared: Arc::clone(&self.shared), owner: owner.clone() }
    }

    /// Starts storing items in a corpus. Creates the corpus if it does not exist.
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

    /// Reads part of an item.
    pub fn snapshot(
        &self,
        name: &CorpusName,
        item: &ItemRef,
        part: Part,
    ) -> Result<Snapshot, StoreError> {
        let snapshot = self.corpus(name, false)?.snapshot(item, part)?;
        snapshot.ok_or_else(|| StoreError::UnknownItem {
            corpus: name.to_string(),
            item: match item {
                ItemRef::Id(id) => format!("`{id}`"),
                ItemRef::Digest(digest) => format!("with key {}", blake3::Hash::from(*digest)),
            },
        })
    }

    /// Searches the passages of a corpus by terms, and by meaning if the query has a vector. Returns the
    /// best passages first.
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

    /// Returns passages by number, in the given order and without ranks. Skips deleted passages.
    pub fn passages(&self, name: &CorpusName, numbers: &[i64]) -> Result<Vec<Hit>, StoreError> {
        self.corpus(name, false)?.passages(numbers)
    }

    /// Returns the summary of a corpus.
    pub fn summary(&self, name: &CorpusName) -> Result<Summary, StoreError> {
        let summary = self.corpus(name, false)?.summary()?;
        Ok(Summary { name: name.clone(), ..summary })
    }

    /// Returns all items of a corpus with their contents, ordered by id. Caches them in memory.
    pub fn items(&self, name: &CorpusName) -> Result<Arc<Vec<EvidenceItem>>, StoreError> {
        let corpus = self.corpus(name, false)?;
        self.shared.corpus_cache.items(&*corpus)
    }

    /// Lists at most `limit` corpora after a name, ordered by name. Logs and skips a corpus that cannot be opened.
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
            .filter_map(|stored_name| Some((stored_name.visible_name(&self.owner)?, stored_name)))
            .filter(|(visible_name, _)| after.is_none_or(|after| visible_name > after))
            .collect();
        names.sort_unstable();
        let mut summaries = Vec::new();
        for batch in names.chunks(limit.clamp(1, SUMMARY_BATCH)) {
            if summaries.len() >= limit {
                break;
            }
            let stored_names: Vec<CorpusName> =
                batch.iter().map(|(_, stored_name)| stored_name.clone()).collect();
            let with_visible_name = |summary: Summary| {
                Some(Summary { name: summary.name.visible_name(&self.owner)?, ..summary })
            };
            summaries.extend(
                self.shared
                    .store
                    .summaries(&stored_names)?
                    .into_iter()
                    .filter_map(with_visible_name),
            );
        }
        summaries.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        summaries.truncate(limit);
        Ok(summaries)
    }

    /// Deletes a corpus, even a damaged one. Returns its summary if it was readable.
    pub fn delete(&self, name: &CorpusName) -> Result<Option<Summary>, StoreError> {
        let summary = match self.summary(name) {
            Err(unknown @ StoreError::UnknownCorpus { .. }) => return Err(unknown),
            result => result.ok(),
        };
        self.shared.store.delete(&self.stored_name(name)?)?;
        Ok(summary)
    }

    /// Deletes expired corpora and leftover rows and files. Returns the number of deleted corpora.
    pub fn delete_expired(&self) -> Result<usize, StoreError> {
        let now = self.shared.store.now()?;
        let mut deleted = 0;
        let all_owners = self.for_owner(&Owner::default());
        for summary in all_owners.list(None, usize::MAX)? {
            if summary.expires_at.is_none_or(|expires_at| expires_at > now) {
                continue;
            }
            match all_owners.delete(&summary.name) {
                // Another server deleted it first.
                Err(StoreError::UnknownCorpus { .. }) => continue,
                result => result?,
            };
            tracing::info!(corpus = %summary.name, "deleted an expired corpus");
            deleted += 1;
        }
        self.shared.store.sweep()?;
        Ok(deleted)
    }

    fn corpus(&self, name: &CorpusName, create: bool) -> Result<Arc<dyn Corpus>, StoreError> {
        self.shared.store.corpus(&self.stored_name(name)?, create)
    }

    /// Returns the stored name of a corpus, or an error if the owner cannot access it.
    fn stored_name(&self, name: &CorpusName) -> Result<CorpusName, StoreError> {
        name.stored_name(&self.owner)
            .ok_or_else(|| StoreError::UnknownCorpus { corpus: name.to_string() })
    }

    /// Returns an error if `added_bytes` more bytes would exceed a limit.
    fn check_limits(&self, corpus: &dyn Corpus, added_bytes: u64) -> Result<(), StoreError> {
        let bounds = self.shared.bounds;
        let needed = corpus.summary()?.size.saturating_add(added_bytes);
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
pub(crate) fn count_corpora(data_dir: &Path) -> usize {
    sqlite::database_files(&data_dir.join(FOLDER)).map_or(0, |files| files.len())
}

/// Returns the SQLite files in a data directory: the corpora and the vector cache.
pub(crate) fn database_files(data_dir: &Path) -> std::io::Result<Vec<DatabaseFile>> {
    let folder = data_dir.join(FOLDER);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = sqlite::database_files(&folder)?;
    files.push(DatabaseFile { path: embedding::CACHE.into(), after_copy: "" });
    let in_data_dir = |database: DatabaseFile| DatabaseFile {
        path: Path::new(FOLDER).join(database.path),
        ..database
    };
    Ok(files.into_iter().map(in_data_dir).collect())
}

#[cfg(test)]
mod tests;
