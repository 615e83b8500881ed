//! This module turns what a second judge finds of claims that a judge grounds into findings. It asks nobody.

use alloc::format;

use super::corrections::{CorrectionCode, Findings};
use crate::claim::{ClaimId, Class, JudgedClaim};
use crate::fixed::Millionths;

/// Below this likelihood that the evidence shows a claim, a second judge objects: 4 %. On the calib part of the written
/// incidents that holds one true claim in a hundred up, and half of the unsupported ones (docs/EVALUATION.md).
const OBJECTS_BELOW: Millionths = Millionths::new(40_000);

/// How likely a second judge finds that the evidence shows a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// The claim.
    pub claim: ClaimId,
    /// The likelihood, 0 to 1.
    pub grounded: Millionths,
}

/// Makes a grounded claim ungrounded that a second judge finds hardly likely to be shown.
pub(super) fn check(judged: &mut JudgedClaim, opinions: &[Opinion], findings: &mut Findings) {
    if judged.class != Class::Grounded {
        return;
    }
    let opinion = opinions.iter().find(|opinion| opinion.claim == judged.claim.id);
    let Some(opinion) = opinion.filter(|opinion| opinion.grounded < OBJECTS_BELOW) else { return };
    let percent = opinion.grounded.get() / 10_000;
    let sentence = format!(
        "A second judge finds it shown with a likelihood of {percent} %; cite the words that show it."
    );
    findings.reclass(judged, CorrectionCode::SecondOpinion, Class::Ungrounded, sentence);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, judged, tool};
    use super::super::{EvidenceSet, ExtraTurn, Outcome, verify_with};
    use super::*;
    use crate::claim::EvidenceType::ToolMatch;
    use crate::policy::{Preset, VerificationMode, preset};

    fn found(class: Class, percent: u32, turn: ExtraTurn) -> Option<(Outcome, Class)> {
        let given = claims(&["pod checkout-1 restarted"]);
        let items = [tool("e1", "pod checkout-1 restarted")];
        let opinions =
            [Opinion { claim: given[0].id.clone(), grounded: Millionths::new(percent * 10_000) }];
        let evidence_set = EvidenceSet::new(&items).with_opinions(&opinions);
        let said = judged(&given[0], class, ToolMatch, &[("e1", "pod checkout-1 restarted")]);
        let policy = preset(Preset::Reference);
        let verified = verify_with(
            VerificationMode::Enforce,
            &policy,
            turn,
            &given,
            vec![said],
            &evidence_set,
        );
        let of = |code| verified.corrections.iter().find(move |found| found.code == code);
        let found = of(CorrectionCode::SecondOpinion)?;
        Some((found.outcome, verified.claims[0].judged.class))
    }

    #[test]
    fn an_unlikely_claim_is_asked_about_or_corrected() {
        let possible = ExtraTurn::Possible;
        assert_eq!(found(Class::Grounded, 3, possible), Some((Outcome::Disputed, Class::Grounded)));
        let impossible = ExtraTurn::Impossible;
        assert_eq!(
            found(Class::Grounded, 3, impossible),
            Some((Outcome::Corrected, Class::Ungrounded))
        );
    }

    #[test]
    fn a_likely_claim_and_one_that_is_not_grounded_are_left_alone() {
        assert_eq!(found(Class::Grounded, 4, ExtraTurn::Possible), None);
        assert_eq!(found(Class::Ungrounded, 0, ExtraTurn::Possible), None);
    }
}
