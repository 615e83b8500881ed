//! The declarations of checks and the results of their runs. This module does not run checks.

mod declaration;
mod run;

pub use declaration::{CheckDeclaration, CheckError, PassCondition, checks_from_toml};
pub use run::CheckRun;
