//! This module recognises what a file of evidence is, by its content and, failing that, by its name.
//!
//! Three tables, asked in this order: shapes of JSON documents, marks in text, words in names. The first
//! row that fits decides. To teach it something new, add a row and a case to the test below it.

use gsar_core::evidence::{EvidenceKind, Lane};
use serde_json::Value;

use EvidenceKind::{Change, Signal, ToolOutput, Verification};

/// What an item is and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// What it is.
    pub kind: EvidenceKind,
    /// Where it comes from.
    pub lane: Lane,
}

const fn nature(kind: EvidenceKind, lane: Lane) -> Nature {
    Nature { kind, lane }
}

const ALERT: Nature = nature(Signal, Lane::Metrics);
const CHANGED: Nature = nature(Change, Lane::Change);
const CHECK: Nature = nature(Verification, Lane::Verification);
const PROBE: Nature = nature(ToolOutput, Lane::Synthetic);
const TRACES: Nature = nature(ToolOutput, Lane::Traces);
const METRICS: Nature = nature(ToolOutput, Lane::Metrics);
const LOGS: Nature = nature(ToolOutput, Lane::Logs);
const STATE: Nature = nature(ToolOutput, Lane::StaticInfra);

/// JSON documents: the pointers that must lead somewhere, with the text that must start there (empty for
/// any value).
const SHAPES: &[(&[(&str, &str)], Nature)] = &[
    // Alertmanager webhook and API, PagerDuty, CloudWatch alarm, Grafana alert.
    (&[("/groupKey", ""), ("/alerts", "")], ALERT),
    (&[("/alerts/0/labels/alertname", "")], ALERT),
    (&[("/data/alerts/0/labels/alertname", "")], ALERT),
    (&[("/0/labels/alertname", ""), ("/0/startsAt", "")], ALERT),
    (&[("/incident/html_url", "")], ALERT),
    (&[("/incident/incident_key", "")], ALERT),
    (&[("/event/event_type", "incident.")], ALERT),
    (&[("/AlarmName", ""), ("/NewStateValue", "")], ALERT),
    (&[("/MetricAlarms/0/AlarmName", "")], ALERT),
    // Datadog monitors and their events, Opsgenie.
    (&[("/event_type", "metric_alert"), ("/title", "")], ALERT),
    (&[("/type", "query alert"), ("/query", "")], ALERT),
    (&[("/type", "metric alert"), ("/query", "")], ALERT),
    (&[("/data/tinyId", ""), ("/data/priority", "")], ALERT),
    // GitHub deployments, pushes, commits, pull requests and their files, workflow runs.
    (&[("/deployment/sha", "")], CHANGED),
    (&[("/deployment_status", "")], CHANGED),
    (&[("/ref", ""), ("/before", ""), ("/after", "")], CHANGED),
    (&[("/sha", ""), ("/commit", "")], CHANGED),
    (&[("/0/sha", ""), ("/0/commit", "")], CHANGED),
    (&[("/0/filename", ""), ("/0/sha", ""), ("/0/status", "")], CHANGED),
    (&[("/pull_request", "")], CHANGED),
    (&[("/workflow_run", "")], CHANGED),
    (&[("/merge_commit_sha", "")], CHANGED),
    (&[("/workflowName", ""), ("/headSha", "")], CHANGED),
    (&[("/base_commit", ""), ("/commits", "")], CHANGED),
    // Argo CD.
    (&[("/0/deployedAt", ""), ("/0/revision", "")], CHANGED),
    // Results of executed checks.
    (&[("/checks/0/name", "")], CHECK),
    (&[("/testsuites", "")], CHECK),
    // OpenTelemetry, Jaeger, Tempo.
    (&[("/resourceSpans", "")], TRACES),
    (&[("/batches/0/scopeSpans", "")], TRACES),
    (&[("/batches/0/instrumentationLibrarySpans", "")], TRACES),
    (&[("/traceID", ""), ("/spans", "")], TRACES),
    (&[("/data/0/traceID", "")], TRACES),
    (&[("/traces/0/traceID", "")], TRACES),
    (&[("/0/span_id", "")], TRACES),
    (&[("/0/spanId", "")], TRACES),
    (&[("/0/span_name", "")], TRACES),
    // OpenTelemetry, Prometheus, CloudWatch, Datadog, kubelet statistics.
    (&[("/resourceMetrics", "")], METRICS),
    (&[("/data/resultType", "matrix")], METRICS),
    (&[("/data/resultType", "vector")], METRICS),
    (&[("/data/resultType", "scalar")], METRICS),
    (&[("/metric_data_results", "")], METRICS),
    (&[("/MetricDataResults", "")], METRICS),
    (&[("/Datapoints", "")], METRICS),
    (&[("/monitors/0/query", "")], METRICS),
    (&[("/series/0/pointlist", "")], METRICS),
    (&[("/db_load", "")], METRICS),
    (&[("/node/cpu/usageNanoCores", "")], METRICS),
    // OpenTelemetry, Loki, Elasticsearch, Datadog, Kubernetes and cloud events.
    (&[("/resourceLogs", "")], LOGS),
    (&[("/data/resultType", "streams")], LOGS),
    (&[("/streams", "")], LOGS),
    (&[("/hits/hits", "")], LOGS),
    (&[("/logs", "")], LOGS),
    (&[("/data/0/type", "log")], LOGS),
    (&[("/data/0/attributes/message", "")], LOGS),
    (&[("/kind", "EventList")], LOGS),
    (&[("/items/0/kind", "Event")], LOGS),
    (&[("/items/0/involvedObject", "")], LOGS),
    (&[("/warning_events", "")], LOGS),
    (&[("/events/0/message", "")], LOGS),
    // Kubernetes objects.
    (&[("/kind", ""), ("/apiVersion", "")], STATE),
    (&[("/items/0/metadata", "")], STATE),
];

/// Marks that must all stand in the first part of a text; a line end before a mark anchors it to a line.
const MARKS: &[(&[&str], Nature)] = &[
    // kubectl rollout history, git, unified diffs.
    (&[" with revision #"], CHANGED),
    (&["REVISION", "CHANGE-CAUSE"], CHANGED),
    (&["\ndiff --git "], CHANGED),
    (&["\n--- ", "\n+++ ", "\n@@ "], CHANGED),
    (&["\ncommit ", "\nAuthor: ", "\nDate: "], CHANGED),
    (&["REVISION", "UPDATED", "DESCRIPTION"], CHANGED),
    // Terraform.
    (&["Terraform used the selected providers"], CHANGED),
    (&["terraform apply"], CHANGED),
    (&["\"@module\":\"terraform.ui\""], CHANGED),
    (&[": Refreshing state... [id="], CHANGED),
    // Load tests and the Test Anything Protocol.
    (&["\nSummary:", "Requests/sec:"], CHECK),
    (&["\n1..", "\nok 1 "], CHECK),
    // Robusta findings.
    (&["\naggregation_key: "], ALERT),
    // Tempo searches and trees.
    (&["\nTrace (traceID="], TRACES),
    (&["─ ", "(span_id="], TRACES),
    // kubectl top, Prometheus exposition, anomaly lists.
    (&["NAME", "CPU(cores)"], METRICS),
    (&["\n# TYPE "], METRICS),
    (&["\n# HELP "], METRICS),
    (&[" | METRIC | "], METRICS),
    // kubectl events.
    (&["REASON", "OBJECT", "MESSAGE"], LOGS),
    // dig, df, openssl, Kafka's own tools.
    (&[";; ->>HEADER<<-"], STATE),
    (&["Filesystem ", "Mounted on"], STATE),
    (&["subject=", "issuer="], STATE),
    (&["GROUP ", "CURRENT-OFFSET"], STATE),
    (&["PartitionCount: ", "ReplicationFactor: "], STATE),
    // kubectl get and describe, YAML of objects, tables of psql and mysql.
    (&["\nNAME ", " AGE"], STATE),
    (&["\nNAMESPACE ", " NAME ", " AGE"], STATE),
    (&["\nName: ", "\nLabels: "], STATE),
    (&["\nName: ", "\nNamespace: "], STATE),
    (&["apiVersion: ", "kind: "], STATE),
    (&["\n---", "-+-"], STATE),
    (&["\n+---", "-+"], STATE),
];

/// Words of a name.
const WORDS: &[(&[&str], Nature)] = &[
    (
        &[
            "alert",
            "alerts",
            "alertmanager",
            "page",
            "pagerduty",
            "opsgenie",
            "incident",
            "finding",
        ],
        ALERT,
    ),
    (
        &[
            "change",
            "changes",
            "commit",
            "commits",
            "deploy",
            "deploys",
            "deployment",
            "deployments",
            "diff",
            "patch",
            "pr",
            "push",
            "release",
            "releases",
            "rollout",
            "rollouts",
            "changelog",
        ],
        CHANGED,
    ),
    (&["check", "checks", "smoke", "verification", "verify"], CHECK),
    (&["blackbox", "probe", "probes", "synthetic", "synthetics"], PROBE),
    (&["jaeger", "span", "spans", "tempo", "trace", "traces", "zipkin"], TRACES),
    (
        &[
            "cloudwatch",
            "cpu",
            "graphite",
            "latency",
            "mem",
            "memory",
            "metric",
            "metrics",
            "prom",
            "prometheus",
            "stats",
            "top",
            "usage",
        ],
        METRICS,
    ),
    (
        &[
            "dmesg",
            "event",
            "events",
            "journal",
            "journalctl",
            "kernel",
            "log",
            "logs",
            "loki",
            "syslog",
        ],
        LOGS,
    ),
    (
        &[
            "configmap",
            "describe",
            "get",
            "inventory",
            "manifest",
            "node",
            "nodes",
            "pod",
            "pods",
            "service",
            "services",
        ],
        STATE,
    ),
];

/// What an item is, by its content and its file's name. Where nothing is known of it, a JSON document
/// counts as the state of something and any other text as a log.
#[must_use]
pub fn recognise(name: &str, text: &str) -> Nature {
    let document = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text));
    match document {
        Some(Ok(document)) => of_shape(&document).or_else(|| of_name(name)).unwrap_or(STATE),
        _ => of_marks(text).or_else(|| of_name(name)).unwrap_or(LOGS),
    }
}

fn of_shape(document: &Value) -> Option<Nature> {
    let fits = |(pointer, start): &(&str, &str)| {
        document.pointer(pointer).is_some_and(|value| {
            !value.is_null()
                && (start.is_empty() || value.as_str().is_some_and(|text| text.starts_with(start)))
        })
    };
    let found = SHAPES.iter().find(|(places, _)| places.iter().all(fits));
    found.map(|(_, nature)| *nature)
}

fn of_marks(text: &str) -> Option<Nature> {
    const FIRST_PART: usize = 4096;
    let head: String = std::iter::once('\n').chain(text.chars().take(FIRST_PART)).collect();
    let found = MARKS.iter().find(|(marks, _)| marks.iter().all(|mark| head.contains(mark)));
    found.map(|(_, nature)| *nature)
}

fn of_name(name: &str) -> Option<Nature> {
    let words: Vec<String> =
        name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let found =
        WORDS.iter().find(|(known, _)| words.iter().any(|word| known.contains(&word.as_str())));
    found.map(|(_, nature)| *nature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_json_are_recognised() {
        for (text, expected) in [
            (r#"{"version":"4","groupKey":"{}","alerts":[]}"#, ALERT),
            (
                r#"{"status":"success","data":{"alerts":[{"labels":{"alertname":"HighCpu"}}]}}"#,
                ALERT,
            ),
            (r#"{"incident":{"incident_key":"a","html_url":"https://x"}}"#, ALERT),
            (r#"{"event":{"event_type":"incident.triggered"}}"#, ALERT),
            (r#"{"AlarmName":"cpu","NewStateValue":"ALARM"}"#, ALERT),
            (r#"{"action":"created","deployment":{"sha":"f95f"},"repository":{}}"#, CHANGED),
            (r#"{"ref":"refs/heads/main","before":"61","after":"00","commits":[]}"#, CHANGED),
            (r#"{"sha":"9e41","commit":{"message":"lower the limit"},"files":[]}"#, CHANGED),
            (r#"[{"sha":"09f9","filename":"a.go","status":"modified"}]"#, CHANGED),
            (r#"{"action":"completed","workflow_run":{"id":1}}"#, CHANGED),
            (r#"{"suite":"smoke","checks":[{"name":"GET /readyz","status":"passed"}]}"#, CHECK),
            (r#"{"resourceSpans":[]}"#, TRACES),
            (r#"{"traceID":"1","spans":[]}"#, TRACES),
            (r#"{"batches":[{"resource":{},"scopeSpans":[]}]}"#, TRACES),
            (r#"{"data":[{"traceID":"1","spans":[]}]}"#, TRACES),
            (r#"{"resourceMetrics":[]}"#, METRICS),
            (r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#, METRICS),
            (r#"{"namespace":"AWS/RDS","metric_data_results":[]}"#, METRICS),
            (r#"{"node":{"cpu":{"usageNanoCores":1}},"pods":[]}"#, METRICS),
            (r#"{"resourceLogs":[]}"#, LOGS),
            (r#"{"status":"success","data":{"resultType":"streams","result":[]}}"#, LOGS),
            (r#"{"took":2,"hits":{"hits":[]}}"#, LOGS),
            (r#"{"warning_events":[]}"#, LOGS),
            (r#"{"events":[{"message":"failover"}]}"#, LOGS),
            (r#"{"apiVersion":"v1","kind":"List","items":[{"kind":"Event"}]}"#, LOGS),
            (r#"{"apiVersion":"v1","kind":"PodList","items":[]}"#, STATE),
            (r#"{"items":[{"metadata":{"name":"checkout"}}]}"#, STATE),
            (r#"{"anything":"else"}"#, STATE),
        ] {
            assert_eq!(recognise("x", text), expected, "{text}");
        }
    }

    #[test]
    fn marks_in_text_are_recognised() {
        for (text, expected) in [
            ("deployment.apps/checkout with revision #41\nPod Template:\n", CHANGED),
            ("REVISION  CHANGE-CAUSE\n1  <none>\n", CHANGED),
            ("diff --git a/x b/x\n", CHANGED),
            ("commit 9e41c7d\nAuthor: A\nDate: today\n", CHANGED),
            ("account_id: 1\naggregation_key: HighLatency\n", ALERT),
            ("Trace (traceID=3cb9) (durationMs=1855)\n", TRACES),
            ("├─ /checkout (backend) - 7327ms (span_id=8497)\n", TRACES),
            ("NAMESPACE  NAME  CPU(cores)  MEMORY(bytes)\n", METRICS),
            ("# HELP up\n# TYPE up gauge\nup 1\n", METRICS),
            ("LAST SEEN   TYPE     REASON   OBJECT   MESSAGE\n", LOGS),
            ("stdout:\nNAME      READY   STATUS    RESTARTS   AGE\n", STATE),
            ("Name:             db-0\nNamespace:        default\n", STATE),
            ("Name:               wk-eu1-04\nRoles:  <none>\nLabels:  a=b\n", STATE),
            ("apiVersion: v1\nkind: Pod\n", STATE),
            (" state | sessions\n-------+----------\n idle | 16\n", STATE),
            ("2026-03-12T14:13:44Z level=info msg=\"starting\"\n", LOGS),
            ("{\"level\":\"info\"}\n{\"level\":\"error\"}\n", LOGS),
        ] {
            assert_eq!(recognise("x", text), expected, "{text}");
        }
    }

    #[test]
    fn names_help_where_the_content_says_nothing() {
        for (name, expected) in [
            ("pagerduty.txt", ALERT),
            ("2026-03-12-rollout.txt", CHANGED),
            ("smoke_test.txt", CHECK),
            ("blackbox-probe.txt", PROBE),
            ("traces/checkout.txt", TRACES),
            ("node-cpu.csv", METRICS),
            ("kernel.txt", LOGS),
            ("pods.txt", STATE),
            ("blog.txt", LOGS),
        ] {
            assert_eq!(recognise(name, "nothing known"), expected, "{name}");
        }
    }

    #[test]
    fn the_incidents_that_come_with_the_product_are_mostly_recognised_as_their_manifests_say() {
        let incidents =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/incidents");
        let (mut compared, mut agreed) = (0, 0);
        for incident in std::fs::read_dir(incidents).unwrap() {
            let folder = incident.unwrap().path().join("evidence");
            let Ok(manifest) = std::fs::read_to_string(folder.join(super::super::MANIFEST)) else {
                continue;
            };
            for entry in super::super::manifest::read(&folder, &manifest).unwrap() {
                let text = std::fs::read_to_string(folder.join(&entry.file)).unwrap();
                let recognised = recognise(&entry.file, &text);
                let said = Nature { kind: entry.kind.unwrap(), lane: entry.lane.unwrap() };
                agreed += usize::from(recognised == said);
                let is_demo = ["checkout-oom", "payments-bad-deploy"]
                    .iter()
                    .any(|demo| folder.to_string_lossy().contains(demo));
                assert!(!is_demo || recognised == said, "{}: {recognised:?}", entry.file);
                compared += 1;
            }
        }
        // What a person calls a check or a change does not always show in its shape.
        assert!(agreed * 100 >= compared * 85, "{agreed} of {compared}");
        assert!(compared > 100, "the incidents were compared");
    }
}
