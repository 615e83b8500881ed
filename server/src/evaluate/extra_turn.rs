//! This module asks a judge once more about what verification found in its partition. What may change is core's rule;
//! whether the report may go out is decided afterwards.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gsar_core::assess::{Assessment, Turn};
use gsar_core::verify::{Correction, after_turn};
use gsar_core::{ClaimId, JudgedClaim};
use gsar_proto::v1;
use metrics::counter;

use super::judging::{call_to_proto, count_call};
use crate::judge::{Judge, JudgeError, Judgement, Notice, Objection, Question, asking};
use crate::telemetry::metrics as names;

/// Kept of a call's time for deciding and recording.
const MAX_RESERVE: Duration = Duration::from_secs(1);

/// A partition after the extra turn.
pub(super) struct Reconsidered {
    pub(super) judged: Vec<JudgedClaim>,
    pub(super) turn: Turn,
}

/// Asks about every claim with an open finding, at most once. A turn that fails changes nothing: the findings stay
/// open.
pub(super) async fn reconsider(
    judge: &Arc<dyn Judge>,
    question: &Question,
    judgement: &mut Judgement,
    first: Vec<JudgedClaim>,
    assessment: &Assessment,
    link: &mut v1::JudgeLink,
) -> Reconsidered {
    let objections = assessment.objections(&first);
    let findings: Vec<Correction> =
        objections.iter().flat_map(|objection| objection.findings.clone()).collect();
    let asked: Vec<&ClaimId> =
        objections.iter().map(|objection| &objection.said.claim.id).collect();
    let objected = objections.iter().map(|objection| {
        let votes = judgement.votes.iter().find(|votes| votes.claim == objection.said.claim.id);
        Objection {
            said: objection.said.clone(),
            findings: objection.findings.iter().map(|found| found.sentence.clone()).collect(),
            votes: votes.map(|votes| votes.votes.clone()).unwrap_or_default(),
        }
    });
    let turn = Question {
        deadline: question.deadline.map(with_reserve),
        explain: false,
        ..question.about(objected.collect())
    };
    let mut answer = asking::ask(judge, &Arc::new(turn)).await;
    let calls = match &mut answer {
        Ok(answer) => std::mem::take(&mut answer.calls),
        Err(JudgeError::Failed { calls, .. }) => std::mem::take(calls),
        Err(JudgeError::DeadlinePassed { .. }) => Vec::new(),
    };
    calls.iter().for_each(|call| count_call(&link.judge, call));
    link.calls.extend(calls.into_iter().map(call_to_proto));

    let (result, judged) = match answer {
        Ok(answer) if answer.abstained.is_none() => {
            judgement.notices.extend(answer.notices);
            ("answered", after_turn(&first, &asked, &answer.judged))
        }
        Ok(_) => {
            judgement.notices.push(failed("it abstained"));
            ("abstained", first.clone())
        }
        Err(error) => {
            judgement.notices.push(failed(&error.to_string()));
            ("failed", first.clone())
        }
    };
    counter!(names::EXTRA_TURNS, "judge" => link.judge.clone(), "result" => result).increment(1);
    Reconsidered { judged, turn: Turn::Taken { first, findings } }
}

fn with_reserve(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline - (left / 10).min(MAX_RESERVE)
}

fn failed(reason: &str) -> Notice {
    Notice {
        code: "EXTRA_TURN_FAILED",
        sentence: format!("the judge gave no answer to what verification found: {reason}"),
    }
}
