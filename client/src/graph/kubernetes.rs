//! Extracts edges from Kubernetes objects, ignoring unknown kinds and fields.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{GraphBuilder, at, list};

struct Object<'a> {
    namespace: &'a str,
    kind: &'a str,
    name: &'a str,
    value: &'a Value,
}

/// Adds the objects in the documents. A document is an object or a list of objects.
pub(super) fn read(documents: &[Value], edges: &mut GraphBuilder) {
    let items = documents.iter().flat_map(|document| match at(document, "/items").as_array() {
        Some(items) => items.as_slice(),
        None => std::slice::from_ref(document),
    });
    let objects: Vec<Object<'_>> = items.filter_map(object).collect();
    for object in &objects {
        edges.add_entity(object.entity());
        owners(object, edges);
        settings(object, edges);
        backends(object, edges);
        selected(object, &objects, edges);
        named_services(object, &objects, edges);
    }
}

fn object(value: &Value) -> Option<Object<'_>> {
    let metadata = at(value, "/metadata");
    let namespace = at(metadata, "/namespace").as_str().unwrap_or_default();
    Some(Object {
        namespace,
        kind: at(value, "/kind").as_str()?,
        name: at(metadata, "/name").as_str()?,
        value,
    })
}

impl Object<'_> {
    fn entity(&self) -> String {
        self.other(self.kind, self.name)
    }

    /// Returns the entity of another object in the same namespace.
    fn other(&self, kind: &str, name: &str) -> String {
        match self.namespace {
            "" => format!("{kind}/{name}"),
            namespace => format!("{namespace}/{kind}/{name}"),
        }
    }

    /// Returns the spec of the pod or the pod template.
    fn pod(&self) -> Option<&Value> {
        let spec = at(self.value, "/spec");
        match self.kind {
            "Pod" => Some(spec),
            "CronJob" => spec.pointer("/jobTemplate/spec/template/spec"),
            _ => spec.pointer("/template/spec"),
        }
    }

    /// Returns the labels of the pod or the pod template.
    fn labels(&self) -> Option<&Value> {
        match self.kind {
            "Pod" => self.value.pointer("/metadata/labels"),
            "CronJob" => self.value.pointer("/spec/jobTemplate/spec/template/metadata/labels"),
            _ => self.value.pointer("/spec/template/metadata/labels"),
        }
    }
}

/// Adds the object's owners, its node, the volume of a claim, and the target of an autoscaler.
fn owners(of: &Object<'_>, edges: &mut GraphBuilder) {
    for owner in list(of.value, "/metadata/ownerReferences") {
        if let (Some(kind), Some(name)) = (at(owner, "/kind").as_str(), at(owner, "/name").as_str())
        {
            // The node owns static pods.
            let owner = if kind == "Node" { format!("Node/{name}") } else { of.other(kind, name) };
            edges.add(&owner, &of.entity());
        }
    }
    let spec = at(of.value, "/spec");
    if let Some(node) = at(spec, "/nodeName").as_str() {
        edges.add(&format!("Node/{node}"), &of.entity());
    }
    if let (Some(volume), "PersistentVolumeClaim") = (at(spec, "/volumeName").as_str(), of.kind) {
        edges.add(&format!("PersistentVolume/{volume}"), &of.entity());
    }
    let scaled = at(spec, "/scaleTargetRef");
    if let (Some(kind), Some(name)) = (at(scaled, "/kind").as_str(), at(scaled, "/name").as_str()) {
        edges.add(&of.entity(), &of.other(kind, name));
    }
}

/// Adds a pod's config maps, secrets and volume claims.
fn settings(of: &Object<'_>, edges: &mut GraphBuilder) {
    let Some(pod) = of.pod() else { return };
    let mut found = BTreeSet::new();
    let mut note = |kind: &str, name: &Value| {
        if let Some(name) = name.as_str() {
            found.insert(of.other(kind, name));
        }
    };
    let volumes = list(pod, "/volumes");
    let projected = volumes.iter().flat_map(|volume| list(volume, "/projected/sources"));
    for source in volumes.iter().chain(projected) {
        note("ConfigMap", at(source, "/configMap/name"));
        note("Secret", at(source, "/secret/secretName"));
        note("Secret", at(source, "/secret/name"));
        note("PersistentVolumeClaim", at(source, "/persistentVolumeClaim/claimName"));
    }
    for container in containers(pod) {
        for given in list(container, "/envFrom") {
            note("ConfigMap", at(given, "/configMapRef/name"));
            note("Secret", at(given, "/secretRef/name"));
        }
        for variable in list(container, "/env") {
            note("ConfigMap", at(variable, "/valueFrom/configMapKeyRef/name"));
            note("Secret", at(variable, "/valueFrom/secretKeyRef/name"));
        }
    }
    for setting in found {
        edges.add(&setting, &of.entity());
    }
}

/// Adds an Ingress's backends.
fn backends(of: &Object<'_>, edges: &mut GraphBuilder) {
    if of.kind != "Ingress" {
        return;
    }
    let spec = at(of.value, "/spec");
    let rules = list(spec, "/rules").iter().flat_map(|rule| list(rule, "/http/paths"));
    let backends = rules.map(|path| at(path, "/backend")).chain([at(spec, "/defaultBackend")]);
    for name in backends.filter_map(|backend| at(backend, "/service/name").as_str()) {
        edges.add(&of.other("Service", name), &of.entity());
    }
}

/// Adds the pods and workloads selected by a Service.
fn selected(of: &Object<'_>, objects: &[Object<'_>], edges: &mut GraphBuilder) {
    let Some(selector) =
        at(of.value, "/spec/selector").as_object().filter(|_| of.kind == "Service")
    else {
        return;
    };
    let is_selected = |other: &&Object<'_>| {
        let labels = other.labels().filter(|_| other.namespace == of.namespace);
        let has = |(key, value): (&String, &Value)| {
            labels.is_some_and(|labels| labels.get(key) == Some(value))
        };
        !selector.is_empty() && selector.iter().all(has)
    };
    for other in objects.iter().filter(is_selected) {
        edges.add(&other.entity(), &of.entity());
    }
}

/// Adds the Services mentioned in a pod's environment, command or arguments.
fn named_services(of: &Object<'_>, objects: &[Object<'_>], edges: &mut GraphBuilder) {
    let Some(pod) = of.pod() else { return };
    let mut hosts: BTreeSet<&str> = BTreeSet::new();
    for container in containers(pod) {
        let variables = list(container, "/env").iter().map(|variable| at(variable, "/value"));
        let words = list(container, "/command").iter().chain(list(container, "/args"));
        for text in variables.chain(words).filter_map(Value::as_str) {
            let is_host = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
            hosts.extend(text.split(|letter| !is_host(letter)).filter(|host| !host.is_empty()));
        }
    }
    for service in objects.iter().filter(|other| other.kind == "Service") {
        let (name, namespace) = (service.name, service.namespace);
        let means = |host: &&str| {
            let (first, rest) = host.split_once('.').unwrap_or((host, ""));
            let place = rest.split('.').next().unwrap_or_default();
            first == name
                && if rest.is_empty() { namespace == of.namespace } else { place == namespace }
        };
        if hosts.iter().any(means) {
            edges.add(&service.entity(), &of.entity());
        }
    }
}

fn containers(pod: &Value) -> impl Iterator<Item = &Value> {
    list(pod, "/containers").iter().chain(list(pod, "/initContainers"))
}
