//! `gsar judge try`: tests a judge on three statements with known verdicts.

use std::time::Instant;

use gsar_proto::v1;
use gsar_proto::v1::ClaimClass::{Contradicted, Grounded, Ungrounded};

use super::print;
use crate::arguments::TryJudge;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human;
use crate::session::with_judge;
use crate::terminal::Terminal;

const LOG: &str = "\
2026-03-12T14:02:10Z INFO cart-2 started with a limit of 512 MiB
2026-03-12T14:09:31Z ERROR cart-2 was killed: out of memory
2026-03-12T14:09:40Z INFO cart-1 answers as before, 0 restarts
";

/// Pairs of a statement and its correct verdicts.
const QUESTIONS: [(&str, &[v1::ClaimClass]); 3] = [
    ("cart-2 was killed because it was out of memory at 14:09:31 UTC.", &[Grounded]),
    ("cart-1 has restarted nine times.", &[Contradicted, Ungrounded]),
    ("A nightly backup took the memory of cart-2.", &[Ungrounded]),
];

pub(super) async fn run(arguments: &TryJudge, terminal: &Terminal) -> Result<Status, Failure> {
    with_judge(&arguments.connection, arguments.judge.spec(), async |client, _| {
        let started_at = Instant::now();
        let answer = client.evaluate(request()).await?;
        let trial = human::JudgeTrial::new(&answer, &QUESTIONS, started_at.elapsed());
        print(&human::judge_trial(&trial, terminal.columns))?;
        Ok(if trial.has_passed() { Status::Proceed } else { Status::Error })
    })
    .await
}

fn request() -> v1::EvaluateRequest {
    let claims = QUESTIONS.iter().enumerate().map(|(index, (text, _))| v1::Claim {
        id: format!("c{}", index + 1),
        text: (*text).to_owned(),
        span: None,
    });
    let log = v1::EvidenceItem {
        id: "log".to_owned(),
        kind: v1::EvidenceKind::ToolOutput.into(),
        lane: v1::EvidenceLane::Logs.into(),
        tool: "kubectl logs".to_owned(),
        content: Some(v1::evidence_item::Content::Text(LOG.to_owned())),
        ..v1::EvidenceItem::default()
    };
    v1::EvaluateRequest {
        report: Some(v1::Report {
            id: "trial".to_owned(),
            synthesis: QUESTIONS.map(|(text, _)| text).join(" "),
            claims: claims.collect(),
            ..v1::Report::default()
        }),
        evidence: vec![log],
        policy: "reference".to_owned(),
        options: Some(v1::EvaluateOptions { bypass_cache: true, ..Default::default() }),
        ..v1::EvaluateRequest::default()
    }
}
