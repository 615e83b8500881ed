//! Gathers the stored evidence about an entity, and optionally queries a chat model about it. Records
//! nothing.

use std::collections::BTreeSet;

use gsar_core::belief::{Entity, Topology};
use gsar_core::budget::Budget;
use gsar_core::evidence::Lane;
use gsar_core::safety::{self, ToolResult, Verdict};
use gsar_core::time::{Timestamp, Window};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::state::State;
use super::turn;
use crate::blocking_work::offload_store;
use crate::call::{Call, Step};
use crate::compute_pool::{check_deadline, stop_status};
use crate::errors;
use crate::evaluate::{Engine, call_to_proto, count_call, search_hit};
use crate::evidence::{CorpusName, Evidence, Filter, Head, Hit, Query, StoreError, build_item};
use crate::judge::model::{EntityAnswer, EntityQuestion, ModelJudge, Passage};
use crate::judge::{Judge as _, JudgeError, ModelCall};

const MAX_PASSAGES: usize = 256;
const DEFAULT_BYTES: u32 = 16 << 10;
const BYTES: std::ops::RangeInclusive<u32> = (1 << 10)..=(1 << 20);

pub(super) async fn look(
    engine: &Engine,
    call: &Call,
    state: &State,
    request: v1::LookAtEntityRequest,
) -> Result<v1::LookAtEntityResponse, Status> {
    let model = request.ask_model.then(|| model(engine)).transpose()?;
    let (entity, bytes) = check(state, &request)?;
    let exploration = state.exploration.as_ref();
    let topology = exploration.map(|exploration| exploration.topology());
    let (Some(topology), Some(look)) = (topology, due_look(state, &entity)) else {
        return Err(errors::not_due(&format!(
            "`{entity}` is not due; graph.due in the investigation lists the entities that are due"
        )));
    };
    let names: BTreeSet<String> = topology
        .resolve(&look.entity)
        .map(|node| topology.names(node).map(|entity| entity.name().to_owned()).collect())
        .unwrap_or_default();
    call.enter(Step::Retrieve);
    let (store, name) = (engine.stored_evidence()?, turn::corpus(state)?);
    let times = IncidentTimes::new(state, engine.limits());
    let (skipped, deadline) = (usize::try_from(request.skip).unwrap_or(usize::MAX), call.deadline);
    let gather = move || {
        let budget = Budget::new(u64::MAX, move |_| check_deadline(deadline));
        let hits = find_passages(&store, &name, &names, &times, &budget)?;
        let hits = hits.into_iter().skip(skipped).collect();
        Ok(budget.finish(take_fitting_hits(bytes, hits)))
    };
    let (hits, left_out) = offload_store(call, gather).await?.map_err(|_| stop_status(call))?;
    let mut answer = v1::LookAtEntityResponse {
        passages: hits.iter().map(to_proto_passage).collect(),
        left_out: u32::try_from(left_out).unwrap_or(u32::MAX),
        ..v1::LookAtEntityResponse::default()
    };
    if let Some(model) = model.filter(|_| !hits.is_empty()) {
        call.enter(Step::Judge);
        let question = EntityQuestion {
            context: context_json(&look),
            passages: hits.into_iter().map(to_model_passage).collect(),
            deadline: call.deadline,
            payer: call.principal.as_ref().into(),
        };
        match model.look(&question).await {
            Ok(mut entity_answer) => {
                answer.calls = count_calls(model, std::mem::take(&mut entity_answer.calls));
                answer.belief =
                    Some(to_belief(&look, topology, entity_answer, &mut answer.reasons));
            }
            Err(JudgeError::DeadlinePassed { .. }) => {
                return Err(errors::deadline_exceeded(Step::Judge.name()));
            }
            Err(JudgeError::Failed { code, reason, calls, .. }) => {
                answer.calls = count_calls(model, calls);
                answer.reasons.push(render::reason(code, reason));
            }
        }
    }
    answer.look = Some(look);
    Ok(answer)
}

fn model(engine: &Engine) -> Result<&ModelJudge, Status> {
    engine.look_model().ok_or_else(|| {
        errors::not_allowed(
            "this server has no chat model for LookAtEntity",
            "name one in judges.look, or leave ask_model out and record your own belief with RecordTurn",
        )
    })
}

fn check(state: &State, request: &v1::LookAtEntityRequest) -> Result<(String, usize), Status> {
    let mut violations = Violations::default();
    let bytes = if request.max_bytes == 0 { DEFAULT_BYTES } else { request.max_bytes };
    if !BYTES.contains(&bytes) {
        let (min, max) = (BYTES.start(), BYTES.end());
        violations.add("max_bytes", format!("{bytes} is out of range; expected {min} to {max}"));
    }
    let exploration = state.exploration.as_ref();
    let node = exploration.and_then(|exploration| exploration.topology().resolve(&request.entity));
    if exploration.is_none() {
        violations
            .add("entity", "the investigation has no graph; start an investigation with a graph");
    } else if node.is_none() {
        let description = format!("`{}` is not an entity of the graph", shorten(&request.entity));
        violations.add("entity", description);
    }
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    violations.finish(Some((request.entity.clone(), bytes)))
}

fn shorten(name: &str) -> String {
    let short_name: String = name.chars().take(Entity::MAX_BYTES).collect();
    short_name.escape_debug().to_string()
}

fn due_look(state: &State, entity: &str) -> Option<v1::EntityLook> {
    let exploration = state.exploration.as_ref()?;
    let node = exploration.topology().resolve(entity)?;
    let name = exploration.topology().name(node);
    let due_looks = render::graph_state(exploration).due;
    due_looks.into_iter().find(|look| look.entity == name)
}

struct IncidentTimes {
    onset: Option<Timestamp>,
    window: Option<Window>,
}

impl IncidentTimes {
    fn new(state: &State, limits: &parse::Limits) -> Self {
        let inputs = v1::GateInputs {
            onset: state.start.onset,
            onset_window: state.start.onset_window,
            ..v1::GateInputs::default()
        };
        // Never fails, since the start request was checked.
        let parsed = parse::gate_inputs(inputs, limits, &mut Violations::default());
        let (onset, window) =
            parsed.map(|inputs| (inputs.onset, inputs.window)).unwrap_or_default();
        Self { onset, window }
    }

    fn includes(&self, hit: &Hit) -> bool {
        let (Some(window), Some(time)) = (self.window, hit.head.collected_at) else { return true };
        window.contains(time)
    }

    /// Sorts changes first, then passages that show a fault, then the rest. Changes before the onset precede later
    /// changes. Within both groups of changes, the newest come first.
    fn sort_key(&self, hit: &Hit, budget: &Budget) -> (bool, bool, i64) {
        if hit.head.lane != Lane::Change {
            let result = ToolResult { content: &hit.text, expectation: None };
            let shows_fault = safety::classify(&result, budget).verdict == Verdict::Supports;
            return (true, !shows_fault, 0);
        }
        let micros = hit.head.collected_at.map_or(i64::MIN, Timestamp::as_micros);
        let is_after = self.onset.is_some_and(|onset| micros > onset.as_micros());
        (false, is_after, micros.saturating_neg())
    }
}

/// Returns the passages that name an entity, in order of relevance.
fn find_passages(
    store: &Evidence,
    corpus: &CorpusName,
    names: &BTreeSet<String>,
    times: &IncidentTimes,
    budget: &Budget,
) -> Result<Vec<Hit>, StoreError> {
    let mut all_hits: Vec<Hit> = Vec::new();
    for name in names {
        if !budget.spend(MAX_PASSAGES << 10) {
            break;
        }
        let query = Query { text: name, vector: None, by_terms: true };
        let filter = Filter { entities: vec![name.clone()], ..Filter::default() };
        match store.search(corpus, &query, &filter, MAX_PASSAGES) {
            Ok(hits) => all_hits.extend(hits.hits),
            // The agent has stored nothing yet.
            Err(StoreError::UnknownCorpus { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        }
    }
    let mut seen_passages = BTreeSet::new();
    all_hits.retain(|hit| seen_passages.insert(hit.passage) && times.includes(hit));
    all_hits.sort_by_cached_key(|hit| times.sort_key(hit, budget));
    Ok(all_hits)
}

/// Returns the hits before the first one that does not fit, but at least one hit. Also returns the number of hits
/// left out.
fn take_fitting_hits(bytes: usize, mut hits: Vec<Hit>) -> (Vec<Hit>, usize) {
    let mut size = 0_usize;
    let fits = |hit: &&Hit| {
        size = size.saturating_add(hit.text.len());
        size <= bytes
    };
    let fitting = hits.iter().take_while(fits).count().max(1).min(hits.len());
    let left_out = hits.len() - fitting;
    hits.truncate(fitting);
    (hits, left_out)
}

fn to_proto_passage(hit: &Hit) -> v1::EntityPassage {
    v1::EntityPassage {
        lane: hit.head.lane.number(),
        collected_at: hit.head.collected_at.map(render::timestamp),
        hit: Some(search_hit(hit.clone())),
    }
}

fn to_model_passage(hit: Hit) -> Passage {
    let (lines, pointer) = (hit.lines, hit.pointer);
    // A single record of a JSON document is not valid JSON.
    let item = build_item(Head { is_json: false, ..hit.head }, hit.text);
    Passage { item, lines, pointer }
}

fn context_json(look: &v1::EntityLook) -> String {
    let label = |label: v1::BeliefLabel| match label {
        v1::BeliefLabel::Unspecified => None,
        v1::BeliefLabel::Healthy => Some("healthy"),
        v1::BeliefLabel::Origin => Some("origin"),
        v1::BeliefLabel::Symptom => Some("symptom"),
        v1::BeliefLabel::Defer => Some("defer"),
    };
    let edge_json = |edge: &v1::GraphEdge| serde_json::json!({ "from": edge.from, "to": edge.to });
    let neighbours = look
        .neighbours
        .iter()
        .map(|neighbour| serde_json::json!({ "entity": neighbour.entity, "believed": label(neighbour.label()) }));
    let messages = look.inbox.iter().map(|message| {
        let edges: Vec<_> = message.propagations.iter().map(edge_json).collect();
        serde_json::json!({ "from": message.from, "believed": label(message.label()), "propagations": edges })
    });
    let context = serde_json::json!({
        "entity": look.entity,
        "something_was_changed_in_it": look.is_changed,
        "neighbours": neighbours.collect::<Vec<_>>(),
        "news_of_neighbours": messages.collect::<Vec<_>>(),
    });
    context.to_string()
}

/// Converts an answer to a belief. Drops unknown suspects, and edges that do not connect the entity to a
/// neighbour, and adds a reason for each.
fn to_belief(
    look: &v1::EntityLook,
    topology: &Topology,
    answer: EntityAnswer,
    reasons: &mut Vec<v1::Reason>,
) -> v1::Belief {
    let node = topology.resolve(&look.entity);
    let name = |node| topology.name(node).to_owned();
    let edge = |(from, to): &(String, String)| {
        let (from, to) = (topology.resolve(from)?, topology.resolve(to)?);
        let is_incident = node == Some(from) || node == Some(to);
        let is_edge = is_incident && topology.are_neighbours(from, to);
        is_edge.then(|| v1::GraphEdge { from: name(from), to: name(to) })
    };
    let mut propagations = Vec::new();
    for named @ (from, to) in &answer.propagations {
        match edge(named) {
            Some(edge) => propagations.push(edge),
            None => {
                let sentence = format!(
                    "the model's propagation from `{}` to `{}` was dropped: the graph has no such edge at {}",
                    shorten(from),
                    shorten(to),
                    look.entity
                );
                reasons.push(render::reason("PROPAGATION_UNKNOWN", sentence));
            }
        }
    }
    let mut suspects = BTreeSet::new();
    for suspect in &answer.suspects {
        match topology.resolve(suspect) {
            Some(found) if node == Some(found) => {}
            Some(found) => {
                suspects.insert(name(found));
            }
            None => {
                let sentence = format!(
                    "the model's suspect `{}` was dropped: it is unknown or ambiguous in the graph",
                    shorten(suspect)
                );
                reasons.push(render::reason("SUSPECT_UNKNOWN", sentence));
            }
        }
    }
    let observations = answer.observations.into_iter().map(|(text, citations)| v1::Observation {
        text,
        citations: citations.into_iter().map(render::citation).collect(),
    });
    v1::Belief {
        entity: look.entity.clone(),
        label: answer.label.number(),
        observations: observations.collect(),
        propagations,
        suspects: suspects.into_iter().collect(),
    }
}

fn count_calls(model: &ModelJudge, calls: Vec<ModelCall>) -> Vec<v1::ModelCall> {
    let with_judge = |call| ModelCall { judge: model.name().to_owned(), ..call };
    let count = |call: &ModelCall| count_call(model.name(), call);
    calls.into_iter().map(with_judge).inspect(count).map(call_to_proto).collect()
}
