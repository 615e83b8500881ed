//! This module decides which entity is looked at next, and keeps what was answered.
//!
//! Entities are looked at in rounds. In a round nobody hears of the others' answers; what they say reaches neighbours when
//! the round is over. So the order within a round, and whether answers come at once, changes nothing.
//!
//! | bound | what it bounds |
//! |---|---|
//! | `max_flips` | how often the label of an entity may change; beyond that it is `defer` for good |
//! | `max_visits` | how often it is looked at |
//! | `cooldown` | how many other looks lie between two of it, where others are due |
//! | `budget` | looks altogether |

use core::cmp::Reverse;
use std::collections::btree_map::Values;
use std::collections::{BTreeMap, BTreeSet};

use super::topology::{Node, Topology};
use crate::evidence::EvidenceId;

/// What an entity is, by what can be seen of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Nothing is wrong with it.
    Healthy,
    /// The fault began in it.
    Origin,
    /// It suffers from the fault of another one.
    Symptom,
    /// What can be seen does not decide.
    #[default]
    Defer,
}

impl Label {
    /// Every label.
    pub const ALL: [Self; 4] = [Self::Healthy, Self::Origin, Self::Symptom, Self::Defer];

    /// The word used in files, output and metrics.
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

/// The answer for one entity. Its evidence was verified before it came here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Belief {
    /// What it is.
    pub label: Label,
    /// Items that show it.
    pub evidence: Vec<EvidenceId>,
    /// Whether an item shows that something was changed in it.
    pub has_change: bool,
    /// Ways that the fault took, from one end to the other, each between the entity and a neighbour. They replace those of its
    /// answer before.
    pub propagations: Vec<(Node, Node)>,
    /// Other entities to be looked at.
    pub suspects: Vec<Node>,
}

/// What an entity made known to a neighbour when its belief changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whose belief it is.
    pub from: Node,
    /// Its label.
    pub label: Label,
    /// Ways of the fault between the two.
    pub propagations: Vec<(Node, Node)>,
}

/// An entity that is to be looked at, and what is known around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The entity.
    pub node: Node,
    /// Which look at it this is, from 1.
    pub visit: u32,
    /// Neighbours, each with its label where it was looked at.
    pub neighbours: Vec<(Node, Option<Label>)>,
    /// What neighbours made known since the last look, in the order of their names.
    pub inbox: Vec<Message>,
}

/// An answer as it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entity.
    pub node: Node,
    /// What was answered.
    pub belief: Belief,
    /// The label that stands.
    pub label: Label,
    /// That an origin in which nothing was changed stands as a symptom.
    pub is_unchanged_origin: bool,
    /// That it was put to `defer` for good, since its label changed too often.
    pub is_settled: bool,
}

/// Bounds of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often a label may change.
    pub max_flips: u32,
    /// How often an entity is looked at, at least 1.
    pub max_visits: u32,
    /// How many other looks lie between two at the same entity, where others are due.
    pub cooldown: u32,
    /// Looks altogether.
    pub budget: u32,
}

impl Default for Limits {
    /// The reference: 5 visits, a cooldown of 2; 3 changes of a label and 200 looks are ours.
    fn default() -> Self {
        Self { max_flips: 3, max_visits: 5, cooldown: 2, budget: 200 }
    }
}

/// Why an answer is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The entity is not due.
    #[error("the entity is not due; answer for one of those that are")]
    NotDue,
    /// A way of the fault that is not between the entity and a neighbour.
    #[error(
        "the fault cannot have gone that way; name the entity that was looked at and one of its neighbours"
    )]
    NoEdge,
    /// A suspect that is not in the topology.
    #[error("a suspect is not in the topology; name one of its entities")]
    UnknownSuspect,
}

/// What is known of an entity that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) label: Option<Label>,
    pub(super) flips: u32,
    pub(super) visits: u32,
    pub(super) has_change: bool,
    pub(super) propagations: BTreeSet<(Node, Node)>,
    evidence: Vec<EvidenceId>,
    is_settled: bool,
    inbox: BTreeMap<Node, Message>,
    /// How many looks there had been when the round of its last one ended.
    looked_at: Option<u32>,
}

/// An entity that was found, and what is believed of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// The entity.
    pub node: Node,
    /// Its label; `None` where it was not looked at.
    pub label: Option<Label>,
    /// How often it was looked at.
    pub visits: u32,
    /// How often its label changed.
    pub flips: u32,
    /// Ways of the fault that its last belief names.
    pub propagations: &'a BTreeSet<(Node, Node)>,
    /// Items of its last belief.
    pub evidence: &'a [EvidenceId],
}

/// An exploration: who is looked at, and what was answered. It is a function of topology, alerts, limits and answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    topology: Topology,
    alerts: BTreeSet<Node>,
    limits: Limits,
    seen: BTreeMap<Node, Seen>,
    /// Looks of this round that were not answered, as they stood when it began.
    round: BTreeMap<Node, Look>,
    /// Entities that were answered for in this round, and whether their belief changed.
    answered: BTreeMap<Node, bool>,
    /// Entities that are due after this round.
    active: BTreeSet<Node>,
    ledger: Vec<Entry>,
}

impl Exploration {
    /// Begins at the entities that alert.
    #[must_use]
    pub fn begin(topology: Topology, alerts: &[Node], limits: Limits) -> Self {
        let known = |node: &Node| topology.entity(*node).is_some();
        let alerts: BTreeSet<Node> = alerts.iter().copied().filter(known).collect();
        let seen = alerts.iter().map(|node| (*node, Seen::default())).collect();
        let mut exploration = Self {
            active: alerts.clone(),
            topology,
            alerts,
            limits,
            seen,
            round: BTreeMap::new(),
            answered: BTreeMap::new(),
            ledger: Vec::new(),
        };
        exploration.begin_round();
        exploration
    }

    /// What is due: each of these may be answered for, in any order. None is left at the end: nobody is active, or the
    /// budget is spent.
    pub fn due(&self) -> Values<'_, Node, Look> {
        self.round.values()
    }

    /// Whether a round is about to begin: no message is on its way.
    #[must_use]
    pub fn is_quiescent(&self) -> bool {
        self.answered.is_empty()
    }

    /// Takes the answer for an entity that is due, and says what of it stands.
    ///
    /// # Errors
    /// [`AnswerError`]; then nothing has changed.
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
            self.seen.entry(found).or_insert_with(|| {
                self.active.insert(found);
                Seen::default()
            });
        }
        let seen = self.seen.entry(node).or_default();
        seen.visits += 1;
        seen.inbox.clear();
        seen.flips += u32::from(seen.label.is_some_and(|before| before != label));
        let is_settled = seen.flips > self.limits.max_flips;
        if is_settled {
            label = Label::Defer;
        }
        let is_changed = seen.label != Some(label) || seen.propagations != propagations;
        seen.label = Some(label);
        (seen.propagations, seen.has_change, seen.is_settled) =
            (propagations, has_change, is_settled);
        seen.evidence.clone_from(&belief.evidence);
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

    /// Every answer, in the order in which they were taken. An exploration that begins in the same way and is given them
    /// again is the same.
    #[must_use]
    pub fn ledger(&self) -> &[Entry] {
        &self.ledger
    }

    /// The graph.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The entities that it began with.
    pub fn alerts(&self) -> impl Iterator<Item = Node> + '_ {
        self.alerts.iter().copied()
    }

    /// Every entity that was found, in the order of their names.
    pub fn found(&self) -> impl Iterator<Item = Found<'_>> {
        self.seen.iter().map(|(node, seen)| Found {
            node: *node,
            label: seen.label,
            visits: seen.visits,
            flips: seen.flips,
            propagations: &seen.propagations,
            evidence: &seen.evidence,
        })
    }

    /// The label of an entity; `None` where it was not looked at.
    #[must_use]
    pub fn label(&self, node: Node) -> Option<Label> {
        self.seen.get(&node)?.label
    }

    /// How many looks were answered.
    #[must_use]
    pub fn looks(&self) -> u32 {
        u32::try_from(self.ledger.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn seen(&self) -> &BTreeMap<Node, Seen> {
        &self.seen
    }

    /// Entities that are still to be looked at.
    pub(super) fn pending(&self) -> impl Iterator<Item = Node> + '_ {
        let in_round = self.round.keys().copied();
        in_round.chain(self.active.iter().copied()).collect::<BTreeSet<Node>>().into_iter()
    }

    fn check(&self, node: Node, belief: &Belief) -> Result<(), AnswerError> {
        if !self.round.contains_key(&node) {
            return Err(AnswerError::NotDue);
        }
        let is_way = |(from, to): &(Node, Node)| {
            (*from == node || *to == node) && self.topology.are_neighbours(*from, *to)
        };
        if !belief.propagations.iter().all(is_way) {
            return Err(AnswerError::NoEdge);
        }
        if belief.suspects.iter().any(|suspect| self.topology.entity(*suspect).is_none()) {
            return Err(AnswerError::UnknownSuspect);
        }
        Ok(())
    }

    /// Makes changed beliefs known to the neighbours that were found, and has them looked at again.
    fn end_round(&mut self) {
        let (looks, answered) = (self.looks(), core::mem::take(&mut self.answered));
        for node in answered.keys() {
            if let Some(seen) = self.seen.get_mut(node) {
                seen.looked_at = Some(looks);
            }
        }
        for node in answered.into_iter().filter_map(|(node, is_changed)| is_changed.then_some(node))
        {
            let Some((label, ways)) =
                self.seen.get(&node).and_then(|of| Some((of.label?, of.propagations.clone())))
            else {
                continue;
            };
            for neighbour in self.topology.neighbours(node) {
                let Some(seen) = self.seen.get_mut(&neighbour) else { continue };
                let between = |way: &&(Node, Node)| way.0 == neighbour || way.1 == neighbour;
                let propagations = ways.iter().filter(between).copied().collect();
                seen.inbox.insert(node, Message { from: node, label, propagations });
                if !seen.is_settled && seen.visits < self.limits.max_visits {
                    self.active.insert(neighbour);
                }
            }
        }
    }

    /// Takes those that are due and have cooled into a round; where all are cooling, those that have cooled longest.
    fn begin_round(&mut self) {
        let looks = self.looks();
        let rest = |node: &Node| {
            let last = self.seen.get(node).and_then(|seen| seen.looked_at);
            let since = last.map_or(u32::MAX, |at| looks.saturating_sub(at));
            self.limits.cooldown.saturating_sub(since)
        };
        let Some(least) = self.active.iter().map(rest).min() else { return };
        let mut due: Vec<Node> =
            self.active.iter().copied().filter(|node| rest(node) == least).collect();
        // What is left of the budget goes to those that alert, then to those that changed, then by name.
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
        let (seen, neighbours) = (self.seen.get(&node), self.topology.neighbours(node));
        Look {
            node,
            visit: seen.map_or(1, |seen| seen.visits.saturating_add(1)),
            neighbours: neighbours.map(|other| (other, self.label(other))).collect(),
            inbox: seen.map(|seen| seen.inbox.values().cloned().collect()).unwrap_or_default(),
        }
    }
}
