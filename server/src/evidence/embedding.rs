//! Semantic search: starts the embedding model on first use and embeds corpora in the background. Until
//! then, and if the model or its runtime is missing, search is lexical, and responses say so.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gsar_embedding::{
    Cache, CacheError, Embedder, LayeredCache, MemoryCache, Model, Options, Priority, Runtime,
    SqliteCache, Vector,
};

use super::error::StoreError;
use super::postgres::SharedVectors;
use super::store::{Corpus, Summary, VectorSpace};
use super::{CorpusName, Evidence, Method};
use crate::data_owner::Owner;

/// The file name of the vector cache in the evidence folder.
pub(super) const CACHE: &str = ".vectors.sqlite3";
/// The maximum size of the in-memory cache, in bytes.
const CACHE_MEMORY: usize = 32 << 20;
/// The maximum size of the cache on disk, in bytes.
const CACHE_DISK: u64 = 1 << 30;
/// The maximum number of vectors added to an index before it is saved.
const MAX_UNSAVED: usize = 2_048;

/// The embedding model to use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Embeddings {
    /// No model; search is lexical.
    #[default]
    Off,
    /// A model and ONNX Runtime. If a path is absent, the file in the user's cache directory is used.
    Model {
        /// The folder of the model.
        folder: Option<PathBuf>,
        /// The shared library of ONNX Runtime.
        runtime: Option<PathBuf>,
        /// The number of inference sessions, each with its own thread and copy of the weights.
        workers: usize,
    },
}

#[derive(Debug)]
pub(super) struct EmbeddingModel {
    embedder: Embedder,
    /// The digest of the model files. Vectors are comparable only if they come from models with the same
    /// digest.
    digest: String,
}

#[derive(Debug)]
pub(super) enum VectorCache {
    File(PathBuf),
    Shared(SharedVectors),
}

impl VectorCache {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self::File(folder.join(CACHE))
    }

    fn open(&self) -> Result<Box<dyn Cache>, CacheError> {
        let memory = MemoryCache::new(CACHE_MEMORY);
        Ok(match self {
            Self::File(file) => {
                Box::new(LayeredCache::new(memory, SqliteCache::open(file, CACHE_DISK)?))
            }
            Self::Shared(vectors) => Box::new(LayeredCache::new(memory, vectors.clone())),
        })
    }
}

#[derive(Debug)]
pub(super) struct LazyModel {
    embeddings: Embeddings,
    cache: VectorCache,
    model: OnceLock<Result<EmbeddingModel, String>>,
}

impl Embeddings {
    /// Returns the configuration key and the problem of each unusable path.
    pub fn check_files(&self) -> Vec<(&'static str, String)> {
        let Self::Model { folder, runtime, .. } = self else { return Vec::new() };
        let mut problems = Vec::new();
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            let description = format!(
                "{} is not a folder; name a folder that contains an ONNX sentence model, or leave out this key",
                folder.display()
            );
            problems.push(("model", description));
        }
        if let Some(runtime) = runtime.as_ref().filter(|runtime| !runtime.is_file()) {
            let description = format!(
                "{} is not a file; name the shared library of ONNX Runtime, or leave out this key",
                runtime.display()
            );
            problems.push(("onnxruntime", description));
        }
        problems
    }

    /// Tests that the model starts. Blocks.
    ///
    /// # Errors
    /// Returns the problem and its fix.
    pub fn try_model(&self) -> Result<(), String> {
        let Self::Model { folder, runtime, .. } = self else { return Ok(()) };
        let (runtime, model) = load(folder.as_deref(), runtime.as_deref())?;
        let options = Options { workers: 1, ..Options::default() };
        let result = Embedder::start(&runtime, &model, &options, None);
        result.map(drop).map_err(|error| error.to_string())
    }
}

fn load(folder: Option<&Path>, runtime: Option<&Path>) -> Result<(Runtime, Model), String> {
    let runtime = Runtime::load(runtime).map_err(|error| error.to_string())?;
    let model = match folder {
        Some(folder) => Model::open(folder),
        None => Model::all_mini_lm(),
    };
    Ok((runtime, model.map_err(|error| error.to_string())?))
}

impl LazyModel {
    pub(super) fn new(embeddings: Embeddings, cache: VectorCache) -> Self {
        Self { embeddings, cache, model: OnceLock::new() }
    }

    /// Returns the model, or the reason why it is unavailable. Blocks while it starts.
    pub(super) fn get(&self) -> Result<&EmbeddingModel, &str> {
        let model = self.model.get_or_init(|| {
            let model = self.start();
            match &model {
                Ok(model) => tracing::info!(model = model.digest, "semantic search is ready"),
                Err(_) if self.embeddings == Embeddings::Off => {}
                Err(reason) => tracing::warn!(reason, "search is lexical only"),
            }
            model
        });
        model.as_ref().map_err(String::as_str)
    }

    /// Returns the digest of the model, or `None` unless it is running.
    fn digest(&self) -> Option<&str> {
        self.model.get()?.as_ref().ok().map(|model| model.digest.as_str())
    }

    fn start(&self) -> Result<EmbeddingModel, String> {
        let Embeddings::Model { folder, runtime, workers } = &self.embeddings else {
            return Err("evidence.embeddings is off".to_owned());
        };
        let describe = |error: &dyn std::error::Error| error.to_string();
        let (runtime, model) = load(folder.as_deref(), runtime.as_deref())?;
        let cache = self.cache.open().map_err(|error| describe(&error))?;
        let options = Options { workers: *workers, ..Options::default() };
        let embedder = Embedder::start(&runtime, &model, &options, Some(cache))
            .map_err(|error| describe(&error))?;
        Ok(EmbeddingModel {
            embedder,
            digest: blake3::Hash::from(model.digest()).to_hex().to_string(),
        })
    }
}

impl Evidence {
    /// Starts the model. Blocks.
    ///
    /// # Errors
    /// Returns the reason why the model is unavailable, and the fix.
    pub fn start_model(&self) -> Result<(), String> {
        self.shared.model.get().map(|_| ()).map_err(str::to_owned)
    }

    /// Returns the search method and, if it is lexical, the reason. Starts the model.
    pub async fn search_method(&self) -> (Method, Option<String>) {
        match self.embedder().await {
            Ok(_) => (Method::Hybrid, None),
            Err(reason) => (Method::Lexical, Some(reason)),
        }
    }

    /// Returns the digest of the model files, or `None` unless the model is running.
    #[must_use]
    pub fn embedder_digest(&self) -> Option<String> {
        self.shared.model.digest().map(str::to_owned)
    }

    /// Embeds queries.
    ///
    /// # Errors
    /// Returns the reason why semantic search is unavailable, and the fix.
    pub async fn embed_queries(&self, queries: Vec<String>) -> Result<Vec<Vector>, String> {
        let embedder = self.embedder().await?;
        embedder.embed(queries, Priority::Query).await.map_err(|error| error.to_string())
    }

    /// Returns the vector space of the model. Starts the model.
    pub(super) fn space(&self) -> Result<VectorSpace, String> {
        let model = self.shared.model.get()?;
        Ok(VectorSpace { dimension: model.embedder.dimension(), model: model.digest.clone() })
    }

    async fn embedder(&self) -> Result<Embedder, String> {
        let shared = Arc::clone(&self.shared);
        let task = tokio::task::spawn_blocking(move || {
            if let Some(reason) = shared.store.vectors_unavailable() {
                return Err(reason.to_owned());
            }
            let model = shared.model.get();
            model.map(|model| model.embedder.clone()).map_err(str::to_owned)
        });
        match task.await {
            Ok(result) => result,
            Err(panic) => Err(panic.to_string()),
        }
    }

    /// Embeds the passages of a corpus that lack a vector. Does nothing if there is no model, or if another task is
    /// embedding the corpus.
    pub async fn embed_corpus(&self, name: CorpusName) {
        let Ok(embedder) = self.embedder().await else { return };
        if let Err(reason) = self.embed_with(&embedder, &name).await {
            tracing::warn!(corpus = %name, reason, "failed to embed a corpus");
        }
    }

    async fn embed_with(&self, embedder: &Embedder, name: &CorpusName) -> Result<(), String> {
        let (evidence, corpus_name) = (self.clone(), name.clone());
        let corpus = blocking(move || match evidence.corpus(&corpus_name, false) {
            Ok(corpus) => Ok(Some((corpus, evidence.space()?))),
            Err(StoreError::UnknownCorpus { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        });
        let Some((corpus, space)) = corpus.await? else { return Ok(()) };
        let progress = self.shared.embedding.for_corpus(corpus.name());
        progress.has_new_passages.store(true, Ordering::SeqCst);
        let Ok(_guard) = progress.embedder.try_lock() else { return Ok(()) };
        while progress.has_new_passages.swap(false, Ordering::SeqCst) {
            embed_passages(embedder, &corpus, &space).await?;
        }
        Ok(())
    }

    /// Embeds all corpora with missing vectors. Starts the model only if there are any.
    pub async fn embed_all(&self) {
        let evidence = self.clone();
        let names = blocking(move || {
            let evidence = evidence.for_owner(&Owner::default());
            let summaries = evidence.list(None, usize::MAX).map_err(|error| error.to_string())?;
            let digest = evidence.shared.model.digest();
            let lacks_vectors = |summary: &Summary| match (&summary.embedded_by, digest) {
                (None, _) => true,
                (Some(embedded_by), Some(digest)) => embedded_by != digest,
                (Some(_), None) => false,
            };
            Ok(summaries
                .into_iter()
                .filter(lacks_vectors)
                .map(|summary| summary.name)
                .collect::<Vec<_>>())
        });
        for name in names.await.unwrap_or_default() {
            self.embed_corpus(name).await;
        }
    }
}

/// Embeds the passages of a corpus that lack a vector.
async fn embed_passages(
    embedder: &Embedder,
    corpus: &Arc<dyn Corpus>,
    space: &VectorSpace,
) -> Result<(), String> {
    let (mut last_number, mut unsaved) = (0, 0);
    loop {
        let (corpus_handle, space_copy) = (Arc::clone(corpus), space.clone());
        let passages =
            blocking(move || corpus_handle.passages_without_vector(&space_copy, last_number))
                .await?;
        let Some((last, _)) = passages.last() else { break };
        last_number = *last;
        let (numbers, texts): (Vec<i64>, Vec<String>) = passages.into_iter().unzip();
        unsaved += numbers.len();
        let vectors = embedder.embed(texts, Priority::Background).await;
        let vectors = vectors.map_err(|error| error.to_string())?;
        let should_save = unsaved >= MAX_UNSAVED;
        let (corpus_handle, space_copy) = (Arc::clone(corpus), space.clone());
        blocking(move || {
            corpus_handle.add_vectors(&space_copy, numbers.into_iter().zip(vectors).collect())?;
            if should_save { corpus_handle.save_vectors(&space_copy) } else { Ok(()) }
        })
        .await?;
        if should_save {
            unsaved = 0;
        }
    }
    let (corpus_handle, space_copy) = (Arc::clone(corpus), space.clone());
    blocking(move || {
        corpus_handle.save_vectors(&space_copy)?;
        corpus_handle.mark_embedded(&space_copy).map_err(|error| error.to_string())
    })
    .await
}

#[derive(Debug, Default)]
pub(super) struct EmbeddingProgress(Mutex<HashMap<CorpusName, Arc<Progress>>>);

#[derive(Debug, Default)]
struct Progress {
    /// Locked by the task that embeds the corpus.
    embedder: tokio::sync::Mutex<()>,
    /// `true` if passages may have been added since the last pass.
    has_new_passages: AtomicBool,
}

impl EmbeddingProgress {
    fn for_corpus(&self, name: &CorpusName) -> Arc<Progress> {
        let mut progress_by_corpus = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Drop the progress of corpora that no task is embedding.
        progress_by_corpus.retain(|_, progress| Arc::strong_count(progress) > 1);
        Arc::clone(progress_by_corpus.entry(name.clone()).or_default())
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(panic) => Err(panic.to_string()),
    }
}
