//! This module stores evidence that outlives one call: corpora of items, each in a folder of its own below the data
//! directory, and the search in them.
//!
//! What is kept and how is the engine's (`store`: `sqlite`, or `postgres` for servers that share it); here are the limits, items as they are
//! received, what is read as a whole, and the model. This module knows core and [`gsar_retrieval`], nothing of the contract. Everything here blocks.

mod characters;
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
mod whole;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gsar_core::evidence::EvidenceItem;
use tokio::runtime::Handle;

pub use embedding::Embeddings;
use embedding::{EmbeddingProgress, ModelOnDemand, VectorCache};
pub use error::{Needed, StoreError};
pub use gsar_embedding::Vector;
pub use name::CorpusName;
use postgres::PostgresCorpora;
pub use put::Put;
pub use receive::Stored;
pub use search::{Filter, Hit, Hits, Method, Query};
pub use snapshot::{Named, Part, Snapshot};
use sqlite::SqliteCorpora;
pub(crate) use store::item as item_of;
use store::{Corpus, CorpusStore};
pub use store::{Head, Summary};

use crate::owner::Owner;
use crate::storage::DatabaseFile;
use crate::storage::postgres::Database;
use whole::WholeCorpora;

/// The folder of all corpora below the data directory.
const FOLDER: &str = "evidence";
/// The most corpora that the store is asked for at once.
const LOOKED_UP: usize = 500;

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
    owner: Owner,
}

#[derive(Debug)]
struct Shared {
    store: Box<dyn CorpusStore>,
    bounds: Bounds,
    /// Corpora that were read as a whole.
    whole: WholeCorpora,
    model: ModelOnDemand,
    embedding: EmbeddingProgress,
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
        let store = SqliteCorpora::open(&folder)?;
        let model = ModelOnDemand::later(embeddings, VectorCache::below(&folder));
        Ok(Self::over(Box::new(store), bounds, model))
    }

    /// Opens the store in a database that servers share, whose schema is there.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where the database gives no answer.
    pub(crate) fn shared(
        (database, runtime): (Database, Handle),
        bounds: Bounds,
        embeddings: Embeddings,
    ) -> Result<Self, StoreError> {
        let store = PostgresCorpora::open(database, runtime)?;
        let vectors = VectorCache::Shared(store.vector_cache());
        let model = ModelOnDemand::later(embeddings, vectors);
        Ok(Self::over(Box::new(store), bounds, model))
    }

    fn over(store: Box<dyn CorpusStore>, bounds: Bounds, model: ModelOnDemand) -> Self {
        let whole = WholeCorpora::new(bounds.kept_in_memory);
        let embedding = EmbeddingProgress::default();
        let shared = Shared { store, bounds, whole, model, embedding };
        Self { shared: Arc::new(shared), owner: Owner::default() }
    }

    /// The same store for an owner: corpora are named by each owner by itself, and it finds what it sees.
    #[must_use]
    pub fn of(&self, owner: &Owner) -> Self {
        Self { shared: Arc::clone(&self.shared), owner: owner.clone() }
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
            corpus.expire(Some(self.shared.store.now()?.saturating_add(lives)))?;
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
        let meaning = query.vector.map(|vector| (vector, self.space()));
        corpus.search(query, meaning, filter, most)
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
        let summary = self.corpus(name, false)?.summary()?;
        Ok(Summary { name: name.clone(), ..summary })
    }

    /// Every item of a corpus with its whole content, by id; kept in memory while it is asked for again.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or that the corpus cannot be read.
    pub fn items(&self, name: &CorpusName) -> Result<Arc<Vec<EvidenceItem>>, StoreError> {
        let corpus = self.corpus(name, false)?;
        self.shared.whole.items(&*corpus)
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
        let mut names: Vec<(CorpusName, CorpusName)> = self
            .shared
            .store
            .names()?
            .into_iter()
            .filter_map(|kept| Some((kept.seen_by(&self.owner)?, kept)))
            .filter(|(seen, _)| after.is_none_or(|after| seen > after))
            .collect();
        names.sort_unstable();
        let mut found = Vec::new();
        for some in names.chunks(most.clamp(1, LOOKED_UP)) {
            if found.len() >= most {
                break;
            }
            let kept: Vec<CorpusName> = some.iter().map(|(_, kept)| kept.clone()).collect();
            let seen = |summary: Summary| {
                Some(Summary { name: summary.name.seen_by(&self.owner)?, ..summary })
            };
            found.extend(self.shared.store.summaries(&kept)?.into_iter().filter_map(seen));
        }
        found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        found.truncate(most);
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
        self.shared.store.delete(&self.kept(name)?)?;
        Ok(summary)
    }

    /// Deletes the corpora that have expired, and what was left behind; returns how many corpora.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where the folder cannot be read.
    pub fn delete_expired(&self) -> Result<usize, StoreError> {
        let now = self.shared.store.now()?;
        let mut deleted = 0;
        let all = self.of(&Owner::default());
        for summary in all.list(None, usize::MAX)? {
            if summary.expires_at.is_none_or(|at| at > now) {
                continue;
            }
            match all.delete(&summary.name) {
                // Another server was faster.
                Err(StoreError::UnknownCorpus { .. }) => continue,
                done => done?,
            };
            tracing::info!(corpus = %summary.name, "a corpus has expired");
            deleted += 1;
        }
        self.shared.store.sweep()?;
        Ok(deleted)
    }

    fn corpus(&self, name: &CorpusName, make: bool) -> Result<Arc<dyn Corpus>, StoreError> {
        self.shared.store.corpus(&self.kept(name)?, make)
    }

    /// The name by which the store knows a corpus. What the owner may not see, there is not.
    fn kept(&self, name: &CorpusName) -> Result<CorpusName, StoreError> {
        name.kept_for(&self.owner)
            .ok_or_else(|| StoreError::UnknownCorpus { corpus: name.to_string() })
    }

    /// Refuses `bytes` that would take a corpus past its bounds.
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

/// How many corpora lie below a data directory.
pub(crate) fn corpora_below(data_dir: &Path) -> usize {
    sqlite::database_files(&data_dir.join(FOLDER)).map_or(0, |files| files.len())
}

/// The databases below a data directory: the corpora and the cache of vectors.
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

/// Microseconds since the epoch.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
