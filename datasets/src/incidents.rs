//! Reads incidents with their telemetry and reports, and a label for every claim.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::{folder, sorted_entries};

/// A folder in `incidents/`.
#[derive(Clone, Debug)]
pub struct Incident {
    /// The folder's name.
    pub name: String,
    /// The folder's path.
    pub path: PathBuf,
    /// `true` if the incident is reserved for measurements, so that no rules are derived from it.
    pub is_test: bool,
}

/// The kinds of reports. Every incident contains one report of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// Contains only claims that the evidence supports.
    Faithful,
    /// Also contains plausible claims without evidence.
    Overreaching,
    /// Also contains claims that the evidence refutes.
    Contradicted,
}

impl ReportKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Faithful, Self::Overreaching, Self::Contradicted];

    /// Returns the file name without extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faithful => "faithful",
            Self::Overreaching => "overreaching",
            Self::Contradicted => "contradicted",
        }
    }
}

/// A claim's label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The claim, as written in the report.
    pub text: String,
    /// The claim's class, such as `grounded`.
    pub class: String,
    /// The evidence type, such as `tool_match`.
    pub evidence_type: String,
    /// The id of the item that decides the claim, if any.
    pub evidence: Option<String>,
    /// The quote that decides the claim, if any.
    pub quote: Option<String>,
}

impl Incident {
    /// Returns the path of the evidence folder.
    pub fn evidence(&self) -> PathBuf {
        self.path.join("evidence")
    }

    /// Returns the path of a report.
    pub fn report(&self, kind: ReportKind) -> PathBuf {
        self.path.join("reports").join(kind.name()).with_extension("md")
    }

    /// Reads a report's labels, in the order of its claims.
    pub fn labels(&self, kind: ReportKind) -> Result<Vec<Label>> {
        let path = self.path.join("labels").join(kind.name()).with_extension("jsonl");
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        text.lines().map(|line| label(line).with_context(|| path.display().to_string())).collect()
    }
}

fn label(line: &str) -> Result<Label> {
    let value: Value = serde_json::from_str(line)?;
    let field = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    Ok(Label {
        text: field("text").context("missing `text`")?,
        class: field("class").context("missing `class`")?,
        evidence_type: field("type").context("missing `type`")?,
        evidence: field("evidence"),
        quote: field("quote"),
    })
}

/// Reads all incidents in this repository, sorted by name.
pub fn incidents() -> Result<Vec<Incident>> {
    incidents_in(&folder().join("incidents"))
}

/// Reads all incidents in a folder, sorted by name.
pub fn incidents_in(folder: &Path) -> Result<Vec<Incident>> {
    let paths = sorted_entries(folder)?;
    let incidents = paths.iter().map(|path| incident(path)).collect::<Result<Vec<_>>>()?;
    anyhow::ensure!(!incidents.is_empty(), "{}: no incidents", folder.display());
    Ok(incidents)
}

fn incident(path: &Path) -> Result<Incident> {
    let file = path.join("incident.toml");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let table: toml::Table = text.parse().with_context(|| file.display().to_string())?;
    let split = table.get("split").and_then(toml::Value::as_str);
    Ok(Incident {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        path: path.to_owned(),
        is_test: split == Some("test"),
    })
}
