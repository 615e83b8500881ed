//! Reads incidents: telemetry, reports, and a label for every claim.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::folder;

/// A folder of `incidents/`.
#[derive(Clone, Debug)]
pub struct Incident {
    /// The name of the folder.
    pub name: String,
    /// The path of the folder.
    pub path: PathBuf,
    /// `true` if the incident is for measurements only, not for writing rules.
    pub is_test: bool,
}

/// The three reports of every incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// Contains only what the evidence shows.
    Faithful,
    /// Also contains plausible claims without evidence.
    Overreaching,
    /// Contains some claims that the evidence refutes.
    Contradicted,
}

impl ReportKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Faithful, Self::Overreaching, Self::Contradicted];

    /// The file name without extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faithful => "faithful",
            Self::Overreaching => "overreaching",
            Self::Contradicted => "contradicted",
        }
    }
}

/// A label of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The claim, as written in the report.
    pub text: String,
    /// The class, such as `grounded`.
    pub class: String,
    /// The type, such as `tool_match`.
    pub evidence_type: String,
    /// The id of the deciding item, if any.
    pub evidence: Option<String>,
    /// The deciding quote.
    pub quote: Option<String>,
}

impl Incident {
    /// Returns the evidence folder.
    pub fn evidence(&self) -> PathBuf {
        self.path.join("evidence")
    }

    /// Returns the file of a report.
    pub fn report(&self, kind: ReportKind) -> PathBuf {
        self.path.join("reports").join(kind.name()).with_extension("md")
    }

    /// Reads the labels of a report, in its order.
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

/// Reads every incident of this folder, by name.
pub fn incidents() -> Result<Vec<Incident>> {
    incidents_in(&folder().join("incidents"))
}

/// Reads every incident in a folder, by name.
pub fn incidents_in(folder: &Path) -> Result<Vec<Incident>> {
    let mut incidents = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        incidents.push(incident(&entry?.path())?);
    }
    incidents.sort_by(|a, b| a.name.cmp(&b.name));
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
