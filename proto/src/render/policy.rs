//! Renders summaries of policies.

use gsar_core::policy::{Certificate, Policy, PolicyProblem, VerificationMode};

use crate::enums::Enumeration;
use crate::v1;

/// Renders the applied policy. If the request overrides values, the name is that of the base policy.
#[must_use]
pub fn applied_policy(policy: &Policy, overridden: bool) -> v1::AppliedPolicy {
    v1::AppliedPolicy {
        name: policy.name.clone(),
        digest: policy.digest().as_str().to_owned(),
        overridden,
        certificate: policy.certificate().map(|details| certificate(details, "", [])),
    }
}

/// Renders a certificate, and whether it covers a decision by the given judge with the given prompts. `judge` is
/// empty if no judge decided.
#[must_use]
pub fn certificate<'a>(
    certificate: &Certificate,
    judge: &str,
    prompts: impl IntoIterator<Item = &'a str>,
) -> v1::PolicyCertificate {
    v1::PolicyCertificate {
        risk: certificate.risk.to_f64(),
        confidence: certificate.confidence.to_f64(),
        judge: certificate.judge.clone(),
        prompts: certificate.prompts.clone(),
        rows: certificate.rows,
        proceeds: certificate.proceeds,
        wrong: certificate.wrong,
        data: certificate.data.clone(),
        mismatch: certificate.mismatch(judge, prompts).unwrap_or_default(),
    }
}

/// Renders a summary of a policy. `origin` is `preset` or the path of its file.
#[must_use]
pub fn policy_summary(policy: &Policy, origin: String, is_default: bool) -> v1::PolicySummary {
    v1::PolicySummary {
        name: policy.name.clone(),
        description: policy.description.clone(),
        digest: policy.digest().as_str().to_owned(),
        origin,
        is_default,
    }
}

/// Renders an error or a warning about a policy.
#[must_use]
pub fn policy_problem(problem: PolicyProblem) -> v1::PolicyProblem {
    let line = problem.line.and_then(|line| u32::try_from(line).ok());
    v1::PolicyProblem { field: problem.field, message: problem.message, line: line.unwrap_or(0) }
}

/// Renders the verification mode.
#[must_use]
pub fn verification_mode(mode: VerificationMode) -> v1::VerificationMode {
    mode.wire()
}
