//! Parses graphs of entities, and beliefs about entities.

use gsar_core::belief::{Entity, Label, Limits as ExplorationLimits, Node, Topology};
use gsar_core::evidence::Citation;

use super::field::{Excerpt, enumeration, statement};
use super::limits::Limits;
use super::list::parse_list;
use super::partition::read_citation;
use super::path::Path;
use crate::v1;
use crate::violations::Violations;

/// The maximum number of alias groups.
const MAX_GROUPS: usize = 2_000;

/// A parsed graph.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedGraph {
    /// The entities and their edges.
    pub topology: Topology,
    /// The entities with alerts, at least one.
    pub alerts: Vec<Node>,
    /// The limits of the exploration.
    pub limits: ExplorationLimits,
}

/// A parsed belief about an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedBelief {
    /// The entity.
    pub node: Node,
    /// Its label.
    pub label: Label,
    /// The observations that support it.
    pub observations: Vec<ParsedObservation>,
    /// The propagations of the fault.
    pub propagations: Vec<(Node, Node)>,
    /// Further entities to look at.
    pub suspects: Vec<Node>,
}

/// A statement about an entity, with its citations.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedObservation {
    /// The statement.
    pub text: String,
    /// The citations, at least one.
    pub citations: Vec<Citation>,
}

/// Parses the field `graph`.
pub fn graph(message: v1::Graph, violations: &mut Violations) -> Option<ParsedGraph> {
    let path = Path::root("graph");
    let list = path.field("edges");
    let edges = parse_list(list, message.edges, Topology::MAX_EDGES, violations, read_edge);
    let isolated = read_entities(path.field("entities"), message.entities, violations);
    let list = path.field("aliases");
    let aliases =
        parse_list(list, message.aliases, MAX_GROUPS, violations, |path, group, violations| {
            read_entities(path.field("names"), group.names, violations)
        });
    let limits = read_limits(message.limits.unwrap_or_default(), violations);
    let topology = Topology::new(&edges?, &isolated?, &aliases?);
    let topology = violations.note("graph", topology)?;
    if message.alerts.is_empty() {
        violations.add(path.field("alerts"), "is empty; name the entities with alerts");
    }
    let alerts = read_nodes(path.field("alerts"), message.alerts, &topology, violations);
    let changed_nodes = read_nodes(path.field("changed"), message.changed, &topology, violations);
    let topology = topology.with_changes(&changed_nodes?);
    Some(ParsedGraph { topology, alerts: alerts?, limits: limits? })
}

/// Parses the field `graph_additions`. Returns the extended topology and the further alerts.
pub fn graph_additions(
    message: v1::GraphAdditions,
    topology: &Topology,
    violations: &mut Violations,
) -> Option<(Topology, Vec<Node>)> {
    let path = Path::root("graph_additions");
    let list = path.field("edges");
    let edges = parse_list(list, message.edges, Topology::MAX_EDGES, violations, read_edge);
    let isolated = read_entities(path.field("entities"), message.entities, violations);
    let extended = topology.extended(&edges?, &isolated?);
    let extended = violations.note("graph_additions", extended)?;
    let alerts = read_nodes(path.field("alerts"), message.alerts, &extended, violations);
    let changed = read_nodes(path.field("changed"), message.changed, &extended, violations);
    Some((extended.with_changes(&changed?), alerts?))
}

/// Parses the field `beliefs`.
pub fn beliefs(
    messages: Vec<v1::Belief>,
    topology: &Topology,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Vec<ParsedBelief>> {
    let path = Path::root("beliefs");
    parse_list(path, messages, Topology::MAX_ENTITIES, violations, |path, belief, violations| {
        let node = read_node(path.field("entity"), &belief.entity, topology, violations);
        let label = enumeration(path.field("label"), belief.label, violations);
        let list = path.field("observations");
        let (messages, max) = (belief.observations, limits.max_claims);
        let observations =
            parse_list(list, messages, max, violations, |path, message, violations| {
                read_observation(path, message, limits, violations)
            });
        let list = path.field("propagations");
        let (messages, max) = (belief.propagations, Topology::MAX_ENTITIES);
        let propagations =
            parse_list(list, messages, max, violations, |path, message, violations| {
                let from = read_node(path.field("from"), &message.from, topology, violations);
                let to = read_node(path.field("to"), &message.to, topology, violations);
                Some((from?, to?))
            });
        let list = path.field("suspects");
        let suspects = read_nodes(list, belief.suspects, topology, violations);
        Some(ParsedBelief {
            node: node?,
            label: label?,
            observations: observations?,
            propagations: propagations?,
            suspects: suspects?,
        })
    })
}

fn read_observation(
    path: Path<'_>,
    message: v1::Observation,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedObservation> {
    let text = statement(path.field("text"), message.text, limits.max_claim_bytes, violations);
    let list = path.field("citations");
    if message.citations.is_empty() {
        violations.add(list, "is empty; cite the evidence");
        return None;
    }
    let (messages, max) = (message.citations, limits.max_citations);
    let citations = parse_list(list, messages, max, violations, |path, citation, violations| {
        if !citation.claim_id.is_empty() {
            violations.add(path.field("claim_id"), "cannot be cited here; give evidence_id");
            return None;
        }
        read_citation(path, citation, limits, violations)
    });
    Some(ParsedObservation { text: text?, citations: citations? })
}

fn read_edge(
    path: Path<'_>,
    edge: v1::GraphEdge,
    violations: &mut Violations,
) -> Option<(Entity, Entity)> {
    let from = violations.note(path.field("from"), Entity::parse(&edge.from));
    let to = violations.note(path.field("to"), Entity::parse(&edge.to));
    Some((from?, to?))
}

/// Parses a list of entity names, which can contain at most as many names as a graph can contain entities.
pub(super) fn read_entities(
    path: Path<'_>,
    names: Vec<String>,
    violations: &mut Violations,
) -> Option<Vec<Entity>> {
    parse_list(path, names, Topology::MAX_ENTITIES, violations, |path, name, violations| {
        violations.note(path, Entity::parse(&name))
    })
}

fn read_nodes(
    path: Path<'_>,
    names: Vec<String>,
    topology: &Topology,
    violations: &mut Violations,
) -> Option<Vec<Node>> {
    parse_list(path, names, Topology::MAX_ENTITIES, violations, |path, name, violations| {
        read_node(path, &name, topology, violations)
    })
}

fn read_node(
    path: Path<'_>,
    name: &str,
    topology: &Topology,
    violations: &mut Violations,
) -> Option<Node> {
    let node = topology.resolve(name);
    if node.is_none() {
        let quoted_name = Excerpt(name);
        violations.add(
            path,
            format_args!(
                "`{quoted_name}` is unknown or ambiguous in the graph; give namespace/Kind/name"
            ),
        );
    }
    node
}

fn read_limits(
    message: v1::ExplorationLimits,
    violations: &mut Violations,
) -> Option<ExplorationLimits> {
    let reference = ExplorationLimits::default();
    let mut limit = |field: &str, requested: Option<u32>, default: u32, min: u32, max: u32| {
        let value = requested.unwrap_or(default);
        if !(min..=max).contains(&value) {
            let path = format!("graph.limits.{field}");
            violations.add(path, format_args!("{value} is out of range; give {min} to {max}"));
            return None;
        }
        Some(value)
    };
    let max_flips = limit("max_flips", message.max_flips, reference.max_flips, 0, 20);
    let max_visits = limit("max_visits", message.max_visits, reference.max_visits, 1, 20);
    let cooldown = limit("cooldown", message.cooldown, reference.cooldown, 0, 100);
    let budget = limit("budget", message.budget, reference.budget, 1, 1_000);
    Some(ExplorationLimits {
        max_flips: max_flips?,
        max_visits: max_visits?,
        cooldown: cooldown?,
        budget: budget?,
    })
}
