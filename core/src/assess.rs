//! This module assesses a judged report in the order of the method: verify, count, score and decide, then gate,
//! chain, cap and action.

use crate::budget::Budget;
use crate::claim::{Claim, ClaimId, Class, EvidenceType, JudgedClaim, Role};
use crate::coverage::{Coverage, coverage};
use crate::decision::{Decision, Headline, Origin, TextFindings, Tier, decide_with};
use crate::duplicates::canonical_tally;
use crate::evidence::EvidenceItem;
use crate::fault::CitedSpecialists;
use crate::open_points::unverified_fixes;
use crate::policy::{Policy, Undecided, VerificationMode};
use crate::reason::Reason;
use crate::role;
use crate::safety::gate;
use crate::safety::{
    ChainInput, Change, Confidence, EvidenceChain, GateInput, SettleInput, Settled, Strength,
    UnverifiedFix, assemble, settle,
};
use crate::score::Terms;
use crate::second_look::Reading;
use crate::tally::Tally;
use crate::time::{Timestamp, Window};
use crate::undecided::{Filled, Filling, between};
use crate::verify::{
    Correction, EvidenceSet, Standing, Verified, VerifiedClaim, heaviest_allowed, verify,
};

const NO_INVESTIGATION: GateInput<'static> = GateInput {
    hypotheses: &[],
    wants_to_finish: false,
    turns_used: 0,
    elapsed_micros: 0,
    identical_calls: 0,
    turns_without_evidence: 0,
    suspects: &[],
};

/// A judged report and what is known about its investigation.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The report's text; may be empty.
    pub synthesis: &'a str,
    /// The claims that were to be judged.
    pub claims: &'a [Claim],
    /// What was said of them, after the extra turn where there was one.
    pub judged: Vec<JudgedClaim>,
    /// The partition before the extra turn, where there was one: the tier never becomes better than this one's.
    pub first: Option<Vec<JudgedClaim>>,
    /// The evidence.
    pub evidence: &'a [EvidenceItem],
    /// What a second reader made of claims.
    pub readings: &'a [Reading],
    /// Why claims that were to be read a second time were not; `None` where all were.
    pub unread: Option<String>,
    /// Who made the partition.
    pub origin: Origin,
    /// The investigation behind the report, where there is one.
    pub investigation: Option<&'a Investigation<'a>>,
    /// The report's self-rated confidence.
    pub confidence: Option<Confidence>,
}

/// The investigation behind a report.
#[derive(Clone, Copy, Debug)]
pub struct Investigation<'a> {
    /// Hypotheses and progress.
    pub gate: GateInput<'a>,
    /// The way through the dependency graph to the suspect.
    pub path: &'a [String],
    /// Changes that may have caused the incident.
    pub changes: &'a [Change],
    /// When the incident began.
    pub onset: Option<Timestamp>,
    /// Where a change must lie to be cited.
    pub window: Option<Window>,
}

/// Everything that was found.
#[derive(Debug)]
pub struct Assessment {
    /// The claims as they were counted, in the order of the report.
    pub claims: Vec<VerifiedClaim>,
    /// What verification found.
    pub corrections: Vec<Correction>,
    /// What the decision was taken on.
    pub tally: Tally,
    /// What the words showed.
    pub findings: TextFindings,
    /// The decision.
    pub decision: Decision,
    /// What carries the root cause, where the investigation has hypotheses.
    pub chain: Option<EvidenceChain>,
    /// Gate, cap and action.
    pub settled: Settled,
    /// The claims that say something was fixed and are not grounded in a check that passed, in the order of the
    /// report.
    pub unverified_fixes: Vec<ClaimId>,
    /// The specialists whose evidence the claims at fault cite, as they were judged, each once; empty when the report
    /// may go out.
    pub affected_specialists: Vec<String>,
}

/// Assesses a judged report under a policy. Not to be used where the budget stops it.
#[must_use]
pub fn assess(policy: &Policy, mut subject: Subject<'_>, budget: &Budget) -> Assessment {
    role::by_labels(subject.synthesis, &mut subject.judged);
    let texts: Vec<&str> = subject.evidence.iter().map(|item| item.content.as_str()).collect();
    let evidence_set =
        EvidenceSet::new(subject.evidence).with_readings(subject.readings).within(budget);
    let is_asked_for = policy.guards.min_coverage.is_some() || policy.guards.synthesis_required;
    let coverage = if is_asked_for {
        coverage(subject.synthesis, subject.claims, &texts, budget)
    } else {
        None
    };
    let heaviest = heaviest_allowed(policy, subject.evidence);
    let as_judged =
        AsJudged::of(policy, subject.first.as_ref().unwrap_or(&subject.judged), heaviest);
    let cited = CitedSpecialists::of(&subject.judged, &evidence_set);
    let verified =
        verify(policy.verification, policy, subject.claims, subject.judged, &evidence_set);
    let seen = Seen { coverage, unread: subject.unread };
    let Weighed { tally, findings, decision } =
        weigh(policy, &as_judged, &verified, seen, subject.origin);

    let unverified_fixes = unverified_fixes(&verified.claims, &evidence_set);
    let fix = match unverified_fixes.is_empty() {
        true => UnverifiedFix::Absent,
        false => UnverifiedFix::Claimed,
    };
    let affected_specialists = cited.affected(&decision, &verified.claims);
    let (chain, settled) =
        settled(policy, subject.investigation, subject.confidence, decision.tier, fix);
    Assessment {
        claims: verified.claims,
        corrections: verified.corrections,
        tally,
        findings,
        decision,
        chain,
        settled,
        unverified_fixes,
        affected_specialists,
    }
}

/// What remains when a judge gave no partition: no score, and the reason why.
#[must_use]
pub fn without_partition(
    policy: &Policy,
    reason: Reason,
    investigation: Option<&Investigation<'_>>,
    confidence: Option<Confidence>,
) -> (Decision, Option<EvidenceChain>, Settled) {
    let decision = Decision {
        tier: Tier::Abstain,
        score: None,
        guarded_score: None,
        terms: Terms::default(),
        reasons: vec![reason],
        not_applicable: Vec::new(),
        bounds: None,
    };
    let (chain, settled) =
        settled(policy, investigation, confidence, Tier::Abstain, UnverifiedFix::Absent);
    (decision, chain, settled)
}

/// A partition that was counted, and what came of it.
pub(crate) struct Weighed {
    pub(crate) tally: Tally,
    pub(crate) findings: TextFindings,
    pub(crate) decision: Decision,
}

/// A judge's own partition, counted with each filling of its undecided claims.
pub(crate) struct AsJudged {
    /// The heaviest type that the evidence allows, by which undecided claims count.
    heaviest: EvidenceType,
    worst: (Tally, u32),
    /// `None` where every claim is decided.
    best: Option<(Tally, u32)>,
    /// The number of undecided claims.
    undecided: u64,
}

impl AsJudged {
    pub(crate) fn of(policy: &Policy, judged: &[JudgedClaim], heaviest: EvidenceType) -> Self {
        let count = |filling| {
            let filled = Filled { filling, evidence_type: heaviest };
            counted(policy, filled, judged.iter().map(|judged| (judged, Standing::AsJudged)))
        };
        let undecided = match policy.undecided {
            Undecided::Bounds => judged.iter().filter(|said| said.undecided.is_some()).count(),
            Undecided::Ungrounded => 0,
        };
        Self {
            heaviest,
            worst: count(Filling::Worst),
            best: (undecided > 0).then(|| count(Filling::Best)),
            undecided: undecided as u64,
        }
    }

    fn with(&self, filling: Filling) -> &(Tally, u32) {
        match filling {
            Filling::Worst => &self.worst,
            Filling::Best => self.best.as_ref().unwrap_or(&self.worst),
        }
    }
}

/// What was seen of a report beside its partition.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) coverage: Option<Coverage>,
    pub(crate) unread: Option<String>,
}

/// The root causes and remedies that are not grounded.
fn headline(policy: &Policy, filled: Filled, claims: &[VerifiedClaim]) -> Headline {
    let is_grounded = |said: &JudgedClaim| filled.counts(policy, said).0 == Class::Grounded;
    let ids = |role: Role| {
        let of_role = claims.iter().map(|claim| &claim.judged).filter(|said| said.role == role);
        let open = of_role.filter(|said| !is_grounded(said));
        open.map(|said| said.claim.id.clone()).collect()
    };
    let is_other = |said: &JudgedClaim| {
        is_grounded(said) && !matches!(said.role, Role::RootCause | Role::RemedyDone)
    };
    Headline {
        root_causes: ids(Role::RootCause),
        remedies: ids(Role::RemedyDone),
        has_others: claims.iter().any(|claim| is_other(&claim.judged)),
    }
}

/// Decides a verified partition; never better than the judge's own one. Where claims are undecided, the decision is what
/// their worst and their best have in common.
pub(crate) fn weigh(
    policy: &Policy,
    as_judged: &AsJudged,
    verified: &Verified,
    seen: Seen,
    origin: Origin,
) -> Weighed {
    if as_judged.undecided == 0 {
        return weigh_filled(policy, as_judged, verified, seen, origin, Filling::Worst);
    }
    let with = |filling| weigh_filled(policy, as_judged, verified, seen.clone(), origin, filling);
    let (worst, best) = (with(Filling::Worst), with(Filling::Best));
    let (decision, filling) = between(&worst.decision, &best.decision, as_judged.undecided);
    let weighed = match filling {
        Filling::Worst => worst,
        Filling::Best => best,
    };
    Weighed { decision, ..weighed }
}

fn weigh_filled(
    policy: &Policy,
    as_judged: &AsJudged,
    verified: &Verified,
    Seen { coverage, unread }: Seen,
    origin: Origin,
    filling: Filling,
) -> Weighed {
    let filled = Filled { filling, evidence_type: as_judged.heaviest };
    let as_judged = as_judged.with(filling);
    let enforced =
        policy.verification == VerificationMode::Enforce && !verified.corrections.is_empty();
    let (tally, duplicates) = if enforced {
        let claims = verified.claims.iter().map(|claim| (&claim.judged, claim.standing));
        counted(policy, filled, claims)
    } else {
        *as_judged
    };
    let headline = headline(policy, filled, &verified.claims);
    let findings = TextFindings { coverage, duplicates, headline, unread };
    let mut decision = decide_with(policy, &tally, origin, Some(&findings));
    if enforced {
        never_better(policy, as_judged, origin, &findings, &mut decision);
    }
    Weighed { tally, findings, decision }
}

fn counted<'a>(
    policy: &Policy,
    filled: Filled,
    claims: impl Iterator<Item = (&'a JudgedClaim, Standing)>,
) -> (Tally, u32) {
    let claims = claims.map(|(judged, standing)| {
        let (class, evidence_type) = filled.counts(policy, judged);
        (judged.claim.text.as_str(), class, evidence_type, standing)
    });
    let (tally, merges) = canonical_tally(claims, policy);
    let set_aside = merges.iter().map(|merge| merge.set_aside).sum();
    (tally, set_aside)
}

/// Holds a verified decision to the tier of the judge's own partition.
fn never_better(
    policy: &Policy,
    (tally, duplicates): &(Tally, u32),
    origin: Origin,
    findings: &TextFindings,
    decision: &mut Decision,
) {
    let findings = TextFindings { duplicates: *duplicates, ..findings.clone() };
    let before = decide_with(policy, tally, origin, Some(&findings)).tier;
    if before > decision.tier {
        decision.tier = before;
        decision.reasons.push(Reason::VerificationKeepsTier { before });
    }
}

pub(crate) fn settled(
    policy: &Policy,
    investigation: Option<&Investigation<'_>>,
    confidence: Option<Confidence>,
    tier: Tier,
    unverified_fix: UnverifiedFix,
) -> (Option<EvidenceChain>, Settled) {
    let with_hypotheses =
        investigation.filter(|investigation| !investigation.gate.hypotheses.is_empty());
    let chain = with_hypotheses.map(|investigation| chain(policy, investigation));
    let strength = chain.as_ref().map_or(Strength::Ungrounded, |chain| chain.strength);
    let gate = investigation.map_or(NO_INVESTIGATION, |investigation| investigation.gate);
    let input = SettleInput { gate, strength, confidence, tier, unverified_fix };
    (chain, settle(policy, &input))
}

/// The evidence chain of the hypothesis that the gate holds to be the cause.
#[must_use]
pub fn chain(policy: &Policy, investigation: &Investigation<'_>) -> EvidenceChain {
    let outcome = gate::evaluate(&policy.gate, &investigation.gate);
    let hypotheses = investigation.gate.hypotheses;
    let root_cause = outcome.root_cause.as_ref().and_then(|cause| hypotheses.get(cause.index));
    assemble(&ChainInput {
        path: investigation.path,
        root_cause,
        changes: investigation.changes,
        onset: investigation.onset,
        window: investigation.window,
    })
}
