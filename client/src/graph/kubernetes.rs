//! Extracts edges from Kubernetes objects, ignoring unknown kinds and fields.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{GraphBuilder, list_at, value_at};

struct Object<'a> {
    namespace: &'a str,
    kind: &'a str,
    name: &'a str,
    value: &'a Value,
}

/// Adds the objects in the documents. A document is an object or a list of objects.
pub(super) fn add_edges(documents: &[Value], builder: &mut GraphBuilder) {
    let items =
        documents.iter().flat_map(|document| match value_at(document, "/items").as_array() {
            Some(items) => items.as_slice(),
            None => std::slice::from_ref(document),
        });
    let objects: Vec<Object<'_>> = items.filter_map(object).collect();
    for object in &objects {
        builder.add_entity(object.entity());
        add_owners(object, builder);
        add_settings(object, builder);
        add_backends(object, builder);
        add_selected_workloads(object, &objects, builder);
        add_mentioned_services(object, &objects, builder);
    }
}

fn object(value: &Value) -> Option<Object<'_>> {
    let metadata = value_at(value, "/metadata");
    let namespace = value_at(metadata, "/namespace").as_str().unwrap_or_default();
    Some(Object {
        namespace,
        kind: value_at(value, "/kind").as_str()?,
        name: value_at(metadata, "/name").as_str()?,
        value,
    })
}

impl Object<'_> {
    fn entity(&self) -> String {
        self.sibling(self.kind, self.name)
    }

    /// Returns the entity of another object in the same namespace.
    fn sibling(&self, kind: &str, name: &str) -> String {
        match self.namespace {
            "" => format!("{kind}/{name}"),
            namespace => format!("{namespace}/{kind}/{name}"),
        }
    }

    /// Returns the spec of the pod or the pod template.
    fn pod_spec(&self) -> Option<&Value> {
        let spec = value_at(self.value, "/spec");
        match self.kind {
            "Pod" => Some(spec),
            "CronJob" => spec.pointer("/jobTemplate/spec/template/spec"),
            _ => spec.pointer("/template/spec"),
        }
    }

    /// Returns the labels of the pod or the pod template.
    fn pod_labels(&self) -> Option<&Value> {
        match self.kind {
            "Pod" => self.value.pointer("/metadata/labels"),
            "CronJob" => self.value.pointer("/spec/jobTemplate/spec/template/metadata/labels"),
            _ => self.value.pointer("/spec/template/metadata/labels"),
        }
    }
}

/// Adds edges for the object's owners and node, for the volume of a claim, and for the target of an autoscaler.
fn add_owners(object: &Object<'_>, builder: &mut GraphBuilder) {
    for owner in list_at(object.value, "/metadata/ownerReferences") {
        if let (Some(kind), Some(name)) =
            (value_at(owner, "/kind").as_str(), value_at(owner, "/name").as_str())
        {
            // The node owns static pods.
            let owner =
                if kind == "Node" { format!("Node/{name}") } else { object.sibling(kind, name) };
            builder.add_edge(&owner, &object.entity());
        }
    }
    let spec = value_at(object.value, "/spec");
    if let Some(node) = value_at(spec, "/nodeName").as_str() {
        builder.add_edge(&format!("Node/{node}"), &object.entity());
    }
    if let (Some(volume), "PersistentVolumeClaim") =
        (value_at(spec, "/volumeName").as_str(), object.kind)
    {
        builder.add_edge(&format!("PersistentVolume/{volume}"), &object.entity());
    }
    let scale_target = value_at(spec, "/scaleTargetRef");
    if let (Some(kind), Some(name)) =
        (value_at(scale_target, "/kind").as_str(), value_at(scale_target, "/name").as_str())
    {
        builder.add_edge(&object.entity(), &object.sibling(kind, name));
    }
}

/// Adds edges for a pod's config maps, secrets and volume claims.
fn add_settings(object: &Object<'_>, builder: &mut GraphBuilder) {
    let Some(pod) = object.pod_spec() else { return };
    let mut names = BTreeSet::new();
    let mut insert = |kind: &str, name: &Value| {
        if let Some(name) = name.as_str() {
            names.insert(object.sibling(kind, name));
        }
    };
    let volumes = list_at(pod, "/volumes");
    let projected = volumes.iter().flat_map(|volume| list_at(volume, "/projected/sources"));
    for source in volumes.iter().chain(projected) {
        insert("ConfigMap", value_at(source, "/configMap/name"));
        insert("Secret", value_at(source, "/secret/secretName"));
        insert("Secret", value_at(source, "/secret/name"));
        insert("PersistentVolumeClaim", value_at(source, "/persistentVolumeClaim/claimName"));
    }
    for container in containers(pod) {
        for source in list_at(container, "/envFrom") {
            insert("ConfigMap", value_at(source, "/configMapRef/name"));
            insert("Secret", value_at(source, "/secretRef/name"));
        }
        for variable in list_at(container, "/env") {
            insert("ConfigMap", value_at(variable, "/valueFrom/configMapKeyRef/name"));
            insert("Secret", value_at(variable, "/valueFrom/secretKeyRef/name"));
        }
    }
    for setting in names {
        builder.add_edge(&setting, &object.entity());
    }
}

/// Adds edges for an Ingress's backends.
fn add_backends(object: &Object<'_>, builder: &mut GraphBuilder) {
    if object.kind != "Ingress" {
        return;
    }
    let spec = value_at(object.value, "/spec");
    let rules = list_at(spec, "/rules").iter().flat_map(|rule| list_at(rule, "/http/paths"));
    let backends =
        rules.map(|path| value_at(path, "/backend")).chain([value_at(spec, "/defaultBackend")]);
    for name in backends.filter_map(|backend| value_at(backend, "/service/name").as_str()) {
        builder.add_edge(&object.sibling("Service", name), &object.entity());
    }
}

/// Adds edges for the pods and workloads that a Service selects.
fn add_selected_workloads(object: &Object<'_>, objects: &[Object<'_>], builder: &mut GraphBuilder) {
    let Some(selector) =
        value_at(object.value, "/spec/selector").as_object().filter(|_| object.kind == "Service")
    else {
        return;
    };
    let is_selected = |other: &&Object<'_>| {
        let labels = other.pod_labels().filter(|_| other.namespace == object.namespace);
        let has_label = |(key, value): (&String, &Value)| {
            labels.is_some_and(|labels| labels.get(key) == Some(value))
        };
        !selector.is_empty() && selector.iter().all(has_label)
    };
    for other in objects.iter().filter(is_selected) {
        builder.add_edge(&other.entity(), &object.entity());
    }
}

/// Adds edges for the Services mentioned in a pod's environment, command or arguments.
fn add_mentioned_services(object: &Object<'_>, objects: &[Object<'_>], builder: &mut GraphBuilder) {
    let Some(pod) = object.pod_spec() else { return };
    let mut hosts: BTreeSet<&str> = BTreeSet::new();
    for container in containers(pod) {
        let variables =
            list_at(container, "/env").iter().map(|variable| value_at(variable, "/value"));
        let words = list_at(container, "/command").iter().chain(list_at(container, "/args"));
        for text in variables.chain(words).filter_map(Value::as_str) {
            let is_host =
                |character: char| character.is_ascii_alphanumeric() || "-.".contains(character);
            hosts.extend(
                text.split(|character| !is_host(character)).filter(|host| !host.is_empty()),
            );
        }
    }
    for service in objects.iter().filter(|other| other.kind == "Service") {
        let (name, namespace) = (service.name, service.namespace);
        let is_service_host = |host: &&str| {
            let (host_name, rest) = host.split_once('.').unwrap_or((host, ""));
            let host_namespace = rest.split('.').next().unwrap_or_default();
            host_name == name
                && if rest.is_empty() {
                    namespace == object.namespace
                } else {
                    host_namespace == namespace
                }
        };
        if hosts.iter().any(is_service_host) {
            builder.add_edge(&service.entity(), &object.entity());
        }
    }
}

fn containers(pod: &Value) -> impl Iterator<Item = &Value> {
    list_at(pod, "/containers").iter().chain(list_at(pod, "/initContainers"))
}
