//! Measures recorded investigations: the accuracy of their answers, a sidecar's decisions, and the benefit
//! of exploring a graph.

mod graph;
mod measures;
mod page;
mod recorded;
mod sidecar;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::arguments::{Investigations, Output, ServerArgs};
use crate::data_set::read as read_file;
use crate::session::{with_configured_server, with_server};
use measures::{Mean, accuracy, by_incident};
use page::Measurements;
use recorded::Run;
use sidecar::{BestReport, ReportDecision};

const WRONG: [u32; 5] = [0, 10, 20, 30, 40];
/// The maximum decrease in a share, such as that of correct first answers.
const MAX_FALL: f64 = 0.02;
const MAX_ADDED_SECONDS: f64 = 30.0;

pub(crate) async fn investigations(server: &ServerArgs, args: &Investigations) -> Result<String> {
    let recorded = recorded::read(&args.files)?;
    let incidents = by_incident(&recorded.runs);
    let mut measured = Measurements {
        runs: recorded.runs.len(),
        incidents: incidents.len(),
        passed_over: recorded.skipped,
        as_written: accuracy(&incidents),
        recorded_seconds: Mean::of(
            &recorded.runs.iter().filter_map(|run| run.seconds).collect::<Vec<_>>(),
        ),
        ..Measurements::default()
    };
    if recorded.runs.iter().any(has_report) {
        let work = async |client| decide_all(&client, &incidents).await;
        let (decided, chosen) = match (&server.endpoint, &server.judge) {
            (None, None) => {
                let configuration = json!({
                    "judges": {"chain": ["rules/2"]}, "evidence": {"embeddings": "off"},
                });
                with_configured_server(&toml::to_string(&configuration)?, work).await?
            }
            _ => with_server(server, work).await?,
        };
        measured.add_decisions(&decided);
        measured.add_best_reports(&chosen);
    }
    for wrong in WRONG {
        let named: Vec<_> = recorded
            .propagations
            .iter()
            .filter_map(|propagation| graph::explore(propagation, wrong))
            .collect();
        measured.add_exploration(wrong, &named);
    }
    if let Some(baseline) = &args.baseline {
        let text = read_file(baseline)?;
        let baseline: Measurements = serde_json::from_str(&text).with_context(|| {
            format!("{}: expected the output of --output json", baseline.display())
        })?;
        let worse = measured.worse_than(&baseline, MAX_FALL, MAX_ADDED_SECONDS);
        if !worse.is_empty() {
            bail!("worse than the baseline: {}", worse.join("; "));
        }
    }
    match args.output {
        Output::Json => Ok(format!("{}\n", serde_json::to_string(&measured)?)),
        Output::Table => Ok(measured.page()),
    }
}

fn has_report(run: &Run) -> bool {
    !run.report.is_empty()
}

/// Decides every report separately, and all reports for an incident as one investigation.
async fn decide_all(
    client: &gsar_client::Client,
    incidents: &[Vec<&Run>],
) -> Result<(Vec<Vec<ReportDecision>>, Vec<BestReport>)> {
    let (mut all, mut chosen) = (Vec::new(), Vec::new());
    for (number, runs) in incidents.iter().enumerate() {
        let runs: Vec<&Run> = runs.iter().copied().filter(|run| has_report(run)).collect();
        let mut decided = Vec::with_capacity(runs.len());
        for run in &runs {
            decided.push(sidecar::decide(client, run).await?);
        }
        if runs.len() > 1 {
            let decisions: Vec<&ReportDecision> = decided.iter().collect();
            chosen.push(sidecar::drive(client, number, &runs, &decisions).await?);
        }
        if !decided.is_empty() {
            all.push(decided);
        }
    }
    Ok((all, chosen))
}
