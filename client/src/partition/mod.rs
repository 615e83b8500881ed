//! Partitions as lines of JSON: one partition of a report per line in, one decision per line out.
//!
//! A line is read, checked and answered here, without a server; what a server answers for a line is put
//! into the same [`Answer`], so that both ways print the same bytes. No I/O but the reading of lines.

mod answer;
mod line;
mod policies;
mod reader;
mod wire;

pub use answer::Answer;
pub use line::{Line, LineError, Overrides};
pub use policies::{ChosenPolicy, Policies};
pub use reader::{InputLine, LineReader, MAX_LINE_BYTES};
pub use wire::Question;
