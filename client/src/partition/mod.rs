//! Scores partitions given as lines of JSON, one decision per line.
//!
//! A line is parsed, checked and scored here, without a server. The responses of a server use the same [`Answer`], so
//! that both produce the same bytes. No I/O except reading lines.

mod answer;
mod line;
mod policies;
mod reader;
mod wire;

pub use answer::Answer;
pub use line::{Line, LineError, Overrides};
pub use policies::{Policies, ResolvedPolicy};
pub use reader::{InputLine, LineReader, MAX_LINE_BYTES};
pub use wire::LineRequest;
