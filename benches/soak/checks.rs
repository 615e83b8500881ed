//! The final checks, after the load and all faults.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context as _;
use gsar_client::v1;
use gsar_client::v1::instruction::Due;

use crate::identity::{AUDITOR, GUEST, Principal, READER, STRANGER, WORKERS};
use crate::invariants::acknowledged::Row;
use crate::invariants::spending::{self, Day};
use crate::invariants::{Violation, answers, log};
use crate::load::search;
use crate::servers::model;
use crate::world::World;

#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct FinalChecks {
    /// The number of ledger rows that were compared.
    pub(crate) rows: usize,
    /// The number of records that were read in full and compared with their answers.
    pub(crate) records: usize,
    pub(crate) corpora: usize,
    pub(crate) expired: usize,
    pub(crate) investigations: usize,
    pub(crate) spent: Vec<Day>,
    pub(crate) log_lines: BTreeMap<String, u64>,
}

/// The maximum time until an expired corpus is deleted. Servers delete expired corpora every ten minutes.
const MAX_SWEEP_DELAY: Duration = Duration::from_secs(720);
const RECORDS: usize = 500;

pub(crate) async fn run(world: &World, data: &[PathBuf]) -> anyhow::Result<FinalChecks> {
    let mut checks = FinalChecks::default();
    let ledgers: Vec<Option<usize>> =
        if world.is_shared() { vec![None] } else { (0..world.sidecars.len()).map(Some).collect() };
    for ledger in ledgers {
        let rows = rows(world, ledger.unwrap_or_default()).await.context("listing the ledger")?;
        checks.rows += rows.len();
        let (investigated, keyed): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| row.report_id.starts_with('i'));
        let violations = world.acknowledged().compare(&keyed, ledger);
        violations
            .into_iter()
            .chain(duplicates(&investigated))
            .for_each(|found| world.record(found));
    }
    checks.records = records(world).await.context("reading records")?;
    (checks.corpora, checks.expired) = corpora(world).await.context("searching corpora")?;
    checks.investigations = investigations(world).await.context("reading investigations")?;
    checks.spent = match &world.database {
        Some(database) => spending::shared(database)?,
        None => {
            let each = data.iter().enumerate();
            let each = each.map(|(server, data)| spending::of_server(server, data));
            each.collect::<anyhow::Result<Vec<_>>>()?.concat()
        }
    };
    // The provider also charges for answers that a killed server never read.
    let charged = world.model.answered() * model::COST;
    let paid = world.paid.load(Ordering::Relaxed).max(charged);
    for violation in spending::check(&checks.spent, world.daily_budget, paid) {
        world.record(violation);
    }
    let all = WORKERS.iter().chain(&[READER, AUDITOR, GUEST, STRANGER]);
    let tokens: Vec<String> = all.map(Principal::token).collect();
    for sidecar in &world.sidecars {
        let log = BufReader::new(File::open(sidecar.log())?);
        let violations = log::read(log, &tokens, &mut checks.log_lines)?;
        violations.into_iter().for_each(|found| world.record(found));
    }
    Ok(checks)
}

async fn rows(world: &World, server: usize) -> anyhow::Result<Vec<Row>> {
    let client = world.client(server, &AUDITOR)?;
    let (mut rows, mut page_token) = (Vec::new(), String::new());
    loop {
        let request =
            v1::ListEvaluationsRequest { page_size: 500, page_token, ..Default::default() };
        let page = client.list_evaluations(request).await?;
        rows.extend(page.evaluations.into_iter().map(|found| Row {
            owner: found.principal,
            report_id: found.report_id,
            evaluation_id: found.evaluation_id,
        }));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(rows);
        }
    }
}

fn duplicates(rows: &[Row]) -> Vec<Violation> {
    let mut by_step: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *by_step.entry(&row.report_id).or_default() += 1;
    }
    let twice = by_step.into_iter().filter(|(_, count)| *count > 1);
    twice
        .map(|(step, count)| {
            Violation::new(
                "counted once",
                format!("report {step} of an investigation is recorded {count} times"),
            )
        })
        .collect()
}

async fn records(world: &World) -> anyhow::Result<usize> {
    let (count, _) = world.acknowledged().counts();
    let mut checked = 0;
    for number in (0..count).step_by((count / RECORDS).max(1)) {
        let Some((key, entry)) = world.acknowledged().pick(number) else { break };
        let recorded =
            world.client(entry.server, &AUDITOR)?.evaluation(&entry.evaluation_id).await?;
        let compared = world.acknowledged().check_record(key, &recorded);
        world.check(compared);
        checked += 1;
    }
    Ok(checked)
}

async fn corpora(world: &World) -> anyhow::Result<(usize, usize)> {
    let (stored, now) = (world.left_data().corpora.clone(), world.phases.now());
    let (mut found, mut gone) = (0, 0);
    for corpus in &stored {
        let client = world.client(corpus.home, &corpus.owner)?;
        let answer = client.search(search(&corpus.corpus_id, corpus.key)).await;
        match (corpus.expires, answer) {
            (None, Ok(answer)) => {
                world.check(answers::search(&corpus.corpus_id, corpus.key, &answer));
                found += 1;
            }
            (None, Err(error)) => {
                let found = format!("{} at server {}: {error}", corpus.corpus_id, corpus.home);
                world.record_violation("corpora", found);
            }
            (Some(expires), Ok(_)) if now > expires + MAX_SWEEP_DELAY => {
                let found = format!(
                    "{} expired {:?} ago and still exists",
                    corpus.corpus_id,
                    now - expires
                );
                world.record_violation("corpora", found);
            }
            (Some(_), Ok(_)) => {}
            (Some(_), Err(_)) => gone += 1,
        }
    }
    Ok((found, gone))
}

async fn investigations(world: &World) -> anyhow::Result<usize> {
    let finished = world.left_data().investigations.clone();
    for one in &finished {
        let request = v1::GetInvestigationRequest {
            investigation_id: one.investigation_id.clone(),
            ..Default::default()
        };
        let client = world.client(one.home, &one.owner)?;
        let found = client.get_investigation(request).await;
        let stored = found.as_ref().ok().and_then(|found| found.investigation.as_ref());
        let due = stored.and_then(|stored| stored.instruction.as_ref()?.due.as_ref());
        let list = v1::ListEvaluationsRequest {
            investigation_id: one.investigation_id.clone(),
            ..Default::default()
        };
        let rows = client.list_evaluations(list).await?.evaluations.len();
        if !matches!(due, Some(Due::Finished(_))) || rows != 3 {
            let found = format!(
                "finished investigation {} has {rows} evaluations: {found:?}",
                one.investigation_id
            );
            world.record_violation("acknowledged", found);
        }
    }
    Ok(finished.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_duplicate_step() {
        let row = |report: &str, id: &str| Row {
            owner: "ada".to_owned(),
            report_id: report.to_owned(),
            evaluation_id: id.to_owned(),
        };
        assert_eq!(duplicates(&[row("i1-1", "a"), row("i1-3", "b")]), []);
        assert_eq!(duplicates(&[row("i1-1", "a"), row("i1-1", "b")]).len(), 1);
    }
}
