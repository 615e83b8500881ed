//! Checks the dependency rules in docs/ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::path::Path;

use toml::Table;

#[path = "../extraction/tests/source/mod.rs"]
mod source;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn manifest(folder: &str) -> Table {
    let path = root().join(folder).join("Cargo.toml");
    std::fs::read_to_string(&path).unwrap().parse().unwrap()
}

fn dependencies(folder: &str) -> BTreeSet<String> {
    let manifest = manifest(folder);
    manifest["dependencies"].as_table().unwrap().keys().cloned().collect()
}

fn workspace_dependencies(folder: &str) -> Vec<String> {
    dependencies(folder).into_iter().filter(|name| name.starts_with("gsar-")).collect()
}

#[test]
fn crates_depend_only_on_allowed_crates() {
    for (folder, allowed) in [
        ("core/extraction", &[][..]),
        ("core", &["gsar-extraction"]),
        ("proto", &["gsar-core"]),
        ("server/answer", &["gsar-core"]),
        ("server/chat", &[]),
        ("server/cross-encoder", &["gsar-core", "gsar-embedding"]),
        ("server/chat/wire", &[]),
        ("server/framing", &["gsar-core"]),
        ("server/redaction", &[]),
        ("server/retrieval", &[]),
        ("server/embedding", &[]),
        ("server/vectors", &[]),
        (
            "server",
            &[
                "gsar-answer",
                "gsar-chat",
                "gsar-core",
                "gsar-cross-encoder",
                "gsar-embedding",
                "gsar-extraction",
                "gsar-framing",
                "gsar-proto",
                "gsar-redaction",
                "gsar-retrieval",
                "gsar-vectors",
            ],
        ),
        ("client", &["gsar-core", "gsar-proto"]),
        (
            "calibration",
            &[
                "gsar-chat",
                "gsar-chat-wire",
                "gsar-client",
                "gsar-core",
                "gsar-datasets",
                "gsar-extraction",
                "gsar-framing",
                "gsar-proto",
            ],
        ),
    ] {
        assert_eq!(workspace_dependencies(folder), allowed, "{folder}");
    }
}

#[test]
fn core_has_only_pure_dependencies() {
    let expected =
        ["blake3", "gsar-extraction", "memchr", "serde", "serde_json", "thiserror", "toml"];
    assert_eq!(dependencies("core"), expected.map(str::to_owned).into());
    assert_eq!(
        dependencies("core/extraction"),
        [
            "csv-core",
            "jsonc-parser",
            "memchr",
            "pulldown-cmark",
            "quick-xml",
            "saphyr-parser",
            "unicode-normalization"
        ]
        .map(str::to_owned)
        .into()
    );
}

#[test]
fn the_source_of_core_is_pure() {
    const IMPURE: [&str; 8] = ["env", "fs", "io", "net", "os", "process", "thread", "time"];
    for folder in ["core/src", "core/extraction/src"] {
        for file in rust_files(&root().join(folder)) {
            let text = std::fs::read_to_string(&file).unwrap();
            for module in IMPURE {
                let path = format!("std::{module}");
                assert!(!text.contains(&path), "{}: {path}", file.display());
            }
            for name in ["SystemTime", "RandomState", "HashMap", "HashSet", "println!"] {
                assert!(!text.contains(name), "{}: {name}", file.display());
            }
        }
    }
    let lists = std::fs::read_to_string(root().join("core/clippy.toml")).unwrap();
    let lists: Table = lists.parse().unwrap();
    for list in ["disallowed-methods", "disallowed-types", "disallowed-macros"] {
        assert!(!lists[list].as_array().unwrap().is_empty(), "{list}");
    }
}

#[test]
fn the_modules_of_core_have_no_circular_dependencies() {
    let uses = source::uses(&root().join("core/src"));
    assert!(uses["verify"].contains("evidence"), "{uses:?}");
    assert_eq!(source::cycles(&uses), Vec::<Vec<String>>::new(), "{uses:?}");
}

#[test]
fn every_direct_dependency_has_a_comment() {
    let workspace = manifest("");
    for member in workspace["workspace"]["members"].as_array().unwrap() {
        let folder = member.as_str().unwrap();
        let text = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let mut section = "";
        let mut has_comment = false;
        for line in text.lines() {
            if line.starts_with('[') {
                (section, has_comment) = (line, false);
            } else if line.starts_with('#') {
                has_comment = true;
            } else if line.trim().is_empty() {
                has_comment = false;
            } else if section.contains("dependencies") {
                assert!(has_comment, "{folder}/Cargo.toml: {line}");
            }
        }
    }
}

/// The modules that each server module may use in addition to [`COMMON`].
const MODULES: [(&str, &[&str]); 16] = [
    ("api", &["drive", "evaluate", "evidence", "export", "ledger", "policies", "rescore"]),
    ("assembly", &["evaluate", "evidence", "judge", "ledger", "policies", "storage", "tls"]),
    ("backup", &["evidence", "judge", "ledger", "storage"]),
    ("drive", &["evaluate", "evidence", "judge", "ledger"]),
    ("evaluate", &["evidence", "judge", "ledger", "policies"]),
    ("evidence", &["storage"]),
    ("export", &["evaluate", "ledger"]),
    ("gateway", &[]),
    ("identity", &[]),
    ("judge", &["storage"]),
    ("ledger", &["storage"]),
    (
        "lifecycle",
        &["api", "assembly", "drive", "evaluate", "gateway", "judge", "ledger", "policies", "tls"],
    ),
    ("rescore", &["evaluate", "ledger"]),
    ("storage", &[]),
    ("telemetry", &[]),
    ("tls", &[]),
];

/// The modules that every server module may use.
const COMMON: [&str; 15] = [
    "attestation", "call", "compute_pool", "config", "errors", "identity", "memory",
    "blocking_work", "data_owner", "server_phase", "telemetry", "wall_clock", "metered_body",
    "evidence_size", "field_hasher",
];

#[test]
fn server_modules_use_only_allowed_modules() {
    for (module, allowed_modules) in MODULES {
        for file in rust_files(&root().join("server/src").join(module)) {
            let text = std::fs::read_to_string(&file).unwrap();
            for (index, line) in text.lines().enumerate() {
                let Some(after) = line.trim().strip_prefix("use crate::") else { continue };
                let used: String =
                    after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let is_allowed = used == module || allowed_modules.contains(&used.as_str());
                let is_common = COMMON.contains(&used.as_str());
                assert!(is_allowed || is_common, "{}:{}: {line}", file.display(), index + 1);
            }
        }
    }
}

fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
