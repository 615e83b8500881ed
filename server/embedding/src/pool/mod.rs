//! This module is one bounded pool of sessions for all callers.
//!
//! What is asked becomes a job, unless the same is one already. A job is looked up in the cache, waits, is computed in
//! a batch with others of about its length, and answers everyone who asked.
//!
//! ```text
//! ask ─► permit of the queue ─► job ─► cache thread: look up ─► wait ─► worker: batch ─► answer
//!                                           └── known: answer          └─► cache thread: keep
//! ```

mod batch;
mod handle;
mod options;
mod queue;
mod threads;
mod work;

pub use handle::{Pool, Statistics};
pub use options::{Options, Priority};
pub use work::{Computation, Fits, Question, Work};
