//! Computes the probability that evidence grounds or contradicts a claim, using a local ONNX cross-encoder.
//!
//! [`Model`] loads a cross-encoder from a folder, and [`CrossEncoder`] scores claim-premise pairs for
//! concurrent callers. The caller chooses the premises, and decides on a class from the probabilities:
//!
//! ```no_run
//! use gsar_cross_encoder::{CrossEncoder, Model, Options, Pair};
//! use gsar_embedding::Runtime;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let runtime = Runtime::load(None)?;
//! let model = Model::open("models/local".as_ref())?;
//! let encoder = CrossEncoder::start(&runtime, &model, &Options::default())?;
//! let pair = Pair::new("The pool was exhausted.", "ERROR pool exhausted: 50 of 50 in use");
//! let scored = encoder.score(vec![pair]).await?;
//! println!("{:?}", scored.first().map(|probabilities| probabilities.likeliest()));
//! # Ok(())
//! # }
//! ```
//!
//! A folder contains these files:
//!
//! - `model.onnx`: inputs `input_ids`, `attention_mask` and, unless the encoder has no token types (like
//!   MPNet and RoBERTa), `token_type_ids`, int64 `[batch, sequence]`; output `logits`, float32 `[batch,
//!   labels]`; dynamic axes `batch` and `sequence`.
//! - `tokenizer.json`.
//! - `config.json`: `id2label` names every column of `logits`: `grounded`, `ungrounded`, `contradicted` and
//!   optionally `complementary`; or `entailment`, `neutral`, `contradiction`; or `SUPPORTS`,
//!   `NOT_ENOUGH_INFO`, `REFUTES`. Optional keys in `gsar`: `temperature`, the divisor of logits (default
//!   1.0); `max_tokens` per pair (default 512); and `decides_from`, such as `{"ungrounded": 0.85}`, the
//!   minimum probability at which the model may decide that a claim belongs to a class
//!   ([`Model::ungrounded_from`]).
//! - `examples.jsonl` (optional): one `{"claim", "premise", "label"}` object per line. If the model
//!   classifies fewer than two thirds of them correctly at startup, the labels are in the wrong order, and
//!   the model is rejected.
//! - `manifest.json` (optional): `{"files": {"model.onnx": {"sha256": "…"}, …}}` which must list every file
//!   that is read.

mod encoder;
mod error;
mod examples;
mod graph;
mod labels;
mod model;
mod pair;
mod probabilities;
mod scorer;
mod settings;
mod tokens;

pub use encoder::{CrossEncoder, Options};
pub use error::{ModelError, ScoreError, StartError};
pub use model::Model;
pub use pair::Pair;
pub use probabilities::Probabilities;
