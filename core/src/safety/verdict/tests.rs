//! Tests for verdicts on prose.

use super::Verdict::{Inconclusive, Refutes, Supports};
use super::*;
use crate::budget::Budget;

pub(super) fn verdict(content: &str) -> Verdict {
    classify(&ToolResult::new(content), &Budget::unlimited()).verdict
}

#[track_caller]
pub(super) fn check(cases: &[(&str, Verdict)]) {
    let failures: Vec<_> = cases
        .iter()
        .filter(|(content, expected)| verdict(content) != *expected)
        .map(|(content, expected)| {
            (content, expected, classify(&ToolResult::new(content), &Budget::unlimited()))
        })
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn an_error_rate_of_zero_refutes_a_fault() {
    check(&[
        ("error_rate: 0.00", Refutes),
        ("error_rate 0.00", Refutes),
        ("error_rate=0", Refutes),
        (r#"{"error_rate": 0.00}"#, Refutes),
        (r#"{"metric": "error_rate", "value": 0.00}"#, Refutes),
        (r#"{"metric":{"__name__":"error_rate"},"value":[1714557600,"0.00"]}"#, Refutes),
        ("ERROR error_rate: 0.00", Refutes),
        ("no errors", Refutes),
        ("0 timeouts", Refutes),
        ("error rate is 0%", Refutes),
    ]);
}

#[test]
fn recognizes_the_scope_of_negations() {
    check(&[
        ("no longer failing", Inconclusive),
        ("not without errors", Supports),
        ("failed to fail over", Supports),
        ("error: none", Refutes),
        ("did not recover", Supports),
        ("without timeouts", Refutes),
        ("errors stopped at 14:05", Inconclusive),
        ("unable to reproduce the error", Inconclusive),
    ]);
}

#[test]
fn a_negation_applies_to_its_whole_list_and_no_further() {
    check(&[
        ("no errors, timeouts or restarts", Refutes),
        ("no errors, but requests timed out", Inconclusive),
        ("neither errors nor timeouts", Refutes),
        ("No errors were logged.", Refutes),
        ("nothing failed", Refutes),
        ("none of the pods failed", Refutes),
        ("the absence of errors", Refutes),
        ("free of errors", Refutes),
        ("zero errors", Refutes),
        ("ERROR: none", Refutes),
        ("errors: no", Refutes),
        ("the request did not fail", Refutes),
        ("the primary didn\u{2019}t crash", Refutes),
        ("not only errors but also timeouts", Supports),
        ("it never became ready", Supports),
        ("the pod is not ready", Supports),
        ("no longer available", Supports),
        ("no healthy upstream", Supports),
        ("has not been resolved", Supports),
        ("errors did not stop", Supports),
        ("service stopped responding", Supports),
        ("could not connect to orders-db", Supports),
        ("cannot reach the broker", Supports),
        ("unable to recover", Supports),
        ("not able to start", Supports),
        ("timeouts were ruled out", Refutes),
        ("ruled out network failure", Refutes),
        ("not yet recovered", Supports),
        ("none ready", Supports),
        ("no issues found", Refutes),
        ("opened an issue", Inconclusive),
        ("\"error\": null", Inconclusive),
        ("SELECT count(*) FROM errors -> 0", Refutes),
        ("failed 0 times", Refutes),
        ("the error no longer occurs", Inconclusive),
        ("failing no more", Inconclusive),
        ("did not time out", Refutes),
        ("no matches for \"error\"", Inconclusive),
        ("errors dropped", Inconclusive),
        ("errors dropped to zero", Inconclusive),
        ("restarts never happened", Inconclusive),
        ("no HTTP 500", Inconclusive),
    ]);
}

#[test]
fn faults_that_are_hedged_questioned_or_not_observed_are_inconclusive() {
    check(&[
        ("errors were not observed", Inconclusive),
        ("could not find any errors", Inconclusive),
        ("the error could not be reproduced", Inconclusive),
        ("the database may have failed", Inconclusive),
        ("if the pool is exhausted, requests fail", Inconclusive),
        ("did it crash?", Inconclusive),
        ("retry on error", Inconclusive),
        ("the error handler was registered", Inconclusive),
        ("errors: n/a", Inconclusive),
        ("no data available", Inconclusive),
        ("failed over to eu-west", Inconclusive),
        ("INFO error reporting failed-over path enabled", Inconclusive),
        ("INFO request failed", Inconclusive),
        ("cannot fail", Inconclusive),
        ("deploy 4711 rolled out", Inconclusive),
        ("", Inconclusive),
    ]);
}

#[test]
fn recognizes_faults_in_words() {
    check(&[
        ("connection refused", Supports),
        ("2024-05-01T14:02:11Z ERROR upstream closed the stream", Supports),
        ("level=error msg=\"upstream closed\"", Supports),
        ("java.net.SocketTimeoutException: Read timed out", Supports),
        ("Out of memory: process terminated", Supports),
        ("write /data: no space left on device", Supports),
        ("Warning  BackOff  3m  kubelet  Back-off restarting container", Supports),
        ("GET /cart HTTP/1.1 503", Supports),
        ("upstream returned 502", Supports),
        ("process exited with code 137", Supports),
        ("process exited with code 0", Inconclusive),
        ("GET /cart HTTP/1.1 200", Inconclusive),
        ("timeout after 30s", Supports),
        ("error rate elevated", Supports),
        ("latency elevated", Supports),
        ("latency is not elevated", Refutes),
        ("checkout crashed at 14:02\ncheckout recovered at 14:07", Inconclusive),
        ("all pods healthy", Refutes),
    ]);
}

#[test]
fn h20_a_good_signal_at_zero_is_not_healthy() {
    check(&[
        ("0/5 ready", Supports),
        ("ready 0/5", Supports),
        ("Ready: 3/5", Supports),
        ("5/5 ready", Refutes),
        ("5/5 pods ready", Refutes),
        ("0/0 ready", Inconclusive),
        ("2 of 5 pods ready", Supports),
        ("0 of 5 pods failed", Refutes),
        ("0/5 failed", Refutes),
        ("12 out of 50 requests failed", Supports),
        ("Ready: False", Supports),
        ("Ready=True", Refutes),
        ("Ready   False", Supports),
        ("MemoryPressure   False", Refutes),
        ("DiskPressure: True", Supports),
        ("ready_replicas: 0", Supports),
        ("availability: 0", Supports),
        ("availability: 100%", Refutes),
        ("success_rate = 0", Supports),
        ("up 0", Supports),
        ("up 1", Refutes),
        ("up{job=\"orders\"} 0", Supports),
        ("free disk: 0 bytes", Supports),
        ("0 replicas are available", Supports),
        ("0 pods ready", Supports),
        ("3 pods not ready", Supports),
        ("nodes not ready: 0", Refutes),
        ("restarts: 0", Refutes),
        ("5xx: 0", Refutes),
        ("consumer_lag: 0", Refutes),
        ("throttling: 0", Refutes),
        ("consumer_lag: 1200", Inconclusive),
        ("ready_replicas: 3", Inconclusive),
    ]);
}

#[test]
fn values_are_compared_with_their_thresholds() {
    check(&[
        ("value 0.93 threshold 0.80", Supports),
        ("value 0.73 threshold 0.80", Inconclusive),
        ("cpu_usage value 0.93 threshold 0.80", Supports),
        ("cpu_usage value 0.73 threshold 0.80", Refutes),
        ("cpu usage: 93% (threshold: 80%)", Supports),
        ("p99 latency 2.3s, threshold 500ms", Supports),
        ("p99 latency 120 ms, threshold 0.5 s", Refutes),
        ("p99 latency 2.3 threshold 500ms", Inconclusive),
        ("p99 latency 500ms threshold 0.5s", Inconclusive),
        ("free disk 5% threshold 10%", Supports),
        ("availability 99.95% slo 99.9%", Refutes),
        ("availability 99.5% slo 99.9%", Supports),
        ("error_rate 0.02 threshold 0.05", Refutes),
        ("error_rate 0 threshold 0", Refutes),
        ("goroutines 900 threshold 800", Inconclusive),
        (r#"{"value": 0.93, "threshold": 0.80}"#, Supports),
        (r#"{"value": 0.9, "threshold": 0.90000000000000000001}"#, Inconclusive),
        (r#"{"metric": "cpu", "value": 0.80000000000000000001, "threshold": 0.8}"#, Supports),
        (r#"{"metric": "availability", "value": 0.93, "threshold": 0.99}"#, Supports),
        (r#"{"metric": "latency", "value": "1.8s", "threshold": "2000ms"}"#, Refutes),
        (r#"{"metric": "latency", "value": 1800, "unit": "ms", "threshold": 2000}"#, Refutes),
        (r#"{"metric": "queue_temp", "value": 7, "threshold": 5, "operator": ">"}"#, Supports),
        (
            r#"{"metric": "availability", "value": 1, "threshold": 5, "operator": "GreaterThanThreshold"}"#,
            Inconclusive,
        ),
        (r#"{"latency": {"value": 3, "limit": 2}}"#, Supports),
        (r#"{"cpu_usage": 0.93, "cpu_usage_threshold": 0.8}"#, Supports),
    ]);
}

#[test]
fn compares_units_percentages_and_small_shares() {
    check(&[
        ("error_rate: 12%", Supports),
        ("error rate rose from 3% to 12%", Supports),
        ("error rate fell from 12% to 3%", Inconclusive),
        ("error rate fell to 0", Refutes),
        ("error_rate: 0.2%", Inconclusive),
        ("error_percent: 0.5", Inconclusive),
        ("5 failed requests", Supports),
        ("fewer than 5 errors", Inconclusive),
        ("up to 5 errors", Inconclusive),
        ("at least 5 errors", Supports),
        ("more than 5 errors", Supports),
        ("timeout: 30s", Inconclusive),
        (r#"{"timeout": 30, "timeoutSeconds": 5, "failureThreshold": 3}"#, Inconclusive),
        ("5 minutes without errors", Refutes),
        ("node 0 failed", Supports),
        ("errors 0 timeouts 0", Inconclusive),
        ("errors=0 timeouts=3", Supports),
        ("errors per minute: 0", Refutes),
        ("500 errors: 0", Refutes),
        ("HTTP 500 count: 0", Refutes),
        ("dropped: 0", Refutes),
        ("<1 error", Inconclusive),
        ("errors (last 5m): 0", Inconclusive),
        ("anomaly score 0.02", Inconclusive),
        ("error budget burned 0%", Inconclusive),
        ("0 results for query \"timeout\"", Inconclusive),
        ("restarted 4 times", Supports),
    ]);
}

#[test]
fn missing_values_are_not_zero() {
    check(&[
        ("error_rate: NaN", Inconclusive),
        ("error_rate NaN", Inconclusive),
        ("errors: null", Inconclusive),
        (r#"{"error_rate": null}"#, Inconclusive),
        (r#"{"error_rate": "NaN"}"#, Inconclusive),
        (r#"{"ready_replicas": null}"#, Inconclusive),
        (r#"{"metric":{"__name__":"error_rate"},"value":[1714557600,"NaN"]}"#, Inconclusive),
        (r#"{"metric":{"__name__":"error_rate"},"values":[]}"#, Inconclusive),
        (r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#, Inconclusive),
        (r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#, Inconclusive),
        (r#"{"errors": []}"#, Inconclusive),
        ("[]", Inconclusive),
        ("{}", Inconclusive),
    ]);
}

#[test]
fn contradictory_signals_and_words_are_inconclusive() {
    check(&[
        ("errors=0\nconnection refused", Inconclusive),
        ("checked the api: no errors\ncheckout: connection refused", Inconclusive),
        ("error_rate=0.4\nerrors stopped at 14:05", Inconclusive),
    ]);
}
