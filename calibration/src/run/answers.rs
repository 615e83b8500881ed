//! Evaluates rows over one stream, within a rate limit and a budget.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use gsar_client::Client;
use gsar_proto::json::to_json;
use gsar_proto::v1;
use gsar_proto::v1::evaluate_stream_response::Result as Answer;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::value::RawValue;

use super::question::RequestOptions;
use super::requests::requests;
use crate::rows::Row;
use crate::trace::{Line, TraceWriter};

const ATTEMPTS: u32 = 5;

const MAX_PAUSE: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) rows_per_second: Option<f64>,
    /// The cost limit in millionths of a dollar, as counted by the server. Unlimited if `None`.
    pub(super) cost_micros: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) answered: usize,
    pub(super) took: Duration,
    pub(super) cost_micros: u64,
    pub(super) budget_exhausted: bool,
}

pub(super) async fn answer_rows(
    client: &Client,
    rows: Vec<Row>,
    options: RequestOptions<'_>,
    limits: Limits,
    trace: &mut TraceWriter,
) -> Result<End> {
    let start = Instant::now();
    let mut run = Running {
        client,
        options,
        limits,
        trace,
        bar: progress_bar(rows.len()),
        cost_micros: 0,
        answered: 0,
    };
    let mut rows: Vec<Arc<Row>> = rows.into_iter().map(Arc::new).collect();
    let mut pause = Duration::from_secs(1);
    for attempt in 1..=ATTEMPTS {
        let Unanswered { rows: unanswered, reason } = run.stream(&rows).await?;
        rows = unanswered;
        let budget_exhausted = run.is_budget_exhausted();
        if rows.is_empty() || budget_exhausted {
            let (answered, cost_micros) = (run.answered, run.cost_micros);
            run.bar.finish_and_clear();
            let budget_exhausted = budget_exhausted && !rows.is_empty();
            return Ok(End { answered, took: start.elapsed(), cost_micros, budget_exhausted });
        }
        ensure!(attempt < ATTEMPTS, "{} rows remain unanswered: {reason}", rows.len());
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
    bail!("{} rows remain unanswered", rows.len())
}

struct Running<'a> {
    client: &'a Client,
    options: RequestOptions<'a>,
    limits: Limits,
    trace: &'a mut TraceWriter,
    bar: ProgressBar,
    cost_micros: u64,
    answered: usize,
}

struct Unanswered {
    rows: Vec<Arc<Row>>,
    reason: String,
}

impl Running<'_> {
    fn is_budget_exhausted(&self) -> bool {
        self.limits.cost_micros.is_some_and(|max| self.cost_micros >= max)
    }

    async fn stream(&mut self, rows: &[Arc<Row>]) -> Result<Unanswered> {
        let stop = Arc::new(AtomicBool::new(false));
        let requests = requests(rows, self.options, self.limits.rows_per_second, &stop);
        let mut answers = self.client.evaluate_stream(requests).await?;
        let mut unanswered: BTreeMap<usize, &Arc<Row>> = rows.iter().enumerate().collect();
        let mut reason = String::new();
        while let Some(answer) = answers.next().await? {
            let Ok(index) = answer.correlation_id.parse::<usize>() else { continue };
            let (evaluation, refused) = match answer.result {
                Some(Answer::Evaluation(evaluation)) => {
                    self.cost_micros += cost(&evaluation);
                    (Some(RawValue::from_string(to_json(&*evaluation)?)?), None)
                }
                Some(Answer::Error(error)) if error.retry_after.is_some() => {
                    reason = error_text(&error);
                    continue;
                }
                Some(Answer::Error(error)) => (None, Some(error_text(&error))),
                None => continue,
            };
            let Some(row) = unanswered.remove(&index) else { continue };
            let gold = row.claims.iter().map(|claim| claim.gold).collect();
            let row = row.id.clone();
            self.trace.add(&Line { row, gold, evaluation, refused, loop_end: None })?;
            self.answered += 1;
            self.bar.inc(1);
            stop.store(self.is_budget_exhausted(), Ordering::Relaxed);
        }
        Ok(Unanswered { rows: unanswered.into_values().cloned().collect(), reason })
    }
}

pub(super) fn cost(answer: &v1::EvaluateResponse) -> u64 {
    let links = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
    links.flat_map(|link| &link.calls).filter_map(|call| call.cost_micros).sum()
}

fn error_text(error: &v1::CallError) -> String {
    let fields = error.field_violations.iter();
    let fields: Vec<String> =
        fields.map(|found| format!("{}: {}", found.field, found.description)).collect();
    match fields.as_slice() {
        [] => format!("{}: {}", error.code_name, error.message),
        fields => format!("{}: {}", error.code_name, fields.join("; ")),
    }
}

pub(super) fn progress_bar(rows: usize) -> ProgressBar {
    let bar = ProgressBar::new(rows as u64);
    let style = "{pos} of {len} rows {wide_bar} {per_sec}, {eta} left";
    match ProgressStyle::with_template(style) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
