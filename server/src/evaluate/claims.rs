//! Determines the claims to judge: the claims given in the request and those extracted from the report.

use std::sync::Arc;

use gsar_core::Claim;
use gsar_core::budget::Budget;
use gsar_core::coverage::not_covered;
use gsar_core::evidence::EvidenceItem;
use gsar_core::report::{Assertion, Document};
use gsar_proto::parse;
use gsar_proto::violations::Violations;
use tonic::Status;

use crate::call::Call;
use crate::compute_pool::compute;

/// Returns the claims to judge. Claims are extracted only if none are given or the policy requires
/// coverage.
///
/// # Errors
/// DEADLINE_EXCEEDED.
pub(super) async fn collect(
    call: &Call,
    report: &parse::ParsedReport,
    evidence: &Arc<Vec<EvidenceItem>>,
    requires_coverage: bool,
) -> Result<Vec<Claim>, Status> {
    let given_claims = report.claims.clone();
    if !needs_extraction(&report.synthesis, &given_claims, requires_coverage) {
        return Ok(given_claims);
    }
    let (synthesis, evidence) = (report.synthesis.clone(), Arc::clone(evidence));
    compute(call, move |budget| with_uncovered_claims(&synthesis, given_claims, &evidence, budget))
        .await
}

pub(crate) fn needs_extraction(
    synthesis: &str,
    given_claims: &[Claim],
    requires_coverage: bool,
) -> bool {
    (given_claims.is_empty() || requires_coverage) && !synthesis.trim().is_empty()
}

pub(crate) fn with_uncovered_claims(
    synthesis: &str,
    given_claims: Vec<Claim>,
    evidence: &[EvidenceItem],
    budget: &Budget,
) -> Vec<Claim> {
    let texts: Vec<&str> = evidence.iter().map(|item| item.content.as_str()).collect();
    let document = Document::parse(synthesis, &texts, budget);
    let uncovered_assertions: Vec<Assertion> =
        not_covered(&document, &given_claims).into_iter().cloned().collect();
    let extracted_claims =
        gsar_core::split_report::claims(&uncovered_assertions, &given_claims, budget);
    given_claims.into_iter().chain(extracted_claims).collect()
}

/// Rejects a report with too many or too long claims.
///
/// # Errors
/// `INVALID_ARGUMENT` on `report.synthesis`.
pub(super) fn check(
    claims: &[Claim],
    report: &parse::ParsedReport,
    limits: &parse::Limits,
) -> Result<(), Status> {
    let (total, given_count) = (claims.len(), report.claims.len());
    let mut violations = Violations::default();
    if total > limits.max_claims {
        let suffix = if given_count == 0 {
            String::new()
        } else {
            format!(", of which the request gives {given_count}")
        };
        let description = format!(
            "has {total} claims{suffix}; at most {} are allowed (limits.claims); evaluate the report in parts",
            limits.max_claims
        );
        violations.add("report.synthesis", description);
    }
    if let Some(long_claim) = claims.iter().find(|claim| claim.text.len() > limits.max_claim_bytes)
    {
        let position = long_claim
            .span
            .as_ref()
            .map_or_else(String::new, |span| format!(" at bytes {} to {}", span.start, span.end));
        let description = format!(
            "has a statement of {} bytes{position}; at most {} are allowed (limits.claim_text); remove text that is not prose",
            long_claim.text.len(),
            limits.max_claim_bytes
        );
        violations.add("report.synthesis", description);
    }
    violations.finish(Some(()))
}
