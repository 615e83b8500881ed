//! Enforces the structure of this crate: small files, and no import cycles between folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::source::{MAX_LINES, cycles, files, uses};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
}

#[test]
fn files_are_short() {
    for file in files(root()) {
        let (path, line_count) = (file.path.display(), file.lines());
        assert!(
            line_count <= MAX_LINES,
            "{path} has {line_count} lines; split it into files of at most {MAX_LINES} lines"
        );
    }
}

#[test]
fn top_level_folders_have_no_import_cycles() {
    let uses = uses(root());
    let folders = ["budget", "facts", "heap_size", "passages", "report", "rules", "text"];
    assert_eq!(uses.keys().map(String::as_str).collect::<Vec<_>>(), folders);
    assert!(uses["rules"].contains("facts"), "imports not found: {uses:?}");
    assert_eq!(cycles(&uses), Vec::<Vec<String>>::new(), "{uses:?}");
}

#[test]
fn facts_folders_have_no_import_cycles() {
    let folders = ["keys", "lines", "message", "table", "tree"];
    let mut uses = uses(&root().join("facts"));
    uses.retain(|module, _| folders.contains(&module.as_str()));
    uses.values_mut()
        .for_each(|imports| imports.retain(|module| folders.contains(&module.as_str())));
    assert_eq!(uses.len(), folders.len());
    assert!(uses["lines"].contains("message"), "imports not found: {uses:?}");
    assert_eq!(cycles(&uses), Vec::<Vec<String>>::new(), "{uses:?}");
}

#[test]
fn finds_cycles_of_any_length() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, imported) in pairs {
            uses.entry((*module).to_owned()).or_default().insert((*imported).to_owned());
        }
        uses
    };
    assert_eq!(cycles(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])), Vec::<Vec<String>>::new());
    assert_eq!(cycles(&uses(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])), [["a", "b", "c"]]);
}
