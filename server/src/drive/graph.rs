//! This module keeps the exploration of an investigation's graph: how it begins, what is taken into it, and where it stands.
//! Beliefs were verified before they come here.

use std::collections::BTreeMap;

use gsar_core::belief::{Belief, Entry, Exploration, Label, Node};
use gsar_core::evidence::EvidenceId;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};

/// The exploration that an investigation begins with; `None` without a graph, or with one that cannot be read.
pub(super) fn begin(start: &v1::StartInvestigationRequest) -> Option<Exploration> {
    let graph = parse::graph(start.graph.clone()?, &mut Violations::default())?;
    Some(Exploration::begin(graph.topology, &graph.alerts, graph.limits))
}

/// Takes a belief that was recorded into an exploration.
///
/// # Errors
/// Why it is not taken.
pub(super) fn take(
    exploration: &mut Exploration,
    recorded: &v1::RecordedBelief,
) -> Result<Entry, String> {
    let topology = exploration.topology();
    let node = |name: &str| {
        topology.resolve(name).ok_or_else(|| format!("`{name}` is no entity of the graph"))
    };
    let (of, ways) = (node(&recorded.entity)?, recorded.propagations.iter());
    let evidence = recorded.observations.iter().filter(|of| of.class() == v1::ClaimClass::Grounded);
    let evidence = evidence.flat_map(|of| &of.citations).map(|of| of.evidence_id.as_str());
    let belief = Belief {
        label: Label::from_number(recorded.verified).ok_or("a belief has no label")?,
        evidence: evidence.filter_map(|id| EvidenceId::new(id).ok()).collect(),
        has_change: recorded.has_change,
        propagations: ways
            .map(|way| Ok((node(&way.from)?, node(&way.to)?)))
            .collect::<Result<_, String>>()?,
        suspects: recorded.suspects.iter().map(|name| node(name)).collect::<Result<_, _>>()?,
    };
    exploration.answer(of, belief).map_err(|error| error.to_string())
}

/// Where an exploration stands, with the reasons why less of a belief was taken than was given.
pub(super) fn view(
    exploration: &Exploration,
    reasons: &BTreeMap<String, Vec<v1::Reason>>,
) -> v1::GraphState {
    let mut state = render::graph_state(exploration);
    for of in &mut state.entities {
        of.reasons.extend(reasons.get(&of.entity).into_iter().flatten().cloned());
    }
    state
}

/// The names of places.
pub(super) fn names(exploration: &Exploration, nodes: &[Node]) -> Vec<String> {
    nodes.iter().map(|node| exploration.topology().name(*node).to_owned()).collect()
}

/// The way of the fault from the first alert that is explained back to what explains it.
pub(super) fn path_to_frontier(exploration: &Exploration) -> Option<Vec<String>> {
    let alerts = exploration.outcome().alerts;
    let mut path = alerts.iter().find_map(|of| exploration.path(*of.by.first()?, of.alert))?;
    path.reverse();
    Some(names(exploration, &path))
}

/// Why an answer was not taken as it was verified.
pub(super) fn reasons_of(entry: &Entry) -> Vec<v1::Reason> {
    let mut reasons = Vec::new();
    if entry.is_unchanged_origin {
        let sentence = "a fault begins where something was changed, and nothing shows that; it is taken as a symptom";
        reasons.push(reason("NOTHING_CHANGED", sentence.to_owned()));
    }
    if entry.is_settled {
        let sentence = "its label changed too often; it is deferred for good".to_owned();
        reasons.push(reason("LABEL_CHANGED_TOO_OFTEN", sentence));
    }
    reasons
}

/// A reason of a stable code.
pub(super) fn reason(code: &str, sentence: String) -> v1::Reason {
    v1::Reason { code: code.to_owned(), sentence, ..v1::Reason::default() }
}
