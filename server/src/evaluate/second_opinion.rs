//! This module asks the local model what it thinks of the claims that another judge grounds, where the server is configured
//! to and the policy weighs it. It decides nothing.

use std::sync::Arc;

use gsar_core::JudgedClaim;
use gsar_core::policy::VerificationMode;
use gsar_core::verify::Opinion;
use metrics::counter;

use super::decide::Case;
use crate::call::{Call, Step};
use crate::judge::{Judge, Judgement, Notice};
use crate::telemetry::metrics as names;

/// What the local model finds of the grounded claims of a judge that is not local. A model that fails says nothing, and a
/// notice of the judgement says so.
pub(super) async fn opinions(
    call: &Call,
    case: &Case,
    judge: Option<&Arc<dyn Judge>>,
    judged: &[JudgedClaim],
    judgement: &mut Judgement,
) -> Vec<Opinion> {
    let is_wanted = case.policy.verification != VerificationMode::Off
        && judge.is_some_and(|judge| !judge.is_local());
    let Some(second) = case.second_opinion.as_ref().filter(|_| is_wanted) else {
        return Vec::new();
    };
    call.enter(Step::Judge);
    let opinions = second.opinions(&case.question, judged).await;
    call.enter(Step::Decide);
    let result = if opinions.is_ok() { "given" } else { "failed" };
    counter!(names::SECOND_OPINIONS, "result" => result).increment(1);
    opinions.unwrap_or_else(|error| {
        let sentence = format!("the local model gave no second opinion: {error}");
        let notice = Notice { code: "SECOND_OPINION_FAILED", sentence };
        if !judgement.notices.contains(&notice) {
            judgement.notices.push(notice);
        }
        Vec::new()
    })
}
