//! Measures findings in stored evidence that contains no attacks.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gsar_core::evidence::{EvidenceId, EvidenceKind, Lane};
use gsar_framing::{FindingKind, Framer, Item, Nonce, original};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/rca");

fn texts(folder: &Path) -> Vec<String> {
    let samples = std::fs::read_dir(folder.join("telemetry_samples")).unwrap();
    let mut texts: Vec<String> =
        samples.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    for source in ["holmes", "opensre"] {
        let path = folder.join("labelled").join(source).join("cases.jsonl");
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let contents = case["evidence"].as_array().unwrap().iter().map(|item| &item["content"]);
            texts.extend(contents.map(|content| {
                content.as_str().map_or_else(|| content.to_string(), str::to_owned)
            }));
        }
    }
    texts
}

#[test]
fn stored_evidence_has_few_findings() {
    let folder =
        std::env::var_os("GSAR_SHARED_RCA").map_or_else(|| PathBuf::from(SHARED), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: {} does not exist", folder.display());
        return;
    }
    let framer = Framer::new().unwrap();
    let texts = texts(&folder);
    let id = EvidenceId::new("item").unwrap();
    let (mut reported_count, mut changed_count) = (0, 0);
    let mut findings: BTreeMap<FindingKind, BTreeMap<String, usize>> = BTreeMap::new();
    for content in &texts {
        let item = Item::new(&id, EvidenceKind::ToolOutput, Lane::Logs, content);
        let frame = framer.frame(Nonce::new(0x1f2e_3d4c << 96), &[item]).unwrap();
        assert_eq!(original(&frame.contents()[0]), content.as_str());
        reported_count += usize::from(!frame.findings().is_empty());
        changed_count += usize::from(frame.contents()[0] != *content);
        for finding in frame.findings() {
            *findings
                .entry(finding.kind)
                .or_default()
                .entry(finding.excerpt.clone())
                .or_default() += 1;
        }
    }
    println!("{} texts: {changed_count} changed, {reported_count} reported", texts.len());
    for (kind, excerpts) in findings {
        for (excerpt, count) in excerpts {
            println!("{kind} {count:>4} {excerpt}");
        }
    }
    assert!(reported_count * 20 <= texts.len(), "more than one text in twenty is reported");
}
