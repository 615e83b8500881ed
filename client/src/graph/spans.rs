//! Extracts edges from spans. If a span's parent belongs to another service, that service is the caller.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{GraphBuilder, list_at, value_at};

/// Maps a span's trace id and span id to its service and the id of its parent span.
type Spans<'a> = BTreeMap<(&'a str, &'a str), (String, &'a str)>;

pub(super) fn add_edges(documents: &[Value], builder: &mut GraphBuilder) {
    let mut spans = Spans::new();
    for document in documents {
        add_otlp_spans(document, &mut spans, builder);
        add_jaeger_spans(document, &mut spans);
    }
    for ((trace_id, _), (callee, parent_id)) in &spans {
        match spans.get(&(*trace_id, *parent_id)) {
            Some((caller, _)) if caller != callee => builder.add_edge(callee, caller),
            _ => {}
        }
    }
    for (service, _) in spans.into_values() {
        builder.add_entity(service);
    }
}

fn add_otlp_spans<'a>(document: &'a Value, spans: &mut Spans<'a>, builder: &mut GraphBuilder) {
    for resource in list_at(document, "/resourceSpans") {
        let resource_attributes = list_at(resource, "/resource/attributes");
        let Some(service) = entity(resource_attributes) else { continue };
        let scopes = list_at(resource, "/scopeSpans").iter();
        for span in scopes.flat_map(|scope| list_at(scope, "/spans")) {
            let text = |field: &str| span.get(field).and_then(Value::as_str).unwrap_or_default();
            // The peer can be a database or another service without spans.
            if let Some(peer) = attribute(list_at(span, "/attributes"), "peer.service") {
                builder.add_edge(peer, &service);
            }
            let key = (text("traceId"), text("spanId"));
            spans.insert(key, (service.clone(), text("parentSpanId")));
        }
    }
}

/// Returns the resource's Kubernetes workload, or its service if the workload is unknown.
fn entity(attributes: &[Value]) -> Option<String> {
    const WORKLOADS: [(&str, &str); 4] = [
        ("k8s.deployment.name", "Deployment"),
        ("k8s.statefulset.name", "StatefulSet"),
        ("k8s.daemonset.name", "DaemonSet"),
        ("k8s.cronjob.name", "CronJob"),
    ];
    let workload = attribute(attributes, "k8s.namespace.name").and_then(|namespace| {
        let workload_name = |(key, kind): &(&str, &str)| {
            attribute(attributes, key).map(|name| format!("{namespace}/{kind}/{name}"))
        };
        WORKLOADS.iter().find_map(workload_name)
    });
    workload.or_else(|| attribute(attributes, "service.name").map(str::to_owned))
}

fn attribute<'a>(attributes: &'a [Value], key: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|attribute| value_at(attribute, "/key") == key)?;
    value_at(found, "/value/stringValue").as_str()
}

fn add_jaeger_spans<'a>(document: &'a Value, spans: &mut Spans<'a>) {
    for trace in list_at(document, "/data") {
        for span in list_at(trace, "/spans") {
            let process = value_at(span, "/processID").as_str().unwrap_or_default();
            let Some(service) = trace
                .pointer("/processes")
                .and_then(|processes| processes.get(process))
                .and_then(|process| process.get("serviceName")?.as_str())
            else {
                continue;
            };
            let parent_id = list_at(span, "/references")
                .iter()
                .find(|reference| value_at(reference, "/refType") == "CHILD_OF");
            let parent_id = parent_id
                .and_then(|reference| value_at(reference, "/spanID").as_str())
                .unwrap_or_default();
            let text = |field: &str| span.get(field).and_then(Value::as_str).unwrap_or_default();
            spans.insert((text("traceID"), text("spanID")), (service.to_owned(), parent_id));
        }
    }
}
