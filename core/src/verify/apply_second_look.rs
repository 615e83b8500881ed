//! Applies the verdicts of the second look. The stricter of two verdicts wins.

use super::corrections::{CorrectionCode, Findings};
use crate::claim::{Class, JudgedClaim};
use crate::policy::SecondLook;
use crate::second_look::{SecondLookResult, needs_second_look};

pub(super) fn check(
    mode: SecondLook,
    judged: &mut JudgedClaim,
    second_look: Option<&SecondLookResult>,
    findings: &mut Findings,
) {
    let Some(second_look) = second_look.filter(|_| needs_second_look(mode, judged)) else { return };
    let class = second_look.applied(judged.class);
    if class == judged.class {
        return;
    }
    let (code, result) = match class {
        Class::Contradicted => (CorrectionCode::Refuted, "finds that the quotes refute the claim"),
        _ => (CorrectionCode::NotShown, "finds that the quotes do not show the claim"),
    };
    let sentence = match second_look.explanation.as_str() {
        "" => format!("The second look {result}."),
        explanation => format!("The second look {result}: {explanation}"),
    };
    findings.reclassify(judged, code, class, sentence);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, codes, judged, tool};
    use super::super::{EvidenceSet, verify};
    use super::*;
    use crate::claim::EvidenceType::ToolMatch;
    use crate::policy::{Preset, VerificationMode, preset};
    use crate::second_look::SecondLookVerdict;

    #[test]
    fn the_stricter_verdict_wins() {
        let claims = claims(&["workers busy 4 of 8"]);
        let items = [tool("e1", "workers busy 4 of 8")];
        for class in Class::ALL {
            for verdict in SecondLookVerdict::ALL {
                let answer = judged(&claims[0], class, ToolMatch, &[("e1", "workers busy 4 of 8")]);
                let second_looks = [SecondLookResult {
                    claim: claims[0].id.clone(),
                    verdict,
                    explanation: "of what".into(),
                    judge: "r".into(),
                }];
                let evidence = EvidenceSet::new(&items).with_second_looks(&second_looks);
                for (policy, applies) in [(Preset::Reference, true), (Preset::Paper, false)] {
                    let policy = preset(policy);
                    let result = verify(
                        VerificationMode::Enforce,
                        policy.values(),
                        &claims,
                        vec![answer.clone()],
                        &evidence,
                    );
                    let after = result.claims[0].judged.class;
                    let expected = if applies { second_looks[0].applied(class) } else { class };
                    assert_eq!(after, expected, "{class:?} {verdict:?}");
                    assert_eq!(codes(&result).is_empty(), after == class);
                }
            }
        }
    }
}
