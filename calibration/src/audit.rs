//! This module tells whether the cells of an evaluation may be published: whether each was decided by the judge that it
//! names, and whether no two of them hold the same partitions (arXiv:2604.23366 found that silent fallback is the greatest
//! risk of such an evaluation).
//!
//! It cannot tell a second run of a deterministic judge from a copy whose evaluation ids were made up.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use anyhow::{Result, bail};
use gsar_proto::v1;

use crate::arguments::Audit;
use crate::run::decided_by;
use crate::trace::{Header, Trace, read};

/// The share of the lesser cell's claims, in hundredths, that two cells may have in common. Judges that write their notes
/// and choose their quotes themselves share next to none.
const MAX_COMMON_PERCENT: usize = 50;

/// The fewest claims that are compared: fewer say nothing.
const MIN_CLAIMS: usize = 10;

/// The shortest quote, in bytes, that says anything about who chose it.
const MIN_QUOTE: usize = 8;

/// What the audit looks at in one cell.
#[derive(Debug)]
pub(crate) struct Cell {
    header: Header,
    /// How many claims with a quote have each fingerprint.
    fingerprints: HashMap<[u8; 32], usize>,
    /// The evaluations, by id.
    evaluations: BTreeSet<String>,
    /// How many rows each judge decided.
    judges: BTreeMap<String, usize>,
    rows: usize,
}

impl Cell {
    /// Of a trace.
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut cell = Self {
            header: trace.header.clone(),
            fingerprints: HashMap::new(),
            evaluations: BTreeSet::new(),
            judges: BTreeMap::new(),
            rows: trace.rows.len(),
        };
        for row in &trace.rows {
            let answer = &row.evaluation;
            cell.evaluations.insert(answer.evaluation_id.clone());
            *cell.judges.entry(decided_by(answer).to_owned()).or_default() += 1;
            for fingerprint in answer.claims.iter().filter_map(fingerprint) {
                *cell.fingerprints.entry(fingerprint).or_default() += 1;
            }
        }
        cell
    }

    fn claims(&self) -> usize {
        self.fingerprints.values().sum()
    }
}

/// What a judge chose of a claim: class, type, quotes and note, but not the claim, so that partitions which moved to other
/// rows are found; `None` without a quote, since a claim of which nothing is cited is like any other.
fn fingerprint(claim: &v1::JudgedClaim) -> Option<[u8; 32]> {
    let mut quotes: Vec<&str> = claim.citations.iter().map(|cited| cited.quote.as_str()).collect();
    if !quotes.iter().any(|quote| quote.len() >= MIN_QUOTE) {
        return None;
    }
    quotes.sort_unstable();
    let mut digest = blake3::Hasher::new();
    digest.update(&claim.class.to_le_bytes()).update(&claim.r#type.to_le_bytes());
    for text in quotes.into_iter().chain([claim.note.as_str()]) {
        digest.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    Some(*digest.finalize().as_bytes())
}

/// Why cells may not be published, one sentence each; empty where they may.
pub(crate) fn objections(cells: &[Cell]) -> Vec<String> {
    let mut found = Vec::new();
    for cell in cells {
        found.extend(other_judges(cell));
    }
    for (at, first) in cells.iter().enumerate() {
        found.extend(cells.iter().skip(at + 1).filter_map(|second| in_common(first, second)));
    }
    found
}

/// That a cell was decided by another judge than its first.
fn other_judges(cell: &Cell) -> Option<String> {
    let Header { run, judge, .. } = &cell.header;
    let named = |judge: &str| judge.is_empty() || cell.is_by(judge);
    let others: Vec<String> = cell
        .judges
        .iter()
        .filter(|(judge, _)| !named(judge))
        .map(|(judge, rows)| format!("{rows} by {judge}"))
        .collect();
    let judge = judge.as_deref().unwrap_or("one judge");
    (!others.is_empty()).then(|| {
        format!(
            "{run}: says it was judged by {judge}, and of {} rows were {}",
            cell.rows,
            others.join(", ")
        )
    })
}

impl Cell {
    /// Whether rows that a judge decided are what the cell says: of the judge it names; where it names none, of the judge
    /// that decided most rows.
    fn is_by(&self, judge: &str) -> bool {
        match self.header.judge.as_deref() {
            Some("stored") => judge.ends_with(":stored"),
            Some(named) => named == judge,
            None => self
                .judges
                .iter()
                .max_by_key(|(_, rows)| **rows)
                .is_some_and(|(most, _)| most == judge),
        }
    }
}

/// That two cells hold the same partitions. A declared repetition by a judge that always says the same may, as long as its
/// rows were judged anew.
fn in_common(first: &Cell, second: &Cell) -> Option<String> {
    let names = format!("{} and {}", first.header.run, second.header.run);
    let copied = first.evaluations.intersection(&second.evaluations).count();
    if copied > 0 {
        return Some(format!(
            "{names} hold {copied} of the same evaluations: one is a copy of the other"
        ));
    }
    let repeats = |one: &Header, other: &Header| {
        one.repeat_of.as_deref() == Some(&other.run) && one.judge == other.judge
    };
    if repeats(&first.header, &second.header) || repeats(&second.header, &first.header) {
        return None;
    }
    let least = first.claims().min(second.claims());
    let common: usize = first
        .fingerprints
        .iter()
        .map(|(fingerprint, count)| {
            second.fingerprints.get(fingerprint).map_or(0, |other| *count.min(other))
        })
        .sum();
    (least >= MIN_CLAIMS && common * 100 > least * MAX_COMMON_PERCENT).then(|| {
        format!(
            "{names} have {common} of {least} cited claims in common, quotes and notes included: one judge fell back to the other, or it is a second run that does not say so (--repeat-of)"
        )
    })
}

/// Audits traces and returns what is to be printed.
///
/// # Errors
/// Traces that cannot be read, and cells that may not be published.
pub(crate) fn audit(wanted: &Audit) -> Result<String> {
    let objections = objections(&cells(&wanted.traces)?);
    if objections.is_empty() {
        return Ok(format!("{} cells: no objection.\n", wanted.traces.len()));
    }
    bail!("the audit failed:\n  {}", objections.join("\n  "))
}

/// The cells of traces.
///
/// # Errors
/// Traces that cannot be read.
pub(crate) fn cells(traces: &[PathBuf]) -> Result<Vec<Cell>> {
    traces.iter().map(|path| Ok(Cell::of(&read(path)?))).collect()
}
