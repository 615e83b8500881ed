//! Lists policy fields that have no effect on a recorded evaluation.

use gsar_core::Policy;
use gsar_core::policy::{UndefinedScore, VerificationMode};
use gsar_core::verify::RestoredPartition;
use gsar_proto::v1;

pub(super) struct RescoreInputs<'a> {
    pub(super) recorded: &'a Policy,
    pub(super) policy: &'a Policy,
    pub(super) answer: &'a v1::EvaluateResponse,
    /// The judge's partition before verification.
    pub(super) restored: &'a RestoredPartition,
    /// The reason why the evidence is missing, if it is.
    pub(super) missing_evidence: Option<&'static str>,
    /// `true` if coverage was computed without the evidence.
    pub(super) has_blind_coverage: bool,
}

/// Lists policy fields that have no effect on a judged report.
pub(super) fn for_partition(inputs: &RescoreInputs<'_>) -> Vec<v1::NotRescored> {
    let mut fields = Vec::new();
    fields.extend(verification_field(inputs));
    if let Some(reason) = inputs.missing_evidence {
        fields.extend(evidence_fields(inputs, reason));
    }
    if inputs.has_blind_coverage {
        let reason = "coverage is computed without the evidence, so titles and lines that repeat \
                      the evidence count as not covered";
        fields.push(field("guards.min_coverage", reason));
    }
    fields.extend(unrecorded_sections(inputs.answer));
    fields
}

/// Lists policy fields that have no effect on a report that was not judged.
pub(super) fn for_abstention(
    policy: &Policy,
    answer: &v1::EvaluateResponse,
    reasons: &[v1::Reason],
) -> Vec<v1::NotRescored> {
    let had_no_evidence = reasons.iter().any(|reason| reason.code == "NO_EVIDENCE");
    let is_scored = had_no_evidence && policy.undefined_score == UndefinedScore::Half;
    let mut fields = Vec::new();
    if is_scored {
        let reason = "no judge was called because there was no evidence; evaluate the report under \
                      this policy";
        fields.push(field("undefined_score", reason));
    }
    fields.extend(unrecorded_sections(answer));
    fields
}

fn verification_field(inputs: &RescoreInputs<'_>) -> Option<v1::NotRescored> {
    let (recorded, requested) = (inputs.recorded.verification, inputs.policy.verification);
    let name = "verification";
    if !inputs.restored.lossy.is_empty() {
        let codes: Vec<&str> = inputs.restored.lossy.iter().map(|code| code.name()).collect();
        let codes = codes.join(", ");
        let reason = format!(
            "the judge's own verdicts are not fully recorded: verification made the corrections {codes}"
        );
        return Some(field(name, &reason));
    }
    let missing = inputs.missing_evidence?;
    let must_run = requested > recorded
        && (requested == VerificationMode::Enforce || recorded == VerificationMode::Off);
    must_run.then(|| field(name, &format!("verification needs the evidence, and {missing}")))
}

fn evidence_fields(inputs: &RescoreInputs<'_>, missing: &str) -> Vec<v1::NotRescored> {
    let (recorded, requested) = (inputs.recorded, inputs.policy);
    if requested.verification != VerificationMode::Enforce {
        return Vec::new();
    }
    let reason = format!("verification needs the evidence to apply this field, and {missing}");
    let mut fields = Vec::new();
    if recorded.guards.tool_match_needs_attestation != requested.guards.tool_match_needs_attestation
    {
        fields.push(field("guards.tool_match_needs_attestation", &reason));
    }
    // Verification changes a type only to one whose weight is not higher.
    if recorded.weights != requested.weights {
        let reason = "these weights apply to the types that verification chose using the \
                      recorded weights";
        fields.push(field("weights", reason));
    }
    fields
}

/// The gate, the cap and the action ladder depend on the investigation, which is not recorded.
fn unrecorded_sections(answer: &v1::EvaluateResponse) -> Vec<v1::NotRescored> {
    let shadow = answer.shadow.as_deref();
    let has_section = |is_active: bool, is_shadow: fn(&v1::Shadow) -> bool| {
        is_active || shadow.is_some_and(is_shadow)
    };
    let sections = [
        ("gate", has_section(answer.gate.is_some(), |shadow| shadow.gate.is_some())),
        ("cap", has_section(answer.cap.is_some(), |shadow| shadow.cap.is_some())),
        ("ladder", has_section(answer.action.is_some(), |shadow| shadow.action.is_some())),
    ];
    let reason =
        "the investigation behind the report is not recorded, so the recorded verdict stays";
    sections
        .into_iter()
        .filter(|(_, is_present)| *is_present)
        .map(|(name, _)| field(name, reason))
        .collect()
}

fn field(name: &str, reason: &str) -> v1::NotRescored {
    v1::NotRescored { field: name.to_owned(), reason: reason.to_owned() }
}
