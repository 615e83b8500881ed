//! Checks a policy for contradictory or inadvisable values.

use super::{PolicyProblem, PolicyValues, Preset};
use crate::claim::EvidenceType;
use crate::fixed_point::Millionths;

const TEN: Millionths = Millionths::new(10_000_000);

pub(super) fn check(values: &PolicyValues) -> (Vec<PolicyProblem>, Vec<PolicyProblem>) {
    let mut findings = Findings::default();
    check_name(values, &mut findings);
    check_thresholds(values, &mut findings);
    check_weights(values, &mut findings);
    check_guards(values, &mut findings);
    check_gate(values, &mut findings);
    check_investigation(values, &mut findings);
    check_cap_and_ladder(values, &mut findings);
    (findings.problems, findings.warnings)
}

#[derive(Default)]
struct Findings {
    problems: Vec<PolicyProblem>,
    warnings: Vec<PolicyProblem>,
}

impl Findings {
    fn problem(&mut self, field: &str, message: String) {
        self.problems.push(PolicyProblem { field: field.to_string(), message, line: None });
    }

    fn warning(&mut self, field: &str, message: String) {
        self.warnings.push(PolicyProblem { field: field.to_string(), message, line: None });
    }

    fn check_max(&mut self, field: &str, value: Millionths, max: Millionths) {
        if value > max {
            self.problem(field, format!("`{value}` is out of range; expected 0 to {max}"));
        }
    }
}

fn check_name(values: &PolicyValues, findings: &mut Findings) {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = &values.name;
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_legal) {
        let message =
            format!("invalid name `{name}`; expected 1 to 64 letters, digits, `-`, `_` or `.`");
        findings.problem("name", message);
    }
}

fn check_thresholds(values: &PolicyValues, findings: &mut Findings) {
    let (proceed, regenerate) = (values.tau_proceed, values.tau_regenerate);
    findings.check_max("tau_proceed", proceed, Millionths::ONE);
    if regenerate >= proceed {
        let message = format!(
            "{regenerate} is not below tau_proceed {proceed}; lower it or raise tau_proceed"
        );
        findings.problem("tau_regenerate", message);
    }
    findings.check_max("rho", values.rho, TEN);
    findings.check_max("ungrounded_floor", values.ungrounded_floor, Millionths::ONE);
    if values.rho < Millionths::ONE && !values.guards.rho_at_least_one {
        let message = format!(
            "{} makes a contradicted claim cost less than an ungrounded one; set rho to 1 or more, or set guards.rho_at_least_one to true",
            values.rho
        );
        findings.warning("rho", message);
    }
}

fn check_weights(values: &PolicyValues, findings: &mut Findings) {
    for (evidence_type, weight) in EvidenceType::ALL.into_iter().zip(values.weights.as_array()) {
        let field = format!("weights.{}", evidence_type.name());
        findings.check_max(&field, *weight, Millionths::ONE);
        if *weight == Millionths::ZERO && values.ungrounded_floor == Millionths::ZERO {
            let message = format!(
                "0 makes unsupported {} claims free; set ungrounded_floor or a weight above 0",
                evidence_type.name()
            );
            if values.base == Preset::Paper {
                findings.warning(&field, message);
            } else {
                findings.problem(&field, message);
            }
        }
    }
}

fn check_guards(values: &PolicyValues, findings: &mut Findings) {
    let guards = &values.guards;
    if let Some(limit) = guards.complementary_limit {
        findings.check_max("guards.complementary_limit", limit, TEN);
    }
    if let Some(coverage) = guards.min_coverage {
        findings.check_max("guards.min_coverage", coverage, Millionths::ONE);
    }
    if !guards.contradiction_blocks && values.base != Preset::Paper {
        let message =
            "false lets a report with a contradicted claim proceed; set it to true".to_string();
        findings.warning("guards.contradiction_blocks", message);
    }
}

fn check_gate(values: &PolicyValues, findings: &mut Findings) {
    for (field, value) in [
        ("gate.max_turns", values.gate.max_turns),
        ("gate.wall_clock_seconds", values.gate.wall_clock_seconds),
    ] {
        if value == 0 {
            findings.problem(field, "`0` is out of range; expected 1 or more".to_string());
        }
    }
}

fn check_investigation(values: &PolicyValues, findings: &mut Findings) {
    let limits = values.investigation.limits;
    for (field, value, max) in [
        ("investigation.max_replans", limits.max_replans, 10),
        ("investigation.regenerations_per_plan", limits.regenerations_per_plan, 3),
        ("investigation.max_judge_retries", limits.max_judge_retries, 10),
    ] {
        if value > max {
            findings.problem(field, format!("`{value}` is out of range; expected 0 to {max}"));
        }
    }
    if limits.max_replans > 3 {
        let message = format!(
            "{} replans are expensive and seldom help; set it to 3 or less",
            limits.max_replans
        );
        findings.warning("investigation.max_replans", message);
    }
}

fn check_cap_and_ladder(values: &PolicyValues, findings: &mut Findings) {
    let (cap, ladder) = (&values.cap, &values.ladder);
    findings.check_max("ladder.pull_request", ladder.pull_request, Millionths::ONE);
    for (lower_field, lower, upper_field, upper) in [
        ("ladder.issue", ladder.issue, "ladder.patch", ladder.patch),
        ("ladder.patch", ladder.patch, "ladder.pull_request", ladder.pull_request),
        (
            "cap.partially_grounded",
            cap.partially_grounded,
            "ladder.pull_request",
            ladder.pull_request,
        ),
        ("cap.ungrounded", cap.ungrounded, "ladder.patch", ladder.patch),
    ] {
        if lower >= upper {
            let message = format!("{lower} is not below {upper_field} {upper}; lower it");
            findings.problem(lower_field, message);
        }
    }
}
