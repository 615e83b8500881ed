//! Reads the test files. Each contains the evidence for an invented incident and statements about the incident.

use std::path::{Path, PathBuf};

use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};
use gsar_core::text::figures::figures;
use gsar_core::time::Timestamp;

pub(crate) struct StatementFile {
    pub(crate) name: String,
    pub(crate) evidence: Vec<EvidenceItem>,
    pub(crate) statements: Vec<Statement>,
}

/// A statement, and whether it is true according to the evidence.
#[derive(serde::Deserialize)]
pub(crate) struct Statement {
    pub(crate) text: String,
    pub(crate) holds: bool,
}

#[derive(serde::Deserialize)]
struct StatementEntries {
    evidence: Vec<EvidenceEntry>,
    statement: Vec<Statement>,
}

#[derive(serde::Deserialize)]
struct EvidenceEntry {
    id: String,
    kind: String,
    lane: String,
    tool: String,
    json: Option<String>,
    text: Option<String>,
    collected_at: Option<String>,
    #[serde(default)]
    exhaustive: bool,
}

impl EvidenceEntry {
    fn item(self) -> EvidenceItem {
        let content = match (self.json, self.text) {
            (Some(json), None) => Content::Json(json),
            (None, Some(text)) => Content::Text(text),
            _ => panic!("{} must have either `json` or `text`", self.id),
        };
        let id = EvidenceId::new(self.id).expect("an id");
        let lane = Lane::from_name(&self.lane).expect("a lane");
        EvidenceItem {
            kind: EvidenceKind::from_name(&self.kind).expect("a kind"),
            tool: self.tool,
            collected_at: self.collected_at.as_deref().and_then(timestamp),
            exhaustive: self.exhaustive,
            attested: true,
            ..EvidenceItem::new(id, lane, content)
        }
    }
}

fn timestamp(text: &str) -> Option<Timestamp> {
    let seconds = figures(text).times.first()?.seconds()?;
    Some(Timestamp::from_micros(seconds * 1_000_000))
}

pub(crate) fn statement_files() -> Vec<StatementFile> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/statements");
    let entries = std::fs::read_dir(folder).expect("the folder `datasets/statements`");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| statement_file(path)).collect()
}

fn statement_file(path: &Path) -> StatementFile {
    let text = std::fs::read_to_string(path).expect("a readable statement file");
    let entries: StatementEntries =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    StatementFile {
        name: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).expect("a name"),
        evidence: entries.evidence.into_iter().map(EvidenceEntry::item).collect(),
        statements: entries.statement,
    }
}
