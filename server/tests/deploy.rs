//! What lies in `server/deploy` speaks of metrics and keys of configuration that there are.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gsar_server::config::Sources;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inside = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(inside).collect()
}

/// Every name of a metric in a text.
fn metrics(text: &str) -> BTreeSet<String> {
    let is_of_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let words = text.split(|c| !is_of_name(c)).filter(|word| word.starts_with("gsar_"));
    let base = |word: &str| {
        let parts = ["_bucket", "_sum", "_count"];
        parts.iter().find_map(|part| word.strip_suffix(part)).unwrap_or(word).to_owned()
    };
    words.map(base).collect()
}

/// Every metric of the server.
fn known() -> BTreeSet<String> {
    let sources = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    sources.iter().flat_map(|file| metrics(&std::fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn operators_pages_name_metrics_that_there_are() {
    let known = known();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operations");
    let mut named = 0;
    for page in files(&pages) {
        for metric in metrics(&std::fs::read_to_string(&page).unwrap()) {
            let is_family = metric.ends_with('_');
            let is_known = known.contains(&metric)
                || is_family && known.iter().any(|known| known.starts_with(&metric));
            assert!(is_known, "{}: {metric}", page.display());
            named += 1;
        }
    }
    assert!(named > 40, "{named}");
}

#[test]
fn alerts_and_dashboards_ask_for_metrics_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known = known();
    let mut asked = 0;
    for folder in ["deploy/prometheus", "deploy/grafana"] {
        for file in files(&root.join(folder)) {
            for metric in metrics(&std::fs::read_to_string(&file).unwrap()) {
                assert!(known.contains(&metric), "{}: {metric}", file.display());
                asked += 1;
            }
        }
    }
    assert!(asked > 20, "{asked}");
}

#[test]
fn configurations_have_no_problems() {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let named: Vec<PathBuf> = files(&deploy)
        .into_iter()
        .filter(|file| file.file_name().is_some_and(|name| name == "gsar.toml"))
        .collect();
    assert!(named.len() > 1, "{named:?}");
    for file in named {
        let sources = Sources { file: Some(file.clone()), ..Sources::default() };
        let loaded = sources.load().unwrap();
        assert!(loaded.problems.is_empty(), "{}: {}", file.display(), loaded.problems);
    }
}
