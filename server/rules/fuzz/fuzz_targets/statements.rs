//! Any bytes as a claim, judged against evidence of several shapes.
#![no_main]

use gsar_rules_fuzz::{claims, item, judge};
use libfuzzer_sys::fuzz_target;

const SHAPES: [&str; 4] = [
    include_str!("../seeds/tables/pods.txt"),
    include_str!("../seeds/logs/service.log"),
    include_str!("../seeds/series/range.json"),
    include_str!("../seeds/sections/describe.txt"),
];

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for shape in SHAPES {
        if let Some(item) = item(shape) {
            judge(&[item], &claims(text.split('\n').take(4)));
        }
    }
});
