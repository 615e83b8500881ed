//! Writes the results of a run to `report.json`, `report.md` and `series.csv`.

pub(crate) mod latencies;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::checks::FinalChecks;
use crate::faults::FaultRecord;
use crate::faults::schedule::{Fault, Setting};
use crate::invariants::RecordedViolation;
use crate::invariants::levels::{Level, Sample};
use crate::report::latencies::Line;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) seed: u64,
    pub(crate) setting: Setting,
    pub(crate) version: String,
    pub(crate) minutes: f64,
    pub(crate) rate: f64,
    /// In millionths of a dollar.
    pub(crate) daily_budget: u64,
    pub(crate) left_out: Vec<String>,
    pub(crate) schedule: Vec<Fault>,
    pub(crate) faults: Vec<FaultRecord>,
    /// The numbers of acknowledged and unanswered keys.
    pub(crate) keys: (usize, usize),
    pub(crate) model_answered: u64,
    pub(crate) paid_micros: u64,
    pub(crate) counts: BTreeMap<String, u64>,
    pub(crate) looked: Option<FinalChecks>,
    pub(crate) latencies: Vec<Line>,
    pub(crate) levels: Vec<Level>,
    pub(crate) violations: Vec<RecordedViolation>,
    pub(crate) violation_count: usize,
}

impl Report {
    pub(crate) fn write(&self, folder: &Path, samples: &[Sample]) -> anyhow::Result<()> {
        std::fs::write(folder.join("report.json"), serde_json::to_string_pretty(self)?)?;
        std::fs::write(folder.join("report.md"), self.markdown())?;
        std::fs::write(folder.join("series.csv"), series(samples))?;
        Ok(())
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = String::new();
        let _infallible = self.write_markdown(&mut text);
        text
    }

    fn write_markdown(&self, text: &mut String) -> std::fmt::Result {
        let verdict = match self.violation_count {
            0 => "No invariant was violated.".to_owned(),
            count => format!("**{count} violations.**"),
        };
        let Setting { servers, has_database, .. } = self.setting;
        let storage = if has_database { "one PostgreSQL" } else { "a SQLite each" };
        writeln!(text, "# Soak, seed {}\n\n{verdict}\n", self.seed)?;
        writeln!(
            text,
            "{} · {servers} servers on {storage} · {:.1} minutes at {} calls per second\n",
            self.version, self.minutes, self.rate
        )?;
        for left_out in &self.left_out {
            writeln!(text, "Skipped: {left_out}\n")?;
        }
        if !self.violations.is_empty() {
            writeln!(text, "## Violations\n\n| at, s | invariant | found |\n|---:|---|---|")?;
            for RecordedViolation { at, violation } in &self.violations {
                let found = violation.found.replace('|', "\\|").replace('\n', " ");
                writeln!(text, "| {at:.1} | {} | {found} |", violation.invariant)?;
            }
            writeln!(text)?;
        }
        self.write_counts(text)?;
        self.write_faults(text)?;
        self.write_tables(text)
    }

    fn write_counts(&self, text: &mut String) -> std::fmt::Result {
        let (acknowledged, open) = self.keys;
        writeln!(text, "## Counts\n\n| | |\n|---|---:|")?;
        writeln!(
            text,
            "| keys acknowledged | {acknowledged} |\n| keys without an answer at the end | {open} |"
        )?;
        if let Some(looked) = &self.looked {
            writeln!(text, "| ledger rows compared | {} |", looked.rows)?;
            writeln!(text, "| records read in full | {} |", looked.records)?;
            writeln!(text, "| corpora found | {} |", looked.corpora)?;
            writeln!(text, "| corpora expired and gone | {} |", looked.expired)?;
            writeln!(text, "| investigations | {} |", looked.investigations)?;
            for day in &looked.spent {
                let server =
                    day.server.map_or_else(String::new, |server| format!(", server {server}"));
                writeln!(
                    text,
                    "| spent on day {}{server}, of {} | {} |",
                    day.day, self.daily_budget, day.micros
                )?;
            }
            for (level, count) in &looked.log_lines {
                writeln!(text, "| log lines, {level} | {count} |")?;
            }
        }
        writeln!(text, "| answers of the chat model | {} |", self.model_answered)?;
        writeln!(text, "| charges in answers (millionths of a dollar) | {} |", self.paid_micros)?;
        for (what, count) in &self.counts {
            writeln!(text, "| {what} | {count} |")?;
        }
        writeln!(text)
    }

    fn write_faults(&self, text: &mut String) -> std::fmt::Result {
        let mut kinds: BTreeMap<&str, Vec<&FaultRecord>> = BTreeMap::new();
        for done in &self.faults {
            kinds.entry(done.kind).or_default().push(done);
        }
        writeln!(
            text,
            "## Faults\n\n| kind | count | duration, s | recovery, s: median, maximum |\n|---|---:|---:|---:|"
        )?;
        for (kind, all) in kinds {
            let seconds: f64 = all.iter().map(|done| done.held).sum();
            let mut recovered: Vec<f64> = all.iter().map(|done| done.recovered_in).collect();
            recovered.sort_unstable_by(f64::total_cmp);
            let (median, max) = (recovered.get(recovered.len() / 2), recovered.last());
            let [median, max] = [median, max].map(|value| value.copied().unwrap_or_default());
            writeln!(text, "| {kind} | {} | {seconds:.0} | {median:.2}, {max:.2} |", all.len())?;
        }
        writeln!(text)
    }

    fn write_tables(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "## Memory and descriptors after warm-up\n")?;
        if self.levels.is_empty() {
            writeln!(text, "No server ran for longer than its warm-up of ten minutes.\n")?;
        } else {
            writeln!(
                text,
                "| server | start | hours | MiB | MiB per hour | descriptors | per hour | checked |\n|---:|---:|---:|---:|---:|---:|---:|---|"
            )?;
            for level in &self.levels {
                let Level {
                    server,
                    start,
                    hours,
                    memory_mib,
                    memory_mib_per_hour,
                    descriptors,
                    descriptors_per_hour,
                    is_judged,
                } = level;
                let judged = if *is_judged { "yes" } else { "too short" };
                writeln!(
                    text,
                    "| {server} | {start} | {hours:.2} | {memory_mib:.0} | {memory_mib_per_hour:+.1} | {descriptors:.0} | {descriptors_per_hour:+.1} | {judged} |"
                )?;
            }
            writeln!(text)?;
        }
        writeln!(
            text,
            "## Call times\n\nMeasured by the caller, including client retries, by the phase in which the call began.\n"
        )?;
        writeln!(
            text,
            "| operation | phase | answered | p50, ms | p99, ms | maximum, ms |\n|---|---|---:|---:|---:|---:|"
        )?;
        for Line { operation, phase, calls, p50_ms, p99_ms, max_ms } in &self.latencies {
            writeln!(
                text,
                "| {operation} | {phase} | {calls} | {p50_ms:.1} | {p99_ms:.1} | {max_ms:.0} |"
            )?;
        }
        Ok(())
    }
}

fn series(samples: &[Sample]) -> String {
    let mut text = "seconds,server,start,memory_kib,descriptors,threads\n".to_owned();
    for Sample { at, server, start, taken } in samples {
        let (memory, descriptors, threads) = (taken.memory, taken.descriptors, taken.threads);
        text.push_str(&format!(
            "{:.1},{server},{start},{memory},{descriptors},{threads}\n",
            at.as_secs_f64()
        ));
    }
    text
}
