//! Formats messages as text for people.
//!
//! The text contains ANSI styles, which the printer strips if necessary. Untrusted text is sanitized by
//! [`gsar_client::text::one_line`].

mod check_run;
mod claims;
mod doctor;
mod entity_look;
pub(crate) mod errors;
mod evaluation;
mod evaluation_page;
mod evidence;
pub(crate) mod graph;
pub(crate) mod graph_page;
mod html;
mod investigation;
mod judge;
pub(crate) mod labels;
mod ledger;
mod page;
mod policy;
mod rescore;
mod safety;
mod score;
mod verdict;

#[cfg(test)]
pub(crate) mod samples;

pub(crate) use check_run::check_run;
pub(crate) use claims::location;
pub(crate) use doctor::{Finding, Health, findings};
pub(crate) use entity_look::entity_look;
pub(crate) use evaluation::{
    Explain, ReportContext, View, evaluation, judges, policy_name, statements,
};
pub(crate) use evaluation_page::{Contents, evaluation_page};
pub(crate) use evidence::{corpora, hits, size, stored};
pub(crate) use investigation::{Step, progress_end, progress_look, progress_start, progress_step};
pub(crate) use judge::{JudgeTrial, judge_trial};
pub(crate) use ledger::{evaluations, grades};
pub(crate) use page::count;
pub(crate) use policy::{differences, policies, problems, warnings};
pub(crate) use rescore::{not_rescored, rescore_summary, rescored};
pub(crate) use safety::{cap_answer, gate_answer};
pub(crate) use score::{changes, deciding_score};
pub(crate) use verdict::{computed_decision, verdict};
