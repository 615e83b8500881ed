//! Formats policies as TOML.

use core::fmt::Write;

use super::{InvestigationRules, Policy, PolicyValues};
use crate::claim::EvidenceType;
use crate::fixed_point::Millionths;

/// Formats a complete policy file, which [`Policy::from_toml`] can parse.
#[must_use]
pub fn to_toml(policy: &Policy) -> String {
    let values = policy.values();
    let rollout = &values.rollout;
    let mut out = format!(
        "name = \"{}\"\ndescription = \"{}\"\nbase = \"{}\"\n",
        values.name,
        values.description.replace('\\', "\\\\").replace('"', "\\\""),
        values.base.name()
    );
    out.push_str(&deciding_values(values));
    out.push_str(&investigation(&values.investigation));
    out.push_str("\n[rollout]\n");
    for (name, mode) in [("gate", rollout.gate), ("cap", rollout.cap), ("ladder", rollout.ladder)] {
        out.push_str(&format!("{name} = \"{}\"\n", mode.name()));
    }
    out.push_str(&format!("decision = \"{}\"\n", rollout.decision.name()));
    if let Some(certificate) = policy.certificate() {
        out.push_str(&certificate.to_toml());
    }
    out
}

fn investigation(rules: &InvestigationRules) -> String {
    let InvestigationRules { limits, caller_verdicts } = rules;
    let mut out = Table(String::new());
    out.heading("investigation");
    out.line("max_replans", limits.max_replans);
    out.line("regenerations_per_plan", limits.regenerations_per_plan);
    out.line("max_judge_retries", limits.max_judge_retries);
    out.line("caller_verdicts", caller_verdicts);
    out.0
}

/// Formats all values that affect a decision, in a fixed order, for the digest.
pub(super) fn deciding_values(values: &PolicyValues) -> String {
    let limit = |limit: Option<Millionths>| limit.map_or("\"none\"".to_owned(), |l| l.to_string());
    let (guards, gate) = (&values.guards, &values.gate);
    let mut out = Table(String::new());
    out.line("tau_proceed", values.tau_proceed);
    out.line("tau_regenerate", values.tau_regenerate);
    out.line("rho", values.rho);
    out.line("ungrounded_floor", values.ungrounded_floor);
    out.line("undefined_score", format_args!("\"{}\"", values.undefined_score.name()));
    out.line("verification", format_args!("\"{}\"", values.verification.name()));
    out.line("second_look", format_args!("\"{}\"", values.second_look.name()));
    out.line("second_look_failure", format_args!("\"{}\"", values.second_look_failure.name()));
    out.line("undecided", format_args!("\"{}\"", values.undecided.name()));
    out.heading("weights");
    for (evidence_type, weight) in EvidenceType::ALL.into_iter().zip(values.weights.as_array()) {
        out.line(evidence_type.name(), weight);
    }
    out.heading("guards");
    out.line("duplicates_count_once", guards.duplicates_count_once);
    out.line("rho_at_least_one", guards.rho_at_least_one);
    out.line("complementary_limit", limit(guards.complementary_limit));
    out.line("contradiction_blocks", guards.contradiction_blocks);
    out.line("min_grounded", guards.min_grounded);
    out.line("min_coverage", limit(guards.min_coverage));
    out.line("synthesis_required", guards.synthesis_required);
    out.line("headline_must_be_grounded", guards.headline_must_be_grounded);
    out.line("tool_match_needs_attestation", guards.tool_match_needs_attestation);
    out.heading("gate");
    out.line("max_turns", gate.max_turns);
    out.line("wall_clock_seconds", gate.wall_clock_seconds);
    out.line("contested", gate.contested);
    out.line("synthetic_validates", gate.synthetic_validates);
    out.line("max_identical_calls", gate.max_identical_calls);
    out.line("max_turns_without_evidence", gate.max_turns_without_evidence);
    out.heading("cap");
    out.line("partially_grounded", values.cap.partially_grounded);
    out.line("ungrounded", values.cap.ungrounded);
    out.heading("ladder");
    out.line("issue", values.ladder.issue);
    out.line("patch", values.ladder.patch);
    out.line("pull_request", values.ladder.pull_request);
    out.line("joins_decision", values.ladder.joins_decision);
    out.0
}

struct Table(String);

impl Table {
    fn line(&mut self, key: &str, value: impl core::fmt::Display) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.0, "{key} = {value}");
    }

    fn heading(&mut self, name: &str) {
        let _ = writeln!(self.0, "\n[{name}]");
    }
}
