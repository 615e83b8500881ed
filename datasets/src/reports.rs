//! Loads the long reports, in which every statement is true.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::folder;

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
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The statement's text. Table cells are separated by ` | `.
    pub text: String,
    /// The expected class: `grounded` or `complementary`.
    pub class: String,
    /// The evidence type, such as `tool_match`.
    pub evidence_type: String,
    /// At least one pair of an item id and a verbatim quote.
    pub citations: Vec<(String, String)>,
}

/// Loads all long reports, sorted by name.
pub fn long_reports() -> Result<Vec<LongReport>> {
    let mut reports = Vec::new();
    for entry in std::fs::read_dir(folder().join("reports"))? {
        let path = entry?.path();
        if path.is_dir() {
            reports.push(long_report(&path).with_context(|| path.display().to_string())?);
        }
    }
    reports.sort_by(|a, b| a.name.cmp(&b.name));
    anyhow::ensure!(!reports.is_empty(), "no reports");
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
    let citations = citations.context("missing `citations`")?;
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
    Ok(word.with_context(|| format!("missing `{name}`"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::long_reports;

    #[test]
    fn items_contain_their_quotes() {
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
