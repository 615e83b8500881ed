//! Decides the tier of a partition that the caller supplies. Calls no judge and records nothing.

use gsar_core::assess::{Subject, assess};
use gsar_core::budget::Budget;
use gsar_core::explain::margins;
use gsar_core::undecided::decide_counts;
use gsar_core::{Origin, Policy};
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::{ChosenPolicy, Engine, PolicyUse, answer, named_evidence};
use crate::call::{Call, Step};
use crate::compute_pool::compute;
use crate::telemetry;

enum CheckedPartition {
    Counts(parse::ParsedCounts),
    Judged(parse::ParsedPartition),
}

impl Engine {
    /// Decides the tier of a partition.
    ///
    /// # Errors
    /// The errors of the API contract. A decision is never an error.
    pub async fn score(
        &self,
        call: &Call,
        request: v1::ScoreRequest,
    ) -> Result<v1::ScoreResponse, Status> {
        call.enter(Step::Admit);
        let explain = request.explain;
        let (policy, mut partition, mut gate) = self.check_partition(request)?;
        if let CheckedPartition::Judged(partition) = &mut partition {
            partition.evidence.iter_mut().for_each(|item| call.attestation.attest(item));
            if let Some(gate) = &mut gate {
                named_evidence::resolve_in(gate, &partition.evidence, &policy.policy);
            }
        }
        call.enter(Step::Decide);
        let answer = match partition {
            CheckedPartition::Counts(counts) => score_counts(&policy, &counts, explain),
            CheckedPartition::Judged(partition) => {
                let score = move |budget: &Budget| {
                    score_claims(&policy, partition, gate.as_ref(), explain, budget)
                };
                compute(call, score).await?
            }
        };
        Ok(answer)
    }

    fn check_partition(
        &self,
        request: v1::ScoreRequest,
    ) -> Result<(ChosenPolicy, CheckedPartition, Option<parse::ParsedGate>), Status> {
        let mut violations = Violations::default();
        let policy = self.choose_policy(
            &request.policy,
            request.policy_overrides,
            PolicyUse::Any,
            &mut violations,
        )?;
        let partition = match request.partition {
            Some(v1::score_request::Partition::Counts(counts)) => {
                Some(CheckedPartition::Counts(parse::counts(counts, &mut violations)))
            }
            Some(v1::score_request::Partition::Judged(judged)) => {
                parse::judged_partition(judged, &self.limits, &mut violations)
                    .map(CheckedPartition::Judged)
            }
            None => {
                violations.add("partition", "is missing; expected counts or judged claims");
                None
            }
        };
        let gate =
            request.gate.and_then(|gate| parse::gate_inputs(gate, &self.limits, &mut violations));
        violations
            .finish(policy.zip(partition).map(|(policy, partition)| (policy, partition, gate)))
    }
}

fn score_counts(
    policy: &ChosenPolicy,
    counts: &parse::ParsedCounts,
    explain: bool,
) -> v1::ScoreResponse {
    let parse::ParsedCounts { decided, undecided } = counts;
    let decision = decide_counts(&policy.policy, decided, undecided);
    // There are no margins unless the tier is final.
    let has_margins = explain && undecided.total() == 0;
    let margins =
        has_margins.then(|| render::margins(&margins(&policy.policy, decided, &decision, None)));
    v1::ScoreResponse {
        score: decision.score.map(render::score),
        guarded_score: decision.guarded_score.map(render::score),
        terms: Some(render::terms(&decision.terms, &policy.policy)),
        decision: Some(v1::Decision { margins, ..render::decision(&decision) }),
        policy: Some(policy.applied()),
        is_grounded: decided.is_grounded() && undecided.total() == 0,
        hypothetical: policy.is_hypothetical,
        ..v1::ScoreResponse::default()
    }
}

fn score_claims(
    policy: &ChosenPolicy,
    partition: parse::ParsedPartition,
    gate: Option<&parse::ParsedGate>,
    explain: bool,
    budget: &Budget,
) -> v1::ScoreResponse {
    let parse::ParsedPartition { report, evidence, judged } = partition;
    let claims = if report.claims.is_empty() {
        judged.iter().map(|verdict| verdict.claim.clone()).collect()
    } else {
        report.claims
    };
    let investigation = gate.map(parse::ParsedGate::investigation);
    let subject = Subject {
        synthesis: &report.synthesis,
        investigation: investigation.as_ref(),
        confidence: report.confidence,
        ..Subject::new(&claims, judged, &evidence, Origin::Caller)
    };
    let values: &Policy = &policy.policy;
    let assessment = assess(values, subject, budget);
    let safety = answer::safety(values, &assessment.chain, &assessment.safety, gate);
    telemetry::safety::record_outcomes(
        safety.gate.as_deref(),
        safety.cap.as_deref(),
        safety.action.as_deref(),
        safety.shadow.as_deref(),
    );
    let open_points = answer::open_points(values, &assessment, gate);
    let decision = assessment.decision.clone();
    let rendered_decision = answer::decision(values, &assessment, explain);
    v1::ScoreResponse {
        score: decision.score.map(render::score),
        guarded_score: decision.guarded_score.map(render::score),
        terms: Some(render::terms(&decision.terms, values)),
        decision: Some(rendered_decision),
        corrections: assessment.corrections.iter().map(render::correction).collect(),
        gate: safety.gate,
        chain: safety.chain,
        cap: safety.cap,
        action: safety.action,
        coverage: assessment.findings.coverage.as_ref().map(render::coverage),
        shadow: safety.shadow,
        policy: Some(policy.applied()),
        is_grounded: answer::is_grounded(&assessment),
        verification_needed: !open_points.is_empty(),
        verification_reasons: open_points,
        hypothetical: policy.is_hypothetical,
        claims: answer::claims(values, assessment, explain),
    }
}
