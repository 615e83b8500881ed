//! Fuzzes rules: any bytes as claims and, after a `---` line, as evidence.
#![no_main]

use gsar_extraction::budget::Budget;
use gsar_extraction::rules::Index;
use gsar_extraction_fuzz::{facts, rule};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (claims, evidence) = text.split_once("\n---\n").unwrap_or((&text, &text));
    let index = Index::new(facts(evidence), &Budget::unlimited());
    for text in claims.split('\n').take(8) {
        rule(text, &index);
    }
});
