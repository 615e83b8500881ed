//! A bounded pool of sessions for concurrent callers.
//!
//! Each distinct question becomes a job. A job is looked up in the cache, waits, and is computed in a batch
//! with others of similar length. Its answer is sent to every caller that asked the question.
//!
//! ```text
//! ask ─► queue permit ─► job ─► cache thread: look up ─► wait ─► worker: batch ─► answer
//!                                    └── hit: answer            └─► cache thread: store
//! ```

mod batch;
mod handle;
mod options;
mod queue;
mod spec;
mod threads;

pub use handle::{Pool, Statistics};
pub use options::{Options, Priority};
pub use spec::{AnswerCheck, Computation, PoolSpec, Question};
