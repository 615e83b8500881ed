//! Runs investigations over several turns to a known end.

use gsar_client::v1;

use super::{CallResult, Caller};
use crate::cases::item;
use crate::faults::schedule::FaultKind;
use crate::identity::Principal;
use crate::invariants::answers;
use crate::left_data::FinishedInvestigation;

/// The agent's steps: turns with tool results, and reports. The last report is true.
const SCRIPT: [Step; 6] = [
    Step::Turn("show settings", r#"{"name": "db-1", "connection_pool_size": 20}"#),
    Step::Report("The connection_pool_size of db-1 is 50."),
    Step::Turn("show limits", r#"{"name": "db-1", "max_connections": 100}"#),
    Step::Report("The max_connections of db-1 is 500."),
    Step::Turn("show limits", r#"{"name": "db-1", "max_connections": 100}"#),
    Step::Report("The connection_pool_size of db-1 is 20. The max_connections of db-1 is 100."),
];

const END: answers::End = answers::End {
    tiers: &[v1::Tier::Replan, v1::Tier::Replan, v1::Tier::Proceed],
    steps: 6,
    turns: 3,
};

#[derive(Clone, Copy)]
enum Step {
    Turn(&'static str, &'static str),
    Report(&'static str),
}

impl Caller {
    pub(super) async fn investigate(&mut self) {
        let (owner, home) = self.draw();
        let id = format!("i{}", self.world.new_key());
        let judge = if self.random.bool() { "rules/2" } else { "" };
        let start = v1::StartInvestigationRequest {
            investigation_id: id.clone(),
            policy: "reference".to_owned(),
            options: Some(v1::EvaluateOptions { judge: judge.to_owned(), ..Default::default() }),
            ..Default::default()
        };
        let (mut at, began) = (None, self.world.phases.now());
        while !self.world.is_over() {
            let server = self.server(home);
            let result = match at {
                // The current step is unknown at first and after a failure.
                None => {
                    let start = start.clone();
                    let begun = self.call("StartInvestigation", server, &owner, async |client| {
                        client.start_investigation(start).await
                    });
                    begun.await.map(|begun| begun.investigation)
                }
                Some(step) => self.answer(&owner, server, &id, step).await,
            };
            match result {
                CallResult::Answered(Some(investigation)) => {
                    let ended = answers::end(&END, &investigation);
                    let is_over = !matches!(ended, Ok(false));
                    // If the second look fails, the server abstains.
                    let faults = self.world.phases.affecting(began, self.world.phases.now());
                    if ended.is_err()
                        && faults.iter().any(|what| matches!(what, FaultKind::Model(_)))
                    {
                        return self.world.count("investigation without a second look");
                    }
                    if self.world.check(ended) && is_over {
                        self.world.count("investigation finished");
                        let finished = FinishedInvestigation { owner, home, investigation_id: id };
                        return self.world.left_data().investigations.push(finished);
                    }
                    if is_over {
                        return;
                    }
                    at = Some(investigation.step);
                }
                CallResult::Answered(None) => {
                    let found = format!("investigation {id}: the answer has no investigation");
                    return self.world.record_violation("answers", found);
                }
                // The call that failed did take effect.
                CallResult::Refused(refusal) if refusal.reason == "NOT_DUE" => at = None,
                CallResult::Refused(refusal) => {
                    return self.unexpected_refusal(&format!("investigation {id}"), &refusal);
                }
                CallResult::Failed => {
                    at = None;
                    self.back_off().await;
                }
            }
        }
    }

    async fn answer(
        &self,
        owner: &Principal,
        server: usize,
        id: &str,
        step: u32,
    ) -> CallResult<Option<v1::Investigation>> {
        match SCRIPT.get(step as usize) {
            Some(Step::Turn(arguments, result)) => {
                let call = v1::ToolCall {
                    tool: "psql".to_owned(),
                    arguments: (*arguments).to_owned(),
                    result: Some(item(&arguments.replace(' ', "-"), result)),
                };
                let turn = v1::RecordTurnRequest {
                    investigation_id: id.to_owned(),
                    step,
                    tool_calls: vec![call],
                    ..Default::default()
                };
                let result = self
                    .call("RecordTurn", server, owner, async |client| {
                        client.record_turn(turn).await
                    })
                    .await;
                result.map(|answer| answer.investigation)
            }
            Some(Step::Report(synthesis)) => {
                let report = v1::SubmitReportRequest {
                    investigation_id: id.to_owned(),
                    step,
                    report: Some(v1::Report {
                        id: format!("{id}-{step}"),
                        synthesis: (*synthesis).to_owned(),
                        ..Default::default()
                    }),
                    evidence: Vec::new(),
                };
                let result = self.call("SubmitReport", server, owner, async |client| {
                    client.submit_report(report).await
                });
                result.await.map(|answer| answer.investigation)
            }
            None => {
                let found = format!("investigation {id} requests step {step} after its end");
                self.world.record_violation("answers", found);
                CallResult::Answered(None)
            }
        }
    }
}
