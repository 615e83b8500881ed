//! Extracts search terms from passages and claims.

use crate::facts::{Facts, ItemId, RecordId};
use crate::text::tokens::{Word, is_stop_word, words};

pub(super) fn claim_terms(claim: &str) -> Vec<u64> {
    let mut terms = Vec::new();
    add_terms(claim, &mut terms);
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Returns the distinct terms in records and the first record's parent.
pub(super) fn passage_terms(facts: &Facts<'_>, records: &[RecordId]) -> Vec<u64> {
    let mut terms = Vec::new();
    for record in records.iter().filter_map(|id| facts.record(*id)) {
        for cell in &record.cells {
            add_terms(&cell.text, &mut terms);
            cell.attribute.iter().for_each(|name| add_terms(name, &mut terms));
        }
        record.path.iter().for_each(|name| add_terms(name, &mut terms));
        if let Some(time) = &record.time {
            terms.push(minute_term(time.seconds_of_day));
        }
    }
    let first = records.first().and_then(|id| facts.record(*id));
    if let Some(parent) = first.and_then(|record| facts.record(record.parent?)) {
        parent.cells.iter().for_each(|cell| add_terms(&cell.text, &mut terms));
    }
    terms.sort_unstable();
    terms.dedup();
    terms
}

pub(super) fn tool_terms(facts: &Facts<'_>, item: ItemId) -> Vec<u64> {
    let mut terms = Vec::new();
    if let Some(item) = facts.item(item) {
        add_terms(item.tool, &mut terms);
        add_terms(item.query, &mut terms);
    }
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Adds the stems of words, the parts of names, and figures without their units.
fn add_terms(text: &str, terms: &mut Vec<u64>) {
    for word in words(text).filter(|word| !is_stop_word(word.text)) {
        terms.push(word.stem());
        for part in word.text.split(['_', '-', '.', '/', ':']).filter(|part| *part != word.text) {
            if !part.is_empty() {
                terms.push(Word { text: part, span: 0..0 }.stem());
            }
        }
        let digits = word.text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0
            && digits < word.text.len()
            && let Some(number) = word.text.get(..digits)
        {
            terms.push(Word { text: number, span: 0..0 }.key());
        }
        if let Some(time) = parse_time(word.text) {
            terms.push(minute_term(time));
        }
    }
}

/// Parses `14:05` or `14:05:30`. Returns the seconds from midnight to the start of the minute.
fn parse_time(word: &str) -> Option<u32> {
    let mut parts = word.splitn(3, ':');
    let mut next_number = || parts.next().filter(|part| part.len() == 2)?.parse::<u32>().ok();
    let (hour, minute) = (next_number()?, next_number()?);
    (hour < 24 && minute < 60).then_some(hour * 3600 + minute * 60)
}

fn minute_term(seconds: u32) -> u64 {
    const MINUTES: u64 = 0x7469_6d65_0000_0000;
    MINUTES | u64::from(seconds / 60)
}
