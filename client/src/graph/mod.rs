//! Builds the dependency graph that an investigation explores, from Kubernetes objects, traces and lists of edges.

mod kubernetes;
mod spans;

use std::collections::{BTreeMap, BTreeSet};

use gsar_proto::v1;
use serde_json::Value;

/// A builder for a dependency graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphBuilder {
    /// Pairs of an entity and its dependent.
    edges: BTreeSet<(String, String)>,
    entities: BTreeSet<String>,
}

/// An error from parsing a source of edges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct GraphParseError {
    /// The line number, starting at 1.
    pub line: usize,
    /// The problem and the fix.
    pub message: String,
}

impl GraphBuilder {
    /// Adds the objects in the output of `kubectl get … -o json`. An object depends on its owners, node, volumes,
    /// settings and selected pods; a workload also depends on the Services that its environment, command or arguments
    /// mention.
    pub fn add_kubernetes(&mut self, text: &str) -> Result<(), GraphParseError> {
        kubernetes::add_edges(&documents(text)?, self);
        Ok(())
    }

    /// Adds the services in OTLP or Jaeger spans, as JSON. A caller depends on its callee.
    pub fn add_traces(&mut self, text: &str) -> Result<(), GraphParseError> {
        spans::add_edges(&documents(text)?, self);
        Ok(())
    }

    /// Adds edges from lines of the form `FROM -> TO`, `FROM,TO` or `FROM TO`, where TO depends on FROM. Skips blank
    /// lines and lines that start with `#`.
    pub fn add_lines(&mut self, text: &str) -> Result<(), GraphParseError> {
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let ends = line.split_once("->").or_else(|| line.split_once(','));
            let ends = ends.or_else(|| line.split_once(char::is_whitespace));
            match ends.map(|(from, to)| (from.trim(), to.trim())) {
                Some((from, to)) if is_name(from) && is_name(to) => self.add_edge(from, to),
                _ => {
                    let message = format!("invalid edge `{line}`; expected FROM -> TO");
                    return Err(GraphParseError { line: index + 1, message });
                }
            }
        }
        Ok(())
    }

    /// Builds the graph. Exploration starts at the entities in `alerts`. Resolves an unqualified name to the Service
    /// of that name if there is only one.
    #[must_use]
    pub fn into_graph(self, alerts: Vec<String>, changed: Vec<String>) -> v1::Graph {
        let services = self.services();
        let qualified = |name: String| services.get(&name).cloned().unwrap_or(name);
        let edge = |(from, to)| v1::GraphEdge { from: qualified(from), to: qualified(to) };
        let edges: Vec<v1::GraphEdge> =
            self.edges.into_iter().map(edge).filter(|edge| edge.from != edge.to).collect();
        let connected: BTreeSet<&String> =
            edges.iter().flat_map(|edge| [&edge.from, &edge.to]).collect();
        let isolated: BTreeSet<String> = self
            .entities
            .into_iter()
            .map(qualified)
            .filter(|name| !connected.contains(name))
            .collect();
        let entities = isolated.into_iter().collect();
        v1::Graph { entities, edges, alerts, changed, ..v1::Graph::default() }
    }

    /// Maps each unambiguous Service name to its entity.
    fn services(&self) -> BTreeMap<String, String> {
        let mut services: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for entity in &self.entities {
            if let Some((prefix, name)) = entity.rsplit_once('/')
                && prefix.ends_with("/Service")
            {
                services.entry(name.to_owned()).or_default().push(entity);
            }
        }
        let unambiguous = |(name, entities): (String, Vec<&String>)| match entities.as_slice() {
            [only] => Some((name, (*only).clone())),
            _ => None,
        };
        services.into_iter().filter_map(unambiguous).collect()
    }

    /// Adds an edge, where `to` depends on `from`.
    fn add_edge(&mut self, from: &str, to: &str) {
        self.edges.insert((from.to_owned(), to.to_owned()));
    }

    fn add_entity(&mut self, entity: String) {
        self.entities.insert(entity);
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}

fn value_at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    const NULL: &Value = &Value::Null;
    value.pointer(pointer).unwrap_or(NULL)
}

fn list_at<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value_at(value, pointer).as_array().map(Vec::as_slice).unwrap_or_default()
}

fn documents(text: &str) -> Result<Vec<Value>, GraphParseError> {
    let documents = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    documents
        .collect::<Result<_, _>>()
        .map_err(|error| GraphParseError { line: error.line(), message: error.to_string() })
}

#[cfg(test)]
mod tests;
