//! Formats the result of a run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use gsar_core::Tier;
use gsar_proto::enums::Enumeration as _;

use super::answers::End;
use crate::trace::Trace;

pub(super) fn page(path: &Path, trace: &Trace, before: usize, end: &End) -> String {
    let evaluations = || trace.rows.iter().map(|row| &row.evaluation);
    let seconds = end.took.as_secs_f64();
    let mut page = String::new();
    let _ = writeln!(
        page,
        "{}: {} of {} rows, {} claims.",
        path.display(),
        trace.rows.len() + trace.refused.len(),
        trace.header.rows,
        evaluations().map(|evaluation| evaluation.claims.len()).sum::<usize>()
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
        let _ = writeln!(page, "Stopped: the cost of the models has reached --max-cost.");
    }
    if let Some(why) = trace.refused.first() {
        let _ =
            writeln!(page, "{} rows were refused, the first because: {why}", trace.refused.len());
    }
    let tiers = Tier::ALL.map(|tier| {
        let decisions = evaluations().filter_map(|evaluation| evaluation.decision.as_ref());
        let count = decisions.filter(|decision| decision.tier == tier.number()).count();
        format!("{} {count}", tier.name())
    });
    let _ = writeln!(page, "Decisions: {}.", tiers.join(", "));
    let mut judges: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &trace.rows {
        *judges.entry(row.judge()).or_default() += 1;
    }
    for (judge, rows) in judges {
        let judge = if judge.is_empty() { "no judge" } else { judge };
        let _ = writeln!(page, "Decided by {judge}: {rows}.");
    }
    page
}
