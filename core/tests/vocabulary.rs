//! Checks that source, contract and documentation avoid certain words (docs/GLOSSARY.md).

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::allow_attributes,
    reason = "a test fails by panicking, and reads files"
)]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Forbidden words and their replacements.
const FORBIDDEN: [(&str, &str); 17] = [
    ("Remembered", "cached judge"),
    ("Shelf", "disk cache"),
    ("Flights", "single-flight"),
    ("Landed", "shared answer"),
    ("in_mind", "memory cache"),
    ("Books", "budget ledger"),
    ("Makings", "judge factory"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("told", "reported, expected, distinguished"),
    ("whoever", "the caller, the reader"),
    ("so many", "a number, n"),
    ("the one who asks", "the caller"),
    ("MOST_", "MAX_"),
    ("LEAST_", "MIN_"),
    ("LONGEST_", "MAX_"),
];

/// Files that contain such words as data.
const EXEMPT: [&str; 3] = [
    "core/extraction/src/report/words.rs",
    "core/tests/vocabulary.rs",
    "server/framing/src/detect/phrases.rs",
];

/// Folders with third-party texts.
const DATA: [&str; 5] = ["datasets", "target", "generated", "node_modules", "injections"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_str().unwrap_or_default();
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !DATA.contains(&name) {
                sources(&path, found);
            }
        } else if name != "CHANGELOG.md"
            && ["rs", "proto", "py", "md"].map(OsStr::new).map(Some).contains(&path.extension())
        {
            found.push(path);
        }
    }
}

/// Returns `true` if a text contains a word. A word that ends in an underscore is a prefix.
fn has(text: &str, word: &str) -> bool {
    let touches = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap(), text.get(at + word.len()..).unwrap());
        !touches(before.chars().next_back())
            && (word.ends_with('_') || !touches(after.chars().next()))
    })
}

#[test]
fn source_has_no_forbidden_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    sources(root, &mut files);
    assert!(files.len() > 500, "{} files in {}", files.len(), root.display());
    let mut found = Vec::new();
    for path in files {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if EXEMPT.contains(&name.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (at, line) in text.lines().enumerate() {
            let words = FORBIDDEN.iter().filter(|(word, _)| has(line, word));
            found.extend(
                words.map(|(word, instead)| {
                    format!("{name}:{}: \"{word}\"; write {instead}", at + 1)
                }),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn words_match_whole_and_prefixes_match() {
    assert!(has("let told = 1;", "told") && has("a_told_one", "told"));
    assert!(!has("the toldot", "told") && !has("recommend it", "mend"));
    assert!(has("MOST_BYTES", "MOST_") && !has("UTMOST_BYTES", "MOST_"));
}
