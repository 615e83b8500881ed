//! Fuzzes rules: checks any bytes as claims about evidence in several formats.
#![no_main]

use std::sync::LazyLock;

use gsar_extraction::budget::Budget;
use gsar_extraction::rules::Index;
use gsar_extraction_fuzz::{facts, rule};
use libfuzzer_sys::fuzz_target;

static SHAPES: LazyLock<[Index<'static>; 4]> = LazyLock::new(|| {
    [
        include_str!("../seeds/columns/pods.txt"),
        include_str!("../seeds/logs/service.log"),
        include_str!("../seeds/json_series/range.json"),
        include_str!("../seeds/keys/describe.txt"),
    ]
    .map(|content| Index::new(facts(content), &Budget::unlimited()))
});

fuzz_target!(|bytes: &[u8]| {
    for text in String::from_utf8_lossy(bytes).split('\n').take(8) {
        for index in &*SHAPES {
            rule(text, index);
        }
    }
});
