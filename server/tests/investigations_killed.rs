//! Tests that a killed server resumes investigations with the same outcome.

use std::path::Path;
use std::time::Duration;

use crate::support::process::Process;
use crate::support::{connect, rounds};
use gsar_proto::v1;
use gsar_proto::v1::instruction::Due;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use rustix::process::Signal;
use tonic::Status;
use tonic::transport::Channel;

/// The agent's script of turns and reports. Only the last report is true.
const SCRIPT: [Answer; 6] = [
    Answer::Turn("show settings", "connection pool size is 20"),
    Answer::Report("The connection pool size is 50."),
    Answer::Turn("show limits", "max connections is 100"),
    Answer::Report("The max connections is 500."),
    Answer::Turn("show limits", "max connections is 100"),
    Answer::Report("The connection pool size is 20. The max connections is 100."),
];

#[derive(Clone, Copy)]
enum Answer {
    Turn(&'static str, &'static str),
    Report(&'static str),
}

#[derive(Debug, PartialEq)]
struct Outcome {
    end: String,
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
        let process = Process::configured(
            folder,
            "[judges]\nchain = [\"rules/2\"]\n[evidence]\nembeddings = \"off\"\n",
        );
        let channel = connect(&folder.join("gsar.sock")).await;
        Self { process, channel }
    }

    async fn answer(&self, id: &str, step: u32) -> Result<v1::Investigation, Status> {
        let mut client = InvestigationServiceClient::new(self.channel.clone());
        let answer = SCRIPT[step as usize];
        let investigation = match answer {
            Answer::Turn(arguments, result) => {
                let result = v1::EvidenceItem {
                    id: arguments.replace(' ', "-"),
                    kind: v1::EvidenceKind::ToolOutput.into(),
                    lane: v1::EvidenceLane::StaticInfra.into(),
                    content: Some(v1::evidence_item::Content::Text(result.to_owned())),
                    ..v1::EvidenceItem::default()
                };
                let call = v1::ToolCall {
                    tool: "psql".to_owned(),
                    arguments: arguments.to_owned(),
                    result: Some(result),
                };
                let turn = v1::RecordTurnRequest {
                    investigation_id: id.to_owned(),
                    step,
                    tool_calls: vec![call],
                    ..v1::RecordTurnRequest::default()
                };
                client.record_turn(turn).await?.into_inner().investigation
            }
            Answer::Report(synthesis) => {
                let report = v1::SubmitReportRequest {
                    investigation_id: id.to_owned(),
                    step,
                    report: Some(v1::Report {
                        synthesis: synthesis.to_owned(),
                        ..v1::Report::default()
                    }),
                    evidence: Vec::new(),
                };
                client.submit_report(report).await?.into_inner().investigation
            }
        };
        Ok(investigation.unwrap())
    }

    async fn begin(&self, id: &str) -> Result<v1::Investigation, Status> {
        let request = v1::StartInvestigationRequest {
            investigation_id: id.to_owned(),
            policy: "reference".to_owned(),
            ..v1::StartInvestigationRequest::default()
        };
        let mut client = InvestigationServiceClient::new(self.channel.clone());
        Ok(client.start_investigation(request).await?.into_inner().investigation.unwrap())
    }

    async fn drive(&self, id: &str) -> Result<v1::Investigation, Status> {
        let mut investigation = self.begin(id).await?;
        while !is_over(&investigation) {
            investigation = self.answer(id, investigation.step).await?;
        }
        Ok(investigation)
    }

    async fn evaluations(&self, id: &str) -> usize {
        let request = v1::ListEvaluationsRequest {
            investigation_id: id.to_owned(),
            ..v1::ListEvaluationsRequest::default()
        };
        let mut client = LedgerServiceClient::new(self.channel.clone());
        client.list_evaluations(request).await.unwrap().into_inner().evaluations.len()
    }
}

fn is_over(investigation: &v1::Investigation) -> bool {
    let due = investigation.instruction.as_ref().unwrap().due.as_ref().unwrap();
    matches!(due, Due::Finished(_))
}

fn outcome(investigation: &v1::Investigation) -> Outcome {
    let due = investigation.instruction.as_ref().unwrap().due.as_ref().unwrap();
    let Due::Finished(end) = due else { panic!("not finished: {due:?}") };
    let spent = investigation.spent.as_ref().unwrap();
    Outcome {
        end: end.cause.clone(),
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

fn pseudorandom_part(number: u64, duration: Duration) -> Duration {
    let mut random = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    random = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    random = (random ^ (random >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let thousandths = u32::try_from((random ^ (random >> 31)) % 1_000).unwrap();
    duration * thousandths / 1_000
}

#[tokio::test]
async fn killed_server_resumes_investigations() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path()).await;
    let expected = outcome(&server.drive("whole").await.unwrap());
    assert_eq!((expected.end.as_str(), expected.trajectory.len()), ("PROCEED", 3));
    assert_eq!((expected.turns, expected.steps), (3, 6));
    let started_at = std::time::Instant::now();
    server.drive("timed").await.unwrap();
    let duration = started_at.elapsed();

    let all_kills = rounds(15, 100) as u64;
    let (mut kills, mut interrupted_count, mut number) = (0, 0, 0);
    while kills < all_kills {
        let id = format!("i{number}");
        number += 1;
        let end = loop {
            let result =
                tokio::time::timeout(pseudorandom_part(kills, duration), server.drive(&id)).await;
            if kills == all_kills {
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
        assert_eq!(server.evaluations(&id).await, 3, "{id}: every report must be recorded once");
    }
    assert_eq!(
        outcome(&server.drive("whole").await.unwrap()),
        expected,
        "a finished investigation must not change"
    );
    println!(
        "{kills} kills over {number} investigations, {interrupted_count} with a part of one recorded"
    );
    assert!(
        u64::from(interrupted_count) * 10 > kills,
        "too few kills within investigations: {interrupted_count}"
    );
}
