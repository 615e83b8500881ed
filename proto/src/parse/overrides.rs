//! Parses the policy overrides of a request.

use gsar_core::EvidenceType;
use gsar_core::fixed_point::Millionths;
use gsar_core::policy::{Gate, Policy, PolicyProblem, PolicyValues, VerificationMode};

use super::field::{decimal, enumeration};
use super::list::{limit_length, parse_each};
use super::path::Path;
use crate::enums::Enumeration;
use crate::v1;
use crate::violations::Violations;

const TEN: Millionths = Millionths::new(10_000_000);

/// Parses the field `policy_overrides`, applies it to the policy's values, and validates the result.
pub fn overrides(
    message: v1::PolicyOverrides,
    base: PolicyValues,
    violations: &mut Violations,
) -> Option<Policy> {
    let path = Path::root("policy_overrides");
    let mut read_number = |name, override_value: Option<f64>, max, base| match override_value {
        None => Some(base),
        Some(override_value) => decimal(path.field(name), override_value, max, violations),
    };
    let rho = read_number("rho", message.rho, TEN, base.rho);
    let floor = read_number(
        "ungrounded_floor",
        message.ungrounded_floor,
        Millionths::ONE,
        base.ungrounded_floor,
    );
    let proceed =
        read_number("tau_proceed", message.tau_proceed, Millionths::ONE, base.tau_proceed);
    let regenerate =
        read_number("tau_regenerate", message.tau_regenerate, Millionths::ONE, base.tau_regenerate);
    let weights = read_weights(path.field("weights"), message.weights, violations);
    let verification = read_mode(path, message.verification, base.verification, violations);

    let mut values = PolicyValues {
        rho: rho.unwrap_or(base.rho),
        ungrounded_floor: floor.unwrap_or(base.ungrounded_floor),
        tau_proceed: proceed.unwrap_or(base.tau_proceed),
        tau_regenerate: regenerate.unwrap_or(base.tau_regenerate),
        verification: verification.unwrap_or(base.verification),
        gate: apply_gate_limits(message.gate.unwrap_or_default(), base.gate),
        ..base
    };
    for (evidence_type, weight) in weights.iter().flatten() {
        values.weights.set(*evidence_type, *weight);
    }
    let policy = Policy::new(values)
        .map_err(|invalid_policy| {
            let thresholds_read = proceed.and(regenerate).is_some();
            let weights_read = floor.is_some() && weights.is_some();
            for problem in invalid_policy.problems {
                let follows_from_another = match problem.field.as_str() {
                    "tau_regenerate" => !thresholds_read,
                    field => field.starts_with("weights.") && !weights_read,
                };
                if !follows_from_another {
                    note(&path, &problem, weights.as_deref().unwrap_or_default(), violations);
                }
            }
        })
        .ok();
    rho.and(floor).and(proceed).and(regenerate)?;
    verification?;
    weights?;
    policy
}

fn apply_gate_limits(message: v1::GateLimits, base: Gate) -> Gate {
    Gate {
        max_turns: message.max_turns.unwrap_or(base.max_turns),
        wall_clock_seconds: message.wall_clock_seconds.unwrap_or(base.wall_clock_seconds),
        max_identical_calls: message.max_identical_calls.unwrap_or(base.max_identical_calls),
        max_turns_without_evidence: message
            .max_turns_without_evidence
            .unwrap_or(base.max_turns_without_evidence),
        ..base
    }
}

fn read_mode(
    path: Path<'_>,
    number: i32,
    base: VerificationMode,
    violations: &mut Violations,
) -> Option<VerificationMode> {
    match number {
        0 => Some(base),
        number => enumeration(path.field("verification"), number, violations),
    }
}

fn read_weights(
    path: Path<'_>,
    messages: Vec<v1::TypeWeight>,
    violations: &mut Violations,
) -> Option<Vec<(EvidenceType, Millionths)>> {
    let messages = limit_length(path, messages, EvidenceType::ALL.len(), violations)?;
    let mut earlier_types: Vec<(EvidenceType, Path<'_>)> = Vec::with_capacity(messages.len());
    parse_each(path, messages, violations, |path, message, violations| {
        let evidence_type = enumeration(path.field("type"), message.r#type, violations);
        let weight = decimal(path.field("weight"), message.weight, Millionths::ONE, violations);
        let evidence_type = evidence_type?;
        if let Some((_, first)) =
            earlier_types.iter().find(|(earlier, _)| *earlier == evidence_type)
        {
            let (name, first) = (evidence_type.wire_name(), first.last());
            violations.add(path.field("type"), format_args!("{name} is already given in {first}"));
            return None;
        }
        earlier_types.push((evidence_type, path));
        Some((evidence_type, weight?))
    })
}

/// Adds a violation for a problem in the resulting policy, under the field of the override that caused it.
fn note(
    path: &Path<'_>,
    problem: &PolicyProblem,
    weights: &[(EvidenceType, Millionths)],
    violations: &mut Violations,
) {
    let Some(name) = problem.field.strip_prefix("weights.") else {
        violations.add(format!("{path}.{}", problem.field), &problem.message);
        return;
    };
    let list = path.field("weights");
    match weights.iter().position(|(evidence_type, _)| evidence_type.name() == name) {
        Some(index) => violations.add(list.element(index).field("weight"), &problem.message),
        None => violations.add(list, format_args!("{name}: {}", problem.message)),
    }
}
