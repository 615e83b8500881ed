//! Any bytes as the claims of a token that is signed.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| gsar_server_fuzz::identity::claims(&String::from_utf8_lossy(bytes)));
