//! What may stand in `lexicon.toml`: words of the language, each once, and where they come from.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;

use toml::{Table, Value};

const ORIGINS: [&str; 2] = ["usage", "tools"];

fn lexicon() -> Table {
    include_str!("../src/lexicon/lexicon.toml").parse().unwrap()
}

/// The lists of words of the lexicon by name; a table of several lists, such as the signs, is one.
fn lists(lexicon: &Table) -> Vec<(String, Vec<String>)> {
    let words = |value: &Value| -> Vec<String> {
        let list = value.as_array().unwrap_or_else(|| panic!("{value:?} is no list of words"));
        list.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let mut lists = Vec::new();
    for (name, section) in lexicon.iter().filter(|(name, _)| *name != "origins") {
        match section {
            Value::Array(rows) => {
                for row in rows {
                    let row = words(&row["words"]);
                    lists.push((format!("{name} {}", row[0]), row));
                }
            }
            section => {
                let of = section.as_table().unwrap().iter().filter(|(key, _)| *key != "origin");
                lists.push((name.clone(), of.flat_map(|(_, list)| words(list)).collect()));
            }
        }
    }
    lists
}

#[test]
fn an_entry_is_at_most_two_words_in_lower_case() {
    for (name, words) in lists(&lexicon()) {
        assert!(!words.is_empty(), "{name} is empty");
        for entry in words {
            let number = entry.split_whitespace().count();
            assert!(
                (1..=2).contains(&number),
                "{name}: `{entry}` has {number} words, not one or two"
            );
            assert_eq!(entry, entry.to_lowercase(), "{name}: an entry is in lower case");
            let words = entry.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(entry, words, "{name}: one space between two words, none around them");
        }
    }
}

#[test]
fn no_entry_stands_twice_in_its_table() {
    for (name, words) in lists(&lexicon()) {
        let mut seen = BTreeSet::new();
        for entry in words {
            assert!(seen.insert(entry.clone()), "{name}: `{entry}` stands there twice; leave one");
        }
    }
}

#[test]
fn every_table_says_where_its_words_come_from() {
    let lexicon = lexicon();
    for (name, section) in lexicon.iter().filter(|(name, _)| *name != "origins") {
        // An array of tables has no place for a key of its own.
        let origin = match section {
            Value::Array(_) => lexicon.get("origins").and_then(|origins| origins.get(name)),
            section => section.get("origin"),
        };
        let origin = origin.unwrap_or_else(|| panic!("{name} has no origin; write {ORIGINS:?}"));
        for part in origin.as_str().unwrap().split(", ") {
            assert!(ORIGINS.contains(&part), "{name}: origin `{part}`; allowed are {ORIGINS:?}");
        }
    }
}
