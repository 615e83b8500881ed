//! Embeds texts as vectors with a local ONNX sentence model: no network, one bounded pool, and cached results.
//!
//! [`Runtime`] finds and loads the shared library of ONNX Runtime, [`Model`] reads a sentence model from a folder, and
//! [`Embedder`] runs it for concurrent callers:
//!
//! ```no_run
//! use gsar_embedding::{Embedder, MemoryCache, Model, Options, Priority, Runtime};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = Runtime::load(None)?;
//! let model = Model::all_mini_lm()?;
//! let cache = Box::new(MemoryCache::new(64 << 20));
//! let embedder = Embedder::start(&runtime, &model, &Options::default(), Some(cache))?;
//! let texts = vec!["checkout answers 503".to_owned(), "the pool is exhausted".to_owned()];
//! let vectors = embedder.embed(texts, Priority::Query).await?;
//! assert_eq!(vectors.len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! `make onnxruntime` and `make models` put the library and the model all-MiniLM-L6-v2 into the user's cache. Other
//! models are read from a folder ([`Model::open`]). Callers add the text prefix that a model requires, such as
//! "query: ".
//!
//! Other kinds of local models can use [`Runtime`], [`ModelFolder`] and a [`Pool`] of any [`Question`].

mod cache;
mod embedder;
mod error;
mod model;
mod pool;
mod runtime;
mod session;
mod user_cache;
mod vector;

pub use cache::{Cache, CacheError, Key, LayeredCache, MemoryCache, SqliteCache};
pub use embedder::Embedder;
pub use error::{EmbedError, PoolError, StartError};
pub use model::{BuiltIn, Fix, Model, ModelError, ModelFolder, Pooling};
pub use pool::{AnswerCheck, Computation, Options, Pool, PoolSpec, Priority, Question, Statistics};
pub use runtime::{Origin, Runtime, RuntimeError};
pub use session::{OnnxSession, Session, SessionError, catch_panic};
pub use vector::Vector;
