//! Classifies the stored items that test the hypotheses of a turn.

use std::collections::{BTreeSet, HashMap};

use gsar_core::belief::{Entity, Exploration};
use gsar_core::budget::Budget;
use gsar_core::evidence::EvidenceKind;
use gsar_core::policy::PolicyValues;
use gsar_core::safety::{self, Expectation, ToolResult, Verdict};
use gsar_core::verify::contains_name;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};
use tonic::Status;

use super::state::State;
use super::turn::MAX_READ;
use crate::blocking_work::offload_store;
use crate::call::Call;
use crate::compute_pool::{check_deadline, stop_status};
use crate::evaluate::{Engine, now};
use crate::evidence::{CorpusName, Evidence, ItemRef, Part, Snapshot, StoreError};

pub(super) fn check(
    engine: &Engine,
    state: &State,
    hypotheses: &[v1::TestedHypothesis],
    violations: &mut Violations,
) {
    // The number of tests is limited, since each test names an item that is read.
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
                let description = format!("{} is not a verdict; expected 1 to 3", test.verdict);
                violations.add(field("verdict"), description);
            }
            if test.verdict != 0 && !is_allowed {
                violations.add(
                    field("verdict"),
                    "is supplied by the caller, which the policy does not allow; leave it out, or turn investigation.caller_verdicts on",
                );
            }
        }
    }
}

pub(super) struct NamedHypothesis {
    pub(super) hypothesis: v1::TestedHypothesis,
    /// The short names of the hypothesis's target. Empty if the hypothesis has no target.
    pub(super) names: BTreeSet<String>,
}

/// The arguments of the tool call that returned an item, by the item's ID.
pub(super) type Arguments = HashMap<String, String>;

#[derive(Default)]
pub(super) struct ClassifiedTests {
    pub(super) hypotheses: Vec<v1::Hypothesis>,
    pub(super) caller_verdicts: Vec<String>,
    pub(super) unrelated_results: Vec<String>,
}

/// Returns, for each tested item, the arguments of the first tool call that returned it. Returns an empty map if the
/// policy requires attestation, since then only the items themselves count.
pub(super) fn arguments_of_tested_items(
    state: &State,
    policy: &PolicyValues,
    calls: &[v1::RecordedCall],
    hypotheses: &[v1::TestedHypothesis],
) -> Arguments {
    if policy.guards.tool_match_needs_attestation {
        return Arguments::new();
    }
    let mut new_arguments: HashMap<&str, &str> = HashMap::new();
    for call in calls.iter().filter(|call| !call.arguments.is_empty()) {
        new_arguments.entry(&call.evidence_id).or_insert(&call.arguments);
    }
    let mut arguments = Arguments::new();
    for test in hypotheses.iter().flat_map(|hypothesis| &hypothesis.tests) {
        let id = test.evidence_id.as_str();
        let earlier = Some(state.turns.arguments(id)).filter(|earlier| !earlier.is_empty());
        if let Some(found) = earlier.or(new_arguments.get(id).copied()) {
            arguments.entry(id.to_owned()).or_insert_with(|| found.to_owned());
        }
    }
    arguments
}

/// Returns `true` if the item or the arguments of its tool call name the hypothesis's target, if the item is a check
/// run, or if the hypothesis has no target.
fn is_about(
    target_names: &BTreeSet<String>,
    item: &Snapshot,
    arguments: Option<&String>,
    budget: &Budget,
) -> bool {
    let is_check_run =
        item.head.kind == EvidenceKind::Verification && item.head.verification_result.is_some();
    let arguments = arguments.map_or("", String::as_str);
    target_names.is_empty()
        || is_check_run
        || target_names
            .iter()
            .any(|name| mentions(item, name, budget) || contains_name(arguments, name))
}

/// Returns `true` if an item's content, query or tool contains the name.
fn mentions(item: &Snapshot, name: &str, budget: &Budget) -> bool {
    let texts = [item.content.as_str(), &item.head.query, &item.head.tool];
    budget.spend(item.content.len()) && texts.iter().any(|text| contains_name(text, name))
}

/// Returns the short names of an entity, which need not be in the graph. Returns no names if the target is
/// empty.
pub(super) fn target_names(exploration: Option<&Exploration>, target: &str) -> BTreeSet<String> {
    let target = target.trim();
    if target.is_empty() {
        return BTreeSet::new();
    }
    let topology = exploration.map(Exploration::topology);
    match topology.and_then(|topology| Some((topology, topology.resolve(target)?))) {
        Some((topology, node)) => {
            topology.names(node).map(|entity| entity.name().to_owned()).collect()
        }
        None => {
            let entity = Entity::parse(target);
            [entity.map_or(target.to_owned(), |entity| entity.name().to_owned())].into()
        }
    }
}

pub(super) async fn classify(
    engine: &Engine,
    call: &Call,
    name: &CorpusName,
    hypotheses: Vec<NamedHypothesis>,
    arguments: Arguments,
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
        for NamedHypothesis { mut hypothesis, names } in hypotheses {
            let tests = std::mem::take(&mut hypothesis.tests);
            let mut records = Vec::with_capacity(tests.len());
            for test in tests {
                let arguments = arguments.get(&test.evidence_id);
                let test_name = format!("{}:{}", hypothesis.id, test.evidence_id);
                // A threshold also determines the verdict.
                if test.verdict != 0 || test.threshold.is_some() {
                    classified.caller_verdicts.push(test_name.clone());
                }
                let (mut record, item) = classify_test(&store, &name, test, &budget)?;
                let is_about = is_about(&names, &item, arguments, &budget);
                if !budget.spend(0) {
                    break;
                }
                if !is_about {
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
        lane: item.head.kind.effective_lane(item.head.lane).number(),
        evaluated_at: Some(render::timestamp(now())),
        evidence_id: test.evidence_id,
        verification_result: render::verification_result(item.head.verification_result),
        attested: item.head.attested,
    };
    Ok((record, item))
}
