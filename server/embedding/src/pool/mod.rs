//! One bounded pool of sessions for all callers.
//!
//! A text that is asked for becomes a job, unless the same text is one already. A job is looked up in the
//! cache, waits, is computed in a batch with others of about its length, and answers everyone who asked.
//!
//! ```text
//! embed ─► room in the queue ─► job ─► cache thread: look up ─► wait ─► worker: batch ─► answer
//!                                             └── known: answer          └─► cache thread: keep
//! ```

mod batch;
mod embedder;
mod options;
mod queue;
mod threads;

pub use embedder::{Embedder, Statistics};
pub use options::{Options, Priority};
