//! Formats the result of a run.

use std::fmt::Write as _;
use std::path::Path;

use gsar_core::Tier;

use super::answers::End;
use super::summary::Summary;
use crate::trace::Trace;

pub(super) fn page(path: &Path, trace: &Trace, before: usize, end: &End) -> String {
    let summary = Summary::of(trace);
    let seconds = end.took.as_secs_f64();
    let mut page = String::new();
    let _ = writeln!(
        page,
        "{}: {} of {} rows, {} claims.",
        path.display(),
        trace.rows.len() + trace.refused.len(),
        trace.header.rows,
        summary.claims
    );
    if before > 0 {
        let _ = writeln!(page, "{before} rows existed, {} were added.", end.answered);
    }
    if end.answered > 0 {
        let rate = end.answered as f64 / seconds.max(f64::EPSILON);
        let _ =
            writeln!(page, "{} rows in {seconds:.1} s: {rate:.0} rows per second.", end.answered);
    }
    if end.cost_micros > 0 {
        let _ = writeln!(page, "The models cost {:.4} $.", end.cost_micros as f64 / 1e6);
    }
    if end.budget_exhausted {
        let _ = writeln!(page, "Stopped: the models cost as much as --max-cost allows.");
    }
    if let Some(why) = trace.refused.first() {
        let _ =
            writeln!(page, "{} rows were refused, the first because: {why}", trace.refused.len());
    }
    let tiers = Tier::ALL.iter().zip(summary.tiers);
    let tiers: Vec<String> =
        tiers.map(|(tier, count)| format!("{} {count}", tier.name())).collect();
    let _ = writeln!(page, "Decisions: {}.", tiers.join(", "));
    for (judge, rows) in &summary.judges {
        let judge = if judge.is_empty() { "no judge" } else { judge };
        let _ = writeln!(page, "Decided by {judge}: {rows}.");
    }
    page
}
