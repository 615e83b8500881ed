//! Fuzzes parsing of an issuer's keys.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| gsar_server_fuzz::identity::keys(&String::from_utf8_lossy(bytes)));
