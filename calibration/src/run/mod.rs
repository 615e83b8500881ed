//! This module judges rows: it sends each to a server over one stream and writes the answers to a trace as they come. A run
//! that ended early goes on where it stood.

mod answers;
mod estimate;
mod evidence;
mod page;
mod question;
mod requests;
mod summary;

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::arguments::{Run, WantedServer};
use crate::replay::{Provider, Reader};
use crate::rows::{Row, RowFile, Selection, open, select};
use crate::session::{with_configured_server, with_server_allowing};
use crate::trace::{FORMAT, FileDigest, Header, TraceWriter, read};
use answers::{Limits, answer_rows};
use evidence::{distinct, find_evidence};
use question::Asking;

/// Judges the rows of files and returns what is to be printed.
pub(crate) async fn run(server: &WantedServer, wanted: &Run) -> Result<String> {
    let files: Vec<RowFile> = wanted
        .files
        .iter()
        .map(|path| open(path, wanted.part.as_deref()))
        .collect::<Result<_>>()?;
    let rows =
        select(&files, Selection { mode: wanted.mode, number: wanted.sample, seed: wanted.seed })?;
    if wanted.dry_run {
        return Ok(estimate::page(&rows, wanted));
    }
    let header = header(server, wanted, &files, rows.len())?;
    if !wanted.stored {
        return with_server_allowing(server, &wanted.policy, async |client| {
            judge(&client, wanted, header, rows).await
        })
        .await;
    }
    ensure!(
        server.endpoint.is_none() && server.judge.is_none(),
        "--endpoint and --judge are of no use with --stored: a server of its own is started, whose judge gives the stored answers"
    );
    let provider = Provider::start(Reader::Nobody).await?;
    provider.know(rows.iter().map(question::known).collect::<Result<_>>()?);
    let configuration = provider.configuration()?;
    with_configured_server(&configuration, async |client| {
        judge(&client, wanted, header, rows).await
    })
    .await
}

fn header(server: &WantedServer, wanted: &Run, files: &[RowFile], rows: usize) -> Result<Header> {
    let stem = || wanted.out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let repeated = |path: &Path| anyhow::Ok(read(path)?.header.run);
    Ok(Header {
        trace: FORMAT,
        run: wanted.run.clone().unwrap_or_else(stem),
        repeat_of: wanted.repeat_of.as_deref().map(repeated).transpose()?,
        judge: server.judge.clone().or_else(|| wanted.stored.then(|| "stored".to_owned())),
        policy: wanted.policy.clone(),
        mode: wanted.mode,
        files: files
            .iter()
            .map(|file| FileDigest { name: file.name(), sha256: file.sha256.clone() })
            .collect(),
        sample: wanted.sample,
        seed: wanted.seed,
        part: wanted.part.clone(),
        whole: wanted.whole,
        top_k: wanted.top_k,
        rows,
    })
}

async fn judge(
    client: &gsar_client::Client,
    wanted: &Run,
    header: Header,
    mut rows: Vec<Row>,
) -> Result<String> {
    let mut trace = TraceWriter::open(&wanted.out, &header)?;
    let before = trace.answered.len();
    let all = wanted.top_k.map(|most| (most, distinct(&rows)));
    rows.retain(|row| !trace.answered.contains(&row.id));
    if let Some((most, items)) = all {
        find_evidence(client, &mut rows, &items, most).await?;
    }
    let asking = Asking { policy: &wanted.policy, whole: wanted.whole };
    let limits = Limits { rows_per_second: wanted.max_rate, cost_micros: wanted.max_cost };
    let end = answer_rows(client, rows, asking, limits, &mut trace).await;
    trace.finish()?;
    let end = end.with_context(|| {
        format!(
            "{} has what was answered; the same command goes on from there",
            wanted.out.display()
        )
    })?;
    let trace = read(&wanted.out)?;
    Ok(page::page(&wanted.out, &trace, before, &end))
}
