//! Any bytes as a report: claims stand where their spans say, in order, and can be judged.
#![no_main]

use gsar_rules_fuzz::{item, judge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let report = String::from_utf8_lossy(bytes);
    let claims = gsar_core::split::split(&report);
    let mut before = 0;
    for claim in &claims {
        let Some(span) = &claim.span else { panic!("a claim without a place: {:?}", claim.text) };
        let there = report.get(span.clone());
        assert!(there.is_some_and(|there| !there.trim().is_empty()), "no text at {span:?}");
        assert!(span.start >= before, "claims out of order at {span:?}");
        before = span.start;
    }
    let evidence = "NAME READY STATUS RESTARTS AGE\ncheckout-7f9c 0/1 CrashLoopBackOff 4 12m\n";
    if let Some(item) = item(evidence) {
        judge(&[item], &claims);
    }
});
