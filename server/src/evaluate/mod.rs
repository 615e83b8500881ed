//! One evaluation, from request to recorded answer. The only module that knows all others; every rule it
//! applies is in core.

mod answer;
mod cascade;
mod chain;
mod chat_model;
mod checked_config;
mod claims;
mod database;
mod decide;
pub(crate) mod dry_run;
mod embedded;
mod engine;
mod examples;
mod judging;
mod not_rescored;
mod own_report;
mod pipeline;
mod policy_choice;
mod record;
mod redacted;
mod rehearsal;
mod rescore;
mod retrieval;
mod score;
mod second_look;
mod select;
mod stopwatch;
mod stored;
mod unjudged;
mod warnings;

pub use checked_config::CheckedConfig;
pub use engine::Engine;
pub(crate) use judging::{call_to_proto, count_call};
pub(crate) use policy_choice::PolicyChoice;
pub use policy_choice::{ChosenPolicy, PolicyUse};
pub(crate) use record::{item, now, refused};
pub(crate) use rescore::MAX_DECIDED;
pub(crate) use retrieval::search_hit;
pub(crate) use stored::{recorded_grade, summary, unknown};

/// What core looks at of an investigation.
pub(crate) fn investigation(
    gate: &gsar_proto::parse::ParsedGate,
) -> gsar_core::assess::Investigation<'_> {
    gsar_core::assess::Investigation {
        gate: gate.input(),
        path: &gate.path,
        changes: &gate.changes,
        onset: gate.onset,
        window: gate.window,
    }
}
