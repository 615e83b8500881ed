//! Measures the judges of a real server against human labels.
//!
//! Sends claims and reports through `gsar_client` and prints the counts as Markdown. Single rows from a
//! test part are never printed.

mod ablation;
mod arguments;
mod asking;
mod audit;
mod baselines;
mod cases;
mod certification;
mod chat;
mod commands;
mod comparison;
mod corpus;
mod data_set;
mod digest;
mod drift;
mod fitting;
mod generated;
mod graded;
mod grading;
mod investigations;
mod judgement;
mod manuals;
mod measured;
pub mod mutation;
mod mutation_trial;
mod names;
mod partition;
mod policy;
mod premises;
mod replay;
mod report;
mod retrieval;
mod rewriting;
mod rows;
mod run;
mod session;
mod statistics;
mod tables;
mod trace;
mod writing;

pub use arguments::Arguments;
pub use commands::run;
pub use gsar_datasets::Random;
pub use statistics::{Interval, mean_interval};
