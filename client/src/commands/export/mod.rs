//! `gsar ledger export`: exports records to standard output or a file, as JSON lines or Parquet.

mod columns;
mod sink;
mod table;

use gsar_client::{ClientError, v1};

use super::ledger::to_wire;
use super::progress::Progress;
use super::{instant, note, require_records};
use crate::arguments::{Export, Kind};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::count;
use crate::session::with_client;
use sink::Sink;

pub(super) async fn run(arguments: &Export) -> Result<Status, Failure> {
    require_records(&arguments.connection, "record to export")?;
    let request = request(arguments);
    let mut sink = Sink::open(arguments.kind, arguments.format, arguments.to.as_deref())?;
    with_client(&arguments.connection, async |client, _| {
        let mut resume_token = request.after.clone();
        let mut progress = Progress::begin(None);
        let mut export = client.export(request).await?;
        let mut record_count = 0_u64;
        loop {
            let response = match export.next().await {
                Ok(Some(response)) => response,
                Ok(None) => break,
                Err(error) => return Err(resumable_failure(error, &resume_token, arguments)),
            };
            for record in response.records.into_iter().filter_map(|record| record.record) {
                sink.write(record)?;
                record_count += 1;
                progress.count_line(0);
            }
            resume_token = response.after;
        }
        sink.finish()?;
        drop(progress);
        let hint = match resume_token.as_str() {
            "" => String::new(),
            resume_token => format!("; continue with --after {resume_token}"),
        };
        note(&format!("exported {}{hint}", count(record_count, "record")));
        Ok(Status::Proceed)
    })
    .await
}

/// Prints how to resume and returns the failure. If the output is a file, the export cannot be resumed, since the
/// incomplete file is discarded.
fn resumable_failure(error: ClientError, resume_token: &str, arguments: &Export) -> Failure {
    if arguments.to.is_none() && !resume_token.is_empty() {
        note(&format!("the printed records are valid; continue with --after {resume_token}"));
    }
    error.into()
}

fn request(arguments: &Export) -> v1::ExportRequest {
    let kind = match arguments.kind {
        Kind::Partitions => v1::ExportKind::Partitions,
        Kind::Grades => v1::ExportKind::Grades,
        Kind::Preferences => v1::ExportKind::Preferences,
        Kind::ClaimRewards => v1::ExportKind::ClaimRewards,
    };
    let or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
    v1::ExportRequest {
        kinds: vec![kind.into()],
        evaluated_from: arguments.from.map(instant),
        evaluated_before: arguments.before.map(instant),
        policy: or_empty(&arguments.policy),
        judge: or_empty(&arguments.judge),
        tier: arguments.tier.map_or(v1::Tier::Unspecified, to_wire).into(),
        investigation_id: or_empty(&arguments.investigation),
        graded_only: arguments.graded,
        after: or_empty(&arguments.after),
    }
}
