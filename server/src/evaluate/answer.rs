//! Renders assessments as parts of a response.

use std::collections::HashMap;

use gsar_core::assess::Assessment;
use gsar_core::explain::{Impact, Margin, RemedyStep, impact, margins};
use gsar_core::fixed_point::Fraction;
use gsar_core::policy::{DecisionRollout, Policy};
use gsar_core::safety::{EvidenceChain, SafetyOutcome};
use gsar_core::second_look::SecondLookResult;
use gsar_core::tally::Group;
use gsar_core::verify::{VerdictStatus, VerifiedClaim};
use gsar_core::{Claim, ClaimId, Class, Tier};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::parse::ParsedGate;
use gsar_proto::{render, v1};
use metrics::counter;

use crate::judge::Votes;
use crate::telemetry::metrics as names;

pub(crate) fn claims(
    policy: &Policy,
    assessment: Assessment,
    explain: bool,
) -> Vec<v1::JudgedClaim> {
    let Assessment { claims, tally, findings, .. } = assessment;
    // All claims in a group have the same impact.
    let mut impacts: HashMap<Group, Impact> = HashMap::new();
    let mut group_impact = |group| {
        let compute = || impact(policy, &tally, group, Some(&findings));
        render::impact(impacts.entry(group).or_insert_with(compute))
    };
    let claim = |claim: VerifiedClaim| {
        let has_impact = explain && claim.judged.undecided.is_none();
        v1::JudgedClaim {
            impact: has_impact.then(|| group_impact(group(&claim))),
            ..render::judged_claim(claim.judged)
        }
    };
    claims.into_iter().map(claim).collect()
}

/// Returns `true` if all claims are decided, at least one is grounded and none is contradicted.
pub(super) fn is_grounded(assessment: &Assessment) -> bool {
    let is_decided = |claim: &VerifiedClaim| claim.judged.undecided.is_none();
    assessment.tally.is_grounded() && assessment.claims.iter().all(is_decided)
}

pub(super) fn attach_considered(
    claims: &mut [v1::JudgedClaim],
    judged_claims: &[Claim],
    considered: Vec<Vec<String>>,
) {
    let ids = judged_claims.iter().map(|claim| claim.id.as_str());
    let mut lines_by_claim: HashMap<&str, Vec<String>> = ids.zip(considered).collect();
    for claim in claims {
        claim.considered = lines_by_claim.remove(claim.id.as_str()).unwrap_or_default();
    }
}

pub(super) fn attach_judges(claims: &mut [v1::JudgedClaim], judges: HashMap<ClaimId, String>) {
    let judges: HashMap<&str, &String> =
        judges.iter().map(|(claim, judge)| (claim.as_str(), judge)).collect();
    for claim in claims {
        claim.judge =
            judges.get(claim.id.as_str()).map(|judge| (*judge).clone()).unwrap_or_default();
    }
}

pub(super) fn attach_votes(claims: &mut [v1::JudgedClaim], votes: &[Votes]) {
    let mut votes: HashMap<&str, &Votes> =
        votes.iter().map(|votes| (votes.claim.as_str(), votes)).collect();
    for claim in claims {
        let Some(votes) = votes.remove(claim.id.as_str()) else { continue };
        let (agreeing, total) = votes.agreement();
        let share = |weight: u64| {
            Fraction::new(weight.into(), total.into()).map_or(0.0, |share| share.to_f64())
        };
        claim.agreement = (total > 0).then(|| share(agreeing));
        claim.votes = votes
            .votes
            .iter()
            .map(|vote| v1::Vote {
                judge: vote.judge.clone(),
                sample: vote.sample,
                class: render::class(vote.class).into(),
                share: share(vote.weight),
                note: vote.note.clone(),
            })
            .collect();
    }
}

pub(super) fn attach_second_looks(
    claims: &mut [v1::JudgedClaim],
    second_looks: &[SecondLookResult],
) {
    let second_looks: HashMap<&str, &SecondLookResult> =
        second_looks.iter().map(|result| (result.claim.as_str(), result)).collect();
    for claim in claims {
        let result = second_looks.get(claim.id.as_str());
        claim.second_look = result.map(|result| render::second_look(result));
    }
}

fn group(claim: &VerifiedClaim) -> Group {
    let (class, evidence_type) = (claim.judged.class, claim.judged.evidence_type);
    match claim.status {
        VerdictStatus::AsJudged => Group::Class(class, evidence_type),
        VerdictStatus::UnverifiedContradiction => Group::UnverifiedContradiction(evidence_type),
        VerdictStatus::Dropped => Group::Dropped,
    }
}

pub(crate) fn decision(policy: &Policy, assessment: &Assessment, explain: bool) -> v1::Decision {
    let decision = &assessment.decision;
    let margins = explain.then(|| {
        let margins = margins(policy, &assessment.tally, decision, Some(&assessment.findings));
        let mut rendered = render::margins(&margins);
        for (margin, message) in
            [(&margins.better, &mut rendered.better), (&margins.worse, &mut rendered.worse)]
        {
            if let (Some(margin), Some(message)) = (margin, message) {
                message.claim_ids = claim_ids(margin, &assessment.claims);
            }
        }
        rendered
    });
    v1::Decision { margins, ..render::assessed_decision(assessment) }
}

pub(super) fn open_points(
    policy: &Policy,
    assessment: &Assessment,
    gate: Option<&ParsedGate>,
) -> Vec<v1::Reason> {
    let hypotheses = gate.map(|gate| gate.hypotheses.as_slice()).unwrap_or_default();
    let points = gsar_core::open_points::open_points(assessment, hypotheses, policy);
    points.iter().map(render::open_point).collect()
}

/// Returns the IDs of the claims that would have to change to make up the margin, in report order.
fn claim_ids(margin: &Margin, claims: &[VerifiedClaim]) -> Vec<String> {
    let mut remaining: Vec<RemedyStep> = margin.changes.clone();
    let mut ids = Vec::new();
    for claim in claims {
        if claim.judged.undecided.is_some() {
            continue;
        }
        let change =
            remaining.iter_mut().find(|change| change.group == group(claim) && change.count > 0);
        if let Some(change) = change {
            change.count -= 1;
            ids.push(claim.judged.claim.id.to_string());
        }
    }
    ids
}

#[derive(Debug, Default)]
pub(super) struct RenderedSafety {
    pub(super) gate: Option<Box<v1::GateVerdict>>,
    pub(super) chain: Option<Box<v1::EvidenceChain>>,
    pub(super) cap: Option<Box<v1::CapVerdict>>,
    pub(super) action: Option<Box<v1::ActionVerdict>>,
    pub(super) shadow: Option<Box<v1::Shadow>>,
}

pub(super) fn safety(
    policy: &Policy,
    chain: &Option<EvidenceChain>,
    outcome: &SafetyOutcome,
    gate: Option<&ParsedGate>,
) -> RenderedSafety {
    let (hypotheses, changes) = gate
        .map(|gate| (gate.hypotheses.as_slice(), gate.change_records.as_slice()))
        .unwrap_or_default();
    let verdict = |gate| render::gate_verdict(gate, hypotheses, &policy.gate);
    let shadow = v1::Shadow {
        gate: outcome.shadow.gate.as_ref().map(verdict),
        cap: outcome.shadow.cap.map(render::cap_verdict),
        action: outcome.shadow.action.as_ref().map(render::action_verdict),
        decision: None,
    };
    RenderedSafety {
        gate: outcome.gate.as_ref().map(verdict).map(Box::new),
        chain: chain.clone().map(|chain| Box::new(render::evidence_chain(chain, changes))),
        cap: outcome.cap.map(render::cap_verdict).map(Box::new),
        action: outcome.action.as_ref().map(render::action_verdict).map(Box::new),
        shadow: (shadow != v1::Shadow::default()).then(|| Box::new(shadow)),
    }
}

/// If decisions are in shadow mode, moves the decision to `shadow` and returns a Proceed decision instead.
pub(super) fn apply_rollout(
    policy: &Policy,
    decision: v1::Decision,
    shadow: &mut Option<Box<v1::Shadow>>,
) -> v1::Decision {
    if policy.rollout.decision == DecisionRollout::Active {
        return decision;
    }
    let tier = Tier::from_number(decision.tier).map_or("nothing", Tier::name);
    let sentence = format!("decisions are in shadow mode: {tier} was decided but has no effect");
    shadow.get_or_insert_default().decision = Some(decision);
    v1::Decision {
        tier: v1::Tier::Proceed.into(),
        reasons: vec![render::reason("DECISION_IN_SHADOW", sentence)],
        in_shadow: true,
        ..v1::Decision::default()
    }
}

pub(crate) fn decision_or_shadow(answer: &v1::EvaluateResponse) -> Option<&v1::Decision> {
    let shadow_decision = answer.shadow.as_ref().and_then(|shadow| shadow.decision.as_ref());
    shadow_decision.or(answer.decision.as_ref())
}

pub(super) fn count_decision(policy: &Policy, decision: Option<&v1::Decision>) {
    let Some(decision) = decision else { return };
    let tier = decision.tier().as_str_name();
    if policy.rollout.decision == DecisionRollout::Shadow {
        let policy = policy.name.clone();
        counter!(names::SHADOW_DECISIONS, "tier" => tier, "policy" => policy).increment(1);
        return;
    }
    counter!(names::DECISIONS, "tier" => tier, "policy" => policy.name.clone()).increment(1);
    for reason in &decision.reasons {
        counter!(names::REASONS, "code" => reason.code.clone()).increment(1);
    }
}

pub(super) fn count_claims(assessment: &Assessment) {
    let class_name = |claim: &VerifiedClaim| match claim.judged.undecided {
        Some(_) => "undecided",
        None => claim.judged.class.name(),
    };
    for class in Class::ALL.map(Class::name).into_iter().chain(["undecided"]) {
        let count = assessment.claims.iter().filter(|claim| class_name(claim) == class).count();
        if count > 0 {
            counter!(names::CLAIMS, "class" => class).increment(count as u64);
        }
    }
    for claim in &assessment.claims {
        let class = claim.judged.class.name();
        for rule in &claim.judged.rules {
            counter!(names::RULES, "rule" => rule.clone(), "class" => class).increment(1);
        }
    }
    for correction in &assessment.corrections {
        counter!(names::CORRECTIONS, "code" => correction.code.name()).increment(1);
    }
}
