//! This module reads the reports of labelled cases: each report is a row, with the labels of the statements in it.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::{Gold, GoldClaim, Item, Row};
use crate::data_set::{is_json, lines, read};

#[derive(Deserialize)]
struct CaseLine {
    case: String,
    evidence: Vec<Item>,
}

#[derive(Deserialize)]
struct ClaimLine {
    case: String,
    text: String,
    class: Gold,
}

#[derive(Deserialize)]
struct ReportLine {
    case: String,
    kind: String,
    text: String,
}

/// The reports of a folder of `cases.jsonl`, `claims.jsonl` and `reports.jsonl`; of one part of the `split.json` in it or
/// beside it, where a part is named. A statement is a claim of the reports that have its words.
///
/// # Errors
/// A file that cannot be read, and a line that is not what it should be.
pub(super) fn reports(folder: &Path, part: Option<&str>) -> Result<Vec<Row>> {
    let wanted = part.map(|part| cases_of(folder, part)).transpose()?;
    let is_wanted = |case: &str| wanted.as_ref().is_none_or(|wanted| wanted.contains(case));
    let mut evidence: HashMap<String, Vec<Item>> = HashMap::new();
    for CaseLine { case, evidence: items } in lines(&folder.join("cases.jsonl"))? {
        if is_wanted(&case) {
            let items = items.into_iter().map(|item| Item { is_json: is_json(&item.text), ..item });
            evidence.insert(case, items.collect());
        }
    }
    let mut labels: HashMap<String, Vec<GoldClaim>> = HashMap::new();
    for ClaimLine { case, text, class } in lines(&folder.join("claims.jsonl"))? {
        labels.entry(case).or_default().push(GoldClaim { text, gold: class, judged: None });
    }
    let mut rows = Vec::new();
    for ReportLine { case, kind, text: report } in lines(&folder.join("reports.jsonl"))? {
        let Some(evidence) = evidence.get(&case).cloned() else { continue };
        let labels = labels.get(&case).map_or(&[][..], Vec::as_slice);
        let claims = labels.iter().filter(|claim| report.contains(&claim.text)).cloned().collect();
        rows.push(Row { id: format!("{case}/{kind}"), report, claims, evidence });
    }
    Ok(rows)
}

fn cases_of(folder: &Path, part: &str) -> Result<HashSet<String>> {
    let within = folder.join("split.json");
    let path = if within.exists() { within } else { folder.join("../split.json") };
    let mut split: HashMap<String, HashSet<String>> = serde_json::from_str(&read(&path)?)
        .with_context(|| format!("{}: not a split of cases", path.display()))?;
    let found = split.remove(part);
    found.with_context(|| format!("{}: the split has no part `{part}`", path.display()))
}
