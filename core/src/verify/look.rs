//! Applies the second look. The stricter verdict wins.

use super::corrections::{CorrectionCode, Findings};
use crate::claim::{Class, JudgedClaim};
use crate::policy::SecondLook;
use crate::second_look::{Reading, needs_second_look};

pub(super) fn check(
    mode: SecondLook,
    judged: &mut JudgedClaim,
    reading: Option<&Reading>,
    findings: &mut Findings,
) {
    let Some(reading) = reading.filter(|_| needs_second_look(mode, judged)) else { return };
    let class = reading.applied(judged.class);
    if class == judged.class {
        return;
    }
    let (code, found) = match class {
        Class::Contradicted => (CorrectionCode::Refuted, "says that it is refuted"),
        _ => (CorrectionCode::NotShown, "does not find it shown"),
    };
    let sentence = match reading.words.as_str() {
        "" => format!("The second reader {found}."),
        words => format!("The second reader {found}: {words}"),
    };
    findings.reclass(judged, code, class, sentence);
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
    fn the_stricter_of_judge_and_reader_counts() {
        let given = claims(&["workers busy 4 of 8"]);
        let items = [tool("e1", "workers busy 4 of 8")];
        for class in Class::ALL {
            for verdict in SecondLookVerdict::ALL {
                let answer = judged(&given[0], class, ToolMatch, &[("e1", "workers busy 4 of 8")]);
                let readings = [Reading {
                    claim: given[0].id.clone(),
                    verdict,
                    words: "of what".into(),
                    reader: "r".into(),
                }];
                let evidence = EvidenceSet::new(&items).with_readings(&readings);
                for (policy, applies) in [(Preset::Reference, true), (Preset::Paper, false)] {
                    let policy = preset(policy);
                    let result = verify(
                        VerificationMode::Enforce,
                        policy.values(),
                        &given,
                        vec![answer.clone()],
                        &evidence,
                    );
                    let after = result.claims[0].judged.class;
                    let expected = if applies { readings[0].applied(class) } else { class };
                    assert_eq!(after, expected, "{class:?} {verdict:?}");
                    assert_eq!(codes(&result).is_empty(), after == class);
                }
            }
        }
    }
}
