//! The configuration, merged from the defaults, the TOML file, the environment and the flags. All errors
//! are reported at once, before any address is bound.

mod attested;
mod check;
mod environment;
mod evidence;
mod gateway;
mod load;
mod models;
mod print;
mod problems;
mod security;
mod shape;
mod storage;
mod tls;
mod traces;
mod values;

pub use attested::Attested;
pub use evidence::{EmbeddingsMode, Evidence};
pub use gateway::Gateway;
pub use load::{Loaded, Sources};
pub use models::{Member, Model, Panel};
pub use print::effective_toml;
pub use problems::Problems;
pub use security::{Jwt, Security};
pub use storage::Storage;
pub use tls::Tls;
pub use traces::Traces;
pub use values::{
    AllowOverrides, Bytes, Config, Duration, EMBEDDED, EvidenceRetention, Judges, Ledger, Limits,
    Listen, Log, LogFormat, NO_READER, Policies, SAME_READER, Shutdown,
};
