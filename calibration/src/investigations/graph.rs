//! Explores recorded fault propagations with a given rate of wrong answers, and compares exploration with a
//! single pass over the entities.
//!
//! Correct answers follow from the ground truth. Wrong answers are drawn for each entity and visit.

use std::collections::BTreeSet;

use gsar_core::belief::{Belief, Exploration, Label, Limits, Node, Topology, Visit};

use super::recorded::Propagation;
use crate::statistics::Random;

const DRAWS: u64 = 50;

#[derive(Clone, Copy, Debug)]
pub(super) struct OriginAccuracy {
    pub(super) explored: f64,
    pub(super) one_pass: f64,
}

pub(super) fn explore(propagation: &Propagation, wrong: u32) -> Option<OriginAccuracy> {
    let policy = Policy::new(propagation)?;
    let share = |limits: Limits, has_messages: bool| {
        let right =
            (0..DRAWS).filter(|draw| policy.names_origin(limits, has_messages, wrong, *draw));
        right.count() as f64 / DRAWS as f64
    };
    Some(OriginAccuracy {
        explored: share(Limits::default(), true),
        one_pass: share(Limits { max_visits: 1, ..Limits::default() }, false),
    })
}

struct Policy {
    topology: Topology,
    alerts: Vec<Node>,
    origins: BTreeSet<Node>,
    reached: BTreeSet<Node>,
}

impl Policy {
    fn new(propagation: &Propagation) -> Option<Self> {
        let topology = Topology::new(&propagation.edges, &[], &[]).ok()?;
        let nodes: Vec<Node> = topology.nodes().collect();
        let topology = topology.with_changes(&nodes);
        let find = |names: &[gsar_core::belief::Entity]| {
            names.iter().filter_map(|name| topology.find(name)).collect::<BTreeSet<Node>>()
        };
        let origins = find(&propagation.origins);
        let ends =
            propagation.edges.iter().map(|(from, to)| (topology.find(from), topology.find(to)));
        let edges: BTreeSet<(Node, Node)> = ends
            .filter_map(|(from, to)| Some((from?, to?)))
            .filter(|(from, to)| from != to)
            .collect();
        let mut reached = origins.clone();
        loop {
            let next = edges.iter().filter(|(from, _)| reached.contains(from)).map(|(_, to)| *to);
            let more: BTreeSet<Node> = next.filter(|to| !reached.contains(to)).collect();
            if more.is_empty() {
                break;
            }
            reached.extend(more);
        }
        let alerts = find(&propagation.alerts).into_iter().collect();
        Some(Self { alerts, origins, reached, topology })
    }

    fn names_origin(&self, limits: Limits, has_messages: bool, wrong: u32, draw: u64) -> bool {
        let mut exploration = Exploration::new(self.topology.clone(), &self.alerts, limits);
        let mut random = Random::new(draw << 8 | u64::from(wrong));
        while let Some(visit) = exploration.due().next().cloned() {
            let visit = if has_messages { visit } else { Visit { inbox: Vec::new(), ..visit } };
            let belief = self.answer(&visit, wrong, &mut random);
            if exploration.answer(visit.node, belief).is_err() {
                return false;
            }
        }
        let outcome = exploration.outcome();
        let named = match has_messages {
            true => outcome.frontier.first().copied(),
            // Without messages the origins have no order, so take the one that reaches the most alerts.
            false => self.most_alerts_reached(
                &exploration,
                outcome.frontier.iter().chain(&outcome.contributing),
            ),
        };
        let named = named.or_else(|| outcome.candidates.first().map(|candidate| candidate.node));
        named.is_some_and(|node| self.origins.contains(&node))
    }

    fn most_alerts_reached<'a>(
        &self,
        exploration: &Exploration,
        origins: impl Iterator<Item = &'a Node>,
    ) -> Option<Node> {
        let alerts = |node: Node| {
            self.alerts.iter().filter(|alert| exploration.path(node, **alert).is_some()).count()
        };
        origins.copied().max_by_key(|node| (alerts(*node), std::cmp::Reverse(*node)))
    }

    /// Answers in the same way as `core/examples/belief_noise.rs`: labels and propagations contain errors, and the
    /// neighbours' messages are used.
    fn answer(&self, visit: &Visit, wrong: u32, random: &mut Random) -> Belief {
        let mut label = self.draw_label(visit.node, wrong, random);
        let is_caused_by_neighbour = visit.inbox.iter().any(|message| {
            matches!(message.label, Label::Origin | Label::Symptom)
                && message.propagations.contains(&(message.from, visit.node))
        });
        let is_cause_of_neighbour = visit
            .inbox
            .iter()
            .any(|message| message.propagations.contains(&(visit.node, message.from)));
        if label == Label::Origin && is_caused_by_neighbour {
            label = Label::Symptom;
        }
        if label == Label::Healthy && is_cause_of_neighbour {
            label = self.draw_label(visit.node, wrong, random);
        }
        let is_healthy = |node: &Node| {
            visit
                .neighbours
                .iter()
                .any(|(known, label)| known == node && *label == Some(Label::Healthy))
        };
        let mut propagations = Vec::new();
        for (from, to) in self.topology.edges() {
            let is_candidate = match label {
                Label::Symptom => to == visit.node && !is_healthy(&from),
                Label::Origin => from == visit.node,
                Label::Healthy | Label::Defer => false,
            };
            if is_candidate && !is_wrong(wrong, random) {
                propagations.push((from, to));
            }
        }
        Belief { label, propagations, has_change: true, ..Belief::default() }
    }

    fn draw_label(&self, node: Node, wrong: u32, random: &mut Random) -> Label {
        let right = match (self.origins.contains(&node), self.reached.contains(&node)) {
            (true, _) => Label::Origin,
            (_, true) => Label::Symptom,
            _ => Label::Healthy,
        };
        if !is_wrong(wrong, random) {
            return right;
        }
        let others: Vec<Label> = Label::ALL.into_iter().filter(|label| *label != right).collect();
        others.get(random.below(others.len())).copied().unwrap_or(right)
    }
}

fn is_wrong(wrong: u32, random: &mut Random) -> bool {
    random.below(100) < usize::try_from(wrong).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::belief::Entity;

    #[test]
    fn correct_answers_always_find_the_origin() {
        let entity = |name: &str| Entity::parse(name).unwrap();
        let edge = |from: &str, to: &str| (entity(from), entity(to));
        let propagation = Propagation {
            edges: vec![edge("db", "cart"), edge("cart", "api"), edge("cart", "mail")],
            origins: vec![entity("db")],
            alerts: vec![entity("api")],
        };
        let named = explore(&propagation, 0).unwrap();
        assert_eq!((named.explored, named.one_pass), (1.0, 1.0));
        let named = explore(&propagation, 40).unwrap();
        assert!(named.explored < 1.0 && named.one_pass < 1.0, "{named:?}");
    }
}
