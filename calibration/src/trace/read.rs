//! Reads a trace.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use gsar_core::Class;
use gsar_proto::json::from_json;
use gsar_proto::v1;

use super::{FORMAT, Header, Line, LoopEnd};
use crate::rows::is_faulty;

#[derive(Clone, Debug)]
pub(crate) struct Trace {
    pub(crate) header: Header,
    pub(crate) rows: Vec<TracedRow>,
    pub(crate) refused: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct TracedRow {
    pub(crate) row: String,
    /// The gold classes for the claims `c1`, `c2` and so on.
    pub(crate) gold: Vec<Class>,
    pub(crate) evaluation: v1::EvaluateResponse,
    pub(crate) loop_end: Option<LoopEnd>,
}

impl TracedRow {
    /// Returns the judge call whose partition was used, or `None` if no judge succeeded.
    pub(crate) fn deciding_judge(&self) -> Option<&v1::JudgeLink> {
        let links = &self.evaluation.provenance.as_ref()?.judges;
        links.iter().rev().find(|link| link.result == "judged")
    }

    /// Returns the judge whose partition was used, or an empty string if no judge succeeded.
    pub(crate) fn judge(&self) -> &str {
        self.deciding_judge().map_or("", |link| &link.judge)
    }

    pub(crate) fn faithfulness(&self) -> f64 {
        let supported = self.gold.iter().filter(|gold| !is_faulty(**gold)).count();
        supported as f64 / self.gold.len().max(1) as f64
    }

    pub(crate) fn is_wrong(&self) -> bool {
        self.gold.iter().any(|gold| is_faulty(*gold))
    }
}

/// Reads a trace. Ignores an incomplete last line.
pub(crate) fn read(path: &Path) -> Result<Trace> {
    let file_name = || path.display().to_string();
    let mut lines = BufReader::new(File::open(path).with_context(file_name)?).lines();
    let first = lines.next().with_context(|| format!("{}: empty file", path.display()))?;
    let header: Header = serde_json::from_str(&first.with_context(file_name)?)
        .with_context(|| format!("{}:1: invalid trace header", path.display()))?;
    ensure!(
        header.trace == FORMAT,
        "{}: unknown format {}; expected {FORMAT}",
        path.display(),
        header.trace
    );
    let (mut rows, mut refused) = (Vec::new(), Vec::new());
    let mut lines = lines.zip(2..).peekable();
    while let Some((line, number)) = lines.next() {
        let location = || format!("{}:{number}", path.display());
        let line = line.with_context(location)?;
        let line: Line = match serde_json::from_str(&line) {
            Err(_) if lines.peek().is_none() => break,
            line => line.with_context(location)?,
        };
        let Some(evaluation) = line.evaluation else {
            refused.extend(line.refused);
            continue;
        };
        rows.push(TracedRow {
            row: line.row,
            gold: line.gold.into_iter().map(|gold| gold.0).collect(),
            evaluation: from_json(evaluation.get()).with_context(location)?,
            loop_end: line.loop_end,
        });
    }
    rows.sort_unstable_by(|a, b| a.row.cmp(&b.row));
    Ok(Trace { header, rows, refused })
}
