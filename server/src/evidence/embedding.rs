//! This module searches by meaning: it starts the embedding model when it is first needed and has every corpus embedded
//! in the background while the search by terms serves.
//!
//! Without model or runtime everything else works, and every answer says so.

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
use crate::owner::Owner;

/// The file below the folder of all corpora that keeps vectors by what they are of.
pub(super) const CACHE: &str = ".vectors.sqlite3";
/// The most bytes of vectors in memory.
const CACHE_MEMORY: usize = 32 << 20;
/// The most bytes of vectors on disk.
const CACHE_DISK: u64 = 1 << 30;
/// The most vectors that a crash may lose; they are in the cache.
const UNSAVED: usize = 2_048;

/// Which model, and whether there has to be one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Embeddings {
    /// None: search is by terms.
    #[default]
    Off,
    /// The one in this folder, with this library of ONNX Runtime; those in the user's cache where none is named.
    Model {
        /// The folder of the model.
        folder: Option<PathBuf>,
        /// The shared library.
        runtime: Option<PathBuf>,
        /// Sessions, each with a thread and a copy of the weights.
        workers: usize,
    },
}

/// The model as it runs.
#[derive(Debug)]
pub(super) struct EmbeddingModel {
    embedder: Embedder,
    /// The digest of its files: which vectors may be compared.
    digest: String,
}

/// Where vectors are kept by what they are of.
#[derive(Debug)]
pub(super) enum VectorCache {
    /// In a file below the folder of all corpora.
    File(PathBuf),
    /// In the database that servers share.
    Shared(SharedVectors),
}

impl VectorCache {
    pub(super) fn below(folder: &Path) -> Self {
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

/// The model of a server, started once.
#[derive(Debug)]
pub(super) struct ModelOnDemand {
    wanted: Embeddings,
    cache: VectorCache,
    started: OnceLock<Result<EmbeddingModel, String>>,
}

impl Embeddings {
    /// Checks that the named files are there: gives for each file that cannot be used its key in the configuration, and what is wrong with it.
    pub fn check_files(&self) -> Vec<(&'static str, String)> {
        let Self::Model { folder, runtime, .. } = self else { return Vec::new() };
        let mut wrong = Vec::new();
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            let description = format!(
                "{} is no folder; name one with an ONNX sentence model, or leave it out",
                folder.display()
            );
            wrong.push(("model", description));
        }
        if let Some(runtime) = runtime.as_ref().filter(|runtime| !runtime.is_file()) {
            let description = format!(
                "{} is no file; name the shared library of ONNX Runtime, or leave it out",
                runtime.display()
            );
            wrong.push(("onnxruntime", description));
        }
        wrong
    }

    /// Starts the model once and lets it go, as proof that it can be started. Blocks.
    ///
    /// # Errors
    /// Why there is none, and what to do.
    pub fn try_model(&self) -> Result<(), String> {
        let Self::Model { folder, runtime, .. } = self else { return Ok(()) };
        let (runtime, model) = loaded(folder.as_deref(), runtime.as_deref())?;
        let options = Options { workers: 1, ..Options::default() };
        let started = Embedder::start(&runtime, &model, &options, None);
        started.map(drop).map_err(|error| error.to_string())
    }
}

fn loaded(folder: Option<&Path>, runtime: Option<&Path>) -> Result<(Runtime, Model), String> {
    let runtime = Runtime::load(runtime).map_err(|error| error.to_string())?;
    let model = match folder {
        Some(folder) => Model::open(folder),
        None => Model::all_mini_lm(),
    };
    Ok((runtime, model.map_err(|error| error.to_string())?))
}

impl ModelOnDemand {
    pub(super) fn later(wanted: Embeddings, cache: VectorCache) -> Self {
        Self { wanted, cache, started: OnceLock::new() }
    }

    /// The model, or why there is none. Blocks while it starts.
    pub(super) fn get(&self) -> Result<&EmbeddingModel, &str> {
        let started = self.started.get_or_init(|| {
            let started = self.start();
            match &started {
                Ok(model) => tracing::info!(model = model.digest, "search by meaning serves"),
                Err(_) if self.wanted == Embeddings::Off => {}
                Err(reason) => tracing::warn!(reason, "search is by words only"),
            }
            started
        });
        started.as_ref().map_err(String::as_str)
    }

    /// The model that runs; `None` where none was started.
    fn digest(&self) -> Option<&str> {
        self.started.get()?.as_ref().ok().map(|model| model.digest.as_str())
    }

    fn start(&self) -> Result<EmbeddingModel, String> {
        let Embeddings::Model { folder, runtime, workers } = &self.wanted else {
            return Err("evidence.embeddings is off".to_owned());
        };
        let text = |error: &dyn std::error::Error| error.to_string();
        let (runtime, model) = loaded(folder.as_deref(), runtime.as_deref())?;
        let cache = self.cache.open().map_err(|error| text(&error))?;
        let options = Options { workers: *workers, ..Options::default() };
        let embedder = Embedder::start(&runtime, &model, &options, Some(cache))
            .map_err(|error| text(&error))?;
        Ok(EmbeddingModel {
            embedder,
            digest: blake3::Hash::from(model.digest()).to_hex().to_string(),
        })
    }
}

impl Evidence {
    /// Starts the model now.
    ///
    /// # Errors
    /// Why there is none, and the fix.
    pub fn start_model(&self) -> Result<(), String> {
        self.shared.model.get().map(|_| ()).map_err(str::to_owned)
    }

    /// How this server searches, and why not by meaning as well, where it does not. Starts the model.
    pub async fn serves(&self) -> (Method, Option<String>) {
        match self.embedder().await {
            Ok(_) => (Method::Hybrid, None),
            Err(reason) => (Method::Lexical, Some(reason)),
        }
    }

    /// The digest of the model's files; `None` where none was started.
    #[must_use]
    pub fn embedder_digest(&self) -> Option<String> {
        self.shared.model.digest().map(str::to_owned)
    }

    /// The vectors of queries.
    ///
    /// # Errors
    /// Why search by meaning does not serve, and the fix.
    pub async fn embed_queries(&self, queries: Vec<String>) -> Result<Vec<Vector>, String> {
        let embedder = self.embedder().await?;
        embedder.embed(queries, Priority::Query).await.map_err(|error| error.to_string())
    }

    /// The vectors of this server's model. Starts it.
    pub(super) fn space(&self) -> Result<VectorSpace, String> {
        let model = self.shared.model.get()?;
        Ok(VectorSpace { dimension: model.embedder.dimension(), model: model.digest.clone() })
    }

    async fn embedder(&self) -> Result<Embedder, String> {
        let shared = Arc::clone(&self.shared);
        let started = tokio::task::spawn_blocking(move || {
            if let Some(reason) = shared.store.without_vectors() {
                return Err(reason.to_owned());
            }
            let model = shared.model.get();
            model.map(|model| model.embedder.clone()).map_err(str::to_owned)
        });
        match started.await {
            Ok(started) => started,
            Err(panic) => Err(panic.to_string()),
        }
    }

    /// Gives every passage of a corpus that should have one its vector. Does nothing where that is done already, goes
    /// on elsewhere, or there is no model.
    pub async fn embed_corpus(&self, name: CorpusName) {
        let Ok(embedder) = self.embedder().await else { return };
        if let Err(reason) = self.embed_with(&embedder, &name).await {
            tracing::warn!(corpus = %name, reason, "passages stay without vectors");
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
        let progress = self.shared.embedding.of(corpus.name());
        progress.is_due.store(true, Ordering::SeqCst);
        let Ok(_alone) = progress.embedder.try_lock() else { return Ok(()) };
        while progress.is_due.swap(false, Ordering::SeqCst) {
            embed_all_of(embedder, &corpus, &space).await?;
        }
        Ok(())
    }

    /// Embeds every corpus whose vectors are not complete. The model is not started for none.
    pub async fn embed_all(&self) {
        let evidence = self.clone();
        let names = blocking(move || {
            let evidence = evidence.of(&Owner::default());
            let all = evidence.list(None, usize::MAX).map_err(|error| error.to_string())?;
            let digest = evidence.shared.model.digest();
            let is_open = |summary: &Summary| match (&summary.embedded_by, digest) {
                (None, _) => true,
                (Some(by), Some(digest)) => by != digest,
                (Some(_), None) => false,
            };
            Ok(all.into_iter().filter(is_open).map(|summary| summary.name).collect::<Vec<_>>())
        });
        for name in names.await.unwrap_or_default() {
            self.embed_corpus(name).await;
        }
    }
}

/// Gives every passage of a corpus that should have one its vector.
async fn embed_all_of(
    embedder: &Embedder,
    corpus: &Arc<dyn Corpus>,
    space: &VectorSpace,
) -> Result<(), String> {
    let (mut after, mut unsaved) = (0, 0);
    loop {
        let (of, within) = (Arc::clone(corpus), space.clone());
        let passages = blocking(move || of.without_vector(&within, after)).await?;
        let Some((last, _)) = passages.last() else { break };
        after = *last;
        let (numbers, texts): (Vec<i64>, Vec<String>) = passages.into_iter().unzip();
        unsaved += numbers.len();
        let vectors = embedder.embed(texts, Priority::Background).await;
        let vectors = vectors.map_err(|error| error.to_string())?;
        let save = unsaved >= UNSAVED;
        let (of, within) = (Arc::clone(corpus), space.clone());
        blocking(move || {
            of.add_vectors(&within, numbers.into_iter().zip(vectors).collect())?;
            if save { of.save_vectors(&within) } else { Ok(()) }
        })
        .await?;
        if save {
            unsaved = 0;
        }
    }
    let (of, within) = (Arc::clone(corpus), space.clone());
    blocking(move || {
        of.save_vectors(&within)?;
        of.mark_embedded(&within).map_err(|error| error.to_string())
    })
    .await
}

/// How far the embedding of each corpus is.
#[derive(Debug, Default)]
pub(super) struct EmbeddingProgress(Mutex<HashMap<CorpusName, Arc<Progress>>>);

#[derive(Debug, Default)]
struct Progress {
    /// Held by the one who embeds the corpus.
    embedder: tokio::sync::Mutex<()>,
    /// Something came since its passages were last looked at.
    is_due: AtomicBool,
}

impl EmbeddingProgress {
    fn of(&self, name: &CorpusName) -> Arc<Progress> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody embeds have nothing to remember.
        all.retain(|_, progress| Arc::strong_count(progress) > 1);
        Arc::clone(all.entry(name.clone()).or_default())
    }
}

/// Runs what blocks on a thread for such.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panic) => Err(panic.to_string()),
    }
}
