//! Compares answers with the expected results.

use gsar_client::v1;
use gsar_client::v1::instruction::Due;

use super::Violation;

pub(crate) fn evaluation(
    what: &str,
    expected: &[v1::Tier],
    answer: &v1::EvaluateResponse,
) -> Result<(), Violation> {
    let id = &answer.evaluation_id;
    let provenance = answer.provenance.as_ref();
    let tier = answer.decision.as_ref().map(v1::Decision::tier);
    let reasons = answer.decision.iter().flat_map(|decision| &decision.reasons);
    // If the second look fails, the decision is to abstain.
    let second_look_failed = tier == Some(v1::Tier::Abstain)
        && reasons.into_iter().any(|reason| reason.code == "SECOND_LOOK_FAILED");
    if !second_look_failed && !tier.is_some_and(|tier| expected.contains(&tier)) {
        let judges = provenance.into_iter().flat_map(|provenance| &provenance.judges);
        let judges: Vec<_> =
            judges.map(|link| format!("{} {} {}", link.judge, link.result, link.code)).collect();
        let found = format!("{what}, {id}: {tier:?} instead of {expected:?}, by {judges:?}");
        return Err(Violation::new("answers", found));
    }
    if !provenance.is_some_and(|provenance| provenance.recorded) {
        let found = format!("{what}, {id}: acknowledged but not recorded");
        return Err(Violation::new("acknowledged", found));
    }
    Ok(())
}

pub(crate) fn search(
    corpus: &str,
    number: u64,
    answer: &v1::SearchResponse,
) -> Result<(), Violation> {
    let expected = format!("\"db-{number}\"");
    if answer.hits.iter().any(|hit| hit.text.contains(&expected)) {
        return Ok(());
    }
    let found = format!("{corpus}: {} hits, none with `{expected}`", answer.hits.len());
    Err(Violation::new("corpora", found))
}

pub(crate) struct End {
    pub(crate) tiers: &'static [v1::Tier],
    /// The number of steps, including turns.
    pub(crate) steps: u32,
    pub(crate) turns: u32,
}

/// Checks how an investigation ended. Returns `false` if it has not ended.
pub(crate) fn end(expected: &End, investigation: &v1::Investigation) -> Result<bool, Violation> {
    let due = investigation.instruction.as_ref().and_then(|due| due.due.as_ref());
    let Some(Due::Finished(finished)) = due else { return Ok(false) };
    let tiers: Vec<_> = investigation.trajectory.iter().map(v1::JudgedReport::tier).collect();
    let turns = investigation.spent.as_ref().map(|spent| spent.turns);
    let ended = (finished.cause.as_str(), &tiers[..], investigation.step, turns);
    if ended == ("PROCEED", expected.tiers, expected.steps, Some(expected.turns)) {
        return Ok(true);
    }
    let found = format!("investigation {}: {ended:?}", investigation.investigation_id);
    Err(Violation::new("answers", found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_wrong_tiers_and_unrecorded_answers() {
        let answer = |tier: v1::Tier, recorded| v1::EvaluateResponse {
            decision: Some(v1::Decision { tier: tier.into(), ..Default::default() }),
            provenance: Some(v1::Provenance { recorded, ..Default::default() }),
            ..Default::default()
        };
        let checked = |answer| evaluation("key 1", &[v1::Tier::Replan], &answer);
        checked(answer(v1::Tier::Replan, true)).unwrap();
        assert_eq!(checked(answer(v1::Tier::Proceed, true)).unwrap_err().invariant, "answers");
        assert_eq!(checked(answer(v1::Tier::Replan, false)).unwrap_err().invariant, "acknowledged");
        assert!(checked(v1::EvaluateResponse::default()).is_err());
    }

    #[test]
    fn finds_a_search_without_its_evidence() {
        let answer = |text: &str| v1::SearchResponse {
            hits: vec![v1::SearchHit { text: text.to_owned(), ..Default::default() }],
            ..Default::default()
        };
        search("corpus-7", 7, &answer(r#"{"name": "db-7"}"#)).unwrap();
        assert!(search("corpus-7", 7, &answer(r#"{"name": "db-8"}"#)).is_err());
        assert!(search("corpus-7", 7, &v1::SearchResponse::default()).is_err());
    }

    #[test]
    fn finds_an_investigation_that_ended_unexpectedly() {
        const KNOWN: End = End { tiers: &[v1::Tier::Proceed], steps: 2, turns: 1 };
        let ended = |cause: &str, tiers: &[v1::Tier], step, turns| v1::Investigation {
            step,
            instruction: Some(v1::Instruction {
                due: Some(Due::Finished(v1::Finished {
                    cause: cause.to_owned(),
                    ..Default::default()
                })),
            }),
            trajectory: tiers
                .iter()
                .map(|tier| v1::JudgedReport { tier: (*tier).into(), ..Default::default() })
                .collect(),
            spent: Some(v1::Spent { turns, ..Default::default() }),
            ..Default::default()
        };
        let proceed = [v1::Tier::Proceed];
        assert_eq!(end(&KNOWN, &ended("PROCEED", &proceed, 2, 1)), Ok(true));
        assert_eq!(end(&KNOWN, &v1::Investigation::default()), Ok(false));
        for wrong in [
            ended("REPLANS_EXHAUSTED", &proceed, 2, 1),
            ended("PROCEED", &[v1::Tier::Proceed, v1::Tier::Proceed], 2, 1),
            ended("PROCEED", &proceed, 3, 1),
            ended("PROCEED", &proceed, 2, 2),
        ] {
            assert!(end(&KNOWN, &wrong).is_err(), "{wrong:?}");
        }
    }
}
