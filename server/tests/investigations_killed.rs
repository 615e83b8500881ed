//! Tests that a server resumes investigations after it was killed, and that their outcome stays the same.

use std::path::Path;

use crate::support::investigations::{due, finished, start, submission, tool_call, turn};
use crate::support::process::Process;
use crate::support::{connect, item, rounds};
use gsar_proto::v1;
use gsar_proto::v1::instruction::Due;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use rustix::process::Signal;
use tonic::Status;
use tonic::transport::Channel;

/// The agent's script of turns and reports. Only the last report is true.
const SCRIPT: [AgentStep; 6] = [
    AgentStep::Turn("show settings", "connection pool size is 20"),
    AgentStep::Report("The connection pool size is 50."),
    AgentStep::Turn("show limits", "max connections is 100"),
    AgentStep::Report("The max connections is 500."),
    AgentStep::Turn("show limits", "max connections is 100"),
    AgentStep::Report("The connection pool size is 20. The max connections is 100."),
];

#[derive(Clone, Copy)]
enum AgentStep {
    Turn(&'static str, &'static str),
    Report(&'static str),
}

#[derive(Debug, PartialEq)]
struct Outcome {
    cause: String,
    steps: u32,
    trajectory: Vec<(v1::Tier, u32, Option<v1::Score>)>,
    turns: u32,
    identical_calls: u32,
}

struct Server {
    process: Process,
    channel: Channel,
}

impl Server {
    async fn start(folder: &Path) -> Self {
        let process = Process::with_config(
            folder,
            "[judges]\nchain = [\"rules/2\"]\n[evidence]\nembeddings = \"off\"\n",
        );
        let channel = connect(&folder.join("gsar.sock")).await;
        Self { process, channel }
    }

    async fn take_step(&self, id: &str, step: u32) -> Result<v1::Investigation, Status> {
        let mut client = InvestigationServiceClient::new(self.channel.clone());
        let agent_step = SCRIPT[step as usize];
        let investigation = match agent_step {
            AgentStep::Turn(arguments, result) => {
                let item = item(&arguments.replace(' ', "-"), result);
                let call = tool_call("psql", arguments, Some(item));
                client.record_turn(turn(id, step, vec![call])).await?.into_inner().investigation
            }
            AgentStep::Report(synthesis) => {
                let report = submission(id, step, synthesis, Vec::new());
                client.submit_report(report).await?.into_inner().investigation
            }
        };
        Ok(investigation.unwrap())
    }

    async fn begin(&self, id: &str) -> Result<v1::Investigation, Status> {
        let mut client = InvestigationServiceClient::new(self.channel.clone());
        Ok(client.start_investigation(start(id)).await?.into_inner().investigation.unwrap())
    }

    async fn drive(&self, id: &str) -> Result<v1::Investigation, Status> {
        let mut investigation = self.begin(id).await?;
        while !matches!(due(&investigation), Due::Finished(_)) {
            investigation = self.take_step(id, investigation.step).await?;
        }
        Ok(investigation)
    }

    async fn evaluation_count(&self, id: &str) -> usize {
        let request =
            v1::ListEvaluationsRequest { investigation_id: id.to_owned(), ..Default::default() };
        let mut client = LedgerServiceClient::new(self.channel.clone());
        client.list_evaluations(request).await.unwrap().into_inner().evaluations.len()
    }
}

fn outcome(investigation: &v1::Investigation) -> Outcome {
    let spent = investigation.spent.as_ref().unwrap();
    Outcome {
        cause: finished(investigation).cause.clone(),
        steps: investigation.step,
        trajectory: investigation
            .trajectory
            .iter()
            .map(|report| (report.tier(), report.plan, report.score))
            .collect(),
        turns: spent.turns,
        identical_calls: spent.identical_calls,
    }
}

#[tokio::test]
async fn restarted_server_resumes_investigations() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path()).await;
    let expected = outcome(&server.drive("whole").await.unwrap());
    assert_eq!((expected.cause.as_str(), expected.trajectory.len()), ("PROCEED", 3));
    assert_eq!((expected.turns, expected.steps), (3, 6));
    let started_at = std::time::Instant::now();
    server.drive("timed").await.unwrap();
    let duration = started_at.elapsed();

    let mut random = fastrand::Rng::with_seed(15);
    let max_kills = rounds(15, 100) as u64;
    let (mut kills, mut interrupted_count, mut investigation_count) = (0, 0, 0);
    while kills < max_kills {
        let id = format!("i{investigation_count}");
        investigation_count += 1;
        let end = loop {
            let time_limit = duration * random.u32(..1_000) / 1_000;
            let result = tokio::time::timeout(time_limit, server.drive(&id)).await;
            if kills == max_kills {
                break server.drive(&id).await.unwrap();
            }
            if let Ok(Ok(end)) = result {
                break end;
            }
            server.process.signal(Signal::KILL);
            server.process.wait();
            kills += 1;
            server = Server::start(folder.path()).await;
            let step = server.begin(&id).await.unwrap().step;
            interrupted_count += u32::from(step > 0 && step < expected.steps);
        };
        assert_eq!(outcome(&end), expected, "{id} after {kills} kills");
        assert_eq!(
            server.evaluation_count(&id).await,
            3,
            "{id}: every report must be recorded exactly once"
        );
    }
    assert_eq!(
        outcome(&server.drive("whole").await.unwrap()),
        expected,
        "a finished investigation must not change"
    );
    println!(
        "{kills} kills during {investigation_count} investigations; {interrupted_count} of them interrupted a partly recorded one"
    );
    assert!(
        u64::from(interrupted_count) * 10 > kills,
        "too few kills interrupted an investigation: {interrupted_count}"
    );
}
