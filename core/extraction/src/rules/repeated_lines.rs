//! Finds log lines that a statement repeats verbatim, ignoring case, spaces, punctuation and articles.

use core::ops::Range;
use std::collections::BTreeMap;

use super::{Index, Location};
use crate::budget::Budget;
use crate::facts::{Facts, Form};
use crate::heap_size::{MAP_ENTRY, allocation_size};
use crate::text::part;

/// The minimum number of words in a line. Shorter lines can match by coincidence.
const MIN_WORDS: usize = 3;
const MAX_LINE: usize = 1024;
const ARTICLES: [&str; 3] = ["the", "a", "an"];
const MESSAGE_KEYS: [&str; 4] = ["message", "msg", "log", "event"];

pub(super) fn find_line(text: &str, index: &Index<'_>) -> Option<Location> {
    index.lines.get(&key(text)?).cloned()
}

pub(super) fn index_lines(facts: &Facts<'_>, budget: &Budget) -> BTreeMap<String, Location> {
    let mut found = BTreeMap::new();
    for (record, record_data) in facts.records() {
        let Some(group) = facts.group(record_data.group).filter(|group| group.form == Form::Lines)
        else {
            continue;
        };
        let Some(item) = facts.item(group.item) else { continue };
        let mut insert = |text: &str, span: Range<usize>| {
            if let Some(key) = key(text) {
                let location = || Location { record, spans: Vec::from([span]) };
                let bytes = MAP_ENTRY + size_of::<Location>() + allocation_size(key.len());
                if !found.contains_key(&key) && budget.allocate(bytes) {
                    found.insert(key, location());
                }
            }
        };
        if !budget.spend(record_data.span.len()) {
            break;
        }
        let record_text = part(item.content, record_data.span.clone());
        let mut start = record_data.span.start;
        for line in record_text.split_inclusive('\n') {
            insert(line, start..start + line.trim_end().len());
            start += line.len();
        }
        for cell in &record_data.cells {
            let is_message = match cell.attribute.as_slice() {
                [] => true,
                [key] => {
                    MESSAGE_KEYS.iter().any(|message_key| key.eq_ignore_ascii_case(message_key))
                }
                _ => false,
            };
            if is_message {
                insert(&cell.text, cell.span.clone());
                if let Some(start) = after_source(&cell.text, item.tool) {
                    insert(part(&cell.text, start..cell.text.len()), cell.span.clone());
                }
            }
        }
    }
    found
}

/// Returns the start of a message after the name of its source, such as `events` in `events page 5 was sent` from
/// `cat events.log`.
fn after_source(message: &str, tool: &str) -> Option<usize> {
    let first = message.split_whitespace().next()?;
    let mut tool_words = tool.split(|c: char| !c.is_alphanumeric() && c != '-');
    (message.starts_with(first) && tool_words.any(|word| word.eq_ignore_ascii_case(first)))
        .then_some(first.len())
}

/// Returns a key that is equal for equivalent lines: lower-case words without articles and surrounding
/// punctuation. Keeps operators, so that `>=` and `<=` differ.
pub(super) fn key(text: &str) -> Option<String> {
    if text.len() > MAX_LINE {
        return None;
    }
    let mut key = String::with_capacity(text.len());
    let mut word_count = 0;
    for word in text.split_whitespace() {
        let bare =
            word.trim_matches(['.', ',', ';', ':', '!', '"', '\'', '`', '*', '(', ')', '“', '”']);
        if bare.is_empty() || ARTICLES.iter().any(|article| bare.eq_ignore_ascii_case(article)) {
            continue;
        }
        if word_count > 0 {
            key.push(' ');
        }
        push_lowercase(&mut key, bare);
        word_count += 1;
    }
    (word_count >= MIN_WORDS).then_some(key)
}

fn push_lowercase(key: &mut String, word: &str) {
    if word.is_ascii() {
        key.extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        key.extend(word.chars().flat_map(char::to_lowercase));
    }
}
