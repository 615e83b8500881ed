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
