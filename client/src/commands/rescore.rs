//! `gsar ledger rescore`: rescores recorded evaluations under another policy.

use gsar_core::policy::Policy;
use gsar_proto::v1;

use super::score::hypothetical;
use super::{evaluation_id, is_json, print, print_json, require_records};
use crate::arguments::Rescore;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{
    Explain, ReportContext, View, evaluation, not_rescored, rescore_summary, rescored,
};
use crate::session::with_client;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Rescore, terminal: &Terminal) -> Result<Status, Failure> {
    require_records(&arguments.call.connection, "record to rescore")?;
    with_client(&arguments.call.connection, async |client, _| {
        let mut answers = Vec::new();
        for id in &arguments.ids {
            let request = v1::RescoreRequest {
                evaluation_id: evaluation_id::expand(&client, id).await?,
                policy: arguments.policy.clone(),
                ..Default::default()
            };
            let answer = client.rescore(request).await?;
            if is_json(arguments.call.output) {
                print_json(&answer)?;
                continue;
            }
            print(&rescored(&answer))?;
            answers.push(answer);
        }
        match answers.as_slice() {
            [] => {}
            [answer] => {
                let policy = client.policy(&arguments.policy).await?;
                let policy = Policy::from_toml(&policy.toml).ok();
                let report = client.evaluation(&answer.evaluation_id).await?.report;
                let context = ReportContext {
                    report: report.as_ref(),
                    policy: policy.as_ref(),
                    ..ReportContext::default()
                };
                let view =
                    View { columns: terminal.columns, only: Vec::new(), explain: Explain::Briefly };
                print(&not_rescored(std::slice::from_ref(answer)))?;
                print(&format!(
                    "\n{}",
                    evaluation(&as_evaluation(answer.clone()), &context, &view)
                ))?;
            }
            several => print(&format!("{}{}", not_rescored(several), rescore_summary(several)))?,
        }
        Ok(Status::Proceed)
    })
    .await
}

fn as_evaluation(answer: v1::RescoreResponse) -> v1::EvaluateResponse {
    let outcome = if answer.score.is_some() { v1::Outcome::Scored } else { v1::Outcome::Abstained };
    v1::EvaluateResponse {
        evaluation_id: answer.evaluation_id,
        warnings: answer.hypothetical.then(hypothetical).into_iter().collect(),
        outcome: outcome.into(),
        claims: answer.claims,
        score: answer.score,
        guarded_score: answer.guarded_score,
        terms: answer.terms,
        decision: answer.decision,
        corrections: answer.corrections,
        coverage: answer.coverage,
        abstain_reason: answer.abstain_reason,
        provenance: Some(v1::Provenance { policy: answer.policy, ..Default::default() }),
        ..Default::default()
    }
}
