use super::*;

const OBJECTS: &str = r#"{"kind": "List", "items": [
  {"kind": "Deployment", "metadata": {"namespace": "shop", "name": "api"},
   "spec": {"template": {"metadata": {"labels": {"app": "api"}}, "spec": {
     "volumes": [{"configMap": {"name": "api-settings"}}, {"persistentVolumeClaim": {"claimName": "data"}}],
     "containers": [{"env": [{"name": "DB", "value": "postgres://db:5432/shop"}, {"name": "MAIL", "value": "smtp://mail.office.svc:25"},
                             {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db-password", "key": "p"}}}],
                     "args": ["--dbx=1"]}]}}}},
  {"kind": "Pod", "metadata": {"namespace": "shop", "name": "api-7d9f8b6c5d-x2x4q", "labels": {"app": "api"},
     "ownerReferences": [{"kind": "ReplicaSet", "name": "api-7d9f8b6c5d"}]}, "spec": {"nodeName": "worker-3"}},
  {"kind": "Service", "metadata": {"namespace": "shop", "name": "api"}, "spec": {"selector": {"app": "api"}}},
  {"kind": "Service", "metadata": {"namespace": "shop", "name": "db"}, "spec": {}},
  {"kind": "Service", "metadata": {"namespace": "office", "name": "mail"}, "spec": {}},
  {"kind": "Ingress", "metadata": {"namespace": "shop", "name": "web"},
   "spec": {"rules": [{"http": {"paths": [{"backend": {"service": {"name": "api"}}}]}}]}},
  {"kind": "HorizontalPodAutoscaler", "metadata": {"namespace": "shop", "name": "api"},
   "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "api"}}}
]}"#;

fn edges(graph: &v1::Graph) -> Vec<String> {
    graph.edges.iter().map(|edge| format!("{} -> {}", edge.from, edge.to)).collect()
}

#[test]
fn kubernetes_objects_depend_on_their_references() {
    let mut builder = GraphBuilder::default();
    builder.add_kubernetes(OBJECTS).unwrap();
    let graph = builder.into_graph(vec!["web".to_owned()], Vec::new());
    assert_eq!(
        edges(&graph),
        [
            "Node/worker-3 -> shop/Pod/api-7d9f8b6c5d-x2x4q",
            "office/Service/mail -> shop/Deployment/api",
            "shop/ConfigMap/api-settings -> shop/Deployment/api",
            "shop/Deployment/api -> shop/Service/api",
            "shop/HorizontalPodAutoscaler/api -> shop/Deployment/api",
            "shop/PersistentVolumeClaim/data -> shop/Deployment/api",
            "shop/Pod/api-7d9f8b6c5d-x2x4q -> shop/Service/api",
            "shop/ReplicaSet/api-7d9f8b6c5d -> shop/Pod/api-7d9f8b6c5d-x2x4q",
            "shop/Secret/db-password -> shop/Deployment/api",
            "shop/Service/api -> shop/Ingress/web",
            "shop/Service/db -> shop/Deployment/api",
        ]
    );
    assert!(graph.entities.is_empty() && graph.alerts == ["web"]);
}

#[test]
fn callers_depend_on_callees() {
    let otlp = r#"{"resourceSpans": [
      {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "api"}}]},
       "scopeSpans": [{"spans": [{"traceId": "t", "spanId": "1"}, {"traceId": "t", "spanId": "2", "parentSpanId": "1"},
         {"traceId": "t", "spanId": "4", "parentSpanId": "1", "attributes": [{"key": "peer.service", "value": {"stringValue": "cache"}}]}]}]},
      {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "cart"}}, {"key": "k8s.namespace.name", "value": {"stringValue": "shop"}},
                                   {"key": "k8s.deployment.name", "value": {"stringValue": "cart"}}]},
       "scopeSpans": [{"spans": [{"traceId": "t", "spanId": "3", "parentSpanId": "2"}, {"traceId": "u", "spanId": "9", "parentSpanId": "2"}]}]}]}"#;
    let jaeger = r#"{"data": [{"processes": {"p1": {"serviceName": "cart"}, "p2": {"serviceName": "db"}}, "spans": [
      {"traceID": "t", "spanID": "a", "processID": "p1"},
      {"traceID": "t", "spanID": "b", "processID": "p2", "references": [{"refType": "CHILD_OF", "traceID": "t", "spanID": "a"}]}]}]}"#;
    let mut builder = GraphBuilder::default();
    builder.add_traces(&format!("{otlp}\n{jaeger}")).unwrap();
    let graph = builder.into_graph(vec!["api".to_owned()], Vec::new());
    assert_eq!(edges(&graph), ["cache -> api", "db -> cart", "shop/Deployment/cart -> api"]);
}

#[test]
fn a_unique_service_name_is_resolved() {
    let mut builder = GraphBuilder::default();
    builder.add_kubernetes(OBJECTS).unwrap();
    builder.add_lines("# by hand\n db -> api\nqueue,api\napi worker\n\n").unwrap();
    let graph = builder.into_graph(Vec::new(), Vec::new());
    for edge in [
        "queue -> shop/Service/api",
        "shop/Service/api -> worker",
        "shop/Service/db -> shop/Service/api",
    ] {
        assert!(edges(&graph).iter().any(|found| found == edge), "{edge}: {:?}", edges(&graph));
    }
}

#[test]
fn errors_are_reported_with_their_line() {
    let mut builder = GraphBuilder::default();
    let error = builder.add_lines("a -> b\n\nlonely\n").unwrap_err();
    assert_eq!(error.to_string(), "line 3: invalid edge `lonely`; expected FROM -> TO");
    assert_eq!(builder.add_lines("a b c").unwrap_err().line, 1);
    assert_eq!(builder.add_kubernetes("{\n\"items\": [").unwrap_err().line, 2);
    // Other documents are ignored.
    for text in
        ["[]", "7", "{\"items\": [null, {\"kind\": \"Pod\"}]}", "{\"data\": {\"spans\": 3}}"]
    {
        builder.add_kubernetes(text).unwrap();
        builder.add_traces(text).unwrap();
    }
}
