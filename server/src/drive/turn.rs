//! Records turns: stores the results of tool calls and classifies the tests of hypotheses.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use gsar_core::belief::{Entity, Exploration};
use gsar_core::budget::{Budget, Stop};
use gsar_core::evidence::{EvidenceItem, EvidenceKind, Lane, VerificationResult};
use gsar_core::safety::{self, ChangeKind, Expectation, ToolResult, Verdict};
use gsar_core::verify::contains_name;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::state::State;
use super::{arguments, beliefs, graph};
use crate::call::Call;
use crate::compute::stop_status;
use crate::errors;
use crate::evaluate::{Engine, now};
use crate::evidence::{CorpusName, Evidence, ItemRef, Part, Snapshot, StoreError, StoredItem};
use crate::offload::offload_store;

pub(super) const MAX_READ: u64 = 1 << 20;
/// The size of a tool call's arguments that is recorded, in bytes.
const MAX_ARGUMENTS: usize = 1 << 10;

pub(super) async fn record(
    engine: &Engine,
    call: &Call,
    state: &State,
    request: v1::RecordTurnRequest,
) -> Result<v1::RecordedTurn, Status> {
    let mut violations = Violations::default();
    let (calls, items) = parse_calls(engine, call, request.tool_calls, &mut violations);
    check_hypotheses(engine, state, &request.hypotheses, &mut violations);
    // Each change can name an item, which is read.
    let (length, max) = (request.changes.len(), engine.limits().max_changes);
    if length > max {
        violations.add("changes", format!("has {length} elements; at most {max} are allowed"));
    }
    let exploration = graph::extended(state, request.graph_additions.as_ref(), &mut violations);
    let topology = exploration.as_ref().map(Exploration::topology);
    let beliefs = beliefs::parse(engine, topology, request.beliefs, &mut violations);
    violations.finish(Some(()))?;
    let name = corpus(state)?;
    let checks = check_results(&items);
    let stored_items = store(engine, call, &name, items).await?;
    let (mut tested_hypotheses, mut beliefs) = (request.hypotheses, beliefs.unwrap_or_default());
    let mut changes = request.changes;
    for StoredItem { id, same_as, .. } in &stored_items {
        let Some(stored_id) = same_as else { continue };
        let tests = tested_hypotheses.iter_mut().flat_map(|hypothesis| &mut hypothesis.tests);
        for test in tests.filter(|test| test.evidence_id == *id) {
            test.evidence_id.clone_from(stored_id);
        }
        beliefs.iter_mut().for_each(|belief| beliefs::redirect_citations(belief, id, stored_id));
        for change in changes.iter_mut().filter(|change| change.evidence_id == *id) {
            change.evidence_id.clone_from(stored_id);
        }
    }
    let calls = record_calls(state, calls, &stored_items, &checks);
    let hypotheses = tested_hypotheses.into_iter().map(|hypothesis| {
        let names = target_names(exploration.as_ref(), &hypothesis.target);
        let tests = hypothesis.tests.iter();
        let arguments = tests.map(|test| arguments_of(state, &calls, &test.evidence_id)).collect();
        NamedHypothesis { names, arguments, hypothesis }
    });
    let classified = classify_tests(engine, call, &name, hypotheses.collect()).await?;
    let changes = resolve_changes(engine, call, &name, changes).await?;
    let policy = Arc::clone(&state.policy.policy);
    let exploration = exploration.map(|mut exploration| {
        graph::mark_changed(&mut exploration, &changes, &policy);
        exploration
    });
    let beliefs = beliefs::verify_all(engine, call, exploration, policy, &name, beliefs).await?;
    let turn = v1::RecordedTurn {
        beliefs,
        calls,
        hypotheses: classified.hypotheses,
        changes,
        path: request.path,
        wants_to_finish: request.wants_to_finish,
        caller_verdicts: classified.caller_verdicts,
        unrelated_results: classified.unrelated_results,
        graph_additions: request.graph_additions,
        agent_cost: request.agent_cost,
    };
    check_gate(engine, state, &turn)?;
    Ok(turn)
}

/// Returns the corpus that the start names, or the investigation's own corpus.
///
/// # Errors
/// Not expected, since the start was checked.
pub(super) fn corpus(state: &State) -> Result<CorpusName, Status> {
    let default_name = || {
        let id = &state.start.investigation_id;
        let name = CorpusName::new(&format!("investigation-{id}"));
        name.or_else(|_| {
            let hash = blake3::hash(id.as_bytes()).to_hex();
            CorpusName::new(&format!("investigation-{hash}"))
        })
    };
    let name = match state.start.corpus_id.as_str() {
        "" => default_name(),
        id => CorpusName::new(id),
    };
    name.map_err(|error| errors::evidence(&error))
}

struct ParsedCall {
    tool: String,
    arguments: String,
    digest: String,
    is_meaningful: bool,
    evidence_id: String,
}

fn parse_calls(
    engine: &Engine,
    call: &Call,
    calls: Vec<v1::ToolCall>,
    violations: &mut Violations,
) -> (Vec<ParsedCall>, Vec<EvidenceItem>) {
    let mut parsed_calls = Vec::with_capacity(calls.len());
    let mut results = Vec::new();
    for (index, tool_call) in calls.into_iter().enumerate() {
        if tool_call.tool.trim().is_empty() {
            violations.add(format!("tool_calls[{index}].tool"), "is missing; it is required");
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(tool_call.tool.len() as u64).to_le_bytes());
        hasher.update(tool_call.tool.as_bytes()).update(tool_call.arguments.as_bytes());
        let mut parsed_call = ParsedCall {
            digest: hasher.finalize().to_hex().to_string(),
            is_meaningful: arguments::are_meaningful(&tool_call.arguments),
            evidence_id: String::new(),
            tool: tool_call.tool,
            arguments: shorten(tool_call.arguments),
        };
        if let Some(mut result) = tool_call.result {
            let is_check_run =
                matches!(result.content, Some(v1::evidence_item::Content::CheckRun(_)));
            if result.tool.is_empty() && !is_check_run {
                result.tool.clone_from(&parsed_call.tool);
            }
            parsed_call.evidence_id.clone_from(&result.id);
            results.push(result);
        }
        parsed_calls.push(parsed_call);
    }
    // Violations are named `evidence[i]`, where `i` counts the calls with results.
    let mut items = parse::evidence(results, engine.limits(), violations);
    items.iter_mut().for_each(|item| call.attestation.attest(item));
    (parsed_calls, items)
}

fn shorten(mut arguments: String) -> String {
    arguments.truncate(arguments.floor_char_boundary(MAX_ARGUMENTS));
    arguments
}

fn check_hypotheses(
    engine: &Engine,
    state: &State,
    hypotheses: &[v1::TestedHypothesis],
    violations: &mut Violations,
) {
    // Each test names an item, which is read.
    let limits = engine.limits();
    let lengths = hypotheses.iter().enumerate().map(|(index, hypothesis)| {
        let field = format!("hypotheses[{index}].tests");
        (field, hypothesis.tests.len(), limits.max_hypothesis_evidence)
    });
    let all = ("hypotheses".to_owned(), hypotheses.len(), limits.max_hypotheses);
    for (field, length, max) in lengths.chain([all]) {
        if length > max {
            violations.add(field, format!("has {length} elements; at most {max} are allowed"));
        }
    }
    let is_allowed = state.policy.policy.investigation.caller_verdicts;
    for (index, hypothesis) in hypotheses.iter().enumerate() {
        for (test_index, test) in hypothesis.tests.iter().enumerate() {
            let field = |name| format!("hypotheses[{index}].tests[{test_index}].{name}");
            if test.evidence_id.is_empty() {
                violations.add(field("evidence_id"), "is empty; name a stored item");
            }
            if v1::Verdict::try_from(test.verdict).is_err() {
                let description = format!("{} is not a verdict; give 1 to 3", test.verdict);
                violations.add(field("verdict"), description);
            }
            if test.verdict != 0 && !is_allowed {
                violations.add(
                    field("verdict"),
                    "is given by the caller, which the policy does not allow; leave it out, or turn investigation.caller_verdicts on",
                );
            }
        }
    }
}

async fn store(
    engine: &Engine,
    call: &Call,
    name: &CorpusName,
    items: Vec<EvidenceItem>,
) -> Result<Vec<StoredItem>, Status> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let store = engine.stored_evidence()?;
    let (evidence, corpus) = (store.clone(), name.clone());
    let stored_items = offload_store(call, move || {
        let mut writer = evidence.put(corpus, None)?;
        for item in items {
            writer.start_item(item)?;
        }
        writer.finish().map(|(_, items)| items)
    });
    let stored_items = stored_items.await?;
    let name = name.clone();
    tokio::spawn(async move { store.embed_corpus(name).await });
    Ok(stored_items)
}

/// The name and result of each check, by item ID.
type Checks = HashMap<String, (String, Option<VerificationResult>)>;

fn check_results(items: &[EvidenceItem]) -> Checks {
    let checks = items.iter().filter(|item| item.kind == EvidenceKind::Verification);
    let check = |item: &EvidenceItem| {
        let name = item.check_name().unwrap_or_default().to_owned();
        (item.id.as_str().to_owned(), (name, item.verification_result))
    };
    checks.map(check).collect()
}

/// Builds the records of tool calls. An item is new if the investigation has not recorded it yet, even if
/// the corpus contains it, since the record of an earlier attempt may have been lost.
fn record_calls(
    state: &State,
    calls: Vec<ParsedCall>,
    stored_items: &[StoredItem],
    checks: &Checks,
) -> Vec<v1::RecordedCall> {
    let mut new_digests = HashSet::new();
    let stored_items: HashMap<&str, &StoredItem> =
        stored_items.iter().rev().map(|item| (item.id.as_str(), item)).collect();
    let mut record = |call: ParsedCall| {
        let item = stored_items.get(call.evidence_id.as_str());
        let digest = item.map(|item| blake3::Hash::from(item.digest).to_hex().to_string());
        let evidence_digest = digest.unwrap_or_default();
        let is_new = !evidence_digest.is_empty()
            && !state.turns.has_seen(&evidence_digest)
            && new_digests.insert(evidence_digest.clone());
        let (check, result) = checks.get(&call.evidence_id).cloned().unwrap_or_default();
        v1::RecordedCall {
            tool: call.tool,
            arguments: call.arguments,
            digest: call.digest,
            evidence_id: item.and_then(|item| item.same_as.clone()).unwrap_or(call.evidence_id),
            is_new,
            is_trivial: !call.is_meaningful && !is_new,
            verification_result: render::verification_result(result),
            evidence_digest,
            check,
        }
    };
    calls.into_iter().map(&mut record).collect()
}

/// Takes the attestation of changes from the stored items that they name.
///
/// # Errors
/// INVALID_ARGUMENT if a change names an item that cannot show it, or NOT_FOUND if it is not in the corpus.
async fn resolve_changes(
    engine: &Engine,
    call: &Call,
    name: &CorpusName,
    mut changes: Vec<v1::ChangeRecord>,
) -> Result<Vec<v1::ChangeRecord>, Status> {
    changes.iter_mut().for_each(|change| change.attested = false);
    if changes.iter().all(|change| change.evidence_id.is_empty()) {
        return Ok(changes);
    }
    let (store, name) = (engine.stored_evidence()?, name.clone());
    let read_heads = move || {
        changes
            .into_iter()
            .map(|change| {
                let id = &change.evidence_id;
                let read =
                    |id: &String| store.snapshot(&name, &ItemRef::Id(id.clone()), Part::Head);
                let snapshot = Some(id).filter(|id| !id.is_empty()).map(read).transpose()?;
                Ok((change, snapshot.map(|snapshot| snapshot.head)))
            })
            .collect::<Result<Vec<_>, StoreError>>()
    };
    let mut violations = Violations::default();
    let heads = offload_store(call, read_heads).await?.into_iter().enumerate();
    let resolved = heads.map(|(index, (change, head))| {
        let kind = match change.kind() {
            v1::ChangeKind::Unspecified => ChangeKind::Deployment,
            v1::ChangeKind::Load => ChangeKind::Load,
        };
        if let Some(head) = head.as_ref().filter(|head| !kind.is_shown_in(head.lane)) {
            let description = format!(
                "`{}` is in lane {}; name an item in lane {}, or leave it out",
                change.evidence_id,
                head.lane.name(),
                kind.lanes()
            );
            violations.add(format!("changes[{index}].evidence_id"), description);
        }
        v1::ChangeRecord { attested: head.is_some_and(|head| head.attested), ..change }
    });
    let resolved = Some(resolved.collect());
    violations.finish(resolved)
}

struct NamedHypothesis {
    hypothesis: v1::TestedHypothesis,
    /// The short names of its target; none if it has no target.
    names: Vec<String>,
    /// The arguments with which a tool returned the item of each test.
    arguments: Vec<String>,
}

#[derive(Default)]
struct ClassifiedTests {
    hypotheses: Vec<v1::Hypothesis>,
    caller_verdicts: Vec<String>,
    unrelated_results: Vec<String>,
}

/// Returns the arguments with which a tool of this turn or an earlier one returned an item.
fn arguments_of(state: &State, calls: &[v1::RecordedCall], evidence_id: &str) -> String {
    let mut calls = calls.iter();
    match calls.find(|call| call.evidence_id == evidence_id) {
        Some(call) => call.arguments.clone(),
        None => state.turns.arguments(evidence_id).to_owned(),
    }
}

/// Returns `true` if an item names the target of a hypothesis, or is the run of a check.
fn is_about(target_names: &[String], item: &Snapshot, arguments: &str) -> bool {
    let texts = [item.content.as_str(), &item.head.query, &item.head.tool, arguments];
    let is_named = |name: &String| texts.iter().any(|text| contains_name(text, name));
    target_names.is_empty()
        || item.head.lane == Lane::Verification
        || target_names.iter().any(is_named)
}

fn target_names(exploration: Option<&Exploration>, target: &str) -> Vec<String> {
    let target = target.trim();
    if target.is_empty() {
        return Vec::new();
    }
    let topology = exploration.map(Exploration::topology);
    let node = topology.and_then(|topology| Some((topology, topology.resolve(target)?)));
    match node {
        Some((topology, node)) => {
            topology.names(node).map(|entity| entity.name().to_owned()).collect()
        }
        None => {
            vec![Entity::parse(target).map_or(target.to_owned(), |entity| entity.name().to_owned())]
        }
    }
}

async fn classify_tests(
    engine: &Engine,
    call: &Call,
    name: &CorpusName,
    hypotheses: Vec<NamedHypothesis>,
) -> Result<ClassifiedTests, Status> {
    let mut classified = ClassifiedTests::default();
    if hypotheses.iter().all(|named| named.hypothesis.tests.is_empty()) {
        let hypotheses = hypotheses.into_iter();
        classified.hypotheses =
            hypotheses.map(|named| to_hypothesis(named.hypothesis, Vec::new())).collect();
        return Ok(classified);
    }
    let (store, name) = (engine.stored_evidence()?, name.clone());
    let deadline = call.deadline;
    let classification = offload_store(call, move || {
        let budget = Budget::new(u64::MAX, move |_| check_deadline(deadline));
        for NamedHypothesis { mut hypothesis, names, arguments } in hypotheses {
            let tests = std::mem::take(&mut hypothesis.tests);
            let mut records = Vec::with_capacity(tests.len());
            for (test, arguments) in tests.into_iter().zip(arguments) {
                let test_name = format!("{}:{}", hypothesis.id, test.evidence_id);
                // A threshold decides on the verdict as well.
                if test.verdict != 0 || test.threshold.is_some() {
                    classified.caller_verdicts.push(test_name.clone());
                }
                let (mut record, item) = classify_test(&store, &name, test, &budget)?;
                if !is_about(&names, &item, &arguments) {
                    record.verdict = Verdict::Inconclusive.number();
                    classified.unrelated_results.push(test_name);
                }
                records.push(record);
            }
            classified.hypotheses.push(to_hypothesis(hypothesis, records));
        }
        Ok(budget.finish(classified))
    });
    classification.await?.map_err(|_| stop_status(call))
}

pub(super) fn check_deadline(deadline: Instant) -> Result<(), Stop> {
    if Instant::now() < deadline { Ok(()) } else { Err(Stop::Interrupted) }
}

fn to_hypothesis(
    hypothesis: v1::TestedHypothesis,
    evidence: Vec<v1::HypothesisEvidence>,
) -> v1::Hypothesis {
    v1::Hypothesis {
        id: hypothesis.id,
        statement: hypothesis.statement,
        target: hypothesis.target,
        evidence,
    }
}

fn classify_test(
    store: &Evidence,
    name: &CorpusName,
    test: v1::HypothesisTest,
    budget: &Budget,
) -> Result<(v1::HypothesisEvidence, Snapshot), StoreError> {
    let item_ref = ItemRef::Id(test.evidence_id.clone());
    let item = store.snapshot(name, &item_ref, Part::Bytes(0, MAX_READ))?;
    let threshold = test.threshold.map(|threshold| threshold.to_string());
    let is_expected = !test.signal.is_empty() || threshold.is_some();
    let expectation = is_expected.then_some(Expectation {
        signal: &test.signal,
        polarity: None,
        threshold: threshold.as_deref(),
    });
    let result = ToolResult { content: &item.content, expectation };
    let verdict = match test.verdict {
        0 => safety::classify(&result, budget).verdict.number(),
        verdict => verdict,
    };
    let record = v1::HypothesisEvidence {
        tool: item.head.tool.clone(),
        summary: safety::summary(&item.content),
        verdict,
        lane: item.head.lane.number(),
        evaluated_at: Some(render::timestamp(now())),
        evidence_id: test.evidence_id,
        verification_result: render::verification_result(item.head.verification_result),
        attested: item.head.attested,
    };
    Ok((record, item))
}

fn check_gate(engine: &Engine, state: &State, turn: &v1::RecordedTurn) -> Result<(), Status> {
    let mut next_turns = state.turns.clone();
    next_turns.add(turn.clone());
    let inputs = v1::GateInputs {
        hypotheses: next_turns.hypotheses,
        changes: next_turns.changes,
        path: next_turns.path,
        ..v1::GateInputs::default()
    };
    let mut violations = Violations::default();
    let parsed_gate = parse::gate_inputs(inputs, engine.limits(), &mut violations);
    violations.finish(parsed_gate.map(|_| ()))
}
