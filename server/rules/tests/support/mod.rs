//! Loading incidents as the judge takes them.

#![allow(dead_code, clippy::allow_attributes, reason = "no test file uses all of it")]

use std::path::{Path, PathBuf};

use gsar_core::Class;
use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};
use gsar_core::text::figures::figures;
use gsar_core::time::Timestamp;

#[derive(serde::Deserialize)]
struct EvidenceFile {
    item: Vec<ItemEntry>,
}

#[derive(serde::Deserialize)]
struct ItemEntry {
    file: String,
    id: String,
    kind: String,
    lane: String,
    tool: String,
    collected_at: String,
    #[serde(default)]
    exhaustive: bool,
}

/// What a person says of a claim.
#[derive(Clone, serde::Deserialize)]
pub(crate) struct Label {
    /// The claim.
    pub(crate) text: String,
    class: String,
}

impl Label {
    /// Its class.
    pub(crate) fn class(&self) -> Class {
        Class::from_name(&self.class).expect("the label's class is known")
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/incidents")
}

/// The incidents of the demo.
pub(crate) fn demo_incidents() -> [PathBuf; 2] {
    ["checkout-oom", "payments-bad-deploy"].map(|name| folder().join(name))
}

/// Every incident.
pub(crate) fn all_incidents() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the incidents are there");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// The evidence of an incident.
pub(crate) fn evidence(incident: &Path) -> Vec<EvidenceItem> {
    let folder = incident.join("evidence");
    let listed = std::fs::read_to_string(folder.join("evidence.toml")).expect("evidence.toml");
    let listed: EvidenceFile = toml::from_str(&listed).expect("evidence.toml is well formed");
    let item = |entry: ItemEntry| {
        let text = std::fs::read_to_string(folder.join(&entry.file)).expect("the item's file");
        let collected = figures(&entry.collected_at).times.first().and_then(|time| time.seconds());
        EvidenceItem {
            id: EvidenceId::new(entry.id).expect("an id"),
            kind: EvidenceKind::from_name(&entry.kind).expect("a kind"),
            lane: Lane::from_name(&entry.lane).expect("a lane"),
            tool: entry.tool,
            query: String::new(),
            content: if entry.file.ends_with(".json") {
                Content::Json(text)
            } else {
                Content::Text(text)
            },
            collected_at: collected.map(|seconds| Timestamp::from_micros(seconds * 1_000_000)),
            exhaustive: entry.exhaustive,
            attested: true,
            step_id: String::new(),
            specialist_id: String::new(),
            verification_result: None,
        }
    };
    listed.item.into_iter().map(item).collect()
}

/// The labels of a report.
pub(crate) fn labels(incident: &Path, report: &str) -> Vec<Label> {
    let text = std::fs::read_to_string(incident.join("labels").join(format!("{report}.jsonl")))
        .expect("labels");
    text.lines().map(|line| serde_json::from_str(line).expect("a label")).collect()
}

/// Evidence and statements about it.
pub(crate) struct StatementFile {
    /// The name of the file.
    pub(crate) name: String,
    /// What the statements are judged by.
    pub(crate) evidence: Vec<EvidenceItem>,
    /// The statements.
    pub(crate) statements: Vec<Statement>,
}

/// A statement and whether a careful reader of the evidence would say that it holds.
#[derive(serde::Deserialize)]
pub(crate) struct Statement {
    /// What is said.
    pub(crate) text: String,
    /// Whether it holds.
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
            _ => panic!("{} has either json or text", self.id),
        };
        EvidenceItem {
            id: EvidenceId::new(self.id).expect("an id"),
            kind: EvidenceKind::from_name(&self.kind).expect("a kind"),
            lane: Lane::from_name(&self.lane).expect("a lane"),
            tool: self.tool,
            query: String::new(),
            content,
            collected_at: self.collected_at.as_deref().and_then(timestamp),
            exhaustive: self.exhaustive,
            attested: true,
            step_id: String::new(),
            specialist_id: String::new(),
            verification_result: None,
        }
    }
}

fn timestamp(written: &str) -> Option<Timestamp> {
    let seconds = figures(written).times.first()?.seconds()?;
    Some(Timestamp::from_micros(seconds * 1_000_000))
}

/// Every file of statements.
pub(crate) fn statement_files() -> Vec<StatementFile> {
    let folder = folder().join("../statements");
    let entries = std::fs::read_dir(folder).expect("the statements are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| statement_file(path)).collect()
}

fn statement_file(path: &Path) -> StatementFile {
    let text = std::fs::read_to_string(path).expect("a file of statements");
    let entries: StatementEntries =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    StatementFile {
        name: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).expect("a name"),
        evidence: entries.evidence.into_iter().map(EvidenceEntry::item).collect(),
        statements: entries.statement,
    }
}
