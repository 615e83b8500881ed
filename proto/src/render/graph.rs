//! Renders the state of an exploration.

use gsar_core::belief::{EntityBelief, Exploration, Label, Message, Node, Visit};

use crate::enums::Enumeration as _;
use crate::v1;

/// Renders the state of an exploration, without the reasons of beliefs.
#[must_use]
pub fn graph_state(exploration: &Exploration) -> v1::GraphState {
    let outcome = exploration.outcome();
    let names = Names(exploration);
    v1::GraphState {
        due: exploration.due().map(|look| names.look(look)).collect(),
        entities: exploration.entities().map(|belief| names.belief(&belief)).collect(),
        candidates: outcome
            .candidates
            .iter()
            .map(|candidate| v1::CauseCandidate {
                entity: names.name(candidate.node),
                label: label(candidate.label),
                alerts: candidate.alerts,
                causes: candidate.causes,
                has_change: candidate.has_change,
                flips: candidate.flips,
            })
            .collect(),
        alerts: outcome
            .alerts
            .iter()
            .map(|explained| {
                let path = explained
                    .origins
                    .first()
                    .and_then(|origin| exploration.path(*origin, explained.alert));
                v1::AlertExplanation {
                    entity: names.name(explained.alert),
                    by: names.names(&explained.origins),
                    path: path.iter().flatten().rev().map(|node| names.name(*node)).collect(),
                }
            })
            .collect(),
        ties: outcome
            .ties
            .iter()
            .map(|tie| v1::EntityAliases { names: names.names(tie) })
            .collect(),
        frontier: names.names(&outcome.frontier),
        contributing: names.names(&outcome.contributing),
        pending: names.names(&outcome.pending),
        looks: exploration.visit_count(),
    }
}

struct Names<'a>(&'a Exploration);

impl Names<'_> {
    fn name(&self, node: Node) -> String {
        self.0.topology().name(node).to_owned()
    }

    fn names(&self, nodes: &[Node]) -> Vec<String> {
        nodes.iter().map(|node| self.name(*node)).collect()
    }

    fn edges(&self, edges: impl IntoIterator<Item = (Node, Node)>) -> Vec<v1::GraphEdge> {
        let edge = |(from, to)| v1::GraphEdge { from: self.name(from), to: self.name(to) };
        edges.into_iter().map(edge).collect()
    }

    fn look(&self, look: &Visit) -> v1::EntityLook {
        let neighbour = |(node, neighbour_label): &(Node, Option<Label>)| v1::EntityNeighbour {
            entity: self.name(*node),
            label: label(*neighbour_label),
        };
        let message = |message: &Message| v1::EntityMessage {
            from: self.name(message.from),
            label: message.label.number(),
            propagations: self.edges(message.propagations.iter().copied()),
        };
        v1::EntityLook {
            entity: self.name(look.node),
            visit: look.number,
            neighbours: look.neighbours.iter().map(neighbour).collect(),
            inbox: look.inbox.iter().map(message).collect(),
            is_changed: self.0.topology().is_changed(look.node),
        }
    }

    fn belief(&self, belief: &EntityBelief<'_>) -> v1::EntityBelief {
        v1::EntityBelief {
            entity: self.name(belief.node),
            label: label(belief.label),
            visits: belief.visits,
            flips: belief.flips,
            propagations: self.edges(belief.propagations.iter().copied()),
            reasons: Vec::new(),
            evidence_ids: belief.evidence.iter().map(|id| id.as_str().to_owned()).collect(),
        }
    }
}

fn label(label: Option<Label>) -> i32 {
    label.map_or(0, |label| label.number())
}
