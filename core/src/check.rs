//! Executed checks: their declarations and the results of their runs. A result follows from the declared pass condition
//! alone. Runs no check.

mod declaration;
mod run;

pub use declaration::{CheckDeclaration, CheckError, PassCondition, checks_from_toml};
pub use run::CheckRun;
