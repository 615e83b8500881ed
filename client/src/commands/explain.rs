//! `gsar explain`: shows how statements are judged, without recording them.

use gsar_client::evidence;
use gsar_proto::v1;

use super::{note, print_answer};
use crate::arguments::Explain;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{self, ReportContext, View};
use crate::session::with_judge;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Explain, terminal: &Terminal) -> Result<Status, Failure> {
    if let Some(index) = arguments.statements.iter().position(|text| text.trim().is_empty()) {
        return Err(Failure::Usage(format!("statement {} is empty", index + 1)));
    }
    let evidence = evidence::load(&arguments.evidence)?;
    for text in &evidence.notes {
        note(text);
    }
    let request = request(&arguments.statements, evidence.items);
    let view = View { columns: terminal.columns, only: Vec::new(), explain: human::Explain::All };
    with_judge(&arguments.connection, arguments.judge.spec(), async |client, _| {
        let answer = client.evaluate(request.clone()).await?;
        let context = ReportContext {
            report: request.report.as_ref(),
            evidence: &request.evidence,
            policy: None,
            is_recorded: false,
        };
        let text = || human::statements(&answer, &context, &view);
        print_answer(arguments.output, &answer, text)?;
        Ok(Status::Proceed)
    })
    .await
}

fn request(statements: &[String], evidence: Vec<v1::EvidenceItem>) -> v1::EvaluateRequest {
    let claims = statements.iter().enumerate().map(|(index, text)| v1::Claim {
        id: format!("c{}", index + 1),
        text: text.clone(),
        span: None,
    });
    v1::EvaluateRequest {
        report: Some(v1::Report {
            id: "explain".to_owned(),
            claims: claims.collect(),
            ..v1::Report::default()
        }),
        evidence,
        options: Some(v1::EvaluateOptions { explain: true, dry_run: true, ..Default::default() }),
        ..v1::EvaluateRequest::default()
    }
}
