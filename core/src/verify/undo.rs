//! This module takes back what verification corrected in a partition, as far as the corrections tell: it leads from a
//! recorded answer to what the judge said. It verifies nothing and decides nothing.

use alloc::vec::Vec;

use super::{Correction, CorrectionCode, Outcome, Standing, Verified, VerifiedClaim};
use crate::claim::{ClaimId, Class, EvidenceType, JudgedClaim};
use crate::policy::{FindingMode, FindingModes};

/// Corrections that do not tell all of what the judge said.
const UNTOLD: [CorrectionCode; 4] = [
    CorrectionCode::UnknownClaim,
    CorrectionCode::DuplicateClaim,
    CorrectionCode::AlteredClaim,
    CorrectionCode::QuoteMoved,
];

/// Corrections that took a citation away or changed it, so that another verification cannot find them again.
const REFUSED: [CorrectionCode; 7] = [
    CorrectionCode::UnknownEvidence,
    CorrectionCode::UnknownField,
    CorrectionCode::UnknownReference,
    CorrectionCode::SelfCitation,
    CorrectionCode::CitationCycle,
    CorrectionCode::QuoteNotFound,
    CorrectionCode::QuoteMoved,
];

/// A judge's partition before verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// What the judge said, after its extra turn where it had one. Citations that verification refused are missing.
    pub judged: Vec<JudgedClaim>,
    /// The extra turn of the judge, where it had one.
    pub turn: Option<AskedAgain>,
    /// Corrections that another verification of the partition does not find again.
    pub refused: Vec<Correction>,
    /// Codes of corrections for which the partition differs from what the judge said; each once.
    pub untold: Vec<CorrectionCode>,
}

/// The extra turn of a judge, as far as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedAgain {
    /// What the judge said before it; with the citations that it gave in the turn.
    pub first: Vec<JudgedClaim>,
    /// What it was asked about.
    pub findings: Vec<Correction>,
}

/// Takes back the corrections of a partition that was verified with these modes of findings and corrected. `asked` says
/// that the judge was asked about findings once more.
#[must_use]
pub fn undo(verified: &Verified, modes: &FindingModes, asked: bool) -> Undone {
    let is_of_turn =
        |found: &Correction| matches!(found.outcome, Outcome::Disputed | Outcome::Cleared);
    let asked = asked || verified.corrections.iter().any(is_of_turn);
    let (settled, own): (Vec<&Correction>, Vec<&Correction>) =
        verified.corrections.iter().partition(|found| asked && is_settled(found, modes));
    let given = verified.claims.iter().filter(|claim| claim.standing != Standing::Dropped);
    let judged: Vec<JudgedClaim> = given.map(|claim| said(claim, &own)).collect();
    let turn = asked.then(|| {
        let first = judged.iter().map(|said| match first_from(&said.claim.id, &settled) {
            Some((class, evidence_type)) => JudgedClaim { class, evidence_type, ..said.clone() },
            None => said.clone(),
        });
        let open = own.iter().filter(|found| found.outcome == Outcome::Disputed);
        let findings = settled.iter().chain(open).map(|found| (*found).clone());
        AskedAgain { first: first.collect(), findings: findings.collect() }
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
    Undone { judged, turn, refused, untold }
}

/// Whether the judge settled a finding when it was asked: what is asked about and found again stays open.
fn is_settled(found: &Correction, modes: &FindingModes) -> bool {
    let is_asked = found.code.check().is_some_and(|check| modes.of(check) == FindingMode::Ask);
    is_asked && matches!(found.outcome, Outcome::Corrected | Outcome::Cleared)
}

/// What the judge said of a claim.
fn said(claim: &VerifiedClaim, own: &[&Correction]) -> JudgedClaim {
    let mut judged = claim.judged.clone();
    if let Some((class, evidence_type)) = first_from(&judged.claim.id, own) {
        (judged.class, judged.evidence_type) = (class, evidence_type);
    }
    // A rule that refutes is named behind those by which the judge decided.
    let is_refuted = |found: &&&Correction| {
        found.claim == judged.claim.id && found.code == CorrectionCode::RefutedByRule
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
    use crate::policy::{PolicyValues, Preset, VerificationMode, preset};

    const LOG: &str = "queue depth 29\nworkers busy 4 of 8";

    fn policy(mode: FindingMode) -> PolicyValues {
        PolicyValues {
            findings: FindingModes::all(mode),
            ..preset(Preset::Reference).values().clone()
        }
    }

    #[test]
    fn what_the_judge_said_comes_back_and_is_found_wrong_again() {
        let given = claims(&["queue depth was 31", "workers busy 4 of 8", "the cache was lost"]);
        let said = [
            judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]),
            judged(&given[1], Class::Grounded, ToolMatch, &[("e1", "workers busy 4 of 8")]),
            judged(&given[2], Class::Contradicted, Inference, &[("e1", "not there")]),
        ];
        let items = [tool("e1", LOG)];
        let evidence_set = EvidenceSet::new(&items);
        for mode in FindingMode::ALL {
            let policy = policy(mode);
            let enforce =
                |judged| verify(VerificationMode::Enforce, &policy, &given, judged, &evidence_set);
            let verified = enforce(said.to_vec());
            let undone = undo(&verified, &policy.findings, false);
            let classes = |judged: &[JudgedClaim]| -> Vec<_> {
                judged.iter().map(|said| (said.class, said.evidence_type)).collect()
            };
            assert_eq!(classes(&undone.judged), classes(&said), "{mode:?}");
            assert_eq!((undone.untold.as_slice(), undone.turn), (&[][..], None));
            assert_eq!(undone.refused.len(), 1, "the quote that is not there");
            let again = enforce(undone.judged);
            assert_eq!(again.claims, verified.claims, "{mode:?}");
            let found = again.corrections.len() + undone.refused.len();
            assert_eq!(found, verified.corrections.len());
        }
    }

    #[test]
    fn what_the_judge_left_out_is_left_out_again() {
        let given = claims(&["queue depth was 29", "workers busy 4 of 8"]);
        let said = vec![judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")])];
        let items = [tool("e1", LOG)];
        let policy = policy(FindingMode::Ask);
        let evidence_set = EvidenceSet::new(&items);
        let verified = verify(VerificationMode::Enforce, &policy, &given, said, &evidence_set);
        let undone = undo(&verified, &policy.findings, false);
        assert_eq!(undone.judged.len(), 1);
        assert_eq!(undone.judged[0].claim, given[0]);
    }

    #[test]
    fn of_a_claim_that_was_given_twice_one_answer_is_lost() {
        let given = claims(&["queue depth was 29"]);
        let once = judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]);
        let items = [tool("e1", LOG)];
        let policy = policy(FindingMode::Ask);
        let evidence_set = EvidenceSet::new(&items);
        let said = vec![once.clone(), JudgedClaim { class: Class::Ungrounded, ..once }];
        let verified = verify(VerificationMode::Enforce, &policy, &given, said, &evidence_set);
        let undone = undo(&verified, &policy.findings, false);
        assert_eq!(undone.untold, [CorrectionCode::DuplicateClaim]);
    }

    #[test]
    fn a_turn_is_distinguished_from_what_verification_corrected() {
        let given = claims(&["queue depth was 31"]);
        let after = judged(&given[0], Class::Contradicted, ToolMatch, &[("e1", "queue depth 29")]);
        let found = Correction {
            claim: given[0].id.clone(),
            code: CorrectionCode::FigureConflict,
            from: (Class::Grounded, ToolMatch),
            to: (Class::Contradicted, ToolMatch),
            sentence: "31 is not 29".to_owned(),
            outcome: Outcome::Corrected,
        };
        let verified = Verified {
            claims: vec![VerifiedClaim {
                judged: after.clone(),
                standing: Standing::AsJudged,
                disputed: false,
            }],
            corrections: vec![found.clone()],
        };
        let modes = FindingModes::all(FindingMode::Ask);
        let undone = undo(&verified, &modes, true);
        assert_eq!(undone.judged, [after]);
        let turn = undone.turn.unwrap();
        assert_eq!(turn.first[0].class, Class::Grounded);
        assert_eq!(turn.findings, [found]);
        assert_eq!(undo(&verified, &modes, false).judged[0].class, Class::Grounded);
    }
}
