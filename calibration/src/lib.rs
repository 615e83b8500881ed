//! This crate measures the judges of a real server against the labels of people.
//!
//! Claims and reports go out as any caller would send them, through `gsar_client`; what comes back is counted
//! and printed as Markdown. It judges nothing itself and knows nothing of how a judge works. It shows no single row of a test part.
//! [`mutation`] makes true claims false; claims that are generated come from `gsar_datasets`.

mod ablation;
mod arguments;
mod asking;
mod audit;
mod baselines;
mod cases;
mod certification;
mod commands;
mod comparison;
mod corpus;
mod data_set;
mod digest;
mod drift;
mod fitting;
mod generated;
mod graded;
mod investigations;
mod judgement;
mod manuals;
mod measured;
pub mod mutation;
mod names;
mod partition;
mod policy;
mod premises;
mod replay;
mod report;
mod retrieval;
mod rows;
mod run;
mod session;
mod statistics;
mod tables;
mod trace;
mod trial;

pub use arguments::Arguments;
pub use commands::run;
pub use gsar_datasets::Random;
pub use statistics::{Interval, mean_interval};
