//! This module takes back what verification corrected in a partition, as far as the corrections tell: it leads from a
//! recorded answer to what the judge said. It verifies nothing and decides nothing.

use super::{Correction, CorrectionCode, Outcome, Standing, Verified, VerifiedClaim};
use crate::claim::{ClaimId, Class, EvidenceType, JudgedClaim};

/// Corrections that do not tell all of what the judge said.
const UNTOLD: [CorrectionCode; 4] = [
    CorrectionCode::UnknownClaim,
    CorrectionCode::DuplicateClaim,
    CorrectionCode::AlteredClaim,
    CorrectionCode::QuoteMoved,
];

/// Corrections that took a citation away or changed it, so that another verification cannot find them again.
const REFUSED: [CorrectionCode; 8] = [
    CorrectionCode::UnknownEvidence,
    CorrectionCode::UnknownField,
    CorrectionCode::UnknownReference,
    CorrectionCode::SelfCitation,
    CorrectionCode::CitationCycle,
    CorrectionCode::QuoteNotFound,
    CorrectionCode::QuoteMoved,
    CorrectionCode::QuoteOutsideField,
];

/// Retired findings that judges were asked about once more, unless a policy had them corrected.
const ASKED_ABOUT: [&str; 9] = [
    "CITATION_UNRELATED",
    "FIGURE_CONFLICT",
    "FIGURE_NOT_IN_EVIDENCE",
    "NAME_NOT_IN_EVIDENCE",
    "NAME_CONFLICT",
    "NEGATION_CONFLICT",
    "ABSENCE_NOT_SHOWN",
    "REFUTED_BY_RULE",
    "SECOND_OPINION",
];

/// A judge's partition before verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// What the judge said, after its extra turn where it had one. Citations that verification refused are missing.
    pub judged: Vec<JudgedClaim>,
    /// What it said before the extra turn, with the citations that it gave in it, where the record tells that a class
    /// was another.
    pub first: Option<Vec<JudgedClaim>>,
    /// Corrections that another verification of the partition does not find again.
    pub refused: Vec<Correction>,
    /// Codes of corrections for which the partition differs from what the judge said; each once.
    pub untold: Vec<CorrectionCode>,
}

/// Takes back the corrections of a partition that was verified and corrected, those that this version no longer makes
/// among them. `asked` says that the judge was asked about findings once more.
#[must_use]
pub fn undo(verified: &Verified, asked: bool) -> Undone {
    let (settled, own): (Vec<&Correction>, Vec<&Correction>) =
        verified.corrections.iter().partition(|found| asked && is_settled(found));
    let given = verified.claims.iter().filter(|claim| claim.standing != Standing::Dropped);
    let judged: Vec<JudgedClaim> = given.map(|claim| said(claim, &own)).collect();
    let first = (!settled.is_empty()).then(|| {
        let first = judged.iter().map(|said| match first_from(&said.claim.id, &settled) {
            Some((class, evidence_type)) => JudgedClaim { class, evidence_type, ..said.clone() },
            None => said.clone(),
        });
        first.collect()
    });
    let codes = |wanted: &[CorrectionCode]| -> Vec<Correction> {
        own.iter()
            .filter(|found| wanted.contains(&found.code))
            .map(|found| (*found).clone())
            .collect()
    };
    let mut untold: Vec<CorrectionCode> = codes(&UNTOLD).iter().map(|found| found.code).collect();
    untold.sort_unstable();
    untold.dedup();
    let mut refused = codes(&REFUSED);
    refused.extend(codes(&UNTOLD).into_iter().filter(|found| !REFUSED.contains(&found.code)));
    Undone { judged, first, refused, untold }
}

/// Whether the judge itself took the stricter class when it was asked about a finding. What is left of it is its own
/// word, and no correction to take back.
fn is_settled(found: &Correction) -> bool {
    found.outcome == Outcome::Corrected
        && matches!(found.code, CorrectionCode::Retired(name) if ASKED_ABOUT.contains(&name))
}

/// What the judge said of a claim.
fn said(claim: &VerifiedClaim, own: &[&Correction]) -> JudgedClaim {
    let mut judged = claim.judged.clone();
    if let Some((class, evidence_type)) = first_from(&judged.claim.id, own) {
        (judged.class, judged.evidence_type) = (class, evidence_type);
    }
    // A rule that refutes is named behind those by which the judge decided.
    let is_refuted = |found: &&&Correction| {
        found.claim == judged.claim.id && found.code == CorrectionCode::Retired("REFUTED_BY_RULE")
    };
    let kept = judged.rules.len().saturating_sub(own.iter().filter(is_refuted).count());
    judged.rules.truncate(kept);
    judged
}

/// Class and type of a claim before the first of its corrections.
fn first_from(claim: &ClaimId, corrections: &[&Correction]) -> Option<(Class, EvidenceType)> {
    corrections.iter().find(|found| found.claim == *claim).map(|found| found.from)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, judged, tool};
    use super::super::{EvidenceSet, verify};
    use super::*;
    use crate::claim::EvidenceType::{Inference, ToolMatch};
    use crate::policy::{Policy, Preset, VerificationMode, preset};

    const LOG: &str = "queue depth 29\nworkers busy 4 of 8";

    fn enforced(given: &[crate::claim::Claim], said: Vec<JudgedClaim>) -> Verified {
        let items = [tool("e1", LOG)];
        let policy: Policy = preset(Preset::Reference);
        verify(VerificationMode::Enforce, &policy, given, said, &EvidenceSet::new(&items))
    }

    #[test]
    fn what_the_judge_said_comes_back_and_is_found_wrong_again() {
        let given = claims(&["queue depth was 31?", "workers busy 4 of 8", "the cache was lost"]);
        let said = vec![
            judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]),
            judged(&given[1], Class::Grounded, ToolMatch, &[("e1", "workers busy 4 of 8")]),
            judged(&given[2], Class::Contradicted, Inference, &[("e1", "not there")]),
        ];
        let verified = enforced(&given, said.clone());
        let undone = undo(&verified, false);
        let classes = |judged: &[JudgedClaim]| -> Vec<_> {
            judged.iter().map(|said| (said.class, said.evidence_type)).collect()
        };
        assert_eq!(classes(&undone.judged), classes(&said));
        assert_eq!((undone.untold.as_slice(), undone.first), (&[][..], None));
        assert_eq!(undone.refused.len(), 1, "the quote that is not there");
        let again = enforced(&given, undone.judged);
        assert_eq!(again.claims, verified.claims);
        let found = again.corrections.len() + undone.refused.len();
        assert_eq!(found, verified.corrections.len());
    }

    #[test]
    fn what_the_judge_left_out_is_left_out_again() {
        let given = claims(&["queue depth was 29", "workers busy 4 of 8"]);
        let said = vec![judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")])];
        let undone = undo(&enforced(&given, said), false);
        assert_eq!(undone.judged.len(), 1);
        assert_eq!(undone.judged[0].claim, given[0]);
    }

    #[test]
    fn of_a_claim_that_was_given_twice_one_answer_is_lost() {
        let given = claims(&["queue depth was 29"]);
        let once = judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]);
        let said = vec![once.clone(), JudgedClaim { class: Class::Ungrounded, ..once }];
        let undone = undo(&enforced(&given, said), false);
        assert_eq!(undone.untold, [CorrectionCode::DuplicateClaim]);
    }

    #[test]
    fn a_retired_correction_is_taken_back_and_not_found_again() {
        let given = claims(&["queue depth was 31"]);
        let after = judged(&given[0], Class::Contradicted, ToolMatch, &[("e1", "queue depth 29")]);
        let found = Correction {
            claim: given[0].id.clone(),
            code: CorrectionCode::from_name("FIGURE_CONFLICT").unwrap(),
            from: (Class::Grounded, ToolMatch),
            to: (Class::Contradicted, ToolMatch),
            sentence: "31 is not 29".to_owned(),
            outcome: Outcome::Corrected,
        };
        let verified = Verified {
            claims: vec![VerifiedClaim { judged: after.clone(), standing: Standing::AsJudged }],
            corrections: vec![found],
        };
        let undone = undo(&verified, false);
        assert_eq!(undone.judged[0].class, Class::Grounded);
        assert_eq!((undone.refused.as_slice(), undone.first), (&[][..], None));
        let again = enforced(&given, undone.judged);
        assert_eq!(again.claims[0].judged.class, Class::Grounded);
        assert_eq!(again.corrections, []);

        // In an extra turn the judge itself came to the stricter class.
        let undone = undo(&verified, true);
        assert_eq!(undone.judged, [after]);
        assert_eq!(undone.first.unwrap()[0].class, Class::Grounded);
    }
}
