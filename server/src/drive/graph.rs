//! This module explores the graph of an investigation: it verifies what a turn believes of entities, and takes it into the
//! exploration of core. Observations are checked like claims of a report; nothing of them is believed unread.

use std::collections::BTreeMap;

use gsar_core::belief::{AnswerError, Belief, Entry, Exploration, Label, Node, Topology};
use gsar_core::evidence::{Citation, EvidenceId, EvidenceItem, Lane, Target};
use gsar_core::policy::{PolicyValues, VerificationMode};
use gsar_core::verify::{EvidenceSet, verify};
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::parse::{ParsedBelief, ParsedObservation};
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
/// What is wrong with it.
pub(super) fn take(
    exploration: &mut Exploration,
    recorded: &v1::RecordedBelief,
) -> Result<Entry, Refused> {
    let topology = exploration.topology();
    let node = |name: &str| {
        topology
            .resolve(name)
            .ok_or_else(|| Refused::Record(format!("`{name}` is no entity of the graph")))
    };
    let (of, ways) = (node(&recorded.entity)?, recorded.propagations.iter());
    let evidence = recorded.observations.iter().filter(|of| of.class() == v1::ClaimClass::Grounded);
    let evidence = evidence.flat_map(|of| &of.citations).map(|of| of.evidence_id.as_str());
    let belief = Belief {
        label: Label::from_number(recorded.verified)
            .ok_or_else(|| Refused::Record("a belief has no label".to_owned()))?,
        evidence: evidence.filter_map(|id| EvidenceId::new(id).ok()).collect(),
        has_change: recorded.has_change,
        propagations: ways
            .map(|way| Ok((node(&way.from)?, node(&way.to)?)))
            .collect::<Result<_, Refused>>()?,
        suspects: recorded.suspects.iter().map(|name| node(name)).collect::<Result<_, _>>()?,
    };
    exploration.answer(of, belief).map_err(Refused::Answer)
}

/// Why a belief is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// The record of it cannot be read.
    #[error("{0}")]
    Record(String),
    /// The exploration does not take it.
    #[error(transparent)]
    Answer(AnswerError),
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
    let name = |node: &Node| exploration.topology().entity(*node).map(ToString::to_string);
    nodes.iter().filter_map(name).collect()
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

/// Verifies a belief by the items that are stored.
pub(super) fn verified(
    belief: ParsedBelief,
    topology: &Topology,
    policy: &PolicyValues,
    items: &[EvidenceItem],
) -> v1::RecordedBelief {
    let name = |node| topology.entity(node).map(ToString::to_string).unwrap_or_default();
    let short = topology.entity(belief.node).map(|entity| entity.name()).unwrap_or_default();
    let (given, judged): (Vec<Claim>, Vec<JudgedClaim>) =
        belief.observations.into_iter().enumerate().filter_map(claim).unzip();
    let evidence = EvidenceSet::new(items);
    let found = verify(VerificationMode::Enforce, policy, &given, judged, &evidence);
    let mut reasons = Vec::new();
    let mut has_change = false;
    let mut standing = 0_u32;
    let mut observations = Vec::new();
    for mut verified in found.claims {
        let about = (&verified.judged.claim.text, verified.judged.class);
        let cited: Vec<&EvidenceItem> =
            verified.judged.citations.iter().filter_map(|of| item(of, &evidence)).collect();
        if about.1 != Class::Grounded || verified.disputed {
            let id = &verified.judged.claim.id;
            let why = found.corrections.iter().find(|found| found.claim == *id);
            let why = why.map(|found| format!(": {}", found.sentence)).unwrap_or_default();
            let sentence = format!("what it cites does not show \"{}\"{why}", about.0);
            reasons.push(reason("OBSERVATION_NOT_SHOWN", sentence));
        } else if !about.0.contains(short) && !cited.iter().any(|item| speaks_of(item, short)) {
            let sentence = format!("neither \"{}\" nor what it cites names {short}", about.0);
            reasons.push(reason("OBSERVATION_OF_ANOTHER_ENTITY", sentence));
            verified.judged.class = Class::Ungrounded;
        } else {
            standing += 1;
            has_change |= cited.iter().any(|item| item.lane == Lane::Change);
        }
        observations.push(render::judged_claim(verified.judged));
    }
    let is_shown = standing > 0 || belief.label == Label::Defer;
    if !is_shown {
        let sentence = format!("nothing shows that {short} is {}", belief.label.name());
        reasons.push(reason("NO_OBSERVATION", sentence));
    }
    let way = |(from, to)| v1::GraphEdge { from: name(from), to: name(to) };
    v1::RecordedBelief {
        entity: name(belief.node),
        label: belief.label.number(),
        verified: if is_shown { belief.label } else { Label::Defer }.number(),
        observations,
        has_change,
        propagations: belief.propagations.into_iter().map(way).collect(),
        suspects: belief.suspects.into_iter().map(name).collect(),
        reasons,
    }
}

/// An observation as a claim that its observer holds for shown.
fn claim((place, observation): (usize, ParsedObservation)) -> Option<(Claim, JudgedClaim)> {
    let id = ClaimId::new(format!("o{}", place + 1)).ok()?;
    let claim = Claim { id, text: observation.text, span: None };
    let judged = JudgedClaim {
        claim: claim.clone(),
        class: Class::Grounded,
        evidence_type: EvidenceType::ToolMatch,
        citations: observation.citations,
        note: String::new(),
        rules: Vec::new(),
    };
    Some((claim, judged))
}

fn item<'a>(citation: &Citation, evidence: &EvidenceSet<'a>) -> Option<&'a EvidenceItem> {
    match &citation.target {
        Target::Evidence { id, .. } => evidence.item(id),
        Target::Claim(_) => None,
    }
}

/// Whether an item names an entity: in its content, or in what was asked for.
fn speaks_of(item: &EvidenceItem, name: &str) -> bool {
    [item.content.as_str(), &item.query, &item.tool].iter().any(|text| text.contains(name))
}

fn reason(code: &str, sentence: String) -> v1::Reason {
    v1::Reason { code: code.to_owned(), sentence, ..v1::Reason::default() }
}
