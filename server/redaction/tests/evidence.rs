//! Prints the redactor's findings in stored evidence, and checks that the evidence can be restored.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gsar_redaction::Redactor;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/rca");
/// The maximum number of values printed per kind.
const SHOWN: usize = 400;

fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let samples = std::fs::read_dir(folder.join("telemetry_samples")).unwrap();
    let mut paths: Vec<PathBuf> = samples.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        texts.push((name, std::fs::read_to_string(&path).unwrap()));
    }
    for source in ["holmes", "opensre"] {
        let path = folder.join("labelled").join(source).join("cases.jsonl");
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            for item in case["evidence"].as_array().unwrap() {
                let name = format!("{} {}", case["case"].as_str().unwrap(), item["id"]);
                let content = &item["content"];
                let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
                texts.push((name, text));
            }
        }
    }
    texts
}

#[test]
fn stored_evidence_can_be_restored() {
    let folder =
        std::env::var_os("GSAR_SHARED_RCA").map_or_else(|| PathBuf::from(SHARED), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: {} does not exist", folder.display());
        return;
    }
    let redactor = Redactor::new(&[]).unwrap();
    let texts = texts(&folder);
    let mut redaction = redactor.begin(1, texts.iter().map(|(_, text)| text.as_str()));
    let mut values: BTreeMap<String, BTreeMap<&str, (usize, &str)>> = BTreeMap::new();
    for (name, text) in &texts {
        let hidden = redaction.hide(text).into_owned();
        assert_eq!(redaction.restore(&hidden), *text, "{name}");
        assert_eq!(redaction.hide(&hidden), hidden, "{name}");
        for span in redactor.find(text) {
            let values = values.entry(span.kind.to_string()).or_default();
            values.entry(span.value(text)).or_insert((0, name)).0 += 1;
        }
    }
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    println!("{} texts, {bytes} bytes", texts.len());
    for (kind, count) in redaction.counts() {
        println!("{kind}: {count} values");
    }
    for (kind, values) in values {
        for (value, (count, name)) in values.iter().take(SHOWN) {
            println!("{kind} {count:>5} {} ({name})", value.escape_debug());
        }
    }
}
