//! Decides the tier of a recorded evaluation under another policy. Calls no judge and records nothing.

mod batch;
mod not_rescored;

use std::collections::HashMap;
use std::sync::Arc;

use gsar_core::assess::{Assessment, Subject, assess};
use gsar_core::budget::Budget;
use gsar_core::coverage::coverage;
use gsar_core::evidence::EvidenceItem;
use gsar_core::policy::VerificationMode;
use gsar_core::reassess::{RecordedPartition, reassess};
use gsar_core::verify::{Correction, CorrectionOutcome, RestoredPartition, undo};
use gsar_core::{Claim, ClaimId, Origin, Policy};
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use self::not_rescored::RescoreInputs;
use crate::call::{Call, Step};
use crate::compute_pool::compute;
use crate::errors;
use crate::evaluate::{ChosenPolicy, Engine, PolicyUse, answer, claims, evidence_item};

pub(crate) use batch::MAX_DECIDED;

enum Evidence {
    Whole(Vec<EvidenceItem>),
    /// Items without contents, and the reason why the contents are missing.
    Heads(Vec<EvidenceItem>, &'static str),
}

struct RecordedEvaluation {
    answer: v1::EvaluateResponse,
    report: v1::Report,
    partition: parse::RecordedPartition,
    policy: Arc<Policy>,
    evidence: Evidence,
}

impl Engine {
    /// Decides the tier of a recorded evaluation under the requested policy.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown evaluation, and the other errors of the API contract. A decision is never
    /// an error.
    pub async fn rescore(
        &self,
        call: &Call,
        request: v1::RescoreRequest,
    ) -> Result<v1::RescoreResponse, Status> {
        call.enter(Step::Admit);
        let v1::RescoreRequest { evaluation_id, policy, policy_overrides, explain } = request;
        let mut violations = Violations::default();
        check_id(&evaluation_id, &mut violations);
        let policy =
            self.choose_policy(&policy, policy_overrides, PolicyUse::Any, &mut violations)?;
        let policy = violations.finish(policy)?;
        let stored = self.stored_evaluation(&evaluation_id).await?;
        let answer = stored.evaluation.clone().unwrap_or_default();
        let response = v1::RescoreResponse {
            evaluation_id,
            before: Some(recorded_decision(&answer)),
            policy: Some(policy.applied()),
            hypothetical: policy.is_hypothetical,
            ..v1::RescoreResponse::default()
        };
        if !is_partitioned(&answer) {
            return Ok(abstention(&policy.policy, answer, response));
        }
        let evaluation = self.recorded_evaluation(&response.evaluation_id, answer, stored).await?;
        call.enter(Step::Decide);
        compute(call, move |budget| evaluation.decide(&policy, explain, response, budget)).await
    }

    async fn recorded_evaluation(
        &self,
        id: &str,
        answer: v1::EvaluateResponse,
        stored: v1::GetEvaluationResponse,
    ) -> Result<RecordedEvaluation, Status> {
        let policy = ChosenPolicy::from_toml(&stored.policy_toml, false).map_err(|error| {
            let problem =
                format!("this version cannot read the policy of evaluation `{id}`: {error}");
            errors::not_allowed(&problem, "evaluate the report again")
        })?;
        let is_enforced = policy.policy.verification == VerificationMode::Enforce;
        let partition = parse::recorded_partition(&answer, is_enforced)
            .map_err(|error| errors::ledger_unavailable(&error.to_string()))?;
        let evidence = self.recorded_evidence(id, &answer, stored.evidence).await?;
        Ok(RecordedEvaluation {
            report: stored.report.unwrap_or_default(),
            policy: policy.policy,
            answer,
            partition,
            evidence,
        })
    }

    async fn recorded_evidence(
        &self,
        id: &str,
        answer: &v1::EvaluateResponse,
        recorded_items: Vec<v1::RecordedEvidence>,
    ) -> Result<Evidence, Status> {
        let is_retrieved =
            answer.provenance.as_ref().is_some_and(|provenance| provenance.retrieval.is_some());
        if is_retrieved {
            return heads(
                recorded_items,
                "part of it came from a corpus, whose contents the ledger does not store",
            );
        }
        let mut items = Vec::with_capacity(recorded_items.len());
        for item in &recorded_items {
            let Some(content) = self.stored_content(id, item).await? else {
                let reason = "the ledger stores only the heads of its items (ledger.evidence = \"full\" stores whole items)";
                return heads(recorded_items, reason);
            };
            items.push((item.attested, evidence_item(item.clone(), content)));
        }
        parse_items(items).map(Evidence::Whole)
    }
}

fn heads(
    recorded_items: Vec<v1::RecordedEvidence>,
    reason: &'static str,
) -> Result<Evidence, Status> {
    let item = |recorded: v1::RecordedEvidence| {
        let attested = recorded.attested;
        // A JSON document's head is not valid JSON.
        let empty_item = v1::RecordedEvidence { is_json: false, head: String::new(), ..recorded };
        (attested, evidence_item(empty_item, String::new()))
    };
    parse_items(recorded_items.into_iter().map(item).collect())
        .map(|items| Evidence::Heads(items, reason))
}

/// Parses recorded items. The configured limits do not apply to them.
fn parse_items(items: Vec<(bool, v1::EvidenceItem)>) -> Result<Vec<EvidenceItem>, Status> {
    let limits = parse::Limits {
        max_evidence_items: usize::MAX,
        max_text_bytes: usize::MAX,
        max_claim_bytes: usize::MAX,
        ..parse::Limits::default()
    };
    let (attested, items): (Vec<bool>, Vec<v1::EvidenceItem>) = items.into_iter().unzip();
    let mut violations = Violations::default();
    let mut items = parse::evidence(items, &limits, &mut violations);
    if !violations.is_empty() {
        let reason = "this version cannot read the evaluation's evidence";
        return Err(errors::ledger_unavailable(reason));
    }
    for (item, attested) in items.iter_mut().zip(attested) {
        item.attested = attested;
    }
    Ok(items)
}

impl RecordedEvaluation {
    fn decide(
        self,
        chosen: &ChosenPolicy,
        explain: bool,
        response: v1::RescoreResponse,
        budget: &Budget,
    ) -> v1::RescoreResponse {
        let policy: &Policy = &chosen.policy;
        let (assessment, not_rescored) = self.assessment(policy, budget);
        let decision = &assessment.decision;
        let rendered_decision = answer::decision(policy, &assessment, explain);
        let recorded_tier = response.before.as_ref().map(|decision| decision.tier);
        v1::RescoreResponse {
            score: decision.score.map(render::score),
            guarded_score: decision.guarded_score.map(render::score),
            terms: Some(render::terms(&decision.terms, policy)),
            changed: recorded_tier != Some(rendered_decision.tier),
            decision: Some(rendered_decision),
            corrections: assessment.corrections.iter().map(render::correction).collect(),
            coverage: assessment.findings.coverage.as_ref().map(render::coverage),
            claims: with_votes(answer::claims(policy, assessment, explain), &self.answer.claims),
            not_rescored,
            ..response
        }
    }

    fn assessment(&self, policy: &Policy, budget: &Budget) -> (Assessment, Vec<v1::NotRescored>) {
        let restored = self.judge_partition();
        let claims = self.claims(budget);
        let (missing_evidence, has_blind_coverage) = match &self.evidence {
            Evidence::Whole(_) => (None, false),
            Evidence::Heads(_, reason) => (Some(*reason), self.lacks_coverage(policy)),
        };
        let not_rescored = not_rescored::for_partition(&RescoreInputs {
            recorded: &self.policy,
            policy,
            answer: &self.answer,
            restored: &restored,
            missing_evidence,
            has_blind_coverage,
        });
        let assessment = match &self.evidence {
            Evidence::Whole(items) => self.assess(policy, &claims, restored, items, budget),
            Evidence::Heads(items, _) => self.reassess(policy, &claims, restored, items, budget),
        };
        (assessment, not_rescored)
    }

    /// Returns the judge's partition before verification.
    fn judge_partition(&self) -> RestoredPartition {
        let verified = &self.partition.verified;
        if self.policy.verification == VerificationMode::Enforce {
            return undo(verified);
        }
        RestoredPartition {
            judged: verified.claims.iter().map(|claim| claim.judged.clone()).collect(),
            removed: Vec::new(),
            lossy: Vec::new(),
        }
    }

    /// Returns the judged claims. They are extracted from the report again if the evidence is available and
    /// verification did not correct the partition.
    fn claims(&self, budget: &Budget) -> Vec<Claim> {
        let verified = self.partition.verified.claims.iter();
        let verified = verified.map(|claim| claim.judged.claim.clone());
        let items = match &self.evidence {
            Evidence::Whole(items) if self.policy.verification != VerificationMode::Enforce => {
                items
            }
            Evidence::Whole(_) | Evidence::Heads(..) => return verified.collect(),
        };
        let given_claims = self.report.claims.iter().filter_map(|claim| {
            let v1::Claim { id, text, span } = claim.clone();
            let to_usize = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
            let span = span.map(|span| to_usize(span.start)..to_usize(span.end));
            ClaimId::new(id).ok().map(|id| Claim { id, text, span })
        });
        let given_claims: Vec<Claim> = given_claims.collect();
        let requires_coverage = self.policy.guards.min_coverage.is_some();
        match claims::needs_extraction(&self.report.synthesis, &given_claims, requires_coverage) {
            true => {
                claims::with_uncovered_claims(&self.report.synthesis, given_claims, items, budget)
            }
            false => given_claims,
        }
    }

    fn lacks_coverage(&self, policy: &Policy) -> bool {
        let guards = &policy.guards;
        let is_required = guards.min_coverage.is_some() || guards.synthesis_required;
        is_required && self.partition.coverage.is_none() && !self.report.synthesis.trim().is_empty()
    }

    fn second_look_error(&self) -> Option<String> {
        let link = self.answer.provenance.as_ref()?.second_look.as_ref()?;
        (link.result == "failed").then(|| link.detail.clone())
    }

    /// Verifies and decides with the full evidence.
    fn assess(
        &self,
        policy: &Policy,
        claims: &[Claim],
        restored: RestoredPartition,
        evidence: &[EvidenceItem],
        budget: &Budget,
    ) -> Assessment {
        let is_enforced = policy.verification == VerificationMode::Enforce;
        let RestoredPartition { judged, removed, lossy: _ } = restored;
        let subject = Subject {
            synthesis: &self.report.synthesis,
            second_looks: &self.partition.second_looks,
            second_look_error: self.second_look_error(),
            ..Subject::new(claims, judged, evidence, Origin::Judge)
        };
        let mut assessment = assess(policy, subject, budget);
        let is_repeated = |removed: &Correction| {
            let is_same =
                |new: &Correction| (&new.claim, new.code) == (&removed.claim, removed.code);
            assessment.corrections.iter().any(is_same)
        };
        let removed: Vec<Correction> = removed
            .into_iter()
            .filter(|correction| !is_repeated(correction))
            .map(|correction| match is_enforced {
                true => correction,
                false => Correction { outcome: CorrectionOutcome::Noted, ..correction },
            })
            .collect();
        if policy.verification != VerificationMode::Off {
            assessment.corrections.splice(0..0, removed);
        }
        assessment
    }

    /// Decides on the basis of the recorded verification result.
    fn reassess(
        &self,
        policy: &Policy,
        claims: &[Claim],
        restored: RestoredPartition,
        evidence: &[EvidenceItem],
        budget: &Budget,
    ) -> Assessment {
        let guards = &policy.guards;
        let is_required = guards.min_coverage.is_some() || guards.synthesis_required;
        let recorded_coverage = self.partition.coverage.clone();
        let coverage =
            recorded_coverage.or_else(|| coverage(&self.report.synthesis, claims, &[], budget));
        let partition = RecordedPartition {
            judged: restored.judged,
            verified: self.partition.verified.clone(),
            coverage: coverage.filter(|_| is_required),
            second_look_error: self.second_look_error(),
            evidence,
        };
        reassess(policy, partition)
    }
}

fn with_votes(
    mut claims: Vec<v1::JudgedClaim>,
    recorded_claims: &[v1::JudgedClaim],
) -> Vec<v1::JudgedClaim> {
    let claims_by_id: HashMap<&str, &v1::JudgedClaim> =
        recorded_claims.iter().map(|claim| (claim.id.as_str(), claim)).collect();
    for claim in &mut claims {
        if let Some(recorded) = claims_by_id.get(claim.id.as_str()) {
            claim.considered.clone_from(&recorded.considered);
            claim.votes.clone_from(&recorded.votes);
            claim.agreement = recorded.agreement;
            claim.second_look.clone_from(&recorded.second_look);
            claim.judge.clone_from(&recorded.judge);
        }
    }
    claims
}

fn check_id(id: &str, violations: &mut Violations) {
    let max = ClaimId::MAX_BYTES;
    if id.is_empty() {
        violations
            .add("evaluation_id", "is missing; `gsar ledger list` shows recorded evaluations");
    } else if id.len() > max {
        let length = id.len();
        violations.add("evaluation_id", format!("has {length} bytes; at most {max} are allowed"));
    }
}

fn recorded_decision(answer: &v1::EvaluateResponse) -> v1::RecordedDecision {
    v1::RecordedDecision {
        tier: answer::decision_or_shadow(answer).map_or(0, |decision| decision.tier),
        score: answer.score,
        guarded_score: answer.guarded_score,
        policy: answer.provenance.as_ref().and_then(|provenance| provenance.policy.clone()),
    }
}

fn is_partitioned(answer: &v1::EvaluateResponse) -> bool {
    answer.judge_status() == v1::JudgeStatus::Resolved
        || answer.outcome() == v1::Outcome::Scored
        || !answer.claims.is_empty()
}

/// Returns the response for a report that was not judged. Every policy abstains from deciding on such a report.
fn abstention(
    policy: &Policy,
    answer: v1::EvaluateResponse,
    response: v1::RescoreResponse,
) -> v1::RescoreResponse {
    let decision = answer::decision_or_shadow(&answer).cloned();
    let reasons = decision.as_ref().map(|decision| decision.reasons.as_slice());
    v1::RescoreResponse {
        not_rescored: not_rescored::for_abstention(policy, &answer, reasons.unwrap_or_default()),
        decision,
        abstain_reason: answer.abstain_reason,
        ..response
    }
}
