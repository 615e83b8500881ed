//! Renders core types as messages. Rendering cannot fail.

mod check;
mod claim;
mod coverage;
mod decision;
mod error;
mod evidence;
mod explain;
mod gate;
mod graph;
mod policy;
mod score;
mod time;
mod verdict;

pub use check::{check_declaration, check_run};
pub use claim::{citation, claim, class, correction, judged_claim, second_look};
pub use coverage::{byte_range, coverage};
pub use decision::{assessed_decision, decision, open_point};
pub use error::call_error;
pub use evidence::{evidence_item, verification_result};
pub use explain::{impact, margins};
pub use gate::{
    action_verdict, cap_verdict, evidence_chain, gate_verdict, hypothesis, hypothesis_evidence,
};
pub use graph::graph_state;
pub use policy::{applied_policy, certificate, policy_problem, policy_summary, verification_mode};
pub use score::{fraction, score, terms};
pub use time::timestamp;
pub use verdict::classified_verdict;

/// Renders a reason without claims.
#[must_use]
pub fn reason(code: &str, sentence: impl Into<String>) -> crate::v1::Reason {
    crate::v1::Reason {
        code: code.to_owned(),
        sentence: sentence.into(),
        ..crate::v1::Reason::default()
    }
}
