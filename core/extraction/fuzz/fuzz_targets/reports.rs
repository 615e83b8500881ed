//! Fuzzes report parsing: each visible byte is in a claim or uncovered for a reason.
#![no_main]

use gsar_extraction::budget::Budget;
use gsar_extraction::report::{Document, visible};
use gsar_extraction_fuzz::text_at;
use libfuzzer_sys::fuzz_target;

const EVIDENCE: &str = "NAME READY STATUS RESTARTS AGE\ncheckout-7f9c 0/1 CrashLoopBackOff 4 12m\n";

fuzz_target!(|bytes: &[u8]| {
    let report = String::from_utf8_lossy(bytes);
    let document = Document::parse(&report, &[EVIDENCE], &Budget::unlimited());
    let mut covered = vec![false; report.len()];
    for assertion in &document.assertions {
        assert!(!text_at(&report, &assertion.span).trim().is_empty(), "empty claim");
        covered[assertion.span.clone()].fill(true);
    }
    for uncovered in &document.uncovered {
        text_at(&report, &uncovered.span);
        assert!(!covered[uncovered.span.clone()].contains(&true), "uncovered range in a claim");
        covered[uncovered.span.clone()].fill(true);
    }
    for span in visible(&report) {
        assert!(!covered[span.clone()].contains(&false), "lost: {:?}", text_at(&report, &span));
    }
});
