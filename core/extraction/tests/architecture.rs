//! This program enforces the shape of this crate's source: small files, and folders that know only what lies below
//! them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

mod source;

use source::{MAX_LINES, cycles, files, uses};

/// Files that are longer than allowed, with their lines: a number can only shrink, and no file can come in.
const LONG: [(&str, usize); 5] = [
    ("report/blocks.rs", 432),
    ("report/reader.rs", 459),
    ("report/words.rs", 508),
    ("text/figures/scan.rs", 532),
    ("text/polarity.rs", 497),
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
}

#[test]
fn no_file_is_longer_than_allowed() {
    let long: BTreeMap<&str, usize> = LONG.into();
    let mut measured = BTreeSet::new();
    for file in files(root()) {
        let path = file.path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let lines = file.lines();
        match long.get(path.as_str()) {
            Some(_) if lines <= MAX_LINES => {
                panic!("{path} has {lines} lines and is no exception any more; take it out of LONG")
            }
            Some(known) => {
                assert!(lines <= *known, "{path} grew from {known} to {lines} lines; part it");
                assert_eq!(lines, *known, "{path} shrank; write its new size into LONG");
            }
            None => assert!(
                lines <= MAX_LINES,
                "{path} has {lines} lines, {MAX_LINES} are allowed; part it by subject"
            ),
        }
        measured.insert(path);
    }
    for (path, _) in LONG {
        assert!(measured.contains(path), "{path} is gone; take it out of LONG");
    }
}

#[test]
fn no_two_folders_use_each_other() {
    let uses = uses(root());
    let folders = ["facts", "passages", "report", "rules", "text"];
    assert_eq!(uses.keys().map(String::as_str).collect::<Vec<_>>(), folders);
    assert!(uses["rules"].contains("facts"), "what is used is seen: {uses:?}");
    assert_eq!(cycles(&uses), Vec::<Vec<String>>::new(), "{uses:?}");
}

#[test]
fn no_two_folders_of_facts_use_each_other() {
    let uses = uses(&root().join("facts"));
    let folders = ["keys", "lines", "message", "table", "tree"];
    assert_eq!(uses.keys().map(String::as_str).collect::<Vec<_>>(), folders);
    assert!(uses["lines"].contains("message"), "imports are found: {uses:?}");
    assert_eq!(cycles(&uses), Vec::<Vec<String>>::new(), "{uses:?}");
}

#[test]
fn a_cycle_is_found_however_long() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in pairs {
            uses.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        uses
    };
    assert_eq!(cycles(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])), Vec::<Vec<String>>::new());
    assert_eq!(cycles(&uses(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])), [["a", "b", "c"]]);
}
