//! This module makes the graph of entities that an investigation explores out of what is at hand: Kubernetes objects, traces,
//! and plain lists of edges. It reads texts, and no files.

mod kubernetes;
mod spans;

use std::collections::{BTreeMap, BTreeSet};

use gsar_proto::v1;
use serde_json::Value;

/// Entities and edges, as they are gathered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// From the one that is depended on to the one that depends on it.
    edges: BTreeSet<(String, String)>,
    entities: BTreeSet<String>,
}

/// Why a text gives no edges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct EdgesError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and the fix.
    pub message: String,
}

impl Edges {
    /// Adds the edges between Kubernetes objects: what `kubectl get … -o json` prints, one list or several after another.
    /// Whose owners, nodes, volumes, settings and selectors name another object depends on it, and so do workloads whose
    /// environment, command or arguments name a Service among them.
    ///
    /// # Errors
    /// [`EdgesError`] where the text is no JSON.
    pub fn add_kubernetes(&mut self, text: &str) -> Result<(), EdgesError> {
        kubernetes::read(&documents(text)?, self);
        Ok(())
    }

    /// Adds the edges between services that call each other: spans as OTLP has them in JSON, or as Jaeger exports them.
    /// The caller depends on what it calls.
    ///
    /// # Errors
    /// [`EdgesError`] where the text is no JSON.
    pub fn add_traces(&mut self, text: &str) -> Result<(), EdgesError> {
        spans::read(&documents(text)?, self);
        Ok(())
    }

    /// Adds edges from lines `FROM -> TO`, `FROM,TO` or `FROM TO`: the second depends on the first. Empty lines and those
    /// that begin with `#` are passed over.
    ///
    /// # Errors
    /// [`EdgesError`] where a line is no edge.
    pub fn add_lines(&mut self, text: &str) -> Result<(), EdgesError> {
        for (place, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let ends = line.split_once("->").or_else(|| line.split_once(','));
            let ends = ends.or_else(|| line.split_once(char::is_whitespace));
            match ends.map(|(from, to)| (from.trim(), to.trim())) {
                Some((from, to)) if is_name(from) && is_name(to) => self.add(from, to),
                _ => {
                    let message = format!("`{line}` is no edge; give FROM -> TO");
                    return Err(EdgesError { line: place + 1, message });
                }
            }
        }
        Ok(())
    }

    /// The graph, which begins at what alerts. A name alone that means one Service is that Service.
    #[must_use]
    pub fn into_graph(self, alerts: Vec<String>, changed: Vec<String>) -> v1::Graph {
        let services = self.services();
        let whole = |name: String| services.get(&name).cloned().unwrap_or(name);
        let edge = |(from, to)| v1::GraphEdge { from: whole(from), to: whole(to) };
        let edges: Vec<v1::GraphEdge> =
            self.edges.into_iter().map(edge).filter(|edge| edge.from != edge.to).collect();
        let named: BTreeSet<&String> =
            edges.iter().flat_map(|edge| [&edge.from, &edge.to]).collect();
        let lone: BTreeSet<String> =
            self.entities.into_iter().map(whole).filter(|name| !named.contains(name)).collect();
        let entities = lone.into_iter().collect();
        v1::Graph { entities, edges, alerts, changed, ..v1::Graph::default() }
    }

    /// The entity that each name alone means that only one Service has.
    fn services(&self) -> BTreeMap<String, String> {
        let mut services: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for entity in &self.entities {
            if let Some((before, name)) = entity.rsplit_once('/')
                && before.ends_with("/Service")
            {
                services.entry(name.to_owned()).or_default().push(entity);
            }
        }
        let one = |(name, of): (String, Vec<&String>)| match of.as_slice() {
            [only] => Some((name, (*only).clone())),
            _ => None,
        };
        services.into_iter().filter_map(one).collect()
    }

    /// The second depends on the first.
    fn add(&mut self, from: &str, to: &str) {
        self.edges.insert((from.to_owned(), to.to_owned()));
    }

    fn add_entity(&mut self, entity: String) {
        self.entities.insert(entity);
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}

/// What stands at a JSON pointer; null where nothing does.
fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    const NULL: &Value = &Value::Null;
    value.pointer(pointer).unwrap_or(NULL)
}

/// The list that stands there; empty where none does.
fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    at(value, pointer).as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Every JSON document of a text.
fn documents(text: &str) -> Result<Vec<Value>, EdgesError> {
    let documents = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    documents
        .collect::<Result<_, _>>()
        .map_err(|error| EdgesError { line: error.line(), message: error.to_string() })
}

#[cfg(test)]
mod tests;
