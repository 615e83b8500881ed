//! Evaluates rows over one stream and appends the answers to a trace. Resumes interrupted runs.

mod answers;
mod estimate;
mod evidence;
mod loops;
mod page;
mod question;
mod requests;

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::arguments::{Run, ServerArgs};
use crate::replay::{Provider, SecondLook};
use crate::rows::{Row, RowFile, rows};
use crate::session::{with_configured_server, with_server_allowing};
use crate::trace::{FORMAT, FileDigest, Header, TraceWriter, read};
use answers::{Limits, answer_rows};
use evidence::{Retrieved, distinct, find_evidence};
use loops::drive_rows;
use question::RequestOptions;

/// The highest recommended number of replans in a policy.
const MAX_REPLANS: u32 = 3;

pub(crate) async fn run(server: &ServerArgs, args: &Run) -> Result<String> {
    let (files, rows) = rows(&args.rows)?;
    if args.dry_run {
        return Ok(estimate::page(&rows, args));
    }
    let header = header(server, args, &files, rows.len())?;
    if !args.stored {
        return with_server_allowing(server, &args.policy, async |client| {
            judge(&client, args, header, rows).await
        })
        .await;
    }
    server.reject_with("--stored")?;
    let provider = Provider::start(SecondLook::Off).await?;
    provider.set_cases(rows.iter().map(question::known_case).collect::<Result<_>>()?);
    let configuration = provider.configuration(&args.policy)?;
    with_configured_server(&configuration, async |client| judge(&client, args, header, rows).await)
        .await
}

fn header(server: &ServerArgs, args: &Run, files: &[RowFile], rows: usize) -> Result<Header> {
    let stem = || args.out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let repeated = |path: &Path| anyhow::Ok(read(path)?.header.run);
    Ok(Header {
        trace: FORMAT,
        run: args.run.clone().unwrap_or_else(stem),
        repeat_of: args.repeat_of.as_deref().map(repeated).transpose()?,
        judge: server.judge.clone().or_else(|| args.stored.then(|| "stored".to_owned())),
        policy: args.policy.clone(),
        mode: args.rows.mode,
        files: files
            .iter()
            .map(|file| FileDigest { name: file.name(), sha256: file.sha256.clone() })
            .collect(),
        sample: args.rows.sample,
        seed: args.rows.seed,
        part: args.rows.part.clone(),
        whole: args.whole,
        top_k: args.top_k,
        is_loop: args.is_loop,
        rows,
    })
}

async fn judge(
    client: &gsar_client::Client,
    args: &Run,
    header: Header,
    mut rows: Vec<Row>,
) -> Result<String> {
    let mut trace = TraceWriter::open(&args.out, &header)?;
    let before = trace.answered.len();
    let corpus = args.top_k.map(|k| (k, distinct(&rows)));
    rows.retain(|row| !trace.answered.contains(&row.id));
    let further = if args.is_loop { MAX_REPLANS } else { 0 };
    let rows: Vec<(Row, Retrieved)> = match corpus {
        Some((k, items)) => find_evidence(client, rows, &items, k, further).await?,
        None => rows.into_iter().map(|row| (row, Retrieved::new())).collect(),
    };
    let options = RequestOptions { policy: &args.policy, whole: args.whole };
    let limits = Limits { rows_per_second: args.max_rate, cost_micros: args.max_cost };
    let end = if args.is_loop {
        drive_rows(client, rows, options, limits, &mut trace).await
    } else {
        let rows = rows.into_iter().map(|(row, _)| row).collect();
        answer_rows(client, rows, options, limits, &mut trace).await
    };
    trace.finish()?;
    let end = end.with_context(|| {
        format!(
            "{} contains the answers so far; run the same command again to resume",
            args.out.display()
        )
    })?;
    let trace = read(&args.out)?;
    Ok(page::page(&args.out, &trace, before, &end))
}
