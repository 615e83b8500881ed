//! Parses a turn's beliefs about entities and verifies their observations against the cited items.

use std::collections::BTreeSet;
use std::sync::Arc;

use gsar_core::belief::{Entity, Exploration, Label, Topology};
use gsar_core::evidence::{Citation, EvidenceId, EvidenceItem, Lane, Target};
use gsar_core::policy::{Policy, PolicyValues, VerificationMode};
use gsar_core::verify::{EvidenceSet, contains_name, verify};
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::parse::{ParsedBelief, ParsedObservation};
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::{graph, turn};
use crate::blocking_work::offload_store;
use crate::call::Call;
use crate::evaluate::Engine;
use crate::evidence::{CorpusName, Evidence, ItemRef, Part, StoreError};

pub(super) fn parse(
    engine: &Engine,
    topology: Option<&Topology>,
    beliefs: Vec<v1::Belief>,
    violations: &mut Violations,
) -> Option<Vec<ParsedBelief>> {
    match topology {
        Some(topology) => parse::beliefs(beliefs, topology, engine.limits(), violations),
        None if beliefs.is_empty() => Some(Vec::new()),
        None => {
            violations.add(
                "beliefs",
                "the investigation has no graph; leave the beliefs out, or start an investigation with a graph",
            );
            None
        }
    }
}

/// Verifies a turn's beliefs against the cited items.
///
/// # Errors
/// INVALID_ARGUMENT if the exploration rejects a belief.
pub(super) async fn verify_all(
    engine: &Engine,
    call: &Call,
    exploration: Option<Exploration>,
    policy: Arc<Policy>,
    name: &CorpusName,
    beliefs: Vec<ParsedBelief>,
) -> Result<Vec<v1::RecordedBelief>, Status> {
    let Some(exploration) = exploration.filter(|_| !beliefs.is_empty()) else {
        return Ok(Vec::new());
    };
    let (store, name) = (engine.stored_evidence()?, name.clone());
    let topology = exploration.topology().clone();
    let verification = offload_store(call, move || {
        let mut verified = Vec::with_capacity(beliefs.len());
        for belief in beliefs {
            let items = load_cited_items(&store, &name, &belief)?;
            verified.push(verify_belief(belief, &topology, &policy, &items));
        }
        Ok(verified)
    });
    let verified = verification.await?;
    let (mut exploration, mut violations) = (exploration, Violations::default());
    for (index, belief) in verified.iter().enumerate() {
        if let Err(error) = graph::add_belief(&mut exploration, belief) {
            violations.add(format!("beliefs[{index}]"), error);
        }
    }
    violations.finish(Some(verified))
}

/// Redirects citations of a duplicate item to the stored original.
pub(super) fn redirect_citations(belief: &mut ParsedBelief, id: &str, stored_id: &str) {
    let citations =
        belief.observations.iter_mut().flat_map(|observation| &mut observation.citations);
    for citation in citations {
        if let Target::Evidence { id: cited_id, .. } = &mut citation.target
            && cited_id.as_str() == id
            && let Ok(new_id) = EvidenceId::new(stored_id)
        {
            *cited_id = new_id;
        }
    }
}

fn load_cited_items(
    store: &Evidence,
    name: &CorpusName,
    belief: &ParsedBelief,
) -> Result<Vec<EvidenceItem>, StoreError> {
    let citations = belief.observations.iter().flat_map(|observation| &observation.citations);
    let ids: BTreeSet<&str> = citations
        .filter_map(|citation| match &citation.target {
            Target::Evidence { id, .. } => Some(id.as_str()),
            Target::Claim(_) => None,
        })
        .collect();
    let mut items = Vec::with_capacity(ids.len());
    for id in ids {
        match store.snapshot(name, &ItemRef::Id(id.to_owned()), Part::Bytes(0, turn::MAX_READ)) {
            Ok(snapshot) => items.push(snapshot.into_item()),
            Err(StoreError::UnknownCorpus { .. } | StoreError::UnknownItem { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(items)
}

/// Verifies a belief against the items. If no observation is verified, the belief's label becomes `defer`.
fn verify_belief(
    belief: ParsedBelief,
    topology: &Topology,
    policy: &PolicyValues,
    items: &[EvidenceItem],
) -> v1::RecordedBelief {
    let name = |node| topology.name(node).to_owned();
    let short_name = topology.entity(belief.node).map(Entity::name).unwrap_or_default();
    let names: BTreeSet<&str> = topology.names(belief.node).map(Entity::name).collect();
    let names_entity = |text: &str| names.iter().any(|name| contains_name(text, name));
    let (claims, judged): (Vec<Claim>, Vec<JudgedClaim>) =
        belief.observations.into_iter().enumerate().filter_map(provisional_claim).unzip();
    let evidence = EvidenceSet::new(items);
    let partition = verify(VerificationMode::Enforce, policy, &claims, judged, &evidence);
    let mut reasons = Vec::new();
    let mut has_change = false;
    let mut verified_count = 0_u32;
    let mut observations = Vec::new();
    for mut verified in partition.claims {
        let text = &verified.judged.claim.text;
        let cited_items: Vec<&EvidenceItem> = verified
            .judged
            .citations
            .iter()
            .filter_map(|citation| cited_item(citation, &evidence))
            .collect();
        if verified.judged.class != Class::Grounded {
            let id = &verified.judged.claim.id;
            let correction =
                partition.corrections.iter().find(|correction| correction.claim == *id);
            let detail = correction
                .map(|correction| format!(": {}", correction.sentence))
                .unwrap_or_default();
            let sentence = format!("the cited evidence does not show \"{text}\"{detail}");
            reasons.push(render::reason("OBSERVATION_NOT_SHOWN", sentence));
        } else if !names_entity(text)
            && !cited_items.iter().any(|item| texts(item).any(names_entity))
        {
            let sentence = format!("neither \"{text}\" nor the cited evidence names {short_name}");
            reasons.push(render::reason("OBSERVATION_OF_ANOTHER_ENTITY", sentence));
            verified.judged.class = Class::Ungrounded;
        } else {
            verified_count += 1;
            let needs_attestation = policy.guards.tool_match_needs_attestation;
            has_change |= cited_items.iter().any(|item| {
                let lane = item.kind.effective_lane(item.lane);
                lane == Lane::Change && (item.attested || !needs_attestation)
            });
        }
        observations.push(render::judged_claim(verified.judged));
    }
    let is_verified = verified_count > 0 || belief.label == Label::Defer;
    if !is_verified {
        let description = match belief.label {
            Label::Origin => "the origin",
            Label::Symptom => "a symptom",
            Label::Healthy | Label::Defer => "healthy",
        };
        let sentence = format!("nothing shows that {short_name} is {description}");
        reasons.push(render::reason("NO_OBSERVATION", sentence));
    }
    let edge = |(from, to)| v1::GraphEdge { from: name(from), to: name(to) };
    v1::RecordedBelief {
        entity: name(belief.node),
        label: belief.label.number(),
        verified: if is_verified { belief.label } else { Label::Defer }.number(),
        observations,
        has_change,
        propagations: belief.propagations.into_iter().map(edge).collect(),
        suspects: belief.suspects.into_iter().map(name).collect(),
        reasons,
    }
}

/// Converts an observation to a claim and provisionally classifies it as grounded.
fn provisional_claim(
    (index, observation): (usize, ParsedObservation),
) -> Option<(Claim, JudgedClaim)> {
    let id = ClaimId::new(format!("o{}", index + 1)).ok()?;
    let claim = Claim::new(id, observation.text);
    let judged = JudgedClaim {
        citations: observation.citations,
        ..JudgedClaim::new(claim.clone(), Class::Grounded, EvidenceType::ToolMatch)
    };
    Some((claim, judged))
}

fn cited_item<'a>(citation: &Citation, evidence: &EvidenceSet<'a>) -> Option<&'a EvidenceItem> {
    match &citation.target {
        Target::Evidence { id, .. } => evidence.item(id),
        Target::Claim(_) => None,
    }
}

fn texts(item: &EvidenceItem) -> impl Iterator<Item = &str> {
    [item.content.as_str(), &item.query, &item.tool].into_iter()
}
