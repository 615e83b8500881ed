//! Reads the reports of labelled cases as rows.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::{Gold, GoldClaim, Item, Row};
use crate::data_set::{CaseLine, ClaimLine, Part, ReportLine, Split, incident_data, lines};

/// Reads a folder of labelled cases. A claim belongs to every report that contains its text.
pub(super) fn reports(folder: &Path, part: Option<&str>) -> Result<Vec<Row>> {
    let split = match part {
        Some(_) => Some(
            Split::of_folder(folder)?
                .with_context(|| format!("{}: no split.json", folder.display()))?,
        ),
        None => None,
    };
    let part_cases =
        split.iter().zip(part).map(|(split, part)| split.cases(part)).next().transpose()?;
    let mut evidence: HashMap<String, Vec<Item>> = HashMap::new();
    for CaseLine { case, evidence: items, .. } in lines(&folder.join("cases.jsonl"))? {
        if part_cases.is_none_or(|cases| cases.contains(&case)) {
            evidence.insert(case, items.into_iter().map(Item::from).collect());
        }
    }
    let mut labels: HashMap<String, Vec<GoldClaim>> = HashMap::new();
    for ClaimLine { case, text, class, .. } in lines(&folder.join("claims.jsonl"))? {
        labels.entry(case).or_default().push(GoldClaim::unjudged(text, class));
    }
    let mut rows = Vec::new();
    for ReportLine { case, kind, text: report, .. } in lines(&folder.join("reports.jsonl"))? {
        let Some(evidence) = evidence.get(&case).cloned() else { continue };
        let labels = labels.get(&case).map_or(&[][..], Vec::as_slice);
        let claims = labels.iter().filter(|claim| report.contains(&claim.text)).cloned().collect();
        rows.push(Row { id: format!("{case}/{kind}"), report, claims, evidence });
    }
    Ok(rows)
}

pub(super) fn incidents(folder: &Path, part: Option<&str>) -> Result<Vec<Row>> {
    let parts = Part::ALL.map(|part| part.to_string());
    if let Some(part) = part.filter(|part| !parts.iter().any(|known| known == part)) {
        bail!("incidents have no part `{part}`; expected {}", parts.join(" or "));
    }
    let data_set = incident_data(folder)?;
    let mut rows = Vec::new();
    for report in data_set.reports {
        let Some(case) = data_set.cases.get(report.case) else { continue };
        if part.is_some_and(|part| part != case.part.to_string()) {
            continue;
        }
        let labels = report.labels.into_iter();
        let claims = labels.map(|label| GoldClaim::unjudged(label.text, Gold(label.class)));
        rows.push(Row {
            id: format!("{}/{}", case.name, report.kind),
            claims: claims.collect(),
            evidence: case.evidence.iter().cloned().map(Item::from_message).collect(),
            report: report.text,
        });
    }
    Ok(rows)
}
