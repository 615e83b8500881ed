//! These tests check what the documents point at: links lead to files and headings that are there, and the tests that
//! promises name exist.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and reads files"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Folders whose documents are data, or are not ours.
const NOT_OURS: [&str; 4] = ["datasets", "target", "node_modules", "injections"];

/// Documents that promise something and name the tests of it.
const PROMISES: [&str; 3] = ["SECURITY.md", "docs/SEEDS.md", "docs/THREATS.md"];

#[derive(Default)]
struct Document {
    /// What headings are called in links.
    anchors: BTreeSet<String>,
    links: Vec<String>,
    /// What is set as code in a table.
    code_in_tables: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(text: &str) -> Document {
    let mut document = Document::default();
    let mut heading: Option<String> = None;
    let mut is_in_table = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap());
                document.anchors.insert(anchor);
            }
            Event::Start(Tag::Table(_)) => is_in_table = true,
            Event::End(TagEnd::Table) => is_in_table = false,
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                document.links.push(dest_url.into_string());
            }
            Event::Text(part) => heading.iter_mut().for_each(|heading| heading.push_str(&part)),
            Event::Code(part) => {
                heading.iter_mut().for_each(|heading| heading.push_str(&part));
                if is_in_table {
                    document.code_in_tables.push(part.into_string());
                }
            }
            _ => {}
        }
    }
    document
}

/// As GitHub and GitLab make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn documents(folder: &Path, found: &mut BTreeMap<PathBuf, Document>) {
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_str().unwrap_or_default();
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !NOT_OURS.contains(&name) {
                documents(&path, found);
            }
        } else if name.ends_with(".md") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.insert(path.canonicalize().unwrap(), read(&text));
        }
    }
}

#[test]
fn links_lead_to_files_and_headings_that_are_there() {
    let mut all = BTreeMap::new();
    documents(&root(), &mut all);
    let mut looked_at = 0;
    let mut broken = Vec::new();
    for (path, document) in &all {
        for link in document.links.iter().filter(|link| !link.contains("://")) {
            looked_at += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => Some(path.clone()),
                file => path.parent().unwrap().join(file).canonicalize().ok(),
            };
            let is_there = target.is_some_and(|target| {
                anchor.is_empty()
                    || all.get(&target).is_some_and(|target| target.anchors.contains(anchor))
            });
            if !is_there {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(looked_at > 100, "{looked_at} links");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Whether a test, a file of tests or a folder of them is there: `path` or `path::test`.
fn exists(named: &str) -> bool {
    let (file, test) = named.split_once("::").unwrap_or((named, ""));
    let path = root().join(file);
    let declared = format!("fn {test}(");
    match test {
        "" => path.exists(),
        _ => std::fs::read_to_string(path).is_ok_and(|text| text.contains(&declared)),
    }
}

#[test]
fn tests_that_promises_name_exist() {
    for name in PROMISES {
        let document = read(&std::fs::read_to_string(root().join(name)).unwrap());
        let named = document.code_in_tables.iter().filter(|code| code.contains('/'));
        let (there, missing): (Vec<_>, Vec<_>) =
            named.filter(|code| !code.contains("://")).partition(|code| exists(code));
        assert!(there.len() > 5, "{name}: {there:?}");
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
}

#[test]
fn a_broken_link_and_a_missing_test_are_noticed() {
    let document =
        read("# `a` and B's\n\n[x](y.md#z) `no/table.rs`\n\n| a |\n|---|\n| `b/c.rs` |\n");
    assert_eq!(document.anchors, BTreeSet::from(["a-and-bs".to_owned()]));
    assert_eq!(document.links, ["y.md#z"]);
    assert_eq!(document.code_in_tables, ["b/c.rs"]);
    assert!(exists("core/tests/documents.rs::tests_that_promises_name_exist"));
    assert!(!exists("core/tests/documents.rs::no_such_test") && !exists("core/no_such_file.rs"));
}
