//! Limits a claim's evidence type to the types allowed by its citations.
//!
//! | cited item or claim | highest type |
//! |---|---|
//! | tool output, change or executed check | `tool_match` |
//! | structured step output | `specific_data` |
//! | alert field | `signal_match` |
//! | claim in this or an earlier report | `synthesis` |
//! | inferred item, or unattested item under `tool_match_needs_attestation` | `inference` |
//!
//! The best valid citation determines the type. Only supported claims are limited.

use super::citations::resolve::Source;
use super::corrections::{CorrectionCode, Findings, is_supported};
use super::evidence_set::Sources;
use crate::claim::{EvidenceType, JudgedClaim};
use crate::evidence::{EvidenceItem, EvidenceKind, Lane};
use crate::policy::PolicyValues;

pub(super) fn check(
    policy: &PolicyValues,
    judged: &mut JudgedClaim,
    targets: &[Source],
    sources: &Sources<'_>,
    findings: &mut Findings,
) {
    if !is_supported(judged) {
        return;
    }
    let best = targets
        .iter()
        .map(|source| match source {
            Source::Item { position, cited } => core::iter::once(*position)
                .chain(*cited)
                .filter_map(|position| sources.item(position))
                .map(|item| ceiling(policy, item))
                .max()
                .unwrap_or((EvidenceType::Inference, false)),
            Source::Claim(_) => (EvidenceType::Synthesis, false),
        })
        .min();
    if let Some((ceiling, unattested)) = best {
        let code = if unattested {
            CorrectionCode::NotAttested
        } else {
            CorrectionCode::TypeAboveEvidence
        };
        let judged_type = judged.evidence_type.name();
        findings.lower_type(policy, judged, code, ceiling, || {
            if unattested {
                String::from("The cited items are not attested, so the claim counts as inference.")
            } else {
                format!("The cited items allow at most {}, not {judged_type}.", ceiling.name())
            }
        });
    }
}

pub(crate) fn heaviest_allowed(policy: &PolicyValues, items: &[EvidenceItem]) -> EvidenceType {
    let ceilings = items.iter().map(|item| ceiling(policy, item).0);
    let strongest = ceilings.min().unwrap_or(EvidenceType::Inference);
    let allowed = EvidenceType::ALL.into_iter().filter(|allowed| *allowed >= strongest);
    let heaviest = allowed.rev().max_by_key(|allowed| policy.weights.get(*allowed));
    heaviest.unwrap_or(EvidenceType::Inference)
}

/// Returns the highest type that an item allows. The flag is `true` if the item is unattested or inferred.
fn ceiling(policy: &PolicyValues, item: &EvidenceItem) -> (EvidenceType, bool) {
    let unattested = policy.guards.tool_match_needs_attestation && !item.attested;
    if unattested || item.lane == Lane::LlmInferred {
        return (EvidenceType::Inference, true);
    }
    let highest = match item.kind {
        EvidenceKind::ToolOutput | EvidenceKind::Change | EvidenceKind::Verification => {
            EvidenceType::ToolMatch
        }
        EvidenceKind::StepOutput => EvidenceType::SpecificData,
        EvidenceKind::Signal => EvidenceType::SignalMatch,
        EvidenceKind::PriorClaim => EvidenceType::Synthesis,
    };
    (highest, false)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, codes, judged, tool, verify_claims, verify_with_preset};
    use super::*;
    use crate::claim::Class;
    use crate::policy::Preset;
    use EvidenceType::{Inference, SignalMatch, SpecificData, Synthesis, ToolMatch};

    #[test]
    fn h10_the_type_follows_the_cited_item() {
        let claims = claims(&["pod restarted"]);
        for (kind, highest) in [
            (EvidenceKind::ToolOutput, ToolMatch),
            (EvidenceKind::Change, ToolMatch),
            (EvidenceKind::Verification, ToolMatch),
            (EvidenceKind::StepOutput, SpecificData),
            (EvidenceKind::Signal, SignalMatch),
            (EvidenceKind::PriorClaim, Synthesis),
        ] {
            let item = EvidenceItem { kind, ..tool("e1", "pod restarted") };
            for judged_type in EvidenceType::ALL {
                let answer =
                    [judged(&claims[0], Class::Grounded, judged_type, &[("e1", "pod restarted")])];
                let result = verify_claims(&claims, &answer, core::slice::from_ref(&item));
                let evidence_type = result.claims[0].judged.evidence_type;
                if judged_type != EvidenceType::NegEvidence {
                    assert_eq!(evidence_type, judged_type.max(highest), "{kind:?} {judged_type:?}");
                }
            }
        }
    }

    #[test]
    fn h10_unsupported_claims_keep_their_type() {
        let claims = claims(&["pod restarted"]);
        let item = EvidenceItem { kind: EvidenceKind::Signal, ..tool("e1", "pod restarted") };
        for class in [Class::Contradicted, Class::Ungrounded] {
            let answer = [judged(&claims[0], class, ToolMatch, &[("e1", "pod restarted")])];
            let result = verify_claims(&claims, &answer, core::slice::from_ref(&item));
            assert_eq!(result.claims[0].judged.evidence_type, ToolMatch);
        }
    }

    #[test]
    fn h11_unattested_items_allow_only_inference_under_the_strict_preset() {
        let claims = claims(&["pod restarted"]);
        let answer = [judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "pod restarted")])];
        let result =
            verify_with_preset(Preset::Strict, &claims, &answer, &[tool("e1", "pod restarted")]);
        assert_eq!(result.claims[0].judged.evidence_type, Inference);
        assert_eq!(codes(&result), [CorrectionCode::NotAttested]);
        let attested = EvidenceItem { attested: true, ..tool("e1", "pod restarted") };
        let result = verify_with_preset(Preset::Strict, &claims, &answer, &[attested]);
        assert_eq!(result.claims[0].judged.evidence_type, ToolMatch);
    }

    #[test]
    fn h10_an_inferred_item_allows_only_inference() {
        let claims = claims(&["pod restarted"]);
        let item = EvidenceItem { lane: Lane::LlmInferred, ..tool("e1", "pod restarted") };
        let answer = [judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "pod restarted")])];
        assert_eq!(
            verify_claims(&claims, &answer, &[item]).claims[0].judged.evidence_type,
            Inference
        );
    }
}
