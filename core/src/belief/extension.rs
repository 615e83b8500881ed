//! Extends an exploration with edges, entities, changes and alerts that were found while it runs.

use std::collections::{BTreeMap, BTreeSet};

use super::exploration::{Exploration, Message, NodeState};
use super::rank::ranks;
use super::topology::{Node, Topology};

impl Exploration {
    /// Replaces the topology with one that [extends](Topology::extended) it, and adds alerts. These entities become
    /// due, as do discovered ones that are newly changed and both ends of a new edge next to a discovered entity.
    pub fn extend(&mut self, topology: Topology, alerts: &[Node]) {
        let numbers = Renumbering::new(&self.topology, &topology);
        let known_edges = numbers.edges(&self.topology.edges().collect());
        let was_changed = self.topology.nodes().filter(|node| self.topology.is_changed(*node));
        let was_changed = numbers.nodes(was_changed);
        self.renumber(&numbers);

        let mut awakened: BTreeSet<Node> = alerts.iter().copied().collect();
        let is_newly_changed =
            |node: &Node| topology.is_changed(*node) && !was_changed.contains(node);
        awakened.extend(self.states.keys().copied().filter(is_newly_changed));
        for (from, to) in topology.edges().filter(|edge| !known_edges.contains(edge)) {
            if self.states.contains_key(&from) || self.states.contains_key(&to) {
                awakened.extend([from, to]);
            }
        }
        self.alerts.extend(alerts);
        self.ranks = ranks(&topology, &self.alerts);
        self.topology = topology;
        for node in awakened {
            let state = self.states.entry(node).or_default();
            if state.can_be_visited(&self.limits) && !self.round.contains_key(&node) {
                self.active.insert(node);
            }
        }
        let round = self.round.keys().map(|node| (*node, self.visit(*node)));
        self.round = round.collect();
        if self.round.is_empty() {
            self.end_round();
            self.begin_round();
        }
    }

    fn renumber(&mut self, numbers: &Renumbering) {
        self.alerts = numbers.nodes(self.alerts.iter().copied());
        self.active = numbers.nodes(self.active.iter().copied());
        self.round = numbers.keys(&mut self.round);
        self.answered = numbers.keys(&mut self.answered);
        self.states = numbers.keys(&mut self.states);
        for state in self.states.values_mut() {
            numbers.renumber_state(state);
        }
        for entry in &mut self.ledger {
            entry.node = numbers.node(entry.node);
            let belief = &mut entry.belief;
            let edges = belief.propagations.iter();
            belief.propagations =
                edges.map(|(from, to)| (numbers.node(*from), numbers.node(*to))).collect();
            belief.suspects.iter_mut().for_each(|node| *node = numbers.node(*node));
        }
    }
}

/// The new number of each node.
struct Renumbering(BTreeMap<Node, Node>);

impl Renumbering {
    fn new(old: &Topology, new: &Topology) -> Self {
        let number = |node| Some((node, new.find(old.entity(node)?)?));
        Self(old.nodes().filter_map(number).collect())
    }

    fn node(&self, node: Node) -> Node {
        self.0.get(&node).copied().unwrap_or(node)
    }

    fn nodes(&self, nodes: impl Iterator<Item = Node>) -> BTreeSet<Node> {
        nodes.map(|node| self.node(node)).collect()
    }

    fn edges(&self, edges: &BTreeSet<(Node, Node)>) -> BTreeSet<(Node, Node)> {
        edges.iter().map(|(from, to)| (self.node(*from), self.node(*to))).collect()
    }

    fn keys<T>(&self, map: &mut BTreeMap<Node, T>) -> BTreeMap<Node, T> {
        core::mem::take(map).into_iter().map(|(node, value)| (self.node(node), value)).collect()
    }

    fn renumber_state(&self, state: &mut NodeState) {
        state.propagations = self.edges(&state.propagations);
        state.inbox = self.keys(&mut state.inbox);
        for message in state.inbox.values_mut() {
            let edges = message.propagations.iter();
            let propagations = edges.map(|(from, to)| (self.node(*from), self.node(*to))).collect();
            *message = Message { from: self.node(message.from), propagations, ..message.clone() };
        }
    }
}
