//! Fuzzes parsing of client certificates.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| gsar_server_fuzz::identity::certificate(bytes));
