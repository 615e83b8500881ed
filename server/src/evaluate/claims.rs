//! This module settles which claims are judged: those that the caller gave, then whatever else the report says. A judge
//! has no say in it.

use std::sync::Arc;

use gsar_core::Claim;
use gsar_core::coverage::not_covered;
use gsar_core::evidence::EvidenceItem;
use gsar_core::report::{Assertion, Document};
use gsar_proto::parse;
use gsar_proto::violations::Violations;
use tonic::Status;

use crate::call::Call;
use crate::offload::offload;

/// The claims to judge. Where the policy asks for no coverage (`is_read`), given claims are
/// all.
pub(super) async fn of(
    call: &Call,
    report: &parse::ParsedReport,
    evidence: &Arc<Vec<EvidenceItem>>,
    is_read: bool,
) -> Vec<Claim> {
    let given = report.claims.clone();
    if !is_split(&report.synthesis, &given, is_read) {
        return given;
    }
    let (synthesis, evidence) = (report.synthesis.clone(), Arc::clone(evidence));
    offload(call, synthesis.len(), move || with_the_rest(&synthesis, given, &evidence)).await
}

/// Whether a report says more than its given claims, where it is read.
pub(super) fn is_split(synthesis: &str, given: &[Claim], is_read: bool) -> bool {
    (given.is_empty() || is_read) && !synthesis.trim().is_empty()
}

/// Given claims, then whatever else a report says.
pub(super) fn with_the_rest(
    synthesis: &str,
    given: Vec<Claim>,
    evidence: &[EvidenceItem],
) -> Vec<Claim> {
    let texts: Vec<&str> = evidence.iter().map(|item| item.content.as_str()).collect();
    let document = Document::read(synthesis, &texts);
    let besides: Vec<Assertion> = not_covered(&document, &given).into_iter().cloned().collect();
    let split = gsar_core::split::claims(&besides, &given);
    given.into_iter().chain(split).collect()
}

/// Refuses a report of more claims than may be judged, however they were made.
///
/// # Errors
/// `INVALID_ARGUMENT` on `report.synthesis`.
pub(super) fn check_number(
    claims: &[Claim],
    report: &parse::ParsedReport,
    most: usize,
) -> Result<(), Status> {
    let (found, given) = (claims.len(), report.claims.len());
    let mut violations = Violations::default();
    if found > most {
        let included =
            if given == 0 { String::new() } else { format!(", the {given} given ones included") };
        let description = format!(
            "says {found} claims{included}; at most {most} are allowed (limits.claims); evaluate the report in parts"
        );
        violations.add("report.synthesis", description);
    }
    violations.finish(Some(()))
}
