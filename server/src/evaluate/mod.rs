//! One evaluation, from request to recorded answer. The only room that knows all others; every rule it
//! applies is in core.

mod answer;
mod chain;
mod chat_model;
mod checked_config;
mod claims;
mod decide;
mod embedded;
mod engine;
mod extra_turn;
mod judging;
mod offload;
mod pipeline;
mod policy_choice;
mod record;
mod rehearsal;
mod retrieval;
mod score;
mod second_opinion;
mod stopwatch;

pub use checked_config::CheckedConfig;
pub use engine::Engine;
pub(crate) use pipeline::investigation;
pub use policy_choice::{ChosenPolicy, PolicyUse};
pub(crate) use record::{item, refused};
