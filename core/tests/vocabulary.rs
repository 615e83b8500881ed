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

fn sources(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_str().unwrap_or_default();
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !DATA.contains(&name) {
                sources(&path, paths);
            }
        } else if name != "CHANGELOG.md"
            && ["rs", "proto", "py", "md"].map(OsStr::new).map(Some).contains(&path.extension())
        {
            paths.push(path);
        }
    }
}

/// Returns `true` if a text contains a word. A word that ends in an underscore is a prefix.
fn contains_word(text: &str, word: &str) -> bool {
    let is_word_character = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(index, _)| {
        let (before, after) = (text.get(..index).unwrap(), text.get(index + word.len()..).unwrap());
        !is_word_character(before.chars().next_back())
            && (word.ends_with('_') || !is_word_character(after.chars().next()))
    })
}

#[test]
fn source_has_no_forbidden_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    sources(root, &mut files);
    assert!(files.len() > 500, "{} files in {}", files.len(), root.display());
    let mut problems = Vec::new();
    for path in files {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if EXEMPT.contains(&name.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (index, line) in text.lines().enumerate() {
            let words = FORBIDDEN.iter().filter(|(word, _)| contains_word(line, word));
            problems.extend(words.map(|(word, replacement)| {
                format!("{name}:{}: \"{word}\"; write {replacement}", index + 1)
            }));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn words_match_whole_and_prefixes_match() {
    assert!(contains_word("let told = 1;", "told") && contains_word("a_told_one", "told"));
    assert!(!contains_word("the toldot", "told") && !contains_word("recommend it", "mend"));
    assert!(contains_word("MOST_BYTES", "MOST_") && !contains_word("UTMOST_BYTES", "MOST_"));
}
