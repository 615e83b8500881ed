//! Generates incidents, and answers visits with a given error rate.

use std::collections::{BTreeMap, BTreeSet};

use gsar_core::belief::{Belief, Entity, Exploration, Label, Limits, Node, Topology, Visit};

/// A deterministic random number generator (SplitMix64).
pub(crate) struct RandomNumbers(u64);

impl RandomNumbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Creates an independent stream of numbers from a sequence of seeds.
    pub(crate) fn from_parts(parts: &[u64]) -> Self {
        let mix =
            |seed: u64, part: &u64| Self(seed ^ part.wrapping_mul(0xff51_afd7_ed55_8ccd)).draw();
        Self(parts.iter().fold(0x5851_f42d_4c95_7f2d, mix))
    }

    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn draw_below(&mut self, bound: u64) -> u64 {
        self.draw() % bound.max(1)
    }

    /// Returns `true` in the given percentage of cases.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.draw_below(100) < percent
    }
}

/// A fault and its propagation.
pub(crate) struct Incident {
    seed: u64,
    pub(crate) topology: Topology,
    /// The entity in which the fault began.
    pub(crate) origin: Node,
    /// The affected entities, including the origin.
    pub(crate) affected: BTreeSet<Node>,
    /// The propagation edges.
    propagations: BTreeSet<(Node, Node)>,
    pub(crate) alerts: Vec<Node>,
}

impl Incident {
    /// Generates 4 to 40 entities, each of which depends on up to two others. A fault propagates along a dependency
    /// with a probability of 80 %.
    pub(crate) fn generate(seed: u64) -> Self {
        let mut numbers = RandomNumbers::from_parts(&[seed, 1]);
        let count = 4 + numbers.draw_below(37);
        let entity = |index: u64| Entity::parse(&format!("shop/Deployment/s{index:02}")).unwrap();
        let mut edges = Vec::new();
        for dependent in 1..count {
            for _ in 0..=numbers.draw_below(2) {
                edges.push((entity(numbers.draw_below(dependent)), entity(dependent)));
            }
        }
        let topology = Topology::new(&edges, &[], &[]).unwrap();
        let origin = topology.find(&entity(numbers.draw_below(count))).unwrap();
        let (mut affected, mut propagations) = (BTreeSet::from([origin]), BTreeSet::new());
        let mut next = vec![origin];
        while let Some(from) = next.pop() {
            for (_, to) in topology.edges().filter(|(source, _)| *source == from) {
                if numbers.chance(80) {
                    propagations.insert((from, to));
                    if affected.insert(to) {
                        next.push(to);
                    }
                }
            }
        }
        // Affected entities from which the fault does not propagate further alert.
        let last_nodes = affected
            .iter()
            .copied()
            .filter(|node| propagations.iter().all(|(from, _)| from != node));
        let alerts: Vec<Node> = last_nodes.take(3).collect();
        let mut changed = vec![origin];
        changed.extend(topology.nodes().filter(|_| numbers.chance(20)));
        let topology = topology.with_changes(&changed);
        Self { seed, topology, origin, affected, propagations, alerts }
    }

    pub(crate) fn explore(&self, limits: Limits) -> Exploration {
        Exploration::new(self.topology.clone(), &self.alerts, limits)
    }

    /// Answers a visit. The label is wrong in `error_percent` percent of cases, but messages can correct it.
    pub(crate) fn answer(&self, visit: &Visit, error_percent: u64) -> Belief {
        let index = self.topology.nodes().take_while(|node| *node != visit.node).count() as u64;
        let mut numbers =
            RandomNumbers::from_parts(&[self.seed, 2, index, u64::from(visit.number)]);
        let mut label = self.draw_label(visit.node, error_percent, &mut numbers);
        let is_suspicious = |label| matches!(label, Some(Label::Origin | Label::Symptom));
        let is_caused = visit.inbox.iter().any(|message| {
            is_suspicious(Some(message.label))
                && message.propagations.contains(&(message.from, visit.node))
        });
        let is_blamed = visit
            .inbox
            .iter()
            .any(|message| message.propagations.contains(&(visit.node, message.from)));
        if label == Label::Origin && is_caused {
            label = Label::Symptom;
        }
        if label == Label::Healthy && is_blamed {
            label = self.draw_label(visit.node, error_percent, &mut numbers);
        }
        let neighbour_labels: BTreeMap<Node, Option<Label>> =
            visit.neighbours.iter().copied().collect();
        let propagations = self.topology.edges().filter(|(from, to)| {
            let fits_label = match label {
                Label::Symptom => {
                    *to == visit.node && neighbour_labels.get(from) != Some(&Some(Label::Healthy))
                }
                Label::Origin => *from == visit.node,
                Label::Healthy | Label::Defer => false,
            };
            fits_label && self.propagations.contains(&(*from, *to)) != numbers.chance(error_percent)
        });
        Belief { label, propagations: propagations.collect(), ..Belief::default() }
    }

    fn draw_label(&self, node: Node, error_percent: u64, numbers: &mut RandomNumbers) -> Label {
        let truth = match (node == self.origin, self.affected.contains(&node)) {
            (true, _) => Label::Origin,
            (_, true) => Label::Symptom,
            _ => Label::Healthy,
        };
        if !numbers.chance(error_percent) {
            return truth;
        }
        let other_labels: Vec<Label> =
            Label::ALL.into_iter().filter(|label| *label != truth).collect();
        other_labels[numbers.draw_below(other_labels.len() as u64) as usize]
    }
}

/// Answers all due visits in random order.
pub(crate) fn run(
    incident: &Incident,
    limits: Limits,
    error_percent: u64,
    order: &mut RandomNumbers,
) -> Exploration {
    let mut exploration = incident.explore(limits);
    loop {
        let due: Vec<Visit> = exploration.due().cloned().collect();
        if due.is_empty() {
            return exploration;
        }
        let visit = &due[order.draw_below(due.len() as u64) as usize];
        exploration.answer(visit.node, incident.answer(visit, error_percent)).unwrap();
    }
}
