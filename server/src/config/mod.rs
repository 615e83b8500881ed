//! Configuration: defaults < TOML file < environment < flags, each value with its origin.
//!
//! Everything is parsed and checked before a port is bound or a file is opened.

mod load;
mod models;
mod print;
mod values;

pub use load::{ConfigError, Sources};
pub use models::{Member, Model, Panel, StructuredOutput};
pub use print::effective;
pub use values::{
    Bytes, Config, Duration, EmbeddingsWanted, Evidence, Judges, Ledger, Limits, Listen, Log,
    LogFormat, Policies, Shutdown,
};
