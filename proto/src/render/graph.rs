//! Renders the state of an exploration.

use gsar_core::belief::{EntityBelief, Exploration, Label, Look, Message, Node};

use crate::enums::Enumeration as _;
use crate::v1;

/// Renders the state of an exploration, without the reasons of beliefs.
#[must_use]
pub fn graph_state(exploration: &Exploration) -> v1::GraphState {
    let outcome = exploration.outcome();
    let names = Names(exploration);
    v1::GraphState {
        due: exploration.due().map(|look| names.look(look)).collect(),
        entities: exploration.entities().map(|found| names.found(&found)).collect(),
        candidates: outcome
            .candidates
            .iter()
            .map(|of| v1::CauseCandidate {
                entity: names.of(of.node),
                label: label(of.label),
                alerts: of.alerts,
                causes: of.causes,
                has_change: of.has_change,
                flips: of.flips,
            })
            .collect(),
        alerts: outcome
            .alerts
            .iter()
            .map(|of| {
                let path = of.by.first().and_then(|origin| exploration.path(*origin, of.alert));
                v1::AlertExplanation {
                    entity: names.of(of.alert),
                    by: names.all(&of.by),
                    path: path.iter().flatten().rev().map(|node| names.of(*node)).collect(),
                }
            })
            .collect(),
        ties: outcome.ties.iter().map(|of| v1::EntityAliases { names: names.all(of) }).collect(),
        frontier: names.all(&outcome.frontier),
        contributing: names.all(&outcome.contributing),
        pending: names.all(&outcome.pending),
        looks: exploration.looks(),
    }
}

struct Names<'a>(&'a Exploration);

impl Names<'_> {
    fn of(&self, node: Node) -> String {
        self.0.topology().name(node).to_owned()
    }

    fn all(&self, nodes: &[Node]) -> Vec<String> {
        nodes.iter().map(|node| self.of(*node)).collect()
    }

    fn ways(&self, ways: impl IntoIterator<Item = (Node, Node)>) -> Vec<v1::GraphEdge> {
        let way = |(from, to)| v1::GraphEdge { from: self.of(from), to: self.of(to) };
        ways.into_iter().map(way).collect()
    }

    fn look(&self, look: &Look) -> v1::EntityLook {
        let neighbour = |(node, of): &(Node, Option<Label>)| v1::EntityNeighbour {
            entity: self.of(*node),
            label: label(*of),
        };
        let message = |message: &Message| v1::EntityMessage {
            from: self.of(message.from),
            label: message.label.number(),
            propagations: self.ways(message.propagations.iter().copied()),
        };
        v1::EntityLook {
            entity: self.of(look.node),
            visit: look.visit,
            neighbours: look.neighbours.iter().map(neighbour).collect(),
            inbox: look.inbox.iter().map(message).collect(),
            is_changed: self.0.topology().is_changed(look.node),
        }
    }

    fn found(&self, found: &EntityBelief<'_>) -> v1::EntityBelief {
        v1::EntityBelief {
            entity: self.of(found.node),
            label: label(found.label),
            visits: found.visits,
            flips: found.flips,
            propagations: self.ways(found.propagations.iter().copied()),
            reasons: Vec::new(),
            evidence_ids: found.evidence.iter().map(|id| id.as_str().to_owned()).collect(),
        }
    }
}

fn label(label: Option<Label>) -> i32 {
    label.map_or(0, |label| label.number())
}
