//! Extends an exploration with edges, entities, changes and alerts that are found while it runs.

use std::collections::{BTreeMap, BTreeSet};

use super::exploration::{Exploration, Message};
use super::topology::{Node, Topology};

impl Exploration {
    /// Replaces the topology with one that [extends](Topology::extended) it, and adds alerts.
    ///
    /// The newly alerting entities become due. So do discovered entities that are newly changed, and both ends of each
    /// new edge that touches a discovered entity.
    pub fn extend(&mut self, topology: Topology, alerts: &[Node]) {
        let renumbering = Renumbering::new(&self.topology, &topology);
        let known_edges = renumbering.edges(&self.topology.edges().collect());
        let was_changed = self.topology.nodes().filter(|node| self.topology.is_changed(*node));
        let was_changed = renumbering.nodes(was_changed);
        self.renumber(&renumbering);

        let is_new_alert = |node: &Node| !self.alerts.contains(node);
        let mut awakened: BTreeSet<Node> = alerts.iter().copied().filter(is_new_alert).collect();
        let is_newly_changed =
            |node: &Node| topology.is_changed(*node) && !was_changed.contains(node);
        awakened.extend(self.states.keys().copied().filter(is_newly_changed));
        for (from, to) in topology.edges().filter(|edge| !known_edges.contains(edge)) {
            if self.states.contains_key(&from) || self.states.contains_key(&to) {
                awakened.extend([from, to]);
            }
        }
        self.alerts.extend(alerts);
        self.topology = topology;
        for node in awakened {
            let state = self.states.entry(node).or_default();
            if state.can_be_visited(&self.limits) && !self.round.contains_key(&node) {
                self.active.insert(node);
            }
        }
        self.add_new_neighbours();
        if self.round.is_empty() {
            self.end_round();
            self.begin_round();
        }
    }

    fn renumber(&mut self, renumbering: &Renumbering) {
        self.alerts = renumbering.nodes(self.alerts.iter().copied());
        self.active = renumbering.nodes(self.active.iter().copied());
        self.round = renumbering.keys(&mut self.round);
        self.answered = renumbering.keys(&mut self.answered);
        self.states = renumbering.keys(&mut self.states);
        for state in self.states.values_mut() {
            state.propagations = renumbering.edges(&state.propagations);
            state.inbox = renumbering.keys(&mut state.inbox);
            state.inbox.values_mut().for_each(|message| renumbering.renumber_message(message));
        }
        for visit in self.round.values_mut() {
            visit.node = renumbering.node(visit.node);
            visit.neighbours.iter_mut().for_each(|(node, _)| *node = renumbering.node(*node));
            visit.inbox.iter_mut().for_each(|message| renumbering.renumber_message(message));
        }
        for entry in &mut self.ledger {
            entry.node = renumbering.node(entry.node);
            renumbering.renumber_edges(&mut entry.belief.propagations);
            entry.belief.suspects.iter_mut().for_each(|node| *node = renumbering.node(*node));
        }
    }

    /// Adds new neighbours to the visits of the round. The labels of the known neighbours stay as they were at the
    /// start of the round.
    fn add_new_neighbours(&mut self) {
        for (node, visit) in &mut self.round {
            let known: BTreeSet<Node> = visit.neighbours.iter().map(|(node, _)| *node).collect();
            let new = self.topology.neighbours(*node).filter(|node| !known.contains(node));
            let label = |node: Node| self.states.get(&node).and_then(|state| state.label);
            visit.neighbours.extend(new.map(|node| (node, label(node))));
            visit.neighbours.sort_unstable_by_key(|(node, _)| *node);
        }
    }
}

/// Maps each node of the old topology to its node in the new topology.
struct Renumbering(BTreeMap<Node, Node>);

impl Renumbering {
    fn new(old: &Topology, new: &Topology) -> Self {
        let new_node = |node| Some((node, new.find(old.entity(node)?)?));
        Self(old.nodes().filter_map(new_node).collect())
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

    fn renumber_edges(&self, edges: &mut [(Node, Node)]) {
        for (from, to) in edges {
            (*from, *to) = (self.node(*from), self.node(*to));
        }
    }

    fn renumber_message(&self, message: &mut Message) {
        message.from = self.node(message.from);
        self.renumber_edges(&mut message.propagations);
    }
}
