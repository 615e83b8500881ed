//! Schedules the visits to entities and records the answers.
//!
//! Entities are visited in rounds. Answers reach the neighbours at the end of a round, so the order of the answers
//! within a round does not matter.

use core::cmp::Reverse;
use std::collections::btree_map::Values;
use std::collections::{BTreeMap, BTreeSet};

use super::rank::Ranks;
use super::topology::{Node, Topology};
use crate::evidence::EvidenceId;
use crate::names;

/// An entity's role in a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// The entity has no fault.
    Healthy,
    /// The fault began in the entity.
    Origin,
    /// Another entity's fault affects this one.
    Symptom,
    /// The observations are inconclusive.
    #[default]
    Defer,
}

names!(Label { Healthy => "healthy", Origin => "origin", Symptom => "symptom", Defer => "defer" });

/// The answer to a visit to one entity, with verified evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Belief {
    /// The entity's label.
    pub label: Label,
    /// The evidence items that support the label.
    pub evidence: Vec<EvidenceId>,
    /// `true` if an item shows a change to the entity.
    pub has_change: bool,
    /// The edges, from cause to effect, along which the fault propagated to or from this entity.
    pub propagations: Vec<(Node, Node)>,
    /// Other entities to visit.
    pub suspects: Vec<Node>,
}

/// A message to a neighbour after an entity's belief changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The sender.
    pub from: Node,
    /// The sender's label.
    pub label: Label,
    /// The fault propagations between sender and recipient.
    pub propagations: Vec<(Node, Node)>,
}

/// A due visit to an entity, with the entity's neighbourhood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The entity.
    pub node: Node,
    /// The number of this visit to the entity, starting at 1.
    pub number: u32,
    /// The neighbours and their labels; `None` if not yet visited.
    pub neighbours: Vec<(Node, Option<Label>)>,
    /// The messages received since the last visit, by sender.
    pub inbox: Vec<Message>,
}

/// A recorded answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entity.
    pub node: Node,
    /// The answer.
    pub belief: Belief,
    /// The assigned label.
    pub label: Label,
    /// `true` if the answer was `origin` although the entity has no change; the assigned label is then `symptom`.
    pub is_unchanged_origin: bool,
    /// `true` if the label changed too often and is now permanently `defer`.
    pub is_settled: bool,
}

/// The limits of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of label changes per entity.
    pub max_flips: u32,
    /// The maximum number of visits per entity, at least 1.
    pub max_visits: u32,
    /// The minimum number of other visits between two visits to the same entity, as long as other entities are due.
    pub cooldown: u32,
    /// The maximum number of visits in total.
    pub budget: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_flips: 3, max_visits: 5, cooldown: 2, budget: 200 }
    }
}

/// An answer that cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The entity is not due.
    #[error("no visit to this entity is due; answer a visit that is due")]
    NotDue,
    /// A propagation does not connect the entity to a neighbour.
    #[error(
        "invalid fault propagation; give an edge between the visited entity and one of its neighbours"
    )]
    NoEdge,
    /// A suspect is not in the topology.
    #[error("unknown suspect; give an entity in the topology")]
    UnknownSuspect,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeState {
    pub(super) label: Option<Label>,
    pub(super) flips: u32,
    pub(super) visits: u32,
    pub(super) has_change: bool,
    pub(super) propagations: BTreeSet<(Node, Node)>,
    evidence: Vec<EvidenceId>,
    is_settled: bool,
    pub(super) inbox: BTreeMap<Node, Message>,
    /// The total number of visits at the end of the round in which this entity was last visited.
    last_visited_at: Option<u32>,
}

impl NodeState {
    pub(super) fn can_be_visited(&self, limits: &Limits) -> bool {
        !self.is_settled && self.visits < limits.max_visits
    }
}

/// A discovered entity and its belief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityBelief<'a> {
    /// The entity.
    pub node: Node,
    /// The label; `None` if not yet visited.
    pub label: Option<Label>,
    /// The number of visits.
    pub visits: u32,
    /// The number of label changes.
    pub flips: u32,
    /// The fault propagations in the last belief about the entity.
    pub propagations: &'a BTreeSet<(Node, Node)>,
    /// The evidence items in the last belief about the entity.
    pub evidence: &'a [EvidenceId],
}

/// An exploration of a topology. Its state depends only on the topology, alerts, limits and answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    pub(super) topology: Topology,
    pub(super) alerts: BTreeSet<Node>,
    pub(super) limits: Limits,
    pub(super) states: BTreeMap<Node, NodeState>,
    /// The unanswered visits in this round.
    pub(super) round: BTreeMap<Node, Visit>,
    /// The entities answered in this round; `true` if their belief changed.
    pub(super) answered: BTreeMap<Node, bool>,
    /// The entities due after this round.
    pub(super) active: BTreeSet<Node>,
    pub(super) ledger: Vec<Entry>,
}

impl Exploration {
    /// Starts an exploration at the alerting entities.
    #[must_use]
    pub fn new(topology: Topology, alerts: &[Node], limits: Limits) -> Self {
        let is_known = |node: &Node| topology.entity(*node).is_some();
        let alerts: BTreeSet<Node> = alerts.iter().copied().filter(is_known).collect();
        let states = alerts.iter().map(|node| (*node, NodeState::default())).collect();
        let mut exploration = Self {
            active: alerts.clone(),
            topology,
            alerts,
            limits,
            states,
            round: BTreeMap::new(),
            answered: BTreeMap::new(),
            ledger: Vec::new(),
        };
        exploration.begin_round();
        exploration
    }

    /// The due visits, which can be answered in any order. There are none once the exploration has ended.
    pub fn due(&self) -> Values<'_, Node, Visit> {
        self.round.values()
    }

    /// Returns `true` between two rounds, when no message is pending.
    #[must_use]
    pub fn is_quiescent(&self) -> bool {
        self.answered.is_empty()
    }

    /// Applies the answer for a due entity and returns the recorded entry.
    ///
    /// # Errors
    /// Returns [`AnswerError`] if the answer cannot be applied, and leaves the exploration unchanged.
    pub fn answer(&mut self, node: Node, belief: Belief) -> Result<Entry, AnswerError> {
        self.check(node, &belief)?;
        let has_change = belief.has_change || self.topology.is_changed(node);
        let is_unchanged_origin = belief.label == Label::Origin && !has_change;
        let mut label = if is_unchanged_origin { Label::Symptom } else { belief.label };
        let propagations: BTreeSet<(Node, Node)> = match label {
            Label::Healthy => BTreeSet::new(),
            _ => belief.propagations.iter().copied().collect(),
        };
        let endpoints = propagations.iter().flat_map(|(from, to)| [*from, *to]);
        for entity in endpoints.chain(belief.suspects.iter().copied()) {
            self.states.entry(entity).or_insert_with(|| {
                self.active.insert(entity);
                NodeState::default()
            });
        }
        let state = self.states.entry(node).or_default();
        state.visits += 1;
        state.inbox.clear();
        state.flips += u32::from(state.label.is_some_and(|previous| previous != label));
        let is_settled = state.flips > self.limits.max_flips;
        if is_settled {
            label = Label::Defer;
        }
        let is_changed = state.label != Some(label) || state.propagations != propagations;
        state.label = Some(label);
        (state.propagations, state.has_change, state.is_settled) =
            (propagations, has_change, is_settled);
        state.evidence.clone_from(&belief.evidence);
        self.round.remove(&node);
        self.answered.insert(node, is_changed);
        let entry = Entry { node, belief, label, is_unchanged_origin, is_settled };
        self.ledger.push(entry.clone());
        if self.round.is_empty() {
            self.end_round();
            self.begin_round();
        }
        Ok(entry)
    }

    /// Makes an entity due, so that an answer that was accepted under earlier scheduling rules can be applied again.
    pub fn make_due(&mut self, node: Node) {
        if self.topology.entity(node).is_some() && !self.round.contains_key(&node) {
            self.states.entry(node).or_default();
            self.active.remove(&node);
            self.round.insert(node, self.visit(node));
        }
    }

    /// All answers, in the order in which they were applied. Replaying them on a new exploration with the same
    /// topology, alerts and limits restores the state.
    #[must_use]
    pub fn ledger(&self) -> &[Entry] {
        &self.ledger
    }

    /// The graph.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The alerting entities at which the exploration started.
    pub fn alerts(&self) -> impl Iterator<Item = Node> + '_ {
        self.alerts.iter().copied()
    }

    /// The discovered entities, sorted by name.
    pub fn entities(&self) -> impl Iterator<Item = EntityBelief<'_>> {
        self.states.iter().map(|(node, state)| EntityBelief {
            node: *node,
            label: state.label,
            visits: state.visits,
            flips: state.flips,
            propagations: &state.propagations,
            evidence: &state.evidence,
        })
    }

    /// The entity's label; `None` if not yet visited.
    #[must_use]
    pub fn label(&self, node: Node) -> Option<Label> {
        self.states.get(&node)?.label
    }

    /// The number of answered visits.
    #[must_use]
    pub fn visit_count(&self) -> u32 {
        u32::try_from(self.ledger.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn pending(&self) -> impl Iterator<Item = Node> + '_ {
        let round_nodes = self.round.keys().copied();
        round_nodes.chain(self.active.iter().copied()).collect::<BTreeSet<Node>>().into_iter()
    }

    fn check(&self, node: Node, belief: &Belief) -> Result<(), AnswerError> {
        if !self.round.contains_key(&node) {
            return Err(AnswerError::NotDue);
        }
        let is_valid = |(from, to): &(Node, Node)| {
            (*from == node || *to == node) && self.topology.are_neighbours(*from, *to)
        };
        if !belief.propagations.iter().all(is_valid) {
            return Err(AnswerError::NoEdge);
        }
        if belief.suspects.iter().any(|suspect| self.topology.entity(*suspect).is_none()) {
            return Err(AnswerError::UnknownSuspect);
        }
        Ok(())
    }

    /// Sends each changed belief to the entity's discovered neighbours and activates them. If the entity is a symptom
    /// or deferred and its cause is unknown, its other neighbours are discovered first.
    pub(super) fn end_round(&mut self) {
        let (visit_count, answered) = (self.visit_count(), core::mem::take(&mut self.answered));
        for node in answered.keys() {
            if let Some(state) = self.states.get_mut(node) {
                state.last_visited_at = Some(visit_count);
            }
        }
        for node in answered.into_iter().filter_map(|(node, is_changed)| is_changed.then_some(node))
        {
            let Some((label, propagations)) = self
                .states
                .get(&node)
                .and_then(|state| Some((state.label?, state.propagations.clone())))
            else {
                continue;
            };
            let needs_cause = matches!(label, Label::Symptom | Label::Defer)
                && !propagations.iter().any(|(_, to)| *to == node);
            for neighbour in self.topology.neighbours(node) {
                if needs_cause {
                    self.states.entry(neighbour).or_default();
                }
                let Some(state) = self.states.get_mut(&neighbour) else { continue };
                let is_between = |edge: &&(Node, Node)| edge.0 == neighbour || edge.1 == neighbour;
                let propagations = propagations.iter().filter(is_between).copied().collect();
                state.inbox.insert(node, Message { from: node, label, propagations });
                if state.can_be_visited(&self.limits) {
                    self.active.insert(neighbour);
                }
            }
        }
    }

    /// Starts a round with the active entities that are closest to the end of their cooldown.
    pub(super) fn begin_round(&mut self) {
        let visit_count = self.visit_count();
        let cooldown_left = |node: &Node| {
            let last = self.states.get(node).and_then(|state| state.last_visited_at);
            let visits_since =
                last.map_or(u32::MAX, |visited_at| visit_count.saturating_sub(visited_at));
            self.limits.cooldown.saturating_sub(visits_since)
        };
        let Some(min) = self.active.iter().map(cooldown_left).min() else { return };
        let mut due: Vec<Node> =
            self.active.iter().copied().filter(|node| cooldown_left(node) == min).collect();
        let remaining = self.limits.budget.saturating_sub(visit_count);
        let remaining = usize::try_from(remaining).unwrap_or(usize::MAX);
        if due.len() > remaining {
            // The remaining budget goes to alerting entities, then to changed ones, then to the others by rank.
            let ranks = Ranks::new(&self.topology, &self.alerts);
            due.sort_by_key(|node| {
                let (alerts, is_changed) = (&self.alerts, self.topology.is_changed(*node));
                let rank = ranks.of(*node);
                (Reverse(alerts.contains(node)), Reverse(is_changed), Reverse(rank), *node)
            });
            due.truncate(remaining);
        }
        for node in due {
            self.active.remove(&node);
            self.round.insert(node, self.visit(node));
        }
    }

    pub(super) fn visit(&self, node: Node) -> Visit {
        let (state, neighbours) = (self.states.get(&node), self.topology.neighbours(node));
        Visit {
            node,
            number: state.map_or(1, |state| state.visits.saturating_add(1)),
            neighbours: neighbours.map(|neighbour| (neighbour, self.label(neighbour))).collect(),
            inbox: state.map(|state| state.inbox.values().cloned().collect()).unwrap_or_default(),
        }
    }
}
