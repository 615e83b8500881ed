//! Checks a configuration and builds the engine from it.

mod chat_model;
mod checked_config;
mod database;
mod embedded_judge;
mod engine;
mod judge_chain;

pub use checked_config::CheckedConfig;
