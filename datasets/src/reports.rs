//! Loads the long reports, which are true throughout.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::folder;

/// One folder of `reports/`.
#[derive(Clone, Debug)]
pub struct LongReport {
    /// The name of the folder.
    pub name: String,
    /// The report, in Markdown.
    pub text: String,
    /// The evidence of its case.
    pub evidence: Vec<ReportEvidence>,
    /// Its statements, in reading order.
    pub statements: Vec<Statement>,
    /// Paraphrased claims that a caller gives with the report; often none.
    pub given: Vec<Statement>,
}

/// An item of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportEvidence {
    /// Unique in the report.
    pub id: String,
    /// The kind: `tool_output` and so on.
    pub kind: String,
    /// The lane: `logs` and so on.
    pub lane: String,
    /// The command or request.
    pub tool: String,
    /// The output.
    pub content: String,
}

/// A statement of a report with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its words; cells of a table row are separated by ` | `.
    pub text: String,
    /// `grounded` or `complementary`.
    pub class: String,
    /// The type: `tool_match` and so on.
    pub evidence_type: String,
    /// The id of an item and verbatim words of it, at least one pair.
    pub citations: Vec<(String, String)>,
}

/// Every long report, by name.
pub fn long_reports() -> Result<Vec<LongReport>> {
    let mut reports = Vec::new();
    for entry in std::fs::read_dir(folder().join("reports"))? {
        let path = entry?.path();
        if path.is_dir() {
            reports.push(long_report(&path).with_context(|| path.display().to_string())?);
        }
    }
    reports.sort_by(|a, b| a.name.cmp(&b.name));
    anyhow::ensure!(!reports.is_empty(), "there are no reports");
    Ok(reports)
}

fn long_report(path: &Path) -> Result<LongReport> {
    let given = path.join("given.jsonl");
    Ok(LongReport {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        text: std::fs::read_to_string(path.join("report.md"))?,
        evidence: lines(&path.join("evidence.jsonl"), item)?,
        statements: lines(&path.join("statements.jsonl"), statement)?,
        given: if given.exists() { lines(&given, statement)? } else { Vec::new() },
    })
}

fn lines<T>(path: &Path, read: fn(&Value) -> Result<T>) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let line = |line: &str| read(&serde_json::from_str(line)?);
    text.lines().map(|text| line(text).with_context(|| path.display().to_string())).collect()
}

fn item(line: &Value) -> Result<ReportEvidence> {
    Ok(ReportEvidence {
        id: word(line, "id")?,
        kind: word(line, "kind")?,
        lane: word(line, "lane")?,
        tool: word(line, "tool")?,
        content: word(line, "content")?,
    })
}

fn statement(line: &Value) -> Result<Statement> {
    let citations = line.get("citations").and_then(Value::as_array);
    let citations = citations.context("`citations` is missing")?;
    let citation = |line: &Value| Ok((word(line, "evidence")?, word(line, "quote")?));
    Ok(Statement {
        text: word(line, "text")?,
        class: word(line, "class")?,
        evidence_type: word(line, "type")?,
        citations: citations.iter().map(citation).collect::<Result<_>>()?,
    })
}

fn word(line: &Value, name: &str) -> Result<String> {
    let word = line.get(name).and_then(Value::as_str);
    Ok(word.with_context(|| format!("`{name}` is missing"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::long_reports;

    #[test]
    fn every_quote_stands_in_its_item() {
        let reports = long_reports().unwrap();
        assert_eq!(reports.len(), 34);
        for report in &reports {
            for statement in report.statements.iter().chain(&report.given) {
                assert!(!statement.citations.is_empty(), "{}: {}", report.name, statement.text);
                for (id, quote) in &statement.citations {
                    let item = report.evidence.iter().find(|item| item.id == *id).unwrap();
                    assert!(item.content.contains(quote), "{}: {quote}", report.name);
                }
            }
        }
    }
}
