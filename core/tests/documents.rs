//! Checks that the links in documents lead somewhere, and that the tests that documents name exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The folders that contain data or third-party documents.
const SKIPPED_FOLDERS: [&str; 4] = ["datasets", "target", "node_modules", "injections"];

/// The documents that name tests.
const DOCUMENTS_WITH_TESTS: [&str; 3] = ["SECURITY.md", "docs/SEEDS.md", "docs/THREATS.md"];

#[derive(Default)]
struct Document {
    /// The heading anchors.
    anchors: BTreeSet<String>,
    links: Vec<String>,
    /// The code spans in tables.
    code_in_tables: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn parse_document(text: &str) -> Document {
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

/// Returns the anchor that GitHub and GitLab generate for a heading.
fn anchor(heading: &str) -> String {
    let anchor = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    anchor.collect::<String>().to_lowercase().replace(' ', "-")
}

fn collect_documents(folder: &Path, documents: &mut BTreeMap<PathBuf, Document>) {
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_str().unwrap_or_default();
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !SKIPPED_FOLDERS.contains(&name) {
                collect_documents(&path, documents);
            }
        } else if name.ends_with(".md") {
            let text = std::fs::read_to_string(&path).unwrap();
            documents.insert(path.canonicalize().unwrap(), parse_document(&text));
        }
    }
}

#[test]
fn links_lead_to_existing_files_and_headings() {
    let mut documents_by_path = BTreeMap::new();
    collect_documents(&root(), &mut documents_by_path);
    let mut link_count = 0;
    let mut broken = Vec::new();
    for (path, document) in &documents_by_path {
        for link in document.links.iter().filter(|link| !link.contains("://")) {
            link_count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => Some(path.clone()),
                file => path.parent().unwrap().join(file).canonicalize().ok(),
            };
            let is_found = target.is_some_and(|target| {
                anchor.is_empty()
                    || documents_by_path
                        .get(&target)
                        .is_some_and(|target| target.anchors.contains(anchor))
            });
            if !is_found {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(link_count > 100, "{link_count} links");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns `true` if a test (`path::test`), a file or a folder exists.
fn exists(reference: &str) -> bool {
    let (file, test) = reference.split_once("::").unwrap_or((reference, ""));
    let path = root().join(file);
    let declaration = format!("fn {test}(");
    match test {
        "" => path.exists(),
        _ => std::fs::read_to_string(path).is_ok_and(|text| text.contains(&declaration)),
    }
}

#[test]
fn tests_named_in_documents_exist() {
    for name in DOCUMENTS_WITH_TESTS {
        let document = parse_document(&std::fs::read_to_string(root().join(name)).unwrap());
        let references = document.code_in_tables.iter().filter(|code| code.contains('/'));
        let (existing, missing): (Vec<_>, Vec<_>) =
            references.filter(|code| !code.contains("://")).partition(|code| exists(code));
        assert!(existing.len() > 5, "{name}: {existing:?}");
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
}

#[test]
fn finds_links_and_tests_in_documents() {
    let document = parse_document(
        "# `a` and B's\n\n[x](y.md#z) `no/table.rs`\n\n| a |\n|---|\n| `b/c.rs` |\n",
    );
    assert_eq!(document.anchors, BTreeSet::from(["a-and-bs".to_owned()]));
    assert_eq!(document.links, ["y.md#z"]);
    assert_eq!(document.code_in_tables, ["b/c.rs"]);
    assert!(exists("core/tests/documents.rs::tests_named_in_documents_exist"));
    assert!(!exists("core/tests/documents.rs::no_such_test") && !exists("core/no_such_file.rs"));
}
