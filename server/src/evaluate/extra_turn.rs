//! This module asks a judge once more for quotes that stand in the evidence, where none of a claim's did. What may change
//! is core's rule; whether the report may go out is decided afterwards.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gsar_core::verify::{self, after_turn};
use gsar_core::{ClaimId, JudgedClaim};
use gsar_proto::v1;
use metrics::counter;

use super::judging::{call_to_proto, count_call};
use crate::judge::{Judge, JudgeError, Judgement, Notice, Objection, Question, asking};
use crate::telemetry::metrics as names;

/// Kept of a call's time for deciding and recording.
const MAX_RESERVE: Duration = Duration::from_secs(1);

/// Asks about the claims that lost every citation, at most once. The partition after it; `None` for a turn that fails,
/// which changes nothing.
pub(super) async fn reconsider(
    judge: &Arc<dyn Judge>,
    question: &Question,
    judgement: &mut Judgement,
    first: &[JudgedClaim],
    objections: Vec<verify::Objection>,
    link: &mut v1::JudgeLink,
) -> Option<Vec<JudgedClaim>> {
    let asked: Vec<ClaimId> =
        objections.iter().map(|objection| objection.said.claim.id.clone()).collect();
    let objected = objections.into_iter().map(|verify::Objection { said, findings }| {
        let votes = judgement.votes.iter().find(|votes| votes.claim == said.claim.id);
        let votes = votes.map(|votes| votes.votes.clone()).unwrap_or_default();
        Objection { said, findings, votes }
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
            let asked: Vec<&ClaimId> = asked.iter().collect();
            ("answered", Some(after_turn(first, &asked, &answer.judged)))
        }
        Ok(_) => {
            judgement.notices.push(failed("it abstained"));
            ("abstained", None)
        }
        Err(error) => {
            judgement.notices.push(failed(&error.to_string()));
            ("failed", None)
        }
    };
    counter!(names::EXTRA_TURNS, "judge" => link.judge.clone(), "result" => result).increment(1);
    judged
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
