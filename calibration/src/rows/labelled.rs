//! This module reads the reports of labelled cases: each report is a row, with the labels of the statements in it.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::{Gold, GoldClaim, Item, Row};
use crate::data_set::{Part, incident_data, is_json, lines, read};

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

/// The reports of the incidents of a folder, of one part where it is named, with the labels of their claims.
pub(super) fn incidents(folder: &Path, part: Option<&str>) -> Result<Vec<Row>> {
    let parts = Part::ALL.map(|part| part.to_string());
    if let Some(part) = part.filter(|part| !parts.iter().any(|known| known == part)) {
        bail!("incidents have no part `{part}`; they have {}", parts.join(" and "));
    }
    let data_set = incident_data(folder)?;
    let mut rows = Vec::new();
    for report in data_set.reports {
        let Some(case) = data_set.cases.get(report.case) else { continue };
        if part.is_some_and(|part| part != case.part.to_string()) {
            continue;
        }
        let claims = report.labels.into_iter().map(|label| GoldClaim {
            text: label.text,
            gold: Gold(label.class),
            judged: None,
        });
        rows.push(Row {
            id: format!("{}/{}", case.name, report.kind),
            claims: claims.collect(),
            evidence: case.evidence.iter().cloned().map(Item::sent).collect(),
            report: report.text,
        });
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
