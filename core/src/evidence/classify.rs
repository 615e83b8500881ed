//! Classifies evidence items by their content, or else by their name.
//!
//! The first matching row determines the class. To support a new format, add a row and a test case.

use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{EvidenceKind, Lane};
use EvidenceKind::{Change, Signal, ToolOutput, Verification};

/// The kind and lane of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The kind.
    pub kind: EvidenceKind,
    /// The lane.
    pub lane: Lane,
}

const fn class(kind: EvidenceKind, lane: Lane) -> Classification {
    Classification { kind, lane }
}

const ALERT: Classification = class(Signal, Lane::Metrics);
const CHANGED: Classification = class(Change, Lane::Change);
const CHECK: Classification = class(Verification, Lane::Verification);
const PROBE: Classification = class(ToolOutput, Lane::Synthetic);
const TRACES: Classification = class(ToolOutput, Lane::Traces);
const METRICS: Classification = class(ToolOutput, Lane::Metrics);
const LOGS: Classification = class(ToolOutput, Lane::Logs);
const STATE: Classification = class(ToolOutput, Lane::StaticInfra);

/// Rows of JSON pointers that must exist, each with the required prefix of its value (empty for any value).
const SHAPES: &[(&[(&str, &str)], Classification)] = &[
    // Alertmanager webhook and API, PagerDuty, CloudWatch alarms, Grafana alerts.
    (&[("/groupKey", ""), ("/alerts", "")], ALERT),
    (&[("/alerts/0/labels/alertname", "")], ALERT),
    (&[("/data/alerts/0/labels/alertname", "")], ALERT),
    (&[("/0/labels/alertname", ""), ("/0/startsAt", "")], ALERT),
    (&[("/incident/html_url", "")], ALERT),
    (&[("/incident/incident_key", "")], ALERT),
    (&[("/event/event_type", "incident.")], ALERT),
    (&[("/AlarmName", ""), ("/NewStateValue", "")], ALERT),
    (&[("/MetricAlarms/0/AlarmName", "")], ALERT),
    // Datadog monitors and their events, and Opsgenie.
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
    (&[("/check_run", "")], CHECK),
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

/// Rows of markers that must all occur near the start of a text. A leading line feed matches the start of a line.
const MARKERS: &[(&[&str], Classification)] = &[
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
    // dig, df, openssl, Kafka's command line tools.
    (&[";; ->>HEADER<<-"], STATE),
    (&["Filesystem ", "Mounted on"], STATE),
    (&["subject=", "issuer="], STATE),
    (&["GROUP ", "CURRENT-OFFSET"], STATE),
    (&["PartitionCount: ", "ReplicationFactor: "], STATE),
    // kubectl get and describe, YAML of objects, psql and mysql tables.
    (&["\nNAME ", " AGE"], STATE),
    (&["\nNAMESPACE ", " NAME ", " AGE"], STATE),
    (&["\nName: ", "\nLabels: "], STATE),
    (&["\nName: ", "\nNamespace: "], STATE),
    (&["apiVersion: ", "kind: "], STATE),
    (&["\n---", "-+-"], STATE),
    (&["\n+---", "-+"], STATE),
];

const WORDS: &[(&[&str], Classification)] = &[
    (
        &[
            "alert", "alerts", "alertmanager", "page", "pagerduty", "opsgenie", "incident",
            "finding",
        ],
        ALERT,
    ),
    (
        &[
            "change", "changes", "commit", "commits", "deploy", "deploys", "deployment",
            "deployments", "diff", "patch", "pr", "push", "release", "releases", "rollout",
            "rollouts", "changelog",
        ],
        CHANGED,
    ),
    (&["check", "checks", "smoke", "verification", "verify"], CHECK),
    (&["blackbox", "probe", "probes", "synthetic", "synthetics"], PROBE),
    (&["jaeger", "span", "spans", "tempo", "trace", "traces", "zipkin"], TRACES),
    (
        &[
            "cloudwatch", "cpu", "graphite", "latency", "mem", "memory", "metric", "metrics",
            "prom", "prometheus", "stats", "top", "usage",
        ],
        METRICS,
    ),
    (
        &[
            "dmesg", "event", "events", "journal", "journalctl", "kernel", "log", "logs", "loki",
            "syslog",
        ],
        LOGS,
    ),
    (
        &[
            "configmap", "describe", "get", "inventory", "manifest", "node", "nodes", "pod",
            "pods", "service", "services",
        ],
        STATE,
    ),
];

/// The verbs of `kubectl` and `docker` commands. The objects of these verbs, such as `deploy/cart`, do not determine
/// the class of the output.
const VERBS: &[(&str, Classification)] = &[
    ("logs", LOGS),
    ("events", LOGS),
    ("top", METRICS),
    ("get", STATE),
    ("describe", STATE),
    ("rollout", CHANGED),
];

/// Classifies an item by its content and name. The default is object state for JSON and logs for text.
#[must_use]
pub fn classify_item(name: &str, text: &str) -> Classification {
    let outline = text.trim_start().starts_with(['{', '[']).then(|| outline(text));
    match outline.flatten() {
        Some(document) => {
            classify_by_shape(&document).or_else(|| classify_by_name(name)).unwrap_or(STATE)
        }
        None => classify_by_markers(text).or_else(|| classify_by_name(name)).unwrap_or(LOGS),
    }
}

impl Classification {
    /// Applies an explicit kind and lane. If only one of them is given, the other is adapted.
    #[must_use]
    pub fn with_overrides(self, kind: Option<EvidenceKind>, lane: Option<Lane>) -> Self {
        match (kind, lane) {
            (None, None) => self,
            (Some(kind), Some(lane)) => Self { kind, lane },
            (None, Some(lane)) if lane == self.lane => self,
            (None, Some(lane)) => Self { kind: ToolOutput, lane },
            (Some(kind), None) if kind == self.kind => self,
            (Some(kind), None) => {
                let lane = match kind {
                    Signal => Lane::Metrics,
                    Change => Lane::Change,
                    Verification => Lane::Verification,
                    EvidenceKind::PriorClaim => Lane::LlmInferred,
                    _ if self.kind == ToolOutput => self.lane,
                    _ => Lane::Logs,
                };
                Self { kind, lane }
            }
        }
    }
}

fn outline(text: &str) -> Option<Value> {
    const DEPTH: usize = 6;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Outline { depth: DEPTH }.deserialize(&mut reader).ok()?;
    reader.end().ok().map(|()| value)
}

/// Deserializes a value down to a maximum depth, and only the first element of each array.
struct Outline {
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Outline {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        if self.depth == 0 {
            return reader.deserialize_ignored_any(IgnoredAny).map(|_| Value::Bool(true));
        }
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Outline {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        const MAX_BYTES: usize = 64;
        let head = value.get(..value.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
        Ok(head.to_owned().into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let first = list.next_element_seed(Self { depth: self.depth - 1 })?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(first.into_iter().collect()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut outline = serde_json::Map::new();
        while let Some(key) = members.next_key::<String>()? {
            outline.insert(key, members.next_value_seed(Self { depth: self.depth - 1 })?);
        }
        Ok(Value::Object(outline))
    }
}

fn classify_by_shape(document: &Value) -> Option<Classification> {
    let matches_field = |(pointer, start): &(&str, &str)| {
        document.pointer(pointer).is_some_and(|value| {
            !value.is_null()
                && (start.is_empty() || value.as_str().is_some_and(|text| text.starts_with(start)))
        })
    };
    let row = SHAPES.iter().find(|(fields, _)| fields.iter().all(matches_field));
    row.map(|(_, class)| *class)
}

fn classify_by_verb(words: &[String]) -> Option<Classification> {
    let command = words.iter().position(|word| word == "kubectl" || word == "docker")?;
    let mut words = words.iter().skip(command + 1);
    let verb = |word: &String| VERBS.iter().find(|(verb, _)| verb == word);
    match words.find_map(verb)? {
        ("get", _) if words.next().is_some_and(|object| object == "events") => Some(LOGS),
        (_, class) => Some(*class),
    }
}

fn classify_by_markers(text: &str) -> Option<Classification> {
    const MAX_CHARS: usize = 4096;
    let head: String = core::iter::once('\n').chain(text.chars().take(MAX_CHARS)).collect();
    let row = MARKERS.iter().find(|(markers, _)| markers.iter().all(|mark| head.contains(mark)));
    row.map(|(_, class)| *class)
}

fn classify_by_name(name: &str) -> Option<Classification> {
    let name_words: Vec<String> =
        name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    if let Some(class) = classify_by_verb(&name_words) {
        return Some(class);
    }
    let row = WORDS
        .iter()
        .find(|(row_words, _)| name_words.iter().any(|word| row_words.contains(&word.as_str())));
    row.map(|(_, class)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_of_a_command_does_not_classify_its_output() {
        for (name, expected) in [
            ("kubectl logs deploy/cart", LOGS),
            ("kubectl -n shop logs deploy/cart", LOGS),
            ("kubectl get deployment cart", STATE),
            ("kubectl get events", LOGS),
            ("kubectl rollout history deploy/cart", CHANGED),
            ("deploys", CHANGED),
        ] {
            assert_eq!(classify_item(name, "cart is up"), expected, "{name}");
        }
    }

    #[test]
    fn an_override_adapts_the_other_value() {
        for (overrides, classified, expected) in [
            ((None, None), ALERT, ALERT),
            ((None, Some(Lane::Logs)), ALERT, LOGS),
            ((Some(Signal), None), LOGS, ALERT),
            ((Some(Change), None), STATE, CHANGED),
            ((Some(Verification), None), STATE, CHECK),
            (
                (Some(EvidenceKind::StepOutput), None),
                TRACES,
                class(EvidenceKind::StepOutput, Lane::Traces),
            ),
            ((Some(ToolOutput), None), CHANGED, LOGS),
            ((Some(ToolOutput), Some(Lane::Change)), LOGS, class(ToolOutput, Lane::Change)),
        ] {
            assert_eq!(
                classified.with_overrides(overrides.0, overrides.1),
                expected,
                "{overrides:?} {classified:?}"
            );
        }
    }

    #[test]
    fn an_outline_omits_deep_values_and_further_elements() {
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(classify_item("x", &deep), STATE);
        assert_eq!(
            outline(r#"{"a": [1, {"b": 2}], "c": {}}"#),
            serde_json::from_str(r#"{"a": [1], "c": {}}"#).ok()
        );
        assert_eq!((outline("{} {}"), outline("{")), (None, None));
    }

    #[test]
    fn json_documents_are_classified_by_shape() {
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
            assert_eq!(classify_item("x", text), expected, "{text}");
        }
    }

    #[test]
    fn plain_texts_are_classified_by_markers() {
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
            assert_eq!(classify_item("x", text), expected, "{text}");
        }
    }

    #[test]
    fn unknown_content_is_classified_by_name() {
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
            assert_eq!(classify_item(name, "nothing known"), expected, "{name}");
        }
    }
}
