//! Computes how likely evidence grounds or contradicts a claim, with a local ONNX cross-encoder.
//!
//! Scores pairs of claim and premise, without choosing premises or deciding on classes. [`Model`] reads a cross-encoder
//! from a folder, and [`CrossEncoder`] runs it for many callers at once:
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
//! A folder contains `model.onnx`, `tokenizer.json` and `config.json`, and may contain `examples.jsonl` and
//! `manifest.json`:
//!
//! - `model.onnx`: inputs `input_ids`, `attention_mask` and `token_type_ids`, int64 `[batch, sequence]`; output
//!   `logits`, float32 `[batch, labels]`; the axes batch and sequence dynamic.
//! - `config.json`: `id2label` names every column of `logits`: `grounded`, `ungrounded`, `contradicted` and
//!   `complementary`, the last of which may be missing; `entailment`, `neutral` and `contradiction`, or `SUPPORTS`,
//!   `NOT_ENOUGH_INFO` and `REFUTES`, stand for the first three. `"gsar": {"temperature": 1.0, "max_tokens": 512}` says
//!   by what logits are divided, and how long claim and premise are together; `"decides_from": {"ungrounded": 0.85}`
//!   beside them, from which likelihood the model may decide ([`Model::ungrounded_from`]).
//! - `examples.jsonl`: `{"claim", "premise", "label"}` per line. They are scored at the start; fewer than two thirds
//!   right mean labels in another order than the graph's, which no shape shows.
//! - `manifest.json`: `{"files": {"model.onnx": {"sha256": "…"}, …}}`, which every file that is read must be in.

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
