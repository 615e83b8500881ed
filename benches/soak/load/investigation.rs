//! This module drives investigations over several turns to a known end, whatever fails on the way.

use gsar_client::v1;

use super::{Asked, Caller};
use crate::cases::item;
use crate::faults::schedule::What;
use crate::identity::Principal;
use crate::invariants::{Violation, answers};
use crate::kept::KeptInvestigation;

/// What the agent does, step by step: turns with what tools return, and reports, the last of which is true.
const SCRIPT: [Step; 6] = [
    Step::Turn("show settings", r#"{"name": "db-1", "connection_pool_size": 20}"#),
    Step::Report("The connection_pool_size of db-1 is 50."),
    Step::Turn("show limits", r#"{"name": "db-1", "max_connections": 100}"#),
    Step::Report("The max_connections of db-1 is 500."),
    Step::Turn("show limits", r#"{"name": "db-1", "max_connections": 100}"#),
    Step::Report("The connection_pool_size of db-1 is 20. The max_connections of db-1 is 100."),
];

/// How that ends.
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
    /// One investigation from its start to its end, at any server where they share a ledger.
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
            let asked = match at {
                // Where it stands is not known: at its beginning, and after a failure.
                None => {
                    let start = start.clone();
                    let begun = self.ask("StartInvestigation", server, &owner, async |client| {
                        client.start_investigation(start).await
                    });
                    begun.await.map(|begun| begun.investigation)
                }
                Some(step) => self.answer(&owner, server, &id, step).await,
            };
            match asked {
                Asked::Answered(Some(investigation)) => {
                    let ended = answers::end(&END, &investigation);
                    let is_over = !matches!(ended, Ok(false));
                    // A model that fails the second look leaves nothing but to abstain.
                    let felt = self.world.phases.felt(began, self.world.phases.now());
                    if ended.is_err() && felt.iter().any(|what| matches!(what, What::Model(_))) {
                        return self.world.count("investigation without a second look");
                    }
                    if self.world.check(ended) && is_over {
                        self.world.count("investigation finished");
                        let kept = KeptInvestigation { owner, home, investigation_id: id };
                        return self.world.kept().investigations.push(kept);
                    }
                    if is_over {
                        return;
                    }
                    at = Some(investigation.step);
                }
                Asked::Answered(None) => {
                    let found = format!("investigation {id}: an answer without an investigation");
                    return self.world.violated(Violation::new("answers", found));
                }
                // What failed before was taken nevertheless.
                Asked::Refused(refusal) if refusal.reason == "NOT_DUE" => at = None,
                Asked::Refused(refusal) => {
                    return self.not_called_for(&format!("investigation {id}"), &refusal);
                }
                Asked::Failed => {
                    at = None;
                    self.a_moment().await;
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
    ) -> Asked<Option<v1::Investigation>> {
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
                let asked = self
                    .ask("RecordTurn", server, owner, async |client| client.record_turn(turn).await)
                    .await;
                asked.map(|answer| answer.investigation)
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
                let asked = self.ask("SubmitReport", server, owner, async |client| {
                    client.submit_report(report).await
                });
                asked.await.map(|answer| answer.investigation)
            }
            None => {
                let found = format!("investigation {id} asks for step {step}, behind its end");
                self.world.violated(Violation::new("answers", found));
                Asked::Answered(None)
            }
        }
    }
}
