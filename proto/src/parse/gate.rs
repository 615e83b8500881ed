//! Parses the gate's inputs: hypotheses, turns and time used, and changes.

use std::collections::BTreeMap;

use gsar_core::ClaimId;
use gsar_core::belief::Entity;
use gsar_core::evidence::{EvidenceId, EvidenceItem, Lane, VerificationResult};
use gsar_core::safety::{
    Change, ChangeKind, EvidenceRecord, GateInput, Hypothesis, HypothesisId, Investigation, summary,
};
use gsar_core::time::{Timestamp, Window};
use gsar_core::verify::contains_name;

use super::field::{
    enumeration, id, optional, optional_enumeration, present, short_text, statement, text,
};
use super::graph::read_entities;
use super::limits::Limits;
use super::list::{limit_length, parse_each, parse_list, unique_ids};
use super::path::Path;
use super::time::{elapsed_micros, optional_timestamp, timestamp, window};
use crate::violations::Violations;
use crate::{render, v1};

/// The parsed inputs of the gate.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedGate {
    /// The hypotheses, with unique ids. They include evidence inferred by a language model, which the core counts but
    /// otherwise ignores.
    pub hypotheses: Vec<Hypothesis>,
    /// `true` if the agent wants to finish.
    pub wants_to_finish: bool,
    /// The number of turns taken.
    pub turns_used: u32,
    /// The time since the start, in microseconds.
    pub elapsed_micros: u64,
    /// The length of the longest run of identical tool calls.
    pub identical_calls: u32,
    /// The number of turns since the last one with evidence.
    pub turns_without_evidence: u32,
    /// The entities that may be the root cause. An empty list means any entity.
    pub suspects: Vec<Entity>,
    /// The onset of the incident.
    pub onset: Option<Timestamp>,
    /// The window in which a change must fall to be cited.
    pub window: Option<Window>,
    /// The changes, in the order given.
    pub changes: Vec<Change>,
    /// The changes as given by the caller, with times truncated to microseconds, for the response.
    pub change_records: Vec<v1::ChangeRecord>,
    /// The path through the dependency graph to the suspect.
    pub path: Vec<String>,
}

impl ParsedGate {
    /// Returns the gate's input.
    #[must_use]
    pub fn input(&self) -> GateInput<'_> {
        GateInput {
            hypotheses: &self.hypotheses,
            wants_to_finish: self.wants_to_finish,
            turns_used: self.turns_used,
            elapsed_micros: self.elapsed_micros,
            identical_calls: self.identical_calls,
            turns_without_evidence: self.turns_without_evidence,
            suspects: &self.suspects,
        }
    }

    /// Returns the ids of the evidence items that results and changes name.
    pub fn named_evidence(&self) -> impl Iterator<Item = &EvidenceId> {
        let records = self.hypotheses.iter().flat_map(|hypothesis| &hypothesis.records);
        let record_ids = records.filter_map(|record| record.evidence_id.as_ref());
        record_ids.chain(self.changes.iter().filter_map(|change| change.evidence_id.as_ref()))
    }

    /// Replaces the caller's lane, attestation and check result with those of the named item in `items`. A result
    /// that names an item outside `items` has no effect, and neither does a change whose item cannot show it.
    pub fn resolve(&mut self, items: &BTreeMap<EvidenceId, NamedItem>) {
        for record in self.hypotheses.iter_mut().flat_map(|hypothesis| &mut hypothesis.records) {
            record.attested = false;
            let Some(id) = &record.evidence_id else { continue };
            match items.get(id) {
                Some(item) => {
                    record.lane = item.lane;
                    record.attested = item.attested;
                    record.verification_result = item.verification_result;
                }
                None => record.is_refused = true,
            }
        }
        self.changes.retain_mut(|change| {
            change.attested = false;
            let Some(id) = change.evidence_id.clone() else { return true };
            let target = Entity::parse(change.target.trim()).ok();
            let names = || target.iter().map(Entity::name);
            let item = items.get(&id).filter(|item| item.shows(change.kind, names()));
            change.attested = item.is_some_and(|item| item.attested);
            item.is_some()
        });
    }

    /// Refuses results and changes that name no attested item.
    pub fn refuse_unattested(&mut self) {
        for record in self.hypotheses.iter_mut().flat_map(|hypothesis| &mut hypothesis.records) {
            record.is_refused |= !record.attested;
        }
        self.changes.retain(|change| change.attested);
    }

    /// Returns the investigation.
    #[must_use]
    pub fn investigation(&self) -> Investigation<'_> {
        Investigation {
            gate: self.input(),
            path: &self.path,
            changes: &self.changes,
            onset: self.onset,
            window: self.window,
        }
    }
}

/// The properties of an item that a result or a change names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedItem {
    /// The lane.
    pub lane: Lane,
    /// `true` if the item comes from an attested channel.
    pub attested: bool,
    /// The check's result.
    pub verification_result: Option<VerificationResult>,
    /// The tool, the query and the start of the content, which must name the target of a load change.
    pub text: String,
}

impl NamedItem {
    /// The maximum number of content bytes to keep.
    const MAX_CONTENT: usize = 4 << 10;

    /// Returns `true` if the item can show a change. Its lane must allow this. For a load change outside the `change`
    /// lane, its text must also contain one of the target's names.
    #[must_use]
    pub fn shows<'a>(
        &self,
        kind: ChangeKind,
        mut target_names: impl Iterator<Item = &'a str>,
    ) -> bool {
        let needs_name = kind == ChangeKind::Load && self.lane != Lane::Change;
        kind.is_shown_in(self.lane)
            && (!needs_name || target_names.any(|name| contains_name(&self.text, name)))
    }
}

impl From<&EvidenceItem> for NamedItem {
    fn from(item: &EvidenceItem) -> Self {
        let content = item.content.as_str();
        let head = content.get(..content.floor_char_boundary(Self::MAX_CONTENT));
        Self {
            lane: item.kind.effective_lane(item.lane),
            attested: item.attested,
            verification_result: item.verification_result,
            text: [&item.tool, &item.query, head.unwrap_or_default()].join("\n"),
        }
    }
}

/// Parses the field `gate`.
pub fn gate_inputs(
    message: v1::GateInputs,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedGate> {
    let gate = Path::root("gate");
    let hypotheses = read_hypotheses(&gate, message.hypotheses, limits, violations);
    let elapsed_micros = match message.elapsed {
        None => Some(0),
        Some(elapsed) => elapsed_micros(gate.field("elapsed"), elapsed, violations),
    };
    let onset = optional_timestamp(gate.field("onset"), message.onset, violations);
    let window = optional(message.onset_window, |message| {
        window(gate.field("onset_window"), message, violations)
    });
    let changes = read_changes(gate.field("changes"), message.changes, limits, violations);
    let path = read_path(gate.field("path"), message.path, limits, violations);
    let suspects = read_entities(gate.field("suspects"), message.suspects, violations);
    let (changes, change_records) = changes?.into_iter().unzip();
    Some(ParsedGate {
        hypotheses: hypotheses?,
        wants_to_finish: message.wants_to_finish,
        turns_used: message.turns_used,
        elapsed_micros: elapsed_micros?,
        identical_calls: message.identical_calls,
        turns_without_evidence: message.turns_without_evidence,
        suspects: suspects?,
        onset: onset?,
        window: window?,
        changes,
        change_records,
        path: path?,
    })
}

fn read_hypotheses(
    gate: &Path<'_>,
    hypotheses: Vec<v1::Hypothesis>,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Vec<Hypothesis>> {
    let path = gate.field("hypotheses");
    let hypotheses = limit_length(path, hypotheses, limits.max_hypotheses, violations)?;
    let ids = hypotheses.iter().map(|hypothesis| hypothesis.id.as_str());
    let unique = unique_ids(path, ids, violations);
    let hypotheses = parse_each(path, hypotheses, violations, |path, hypothesis, violations| {
        read_hypothesis(path, hypothesis, limits, violations)
    });
    unique?;
    hypotheses
}

fn read_hypothesis(
    path: Path<'_>,
    message: v1::Hypothesis,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Hypothesis> {
    let max = limits.max_claim_bytes;
    let id = id(path.field("id"), message.id, HypothesisId::new, violations);
    let statement = text(path.field("statement"), message.statement, max, violations);
    let target = short_text(path.field("target"), message.target, violations);
    let list = path.field("evidence");
    let max = limits.max_hypothesis_evidence;
    let records =
        parse_list(list, message.evidence, max, violations, |path, record, violations| {
            read_record(path, record, limits, violations)
        });
    let target = target.map(|target| Some(target).filter(|target| !target.is_empty()));
    Some(Hypothesis { id: id?, statement: statement?, records: records?, target: target? })
}

fn read_record(
    path: Path<'_>,
    message: v1::HypothesisEvidence,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<EvidenceRecord> {
    let max = limits.max_claim_bytes;
    let tool = statement(path.field("tool"), message.tool, max, violations);
    let summary_line = text(path.field("summary"), message.summary, max, violations);
    let verdict = enumeration(path.field("verdict"), message.verdict, violations);
    let lane = enumeration(path.field("lane"), message.lane, violations);
    let evaluated_at =
        optional_timestamp(path.field("evaluated_at"), message.evaluated_at, violations);
    let evidence_id = optional_evidence_id(&path, message.evidence_id, violations);
    let result = optional_enumeration(
        path.field("verification_result"),
        message.verification_result,
        violations,
    );
    if result.flatten().is_some() && lane.is_some_and(|lane| lane != Lane::Verification) {
        violations.add(
            path.field("verification_result"),
            "requires lane EVIDENCE_LANE_VERIFICATION (7); omit it, or correct lane",
        );
    }
    Some(EvidenceRecord {
        tool: tool?,
        summary: summary(&summary_line?),
        verdict: verdict?,
        lane: lane?,
        evaluated_at: evaluated_at?,
        evidence_id: evidence_id?,
        verification_result: result?,
        attested: message.attested,
        is_refused: false,
    })
}

fn read_changes(
    path: Path<'_>,
    changes: Vec<v1::ChangeRecord>,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Vec<(Change, v1::ChangeRecord)>> {
    parse_list(path, changes, limits.max_changes, violations, |path, change, violations| {
        read_change(path, change, limits, violations)
    })
}

fn read_change(
    path: Path<'_>,
    message: v1::ChangeRecord,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<(Change, v1::ChangeRecord)> {
    let max = limits.max_claim_bytes;
    let id = statement(path.field("id"), message.id, ClaimId::MAX_BYTES, violations);
    let summary = text(path.field("summary"), message.summary, max, violations);
    let target = short_text(path.field("target"), message.target, violations);
    let at_path = path.field("at");
    let at =
        present(at_path, message.at, violations).and_then(|at| timestamp(at_path, at, violations));
    let evidence_id = optional_evidence_id(&path, message.evidence_id, violations);
    let kind = change_kind(path.field("kind"), message.kind, violations);
    let change = Change {
        reference: id?,
        at: at?,
        target: target?,
        evidence_id: evidence_id?,
        attested: message.attested,
        kind: kind?,
    };
    let evidence_id = change.evidence_id.as_ref().map(|id| id.as_str().to_owned());
    let record = v1::ChangeRecord {
        id: change.reference.clone(),
        summary: summary?,
        at: Some(render::timestamp(change.at)),
        target: change.target.clone(),
        evidence_id: evidence_id.unwrap_or_default(),
        attested: change.attested,
        kind: message.kind,
    };
    Some((change, record))
}

impl From<v1::ChangeKind> for ChangeKind {
    fn from(kind: v1::ChangeKind) -> Self {
        match kind {
            v1::ChangeKind::Unspecified => Self::Deployment,
            v1::ChangeKind::Load => Self::Load,
        }
    }
}

fn change_kind(path: Path<'_>, number: i32, violations: &mut Violations) -> Option<ChangeKind> {
    let kind = v1::ChangeKind::try_from(number).ok();
    if kind.is_none() {
        violations.add(path, format_args!("{number} is not a kind of change; give 0 or 1"));
    }
    kind.map(ChangeKind::from)
}

fn optional_evidence_id(
    path: &Path<'_>,
    given: String,
    violations: &mut Violations,
) -> Option<Option<EvidenceId>> {
    match given {
        empty if empty.is_empty() => Some(None),
        given => id(path.field("evidence_id"), given, EvidenceId::new, violations).map(Some),
    }
}

fn read_path(
    path: Path<'_>,
    steps: Vec<String>,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<Vec<String>> {
    parse_list(path, steps, limits.max_path_steps, violations, |path, step, violations| {
        statement(path, step, ClaimId::MAX_BYTES, violations)
    })
}
