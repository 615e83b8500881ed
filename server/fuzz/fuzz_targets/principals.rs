//! Fuzzes parsing of the principals file.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| gsar_server_fuzz::identity::principals(&String::from_utf8_lossy(bytes)));
