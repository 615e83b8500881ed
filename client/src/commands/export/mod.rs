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
use crate::session::with_client;
use sink::Sink;

pub(super) async fn run(arguments: &Export) -> Result<Status, Failure> {
    require_records(&arguments.connection, "record to export")?;
    let request = request(arguments);
    let mut target = Sink::open(arguments.kind, arguments.format, arguments.to.as_deref())?;
    with_client(&arguments.connection, async |client, _| {
        let mut after = request.after.clone();
        let mut progress = Progress::begin(None);
        let mut export = client.export(request).await?;
        let mut records = 0_u64;
        loop {
            let response = match export.next().await {
                Ok(Some(response)) => response,
                Ok(None) => break,
                Err(error) => return Err(interrupted(error, &after, arguments)),
            };
            for record in response.records.into_iter().filter_map(|record| record.record) {
                target.write(record)?;
                records += 1;
                progress.step(0);
            }
            after = response.after;
        }
        target.finish()?;
        drop(progress);
        let resume = match after.as_str() {
            "" => String::new(),
            after => format!("; continue with --after {after}"),
        };
        note(&format!("exported {records} records{resume}"));
        Ok(Status::Proceed)
    })
    .await
}

/// Notes how to resume, unless the incomplete output is a file, which is discarded.
fn interrupted(error: ClientError, after: &str, arguments: &Export) -> Failure {
    if arguments.to.is_none() && !after.is_empty() {
        note(&format!("the printed records are valid; continue with --after {after}"));
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
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    v1::ExportRequest {
        kinds: vec![kind.into()],
        evaluated_from: arguments.from.map(instant),
        evaluated_before: arguments.before.map(instant),
        policy: text(&arguments.policy),
        judge: text(&arguments.judge),
        tier: arguments.tier.map_or(v1::Tier::Unspecified, to_wire).into(),
        investigation_id: text(&arguments.investigation),
        graded_only: arguments.graded,
        after: text(&arguments.after),
    }
}
