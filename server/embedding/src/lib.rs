//! Embeds texts as vectors with a local ONNX sentence model. Uses no network.
//!
//! [`Runtime`] finds and loads the ONNX Runtime library, [`Model`] reads a sentence model from a folder,
//! and [`Embedder`] runs it for concurrent callers:
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
//! `make onnxruntime` and `make models` put the library and the all-MiniLM-L6-v2 model into the user's
//! cache. [`Model::open`] reads other models from a folder. Callers must add any text prefix the model
//! requires, such as "query: ".
//!
//! For other kinds of local models, use [`Runtime`] and [`ModelFolder`] with a [`Pool`] over your own
//! [`Question`] type.

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
