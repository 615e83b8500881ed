//! Declarations and results of executed checks. Does not run them.

mod declaration;
mod run;

pub use declaration::{CheckDeclaration, CheckError, PassCondition, checks_from_toml};
pub use run::CheckRun;
