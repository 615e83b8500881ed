//! Any bytes as what a tool printed, judged against claims that ask for figures, states, times, counts, order and
//! absence.
#![no_main]

use gsar_rules_fuzz::{claims, item, judge};
use libfuzzer_sys::fuzz_target;

const CLAIMS: [&str; 12] = [
    "Pod checkout-7f9c restarted 4 times and is in CrashLoopBackOff",
    "The p99 of checkout rose from 120 ms to 4.6 s between 14:02 and 14:09 UTC",
    "No pod of checkout was OOMKilled",
    "All three pods are Running",
    "Two of the three replicas are available",
    "The first error is a timeout at 14:03:21",
    "orders-db failed 12 seconds after the deploy",
    "CPU stayed above 80 % for ten minutes",
    "Memory peaked at 1.9 GiB",
    "checkout called payments, because the cache was empty",
    "More than half of the requests answered 503",
    "The limit was lowered from 500m to 250m on 12 March",
];

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Some(item) = item(&text) {
        judge(&[item], &claims(CLAIMS));
    }
});
