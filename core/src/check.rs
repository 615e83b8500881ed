//! This module is executed checks: what was declared, and what its run came to. The result of a run follows from the pass
//! condition that was declared, never from what is said of it. It runs nothing.

mod declaration;
mod run;

pub use declaration::{CheckDeclaration, CheckError, PassCondition, checks_from_toml};
pub use run::CheckRun;

/// The beginning of the tool of an item that is the run of a check; the name of the check follows.
pub const TOOL: &str = "check ";
