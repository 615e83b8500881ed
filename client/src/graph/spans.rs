//! Extracts edges from spans. If a span's parent belongs to another service, that service is the caller.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{GraphBuilder, at, list};

/// Maps trace and span id to the service and the id of the parent span.
type Spans<'a> = BTreeMap<(&'a str, &'a str), (String, &'a str)>;

pub(super) fn read(documents: &[Value], edges: &mut GraphBuilder) {
    let mut spans = Spans::new();
    for document in documents {
        otlp(document, &mut spans, edges);
        jaeger(document, &mut spans);
    }
    for ((trace, _), (called, above)) in &spans {
        match spans.get(&(*trace, *above)) {
            Some((caller, _)) if caller != called => edges.add(called, caller),
            _ => {}
        }
    }
    for (service, _) in spans.into_values() {
        edges.add_entity(service);
    }
}

fn otlp<'a>(document: &'a Value, spans: &mut Spans<'a>, edges: &mut GraphBuilder) {
    for resource in list(document, "/resourceSpans") {
        let about = list(resource, "/resource/attributes");
        let Some(service) = entity(about) else { continue };
        let scopes = list(resource, "/scopeSpans").iter();
        for span in scopes.flat_map(|scope| list(scope, "/spans")) {
            let text = |field: &str| span.get(field).and_then(Value::as_str).unwrap_or_default();
            // The peer can be a database or another service without spans.
            if let Some(peer) = attribute(list(span, "/attributes"), "peer.service") {
                edges.add(peer, &service);
            }
            let place = (text("traceId"), text("spanId"));
            spans.insert(place, (service.clone(), text("parentSpanId")));
        }
    }
}

/// Returns the resource's Kubernetes workload, or its service if the workload is unknown.
fn entity(about: &[Value]) -> Option<String> {
    const WORKLOADS: [(&str, &str); 4] = [
        ("k8s.deployment.name", "Deployment"),
        ("k8s.statefulset.name", "StatefulSet"),
        ("k8s.daemonset.name", "DaemonSet"),
        ("k8s.cronjob.name", "CronJob"),
    ];
    let workload = attribute(about, "k8s.namespace.name").and_then(|namespace| {
        let of = |(key, kind): &(&str, &str)| {
            attribute(about, key).map(|name| format!("{namespace}/{kind}/{name}"))
        };
        WORKLOADS.iter().find_map(of)
    });
    workload.or_else(|| attribute(about, "service.name").map(str::to_owned))
}

fn attribute<'a>(attributes: &'a [Value], key: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|attribute| at(attribute, "/key") == key)?;
    at(found, "/value/stringValue").as_str()
}

fn jaeger<'a>(document: &'a Value, spans: &mut Spans<'a>) {
    for trace in list(document, "/data") {
        for span in list(trace, "/spans") {
            let process = at(span, "/processID").as_str().unwrap_or_default();
            let Some(service) = trace
                .pointer("/processes")
                .and_then(|all| all.get(process))
                .and_then(|of| of.get("serviceName")?.as_str())
            else {
                continue;
            };
            let above =
                list(span, "/references").iter().find(|of| at(of, "/refType") == "CHILD_OF");
            let above = above.and_then(|of| at(of, "/spanID").as_str()).unwrap_or_default();
            let text = |field: &str| span.get(field).and_then(Value::as_str).unwrap_or_default();
            spans.insert((text("traceID"), text("spanID")), (service.to_owned(), above));
        }
    }
}
