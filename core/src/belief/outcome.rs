//! Determines the origin of the fault from the answers so far.
//!
//! The frontier contains the origins that no other origin reaches along fault propagations. Origins that reach each
//! other are ties, and stay in the frontier.

use core::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::exploration::{Exploration, Label, NodeState};
use super::rank::Ranks;
use super::topology::Node;

/// The fault origins found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The origins that no other origin reaches, sorted by name.
    pub frontier: Vec<Node>,
    /// Groups of frontier origins that reach each other.
    pub ties: Vec<Vec<Node>>,
    /// The origins reachable from the frontier.
    pub contributing: Vec<Node>,
    /// The possible origins, most likely first; empty if there is a frontier.
    pub candidates: Vec<Candidate>,
    /// The alerts and the frontier origins that explain them.
    pub alerts: Vec<AlertExplanation>,
    /// The entities that are due but were not visited; their labels could change the outcome.
    pub pending: Vec<Node>,
}

/// An alert and its explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertExplanation {
    /// The alerting entity.
    pub alert: Node,
    /// The frontier origins that reach the alerting entity; empty if no origin explains the alert.
    pub origins: Vec<Node>,
}

/// An entity that may be the origin although no answer labels it as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The entity.
    pub node: Node,
    /// The label; `None` if not yet visited.
    pub label: Option<Label>,
    /// The number of alerts that the entity reaches.
    pub alerts: u32,
    /// The number of suspicious neighbours that propagated the fault to the entity.
    pub causes: u32,
    /// `true` if the entity changed.
    pub has_change: bool,
    /// The number of label changes.
    pub flips: u32,
}

/// The maximum number of undiscovered entities among the candidates.
const MAX_UNDISCOVERED: usize = 10;

struct PropagationGraph(BTreeMap<Node, BTreeSet<Node>>);

impl PropagationGraph {
    fn new(exploration: &Exploration) -> Self {
        let is_suspicious = |node: Node| exploration.label(node) != Some(Label::Healthy);
        let mut graph: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        for (from, to) in exploration.states.values().flat_map(|state| &state.propagations) {
            if is_suspicious(*from) && is_suspicious(*to) {
                graph.entry(*from).or_default().insert(*to);
            }
        }
        Self(graph)
    }

    /// Returns the reachable entities with their predecessors on shortest paths. If several paths are equally short,
    /// the first predecessor by name is used.
    fn predecessors(&self, from: Node) -> BTreeMap<Node, Node> {
        let (mut predecessors, mut next) = (BTreeMap::from([(from, from)]), VecDeque::from([from]));
        while let Some(node) = next.pop_front() {
            for to in self.0.get(&node).into_iter().flatten() {
                if !predecessors.contains_key(to) {
                    predecessors.insert(*to, node);
                    next.push_back(*to);
                }
            }
        }
        predecessors
    }

    fn cause_count(&self, node: Node) -> u32 {
        let causes = self.0.values().filter(|effects| effects.contains(&node)).count();
        u32::try_from(causes).unwrap_or(u32::MAX)
    }
}

impl Exploration {
    /// Computes the outcome of the answers so far.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let graph = PropagationGraph::new(self);
        let with_label = |label| {
            let states = self.states.iter().filter(move |(_, state)| state.label == Some(label));
            states.map(|(node, _)| *node)
        };
        let reach: BTreeMap<Node, BTreeMap<Node, Node>> =
            with_label(Label::Origin).map(|origin| (origin, graph.predecessors(origin))).collect();
        let reaches =
            |from: Node, to: Node| reach.get(&from).is_some_and(|nodes| nodes.contains_key(&to));
        let is_reached =
            |node: Node| reach.keys().any(|other| reaches(*other, node) && !reaches(node, *other));
        let (contributing, frontier): (Vec<Node>, Vec<Node>) =
            reach.keys().copied().partition(|origin| is_reached(*origin));
        let mut ties: Vec<Vec<Node>> = Vec::new();
        for origin in &frontier {
            let group: Vec<Node> = frontier
                .iter()
                .copied()
                .filter(|other| reaches(*origin, *other) && reaches(*other, *origin))
                .collect();
            if group.len() > 1 && !ties.contains(&group) {
                ties.push(group);
            }
        }
        let explanation = |alert: Node| AlertExplanation {
            alert,
            origins: frontier.iter().copied().filter(|origin| reaches(*origin, alert)).collect(),
        };
        Outcome {
            alerts: self.alerts().map(explanation).collect(),
            candidates: if frontier.is_empty() { self.candidates(&graph) } else { Vec::new() },
            pending: self.pending().collect(),
            contributing,
            frontier,
            ties,
        }
    }

    /// Returns the path of the fault from one entity to another, including both entities.
    #[must_use]
    pub fn path(&self, from: Node, to: Node) -> Option<Vec<Node>> {
        let predecessors = PropagationGraph::new(self).predecessors(from);
        let (mut path, mut node) = (Vec::from([to]), to);
        while node != from {
            node = *predecessors.get(&node)?;
            path.push(node);
        }
        path.reverse();
        Some(path)
    }

    /// The discovered suspicious entities, most likely origin first, followed by undiscovered ones by rank.
    fn candidates(&self, graph: &PropagationGraph) -> Vec<Candidate> {
        let suspicious =
            self.states.iter().filter(|(_, state)| state.label != Some(Label::Healthy));
        let candidate = |(node, state): (&Node, &NodeState)| {
            let predecessors = graph.predecessors(*node);
            let alerts = self.alerts().filter(|alert| predecessors.contains_key(alert)).count();
            Candidate {
                node: *node,
                label: state.label,
                alerts: u32::try_from(alerts).unwrap_or(u32::MAX),
                causes: graph.cause_count(*node),
                has_change: state.has_change || self.topology().is_changed(*node),
                flips: state.flips,
            }
        };
        let ranks = Ranks::new(self.topology(), &self.alerts);
        let mut candidates: Vec<Candidate> = suspicious.map(candidate).collect();
        candidates.sort_by_key(|candidate| {
            (
                Reverse(candidate.alerts),
                candidate.causes,
                Reverse(candidate.has_change),
                candidate.flips,
                Reverse(ranks.of(candidate.node)),
                candidate.node,
            )
        });
        let is_undiscovered = |node: &Node| !self.states.contains_key(node) && ranks.of(*node) > 0;
        let mut undiscovered: Vec<Node> = self.topology().nodes().filter(is_undiscovered).collect();
        undiscovered.sort_by_key(|node| (Reverse(ranks.of(*node)), *node));
        candidates.extend(undiscovered.into_iter().take(MAX_UNDISCOVERED).map(|node| Candidate {
            node,
            label: None,
            alerts: 0,
            causes: 0,
            has_change: self.topology().is_changed(node),
            flips: 0,
        }));
        candidates
    }
}
