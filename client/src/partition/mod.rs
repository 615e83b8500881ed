//! Scores partitions, one JSON object per line, locally or on a server. Both produce the same bytes.

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
