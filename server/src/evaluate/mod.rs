//! Evaluates a report, from the request to the recorded answer.

pub(crate) mod answer;
mod call_chain;
pub(crate) mod claims;
mod decide;
pub(crate) mod dry_run;
mod engine;
mod examples;
mod merge_judgements;
mod named_evidence;
mod own_report;
mod pipeline;
mod policy_choice;
mod prepare;
mod rank_reports;
mod record;
mod recorded_evaluation;
mod redact;
mod retrieval;
mod run_second_look;
mod score;
mod second_look_judge;
mod self_test;
mod stopwatch;
mod unjudged;
mod warnings;

pub(crate) use call_chain::{call_to_proto, count_call};
pub use engine::Engine;
pub(crate) use examples::GradedClaims;
pub(crate) use policy_choice::PolicyChoice;
pub use policy_choice::{ChosenPolicy, PolicyUse};
pub(crate) use record::{evidence_item, now};
pub(crate) use recorded_evaluation::{recorded_grade, summary, unknown_evaluation};
pub(crate) use retrieval::search_hit;
pub(crate) use second_look_judge::SecondReader;
