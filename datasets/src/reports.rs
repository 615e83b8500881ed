//! Loads the long reports, in which every statement is true.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{folder, sorted_entries};

/// A folder in `reports/`.
#[derive(Clone, Debug)]
pub struct LongReport {
    /// The folder's name.
    pub name: String,
    /// The report's text in Markdown.
    pub text: String,
    /// The evidence.
    pub evidence: Vec<ReportEvidence>,
    /// The statements, in reading order.
    pub statements: Vec<Statement>,
    /// Paraphrased claims sent with the report, if any.
    pub given: Vec<Statement>,
}

/// An item of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ReportEvidence {
    /// The item's id, unique in the report.
    pub id: String,
    /// The kind, such as `tool_output`.
    pub kind: String,
    /// The lane, such as `logs`.
    pub lane: String,
    /// The command or request that produced the item.
    pub tool: String,
    /// The item's text.
    pub content: String,
}

/// A statement in a report, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Statement {
    /// The statement's text. Table cells are separated by ` | `.
    pub text: String,
    /// The expected class: `grounded` or `complementary`.
    pub class: String,
    /// The evidence type, such as `tool_match`.
    #[serde(rename = "type")]
    pub evidence_type: String,
    /// At least one citation.
    pub citations: Vec<Citation>,
}

/// A citation of an item.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Citation {
    /// The item's id.
    pub evidence: String,
    /// A verbatim quote.
    pub quote: String,
}

/// Loads all long reports, sorted by name.
pub fn long_reports() -> Result<Vec<LongReport>> {
    let mut reports = Vec::new();
    for path in sorted_entries(&folder().join("reports"))? {
        if path.is_dir() {
            reports.push(long_report(&path).with_context(|| path.display().to_string())?);
        }
    }
    anyhow::ensure!(!reports.is_empty(), "found no reports");
    Ok(reports)
}

fn long_report(path: &Path) -> Result<LongReport> {
    let given = path.join("given.jsonl");
    Ok(LongReport {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        text: std::fs::read_to_string(path.join("report.md"))?,
        evidence: lines(&path.join("evidence.jsonl"))?,
        statements: lines(&path.join("statements.jsonl"))?,
        given: if given.exists() { lines(&given)? } else { Vec::new() },
    })
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let lines = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    lines.with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::{Citation, long_reports};

    #[test]
    fn items_contain_their_quotes() {
        let reports = long_reports().unwrap();
        assert_eq!(reports.len(), 34);
        for report in &reports {
            for statement in report.statements.iter().chain(&report.given) {
                assert!(!statement.citations.is_empty(), "{}: {}", report.name, statement.text);
                for Citation { evidence, quote } in &statement.citations {
                    let item = report.evidence.iter().find(|item| item.id == *evidence).unwrap();
                    assert!(item.content.contains(quote), "{}: {quote}", report.name);
                }
            }
        }
    }
}
