//! Checks a configuration and builds the engine from it.

mod chain;
mod chat_model;
mod checked_config;
mod database;
mod embedded;
mod engine;

pub use checked_config::CheckedConfig;
