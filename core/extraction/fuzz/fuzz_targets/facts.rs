//! Fuzzes fact extraction from tool output.
#![no_main]

use gsar_extraction_fuzz::facts;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    facts(&String::from_utf8_lossy(bytes));
});
