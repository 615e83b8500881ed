//! Records turns: stores the results of tool calls, and resolves the changes and beliefs that cite them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gsar_core::belief::Exploration;
use gsar_core::evidence::{EvidenceItem, EvidenceKind, VerificationResult};
use gsar_core::safety::ChangeKind;
use gsar_proto::parse::NamedItem;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::hypotheses::{self, NamedHypothesis};
use super::state::State;
use super::{arguments, beliefs, graph};
use crate::blocking_work::offload_store;
use crate::call::Call;
use crate::evaluate::Engine;
use crate::evidence::{CorpusName, ItemRef, Part, StoreError, StoredItem};

pub(super) const MAX_READ: u64 = 1 << 20;
/// The maximum size of a tool call's recorded arguments, in bytes.
const MAX_ARGUMENTS: usize = 1 << 10;

pub(super) async fn record(
    engine: &Engine,
    call: &Call,
    state: &State,
    request: v1::RecordTurnRequest,
) -> Result<v1::RecordedTurn, Status> {
    let mut violations = Violations::default();
    let (calls, items) = parse_calls(engine, call, request.tool_calls, &mut violations);
    hypotheses::check(engine, state, &request.hypotheses, &mut violations);
    // The number of changes is limited, since each change can name an item that is read.
    let (length, max) = (request.changes.len(), engine.limits().max_changes);
    if length > max {
        violations.add("changes", format!("has {length} elements; at most {max} are allowed"));
    }
    let exploration =
        graph::with_additions(state, request.graph_additions.as_ref(), &mut violations);
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
    let policy = Arc::clone(&state.policy.policy);
    let arguments =
        hypotheses::arguments_of_tested_items(state, &policy, &calls, &tested_hypotheses);
    let hypotheses = tested_hypotheses.into_iter().map(|hypothesis| NamedHypothesis {
        names: hypotheses::target_names(exploration.as_ref(), &hypothesis.target),
        hypothesis,
    });
    let classified =
        hypotheses::classify(engine, call, &name, hypotheses.collect(), arguments).await?;
    let changes = resolve_changes(engine, call, &name, exploration.as_ref(), changes).await?;
    let exploration = exploration.map(|mut exploration| {
        let all_changes = state.turns.changes.iter().chain(&changes);
        graph::mark_changed(&mut exploration, all_changes, &policy);
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

/// Returns the corpus that the start request names, or the investigation's own corpus.
///
/// # Errors
/// None are expected, since the start request was checked.
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
    Ok(name?)
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

/// Sets the attestation of each change to that of the stored item that it names.
///
/// # Errors
/// INVALID_ARGUMENT if a change names an item that cannot show it, or NOT_FOUND if the item is not in the
/// corpus.
async fn resolve_changes(
    engine: &Engine,
    call: &Call,
    name: &CorpusName,
    exploration: Option<&Exploration>,
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
                let item = snapshot.map(|snapshot| NamedItem::from(&snapshot.into_item()));
                Ok((change, item))
            })
            .collect::<Result<Vec<_>, StoreError>>()
    };
    let mut violations = Violations::default();
    let items = offload_store(call, read_heads).await?.into_iter().enumerate();
    let resolved = items.map(|(index, (change, item))| {
        let kind = ChangeKind::from(change.kind());
        let names = hypotheses::target_names(exploration, &change.target);
        let names = || names.iter().map(String::as_str);
        if let Some(item) = item.as_ref().filter(|item| !item.shows(kind, names())) {
            let description = format!(
                "`{}` (lane {}) does not show the change; cite an item in lane {} that names the target, or leave evidence_id out",
                change.evidence_id,
                item.lane.name(),
                kind.lanes()
            );
            violations.add(format!("changes[{index}].evidence_id"), description);
        }
        v1::ChangeRecord { attested: item.is_some_and(|item| item.attested), ..change }
    });
    let resolved = Some(resolved.collect());
    violations.finish(resolved)
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
