//! This module says where the fault began, by what was answered so far.
//!
//! The frontier are the origins that no other origin reaches over the ways of the fault. A way counts while neither of its
//! ends is healthy. Origins that reach each other are tied: they are in the frontier together, and it is said.

use core::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::exploration::{Exploration, Label, Seen};
use super::topology::Node;

/// Where the fault began, as far as it was explored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Origins that no other origin reaches, in the order of their names.
    pub frontier: Vec<Node>,
    /// Origins of the frontier that reach each other, group by group.
    pub ties: Vec<Vec<Node>>,
    /// Origins that an origin of the frontier reaches: they contribute.
    pub contributing: Vec<Node>,
    /// What may be the origin, the likeliest first; only where the frontier is empty.
    pub candidates: Vec<Candidate>,
    /// Every alert, and which of the frontier reach it.
    pub alerts: Vec<Explained>,
    /// Entities that were to be looked at when the budget was spent; what they are might change the rest.
    pub pending: Vec<Node>,
}

/// An alert, and what explains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The entity that alerts.
    pub alert: Node,
    /// The entities of the frontier that reach it; none where it is not explained.
    pub by: Vec<Node>,
}

/// An entity that may be the origin, though nothing says so, and how much speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The entity.
    pub node: Node,
    /// Its label; `None` where it was not looked at.
    pub label: Option<Label>,
    /// How many of the alerts it reaches.
    pub alerts: u32,
    /// How many suspicious neighbours are said to have passed the fault on to it.
    pub causes: u32,
    /// Whether something was changed in it.
    pub has_change: bool,
    /// How often its label changed.
    pub flips: u32,
}

/// The ways of the fault between entities that are not healthy.
struct Ways(BTreeMap<Node, BTreeSet<Node>>);

impl Ways {
    fn of(exploration: &Exploration) -> Self {
        let is_suspicious = |node: Node| exploration.label(node) != Some(Label::Healthy);
        let mut ways: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
        for (from, to) in exploration.seen().values().flat_map(|seen| &seen.propagations) {
            if is_suspicious(*from) && is_suspicious(*to) {
                ways.entry(*from).or_default().insert(*to);
            }
        }
        Self(ways)
    }

    /// From where each entity was reached that can be from one, by the shortest way; of equally short ones the first by name.
    fn reached_from(&self, from: Node) -> BTreeMap<Node, Node> {
        let (mut reached, mut next) = (BTreeMap::from([(from, from)]), VecDeque::from([from]));
        while let Some(node) = next.pop_front() {
            for to in self.0.get(&node).into_iter().flatten() {
                if !reached.contains_key(to) {
                    reached.insert(*to, node);
                    next.push_back(*to);
                }
            }
        }
        reached
    }

    fn into(&self, node: Node) -> u32 {
        let causes = self.0.values().filter(|ends| ends.contains(&node)).count();
        u32::try_from(causes).unwrap_or(u32::MAX)
    }
}

impl Exploration {
    /// Where the fault began, by what was answered so far.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let ways = Ways::of(self);
        let with = |label| {
            let seen = self.seen().iter().filter(move |(_, seen)| seen.label == Some(label));
            seen.map(|(node, _)| *node)
        };
        let reach: BTreeMap<Node, BTreeMap<Node, Node>> =
            with(Label::Origin).map(|origin| (origin, ways.reached_from(origin))).collect();
        let reaches =
            |from: Node, to: Node| reach.get(&from).is_some_and(|of| of.contains_key(&to));
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
        let explained = |alert: Node| Explained {
            alert,
            by: frontier.iter().copied().filter(|origin| reaches(*origin, alert)).collect(),
        };
        Outcome {
            alerts: self.alerts().map(explained).collect(),
            candidates: if frontier.is_empty() { self.candidates(&ways) } else { Vec::new() },
            pending: self.pending().collect(),
            contributing,
            frontier,
            ties,
        }
    }

    /// The way of the fault from an origin to an entity, both included; `None` where there is none.
    #[must_use]
    pub fn path(&self, from: Node, to: Node) -> Option<Vec<Node>> {
        let reached = Ways::of(self).reached_from(from);
        let (mut path, mut node) = (Vec::from([to]), to);
        while node != from {
            node = *reached.get(&node)?;
            path.push(node);
        }
        path.reverse();
        Some(path)
    }

    /// Every entity that was found and is not healthy: first those that reach most alerts, then those to which fewest others passed
    /// the fault on, then those that changed, then those whose label changed least.
    fn candidates(&self, ways: &Ways) -> Vec<Candidate> {
        let found = self.seen().iter().filter(|(_, seen)| seen.label != Some(Label::Healthy));
        let candidate = |(node, seen): (&Node, &Seen)| {
            let reached = ways.reached_from(*node);
            let alerts = self.alerts().filter(|alert| reached.contains_key(alert)).count();
            Candidate {
                node: *node,
                label: seen.label,
                alerts: u32::try_from(alerts).unwrap_or(u32::MAX),
                causes: ways.into(*node),
                has_change: seen.has_change || self.topology().is_changed(*node),
                flips: seen.flips,
            }
        };
        let mut candidates: Vec<Candidate> = found.map(candidate).collect();
        candidates.sort_by_key(|of| {
            (Reverse(of.alerts), of.causes, Reverse(of.has_change), of.flips, of.node)
        });
        candidates
    }
}
