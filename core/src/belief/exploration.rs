//! Schedules which entities to look at next, and records the answers.
//!
//! Entities are looked at in rounds. Answers take effect for the neighbours at the end of the round, so neither the order
//! within a round nor answering concurrently changes the result.
//!
//! | limit | meaning |
//! |---|---|
//! | `max_flips` | how often an entity's label may change; after that it is `defer` permanently |
//! | `max_visits` | how often an entity is looked at |
//! | `cooldown` | the number of other looks between two looks at an entity, if others are due |
//! | `budget` | the total number of looks |

use core::cmp::Reverse;
use std::collections::btree_map::Values;
use std::collections::{BTreeMap, BTreeSet};

use super::topology::{Node, Topology};
use crate::evidence::EvidenceId;

/// The role of an entity in a fault, by what can be observed of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// The entity has no fault.
    Healthy,
    /// The fault began in the entity.
    Origin,
    /// The entity suffers from the fault of another entity.
    Symptom,
    /// The observations are not conclusive.
    #[default]
    Defer,
}

impl Label {
    /// Every label.
    pub const ALL: [Self; 4] = [Self::Healthy, Self::Origin, Self::Symptom, Self::Defer];

    /// The name used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Origin => "origin",
            Self::Symptom => "symptom",
            Self::Defer => "defer",
        }
    }
}

/// The answer for one entity. Its evidence is already verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Belief {
    /// The label of the entity.
    pub label: Label,
    /// The items that show it.
    pub evidence: Vec<EvidenceId>,
    /// `true` if an item shows a change of the entity.
    pub has_change: bool,
    /// The edges that the fault propagated along, from cause to effect, each between the entity and a neighbour. They
    /// replace those of the entity's previous answer.
    pub propagations: Vec<(Node, Node)>,
    /// Other entities to look at.
    pub suspects: Vec<Node>,
}

/// A message from an entity to a neighbour after its belief changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The sender.
    pub from: Node,
    /// The sender's label.
    pub label: Label,
    /// The fault propagations between the two.
    pub propagations: Vec<(Node, Node)>,
}

/// A due look at an entity, with what is known about its surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The entity.
    pub node: Node,
    /// The number of this look at the entity, from 1.
    pub visit: u32,
    /// The neighbours, each with its label; `None` if not yet looked at.
    pub neighbours: Vec<(Node, Option<Label>)>,
    /// The messages from neighbours since the last look, by sender.
    pub inbox: Vec<Message>,
}

/// A recorded answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entity.
    pub node: Node,
    /// The answer.
    pub belief: Belief,
    /// The label that was assigned.
    pub label: Label,
    /// `true` if an origin without a change was assigned the label symptom.
    pub is_unchanged_origin: bool,
    /// `true` if the label changed too often and is now permanently `defer`.
    pub is_settled: bool,
}

/// Limits of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of label changes of an entity.
    pub max_flips: u32,
    /// The maximum number of looks at an entity, at least 1.
    pub max_visits: u32,
    /// The number of other looks between two looks at the same entity, if others are due.
    pub cooldown: u32,
    /// The maximum number of looks in total.
    pub budget: u32,
}

impl Default for Limits {
    /// 5 visits and a cooldown of 2 as in the reference, 3 label changes and 200 looks.
    fn default() -> Self {
        Self { max_flips: 3, max_visits: 5, cooldown: 2, budget: 200 }
    }
}

/// An error from an answer that cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The entity is not due.
    #[error("the entity is not due; answer for an entity that is")]
    NotDue,
    /// A propagation is not between the entity and a neighbour.
    #[error(
        "the fault cannot have propagated that way; name the entity that was looked at and one of its neighbours"
    )]
    NoEdge,
    /// A suspect that is not in the topology.
    #[error("a suspect is not in the topology; name one of its entities")]
    UnknownSuspect,
}

/// The state of a discovered entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeState {
    pub(super) label: Option<Label>,
    pub(super) flips: u32,
    pub(super) visits: u32,
    pub(super) has_change: bool,
    pub(super) propagations: BTreeSet<(Node, Node)>,
    evidence: Vec<EvidenceId>,
    is_settled: bool,
    inbox: BTreeMap<Node, Message>,
    /// The total number of looks at the end of the round of its last look.
    looked_at: Option<u32>,
}

/// A discovered entity and its belief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityBelief<'a> {
    /// The entity.
    pub node: Node,
    /// Its label; `None` if not yet looked at.
    pub label: Option<Label>,
    /// The number of looks at it.
    pub visits: u32,
    /// The number of label changes.
    pub flips: u32,
    /// The fault propagations of its last belief.
    pub propagations: &'a BTreeSet<(Node, Node)>,
    /// The items of its last belief.
    pub evidence: &'a [EvidenceId],
}

/// An exploration of a topology. Its state is a function of topology, alerts, limits and answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    topology: Topology,
    alerts: BTreeSet<Node>,
    limits: Limits,
    states: BTreeMap<Node, NodeState>,
    /// The unanswered looks of this round, as of its beginning.
    round: BTreeMap<Node, Look>,
    /// The entities answered in this round; `true` if the belief changed.
    answered: BTreeMap<Node, bool>,
    /// The entities that are due after this round.
    active: BTreeSet<Node>,
    ledger: Vec<Entry>,
}

impl Exploration {
    /// Starts an exploration at the alerting entities.
    #[must_use]
    pub fn new(topology: Topology, alerts: &[Node], limits: Limits) -> Self {
        let known = |node: &Node| topology.entity(*node).is_some();
        let alerts: BTreeSet<Node> = alerts.iter().copied().filter(known).collect();
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

    /// The due looks; they may be answered in any order. Empty at the end, when no entity is active or the budget is used
    /// up.
    pub fn due(&self) -> Values<'_, Node, Look> {
        self.round.values()
    }

    /// Returns `true` between rounds, when no message is pending.
    #[must_use]
    pub fn is_quiescent(&self) -> bool {
        self.answered.is_empty()
    }

    /// Applies the answer for a due entity and returns the recorded entry.
    ///
    /// # Errors
    /// [`AnswerError`] if it cannot be applied; the exploration is then unchanged.
    pub fn answer(&mut self, node: Node, belief: Belief) -> Result<Entry, AnswerError> {
        self.check(node, &belief)?;
        let has_change = belief.has_change || self.topology.is_changed(node);
        let is_unchanged_origin = belief.label == Label::Origin && !has_change;
        let mut label = if is_unchanged_origin { Label::Symptom } else { belief.label };
        let propagations: BTreeSet<(Node, Node)> = match label {
            Label::Healthy => BTreeSet::new(),
            _ => belief.propagations.iter().copied().collect(),
        };
        let ends = propagations.iter().flat_map(|(from, to)| [*from, *to]);
        for found in ends.chain(belief.suspects.iter().copied()) {
            self.states.entry(found).or_insert_with(|| {
                self.active.insert(found);
                NodeState::default()
            });
        }
        let state = self.states.entry(node).or_default();
        state.visits += 1;
        state.inbox.clear();
        state.flips += u32::from(state.label.is_some_and(|before| before != label));
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

    /// All answers, in the order in which they were applied. Replaying them on an equal new exploration restores the
    /// state.
    #[must_use]
    pub fn ledger(&self) -> &[Entry] {
        &self.ledger
    }

    /// The graph.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The alerting entities that it started at.
    pub fn alerts(&self) -> impl Iterator<Item = Node> + '_ {
        self.alerts.iter().copied()
    }

    /// The discovered entities, in the order of their names.
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

    /// The label of an entity; `None` if not yet looked at.
    #[must_use]
    pub fn label(&self, node: Node) -> Option<Label> {
        self.states.get(&node)?.label
    }

    /// The number of answered looks.
    #[must_use]
    pub fn looks(&self) -> u32 {
        u32::try_from(self.ledger.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn states(&self) -> &BTreeMap<Node, NodeState> {
        &self.states
    }

    /// The entities that are still to be looked at.
    pub(super) fn pending(&self) -> impl Iterator<Item = Node> + '_ {
        let in_round = self.round.keys().copied();
        in_round.chain(self.active.iter().copied()).collect::<BTreeSet<Node>>().into_iter()
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

    /// Sends changed beliefs to the discovered neighbours and activates them.
    fn end_round(&mut self) {
        let (looks, answered) = (self.looks(), core::mem::take(&mut self.answered));
        for node in answered.keys() {
            if let Some(state) = self.states.get_mut(node) {
                state.looked_at = Some(looks);
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
            for neighbour in self.topology.neighbours(node) {
                let Some(state) = self.states.get_mut(&neighbour) else { continue };
                let is_between = |edge: &&(Node, Node)| edge.0 == neighbour || edge.1 == neighbour;
                let propagations = propagations.iter().filter(is_between).copied().collect();
                state.inbox.insert(node, Message { from: node, label, propagations });
                if !state.is_settled && state.visits < self.limits.max_visits {
                    self.active.insert(neighbour);
                }
            }
        }
    }

    /// Starts a round with the active entities that have cooled down, or, if none has, those closest to it.
    fn begin_round(&mut self) {
        let looks = self.looks();
        let cooldown_left = |node: &Node| {
            let last = self.states.get(node).and_then(|state| state.looked_at);
            let since = last.map_or(u32::MAX, |at| looks.saturating_sub(at));
            self.limits.cooldown.saturating_sub(since)
        };
        let Some(min) = self.active.iter().map(cooldown_left).min() else { return };
        let mut due: Vec<Node> =
            self.active.iter().copied().filter(|node| cooldown_left(node) == min).collect();
        // The remaining budget goes to alerting entities first, then to changed ones, then by name.
        due.sort_by_key(|node| {
            let (alerts, is_changed) = (&self.alerts, self.topology.is_changed(*node));
            (Reverse(alerts.contains(node)), Reverse(is_changed), *node)
        });
        let left = self.limits.budget.saturating_sub(looks);
        due.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        for node in due {
            self.active.remove(&node);
            self.round.insert(node, self.look(node));
        }
    }

    fn look(&self, node: Node) -> Look {
        let (state, neighbours) = (self.states.get(&node), self.topology.neighbours(node));
        Look {
            node,
            visit: state.map_or(1, |state| state.visits.saturating_add(1)),
            neighbours: neighbours.map(|other| (other, self.label(other))).collect(),
            inbox: state.map(|state| state.inbox.values().cloned().collect()).unwrap_or_default(),
        }
    }
}
