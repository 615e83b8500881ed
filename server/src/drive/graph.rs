//! The exploration of an investigation's graph.

use std::collections::BTreeMap;

use gsar_core::belief::{Belief, Entry, Exploration, Label, Node};
use gsar_core::evidence::EvidenceId;
use gsar_core::policy::PolicyValues;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::render::reason;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};

use super::state::State;

pub(super) fn new_exploration(start: &v1::StartInvestigationRequest) -> Option<Exploration> {
    let graph = parse::graph(start.graph.clone()?, &mut Violations::default())?;
    Some(Exploration::new(graph.topology, &graph.alerts, graph.limits))
}

/// The maximum number of turns with additions to the graph. Each such turn makes replaying an investigation slower.
const MAX_ADDITIONS: u32 = 50;

/// Returns the exploration with a turn's additions to the graph.
pub(super) fn with_additions(
    state: &State,
    additions: Option<&v1::GraphAdditions>,
    violations: &mut Violations,
) -> Option<Exploration> {
    let mut exploration = state.exploration.clone();
    let Some(additions) = additions else { return exploration };
    let field = "graph_additions";
    let needs_attestation = state.policy.policy.guards.tool_match_needs_attestation;
    match &mut exploration {
        None => violations.add(
            field,
            "the investigation has no graph; leave the additions out, or start an investigation with a graph",
        ),
        Some(_) if state.graph_additions >= MAX_ADDITIONS => violations.add(
            field,
            format!("{MAX_ADDITIONS} turns already contained additions; send more additions per turn"),
        ),
        Some(_) if needs_attestation && !additions.changed.is_empty() => violations.add(
            "graph_additions.changed",
            "is not allowed, since the policy requires attested changes; record a change with an attested item",
        ),
        Some(exploration) => apply_additions(exploration, additions.clone(), violations),
    }
    exploration
}

/// Adds edges, entities, changes and alerts to an exploration.
pub(super) fn apply_additions(
    exploration: &mut Exploration,
    additions: v1::GraphAdditions,
    violations: &mut Violations,
) {
    if additions == v1::GraphAdditions::default() {
        return;
    }
    let additions = parse::graph_additions(additions, exploration.topology(), violations);
    if let Some((topology, alerts)) = additions {
        exploration.extend(topology, &alerts);
    }
}

/// Marks the targets of changes as changed. A change counts only if it cites an item. If the policy requires
/// attestation, the item must also be attested.
pub(super) fn mark_changed<'a>(
    exploration: &mut Exploration,
    changes: impl Iterator<Item = &'a v1::ChangeRecord>,
    policy: &PolicyValues,
) {
    let topology = exploration.topology();
    let needs_attestation = policy.guards.tool_match_needs_attestation;
    let counts = |change: &&v1::ChangeRecord| {
        !change.evidence_id.is_empty() && (change.attested || !needs_attestation)
    };
    let targets =
        changes.filter(counts).filter_map(|change| topology.resolve(change.target.trim()));
    let targets: Vec<Node> = targets.filter(|node| !topology.is_changed(*node)).collect();
    if !targets.is_empty() {
        exploration.extend(topology.clone().with_changes(&targets), &[]);
    }
}

/// Adds a recorded belief to an exploration. First makes its entity due, because an earlier version of the server may
/// have accepted the belief while another entity was due.
///
/// # Errors
/// The reason for the rejection.
pub(super) fn replay_belief(
    exploration: &mut Exploration,
    recorded_belief: &v1::RecordedBelief,
) -> Result<Entry, String> {
    if let Some(node) = exploration.topology().resolve(&recorded_belief.entity) {
        exploration.make_due(node);
    }
    add_belief(exploration, recorded_belief)
}

/// Adds a belief to an exploration.
///
/// # Errors
/// The reason for the rejection.
pub(super) fn add_belief(
    exploration: &mut Exploration,
    recorded_belief: &v1::RecordedBelief,
) -> Result<Entry, String> {
    let topology = exploration.topology();
    let node = |name: &str| {
        topology.resolve(name).ok_or_else(|| format!("`{name}` is not an entity of the graph"))
    };
    let (entity, edges) = (node(&recorded_belief.entity)?, recorded_belief.propagations.iter());
    let evidence = recorded_belief
        .observations
        .iter()
        .filter(|observation| observation.class() == v1::ClaimClass::Grounded);
    let evidence = evidence
        .flat_map(|observation| &observation.citations)
        .map(|citation| citation.evidence_id.as_str());
    let belief = Belief {
        label: Label::from_number(recorded_belief.verified).ok_or("a belief has no label")?,
        evidence: evidence.filter_map(|id| EvidenceId::new(id).ok()).collect(),
        has_change: recorded_belief.has_change,
        propagations: edges
            .map(|edge| Ok((node(&edge.from)?, node(&edge.to)?)))
            .collect::<Result<_, String>>()?,
        suspects: recorded_belief
            .suspects
            .iter()
            .map(|name| node(name))
            .collect::<Result<_, _>>()?,
    };
    exploration.answer(entity, belief).map_err(|error| error.to_string())
}

pub(super) fn view(
    exploration: &Exploration,
    reasons: &BTreeMap<String, Vec<v1::Reason>>,
) -> v1::GraphState {
    let mut state = render::graph_state(exploration);
    for entity in &mut state.entities {
        entity.reasons.extend(reasons.get(&entity.entity).into_iter().flatten().cloned());
    }
    state
}

pub(super) fn names(exploration: &Exploration, nodes: &[Node]) -> Vec<String> {
    nodes.iter().map(|node| exploration.topology().name(*node).to_owned()).collect()
}

/// Returns the path from the first explained alert back to the frontier.
pub(super) fn path_to_frontier(exploration: &Exploration) -> Option<Vec<String>> {
    let alerts = exploration.outcome().alerts;
    let mut path =
        alerts.iter().find_map(|alert| exploration.path(*alert.origins.first()?, alert.alert))?;
    path.reverse();
    Some(names(exploration, &path))
}

pub(super) fn weakening_reasons(entry: &Entry) -> Vec<v1::Reason> {
    let mut reasons = Vec::new();
    if entry.is_unchanged_origin {
        let sentence =
            "an origin needs a change, but no evidence shows one; the entity counts as a symptom";
        reasons.push(reason("NOTHING_CHANGED", sentence));
    }
    if entry.is_settled {
        let sentence = "the entity's label changed too often; the entity is deferred permanently";
        reasons.push(reason("LABEL_CHANGED_TOO_OFTEN", sentence));
    }
    reasons
}
