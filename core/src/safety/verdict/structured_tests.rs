//! Tests for verdicts on structured results.

use super::Verdict::{Inconclusive, Refutes, Supports};
use super::tests::{check, verdict};
use super::*;
use crate::budget::Budget;

#[test]
fn h20_the_polarity_of_a_signal_applies_to_json() {
    check(&[
        (r#"{"readyReplicas": 0}"#, Supports),
        (r#"{"status": {"replicas": 5, "readyReplicas": 3}}"#, Supports),
        (r#"{"status": {"replicas": 5, "readyReplicas": 5, "availableReplicas": 5}}"#, Refutes),
        (r#"{"status": {"replicas": 5, "readyReplicas": 5, "unavailableReplicas": 0}}"#, Refutes),
        (r#"{"ready": false}"#, Supports),
        (r#"{"ready": "0/5"}"#, Supports),
        (r#"{"healthy": true}"#, Refutes),
        (r#"{"up": 0}"#, Supports),
        (r#"{"success_rate": "0%"}"#, Supports),
        (r#"{"type":"Ready","status":"False","reason":"ContainersNotReady"}"#, Supports),
        (r#"{"type":"Ready","status":"True"}"#, Refutes),
        (r#"{"type":"Ready","status":"Unknown"}"#, Inconclusive),
        (
            r#"{"conditions":[{"type":"Ready","status":"True"},{"type":"DiskPressure","status":"True"}]}"#,
            Supports,
        ),
        (r#"{"type":"MemoryPressure","status":"False"}"#, Refutes),
    ]);
}

#[test]
fn judges_prometheus_responses() {
    check(&[
        (
            r#"{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"error_ratio","job":"a"},"value":[1714557600,"0.35"]},{"metric":{"__name__":"error_ratio","job":"b"},"value":[1714557600,"0"]}]}}"#,
            Supports,
        ),
        (
            r#"{"metric":{"__name__":"errors_per_second"},"values":[[1714557600,"0"],[1714557660,"5"],[1714557720,"7"]]}"#,
            Supports,
        ),
        (
            r#"{"metric":{"__name__":"errors_per_second"},"values":[[1714557600,"5"],[1714557660,"7"],[1714557720,"0"]]}"#,
            Inconclusive,
        ),
        (
            r#"{"metric":{"__name__":"errors_per_second"},"values":[[1714557600,"0"],[1714557660,"0"]]}"#,
            Refutes,
        ),
        (
            r#"{"metric":{"__name__":"errors_total"},"values":[[1714557600,"40"],[1714557660,"47"]]}"#,
            Supports,
        ),
        (
            r#"{"metric":{"__name__":"errors_total"},"values":[[1714557600,"40"],[1714557660,"40"]]}"#,
            Refutes,
        ),
        (r#"{"metric":{"__name__":"errors_total"},"value":[1714557600,"40"]}"#, Inconclusive),
        (
            "# HELP http_errors_total errors\n# TYPE http_errors_total counter\nhttp_errors_total{code=\"500\"} 12 1714557600",
            Inconclusive,
        ),
        ("http_error_ratio{job=\"cart\"} 0.35", Supports),
        ("http_error_ratio 0", Refutes),
        ("http_error_ratio +Inf", Inconclusive),
        (
            r#"{"data":{"resultType":"streams","result":[{"stream":{"app":"x"},"values":[["1714557600000000000","connection refused"]]}]}}"#,
            Supports,
        ),
    ]);
}

#[test]
fn judges_tables_of_objects() {
    check(&[
        (
            "NAME                      READY   STATUS             RESTARTS      AGE\ncheckout-7f9c4d-x2x1z     0/1     CrashLoopBackOff   12 (3m ago)   20m",
            Supports,
        ),
        (
            "NAME                      READY   STATUS    RESTARTS   AGE\ncheckout-7f9c4d-x2x1z     1/1     Running   0          20m\nerror-handler-0           1/1     Running   3 (40d ago)          90d",
            Refutes,
        ),
        (
            "NAME    READY   STATUS      RESTARTS   AGE\nbackup-1  0/1   Completed   0          20m",
            Inconclusive,
        ),
        (
            "NAME     STATUS     ROLES   AGE   VERSION\nnode-1   NotReady   none    3d    v1.30.0",
            Supports,
        ),
        (
            "NAME     STATUS     ROLES   AGE   VERSION\nnode-1   Ready      none    3d    v1.30.0",
            Refutes,
        ),
        (
            "NAME       READY   UP-TO-DATE   AVAILABLE   AGE\ncheckout   0/5     5            0           3d",
            Supports,
        ),
        (
            "conditions:\n- lastTransitionTime: \"2024\"\n  status: \"False\"\n  type: Ready",
            Supports,
        ),
    ]);
}

#[test]
fn judges_grids_of_values() {
    check(&[
        ("time,errors,timeouts\n14:00,0,0\n14:05,0,0", Refutes),
        ("time,errors,timeouts\n14:00,0,0\n14:05,3,0", Supports),
        ("| metric | value |\n|---|---|\n| errors | 0 |", Refutes),
        ("| Errors | 0 |", Refutes),
        ("errors timeouts\n0 0", Inconclusive),
        ("Errors:\n  none", Refutes),
        ("## Errors\n0 errors", Refutes),
        ("name,state,age\nx,failed,3", Supports),
    ]);
}

#[test]
fn the_result_of_a_failed_tool_is_inconclusive() {
    check(&[
        ("Error from server (NotFound): pods \"checkout\" not found", Inconclusive),
        ("bash: jq: command not found", Inconclusive),
        (r#"{"status":"error","errorType":"bad_data","error":"parse error"}"#, Inconclusive),
    ]);
}

#[test]
fn the_log_level_affects_the_verdict() {
    check(&[
        (r#"{"level": "error", "msg": "upstream gone away"}"#, Supports),
        (r#"{"level": "info", "msg": "request failed"}"#, Inconclusive),
        (r#"{"severity": "ERROR", "message": "no errors"}"#, Refutes),
    ]);
}

#[test]
fn labels_are_not_judged_as_prose() {
    check(&[
        (
            r#"{"name": "error-handler", "image": "failed:latest", "labels": {"app": "timeouts"}}"#,
            Inconclusive,
        ),
        (r#"{"level": "info", "msg": "started"}"#, Inconclusive),
        (r#"{"message": "connection refused"}"#, Supports),
        (r#"{"error": "none"}"#, Refutes),
        (r#"{"error": ""}"#, Inconclusive),
        (r#"{"error": "connection refused"}"#, Supports),
        ("{\"msg\": \"connection refused\"}\n{\"msg\": \"ok\"}", Supports),
        (r#"{"status_code": 503}"#, Supports),
        (r#"{"status": 200}"#, Inconclusive),
        (r#"["connection refused", "deadlock detected"]"#, Supports),
    ]);
}

#[test]
fn signals_other_than_the_expected_one_are_ignored() {
    let expecting = |content, signal, polarity, threshold| {
        let expectation = Some(Expectation { signal, polarity, threshold });
        classify(&ToolResult { content, expectation }, &Budget::unlimited()).verdict
    };
    let both = r#"{"error_rate": 0.4, "cpu_usage": 0.2}"#;
    assert_eq!(expecting(both, "cpu_usage", None, Some("0.8")), Refutes);
    assert_eq!(expecting(both, "error_rate", None, None), Supports);
    assert_eq!(expecting(both, "memory_usage", None, Some("0.8")), Inconclusive);
    let nameless = r#"{"metric":{},"value":[1714557600,"0.93"]}"#;
    assert_eq!(expecting(nameless, "cpu_usage", None, Some("0.8")), Supports);
    assert_eq!(expecting(nameless, "goroutines", None, Some("0.8")), Inconclusive);
    assert_eq!(expecting(nameless, "goroutines", Some(Polarity::Load), Some("0.8")), Supports);
    assert_eq!(expecting(r#"{"workers": 0}"#, "workers", Some(Polarity::Stock), None), Supports);
}

#[test]
fn the_deciding_signal_is_returned() {
    let classified = classify(
        &ToolResult::new(r#"{"metric": "cpu", "value": "93%", "threshold": "80%"}"#),
        &Budget::unlimited(),
    );
    let signal = classified.signal.unwrap();
    assert_eq!((signal.name.as_str(), signal.value.as_str()), ("cpu", "93%"));
    assert_eq!((signal.threshold.as_deref(), signal.polarity), (Some("80%"), Some(Polarity::Load)));
    assert_eq!(classified.reason, "cpu is 93% against 80%: it is above its threshold");
}

#[test]
fn deeply_nested_json_is_judged_as_text() {
    assert_eq!(verdict(&"[".repeat(1_000_000)), Inconclusive);
    let deep = format!("{}\"connection refused\"{}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(verdict(&deep), Supports);
    assert_eq!(verdict("{\"error_rate\": 0.4"), Supports, "truncated JSON");
}
