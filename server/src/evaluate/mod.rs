//! One evaluation, from request to recorded answer. Every rule it applies is in core.

pub(crate) mod answer;
mod cascade;
pub(crate) mod claims;
mod decide;
pub(crate) mod dry_run;
mod engine;
mod examples;
mod judging;
mod own_report;
mod pipeline;
mod policy_choice;
mod prepare;
mod reader;
mod record;
mod redacted;
mod rehearsal;
mod retrieval;
mod score;
mod second_look;
mod select;
mod stopwatch;
mod stored;
mod unjudged;
mod warnings;

pub use engine::Engine;
pub(crate) use examples::GradedClaims;
pub(crate) use judging::{call_to_proto, count_call};
pub(crate) use policy_choice::PolicyChoice;
pub use policy_choice::{ChosenPolicy, PolicyUse};
pub(crate) use reader::Reader;
pub(crate) use record::{item, now, refused};
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
