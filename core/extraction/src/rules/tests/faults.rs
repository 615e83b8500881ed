//! Tests that the rules avoid the mistakes typical of word matching, in several formats.

use super::check;

#[test]
fn does_not_support_false_conditions() {
    let json = r#"{"kind": "Node", "metadata": {"name": "node-c9"}, "status": {"conditions": [
        {"type": "Ready", "status": "False", "reason": "KubeletNotReady"},
        {"type": "MemoryPressure", "status": "False"},
        {"type": "DiskPressure", "status": "True"},
        {"type": "NetworkUnavailable", "status": "Unknown"}]}}"#;
    let yaml = "kind: Node\nmetadata:\n  name: node-c9\nstatus:\n  conditions:\n  - type: Ready\n    status: \"False\"\n  - type: DiskPressure\n    status: \"True\"\n";
    let describe = "Name:               node-c9\nRoles:              worker\nConditions:\n  Type             Status  Reason\n  ----             ------  ------\n  Ready            False   KubeletNotReady\n  MemoryPressure   False   KubeletHasSufficientMemory\n  DiskPressure     True    KubeletHasDiskPressure\n";
    for content in [json, yaml, describe] {
        for claim in ["node-c9 is Ready.", "Node node-c9 is Ready."] {
            let verdict = super::verdict(content, claim);
            assert!(!verdict.starts_with('+'), "{claim}: {verdict}\n{content}");
        }
    }
    check(
        json,
        &[
            ("node-c9 is Ready.", "-value"),
            ("Node node-c9 has DiskPressure.", "+value"),
            ("node-c9 has disk pressure.", "+value"),
            ("node-c9 has memory pressure.", "-value"),
            ("node-c9's Ready status is False.", "+value"),
            ("node-c9's NetworkUnavailable status is Unknown.", "+value"),
            ("node-c9's Ready status is True.", ""),
            ("node-c9 is NetworkUnavailable.", ""),
        ],
    );
}

#[test]
fn inactive_alerts_are_not_firing() {
    for (content, claim) in [
        (
            r#"{"alertname": "HighLatency", "state": "inactive", "severity": "critical"}"#,
            "HighLatency is active.",
        ),
        (
            r#"{"alertname": "HighLatency", "state": "inactive", "severity": "critical"}"#,
            "HighLatency is firing.",
        ),
        (
            r#"{"status": "resolved", "labels": {"alertname": "HighLatency", "service": "cart"}}"#,
            "HighLatency is firing.",
        ),
        (
            r#"{"status": "resolved", "labels": {"alertname": "HighLatency", "service": "cart"}}"#,
            "cart is firing.",
        ),
        (
            "ALERT         STATE\nHighLatency   inactive\nDiskFull      firing\n",
            "HighLatency is firing.",
        ),
        (
            "ALERT         STATE\nHighLatency   resolved\nDiskFull      firing\n",
            "Alert HighLatency is firing.",
        ),
    ] {
        let verdict = super::verdict(content, claim);
        assert!(!verdict.starts_with('+'), "{claim}: {verdict}\n{content}");
    }
}

#[test]
fn does_not_combine_lines_about_different_entities() {
    for content in [
        "primary: db-1 healthy\nreplica: db-2 lagging\n",
        "primary: db-1\nprimary_state: healthy\nreplica: db-2\nreplica_state: lagging\n",
        "db-1: healthy\ndb-2: lagging\n",
        "node: db-1\nstatus: healthy\nnode: db-2\nstatus: lagging\n",
    ] {
        for claim in ["db-1 is lagging.", "db-2 is healthy.", "The status of db-1 is lagging."] {
            let verdict = super::verdict(content, claim);
            assert!(!verdict.starts_with('+'), "{claim}: {verdict}\n{content}");
        }
    }
}

#[test]
fn checks_boolean_keys() {
    check(
        r#"{"service": "checkout", "healthy": true, "ready": false, "isLeader": "True"}"#,
        &[
            ("checkout is healthy.", "+value"),
            ("Service checkout is healthy.", "+value"),
            ("checkout is ready.", "-value"),
            ("checkout is unhealthy.", ""),
            ("checkout is unready.", ""),
        ],
    );
    check("service: checkout\nhealthy: false\n", &[("checkout is healthy.", "-value")]);
}

#[test]
fn ignores_values_of_other_entities() {
    let columns = "NODE   POD      STATUS    RESTARTS\nwk-1   cart-1   Running   3\nwk-2   stock-1  Failed    8\n";
    let labels = r#"[{"metric": {"pod": "cart-1", "node": "wk-1", "app": "cart"}, "value": [1780391647, "3"]},
                     {"metric": {"pod": "stock-1", "node": "wk-2", "app": "stock"}, "value": [1780391647, "8"]}]"#;
    let nested = r#"{"name": "cart", "replicas": 2, "owner": {"name": "payments", "replicas": 7}, "previous": {"status": "Failed"}, "status": "Running"}"#;
    let spec = r#"{"kind": "Pod", "metadata": {"name": "cart-1"}, "spec": {"nodeName": "wk-1", "priority": 7}}"#;
    let limits = r#"{"name": "cart-1", "limits": {"memory": "512Mi"}, "requests": {"memory": "128Mi"}, "spec": {"replicas": 3}}"#;
    for (content, claim) in [
        (columns, "wk-1 is Running."),
        (columns, "wk-2 had 8 restarts."),
        (columns, "cart-1 is Failed."),
        (columns, "cart-1 had 8 restarts."),
        (labels, "wk-1 had 8."),
        (labels, "cart-1 has a value of 8."),
        (labels, "The value of wk-2 is 3."),
        (nested, "cart had 7 replicas."),
        (nested, "payments had 2 replicas."),
        (nested, "cart is Failed."),
        (nested, "payments is Running."),
        (spec, "The priority of wk-1 is 7."),
        (limits, "The memory of cart-1 is 128 MiB."),
        (limits, "The memory of cart-1 is 512 MiB."),
        (limits, "The memory limit of cart-1 is 128 MiB."),
        (limits, "cart-1 has 3 replicas."),
        (
            "name,region,connections\npg-1,eu-west-1,40\npg-2,us-east-1,90\n",
            "pg-1 had 90 connections.",
        ),
        ("queue-in depth=40 queue-out depth=900", "The depth of queue-in was 900."),
        (
            "12:00:01 WARN cart-svc answered in 8 ms; stock-svc timed out after 12 s",
            "cart-svc timed out after 12 s.",
        ),
        (
            r#"<cases><case name="login-test" result="failed"/><case name="cart-test" result="passed"/></cases>"#,
            "The result of cart-test was failed.",
        ),
    ] {
        let verdict = super::verdict(content, claim);
        assert!(!verdict.starts_with('+'), "{claim}: {verdict}\n{content}");
    }
    check(limits, &[("The memory limit of cart-1 is 512 MiB.", "+value")]);
}

#[test]
fn finds_lines_at_any_indentation() {
    for content in [
        "06:14:40 cart started\n06:14:41 connection to db-1 was refused\n06:14:42 cart stopped\n",
        "06:14:40 cart started\n    06:14:41   connection to db-1 was refused\n06:14:42 cart stopped\n",
        "06:14:40 ERROR request failed\n    connection to db-1 was refused\n    at Pool.open (pool.js:41)\n06:14:42 cart stopped\n",
        "{\"ts\": \"2026-01-01T06:14:40Z\", \"msg\": \"cart started\"}\n{\"ts\": \"2026-01-01T06:14:41Z\", \"msg\": \"connection to db-1 was refused\"}\n",
        "ts=2026-01-01T06:14:40Z level=info msg=\"cart started\"\nts=2026-01-01T06:14:41Z level=error msg=\"connection to db-1 was refused\"\n",
    ] {
        check(
            content,
            &[
                ("Connection to db-1 was refused.", "+verbatim"),
                ("Connection to db-2 was refused.", ""),
                ("Connection to db-1 was not refused.", ""),
            ],
        );
    }
}

#[test]
fn converts_units_before_comparison() {
    let limits = r#"{"name": "relay", "resources": {"limits": {"cpu": "1500m", "memory": "1453350912000m"}}, "timeout": "600s"}"#;
    check(
        limits,
        &[
            ("relay's CPU limit is 1.5 cores.", "+value"),
            ("relay's CPU limit is 1500 millicores.", "+value"),
            ("relay's CPU limit is 1500 cores.", "-unit"),
            ("relay's CPU limit is 25 hours.", ""),
            ("relay's memory limit is about 1.35 GiB.", "+value"),
            ("relay's memory limit is about 1.4 TB.", "-value"),
            ("The timeout of relay is ten minutes.", "+value"),
            ("The timeout of relay is 600 minutes.", "-unit"),
        ],
    );
    check(
        "name;p99 latency\ncart;0,87 s\nstock;12,5 s\n",
        &[("The p99 latency of cart is 87 s.", ""), ("The p99 latency of stock is 125 s.", "")],
    );
    check(
        "NAME      SIZE\ncache-b   402653184 bytes\n",
        &[("The size of cache-b is 384 MB.", ""), ("The size of cache-b is 384 MiB.", "+value")],
    );
}
