//! Assesses a judged report: verifies the partition, decides the tier and applies the safety rules.

use crate::budget::Budget;
use crate::claim::{Claim, Class, EvidenceType, JudgedClaim, Role};
use crate::claim_role;
use crate::coverage::{Coverage, coverage};
use crate::duplicates::{Keys, canonical_tally};
use crate::evidence::{EvidenceItem, Target};
use crate::fault::CitedSpecialists;
use crate::ids::ClaimId;
use crate::policy::{Policy, Undecided, VerificationMode};
use crate::reason::Reason;
pub use crate::safety::Investigation;
use crate::safety::gate;
use crate::safety::{
    Confidence, EvidenceChain, GateInput, SafetyInput, SafetyOutcome, Strength, UnverifiedFix,
    assemble, evaluate_safety,
};
use crate::score::ScoreTerms;
use crate::second_look::SecondLookResult;
use crate::tally::Tally;
use crate::text::polarity;
use crate::tier::Tier;
use crate::tier_decision::{Decision, Headline, Origin, TextFindings, decide};
use crate::undecided::{AssumedVerdict, Assumption, combine};
use crate::verify::{
    Correction, EvidenceSet, VerdictStatus, VerifiedClaim, VerifiedPartition, heaviest_allowed,
    verify,
};

/// A judged report with its evidence and investigation.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The report's text; may be empty.
    pub synthesis: &'a str,
    /// The claims submitted for judgement.
    pub claims: &'a [Claim],
    /// The judge's verdicts, after the follow-up request if there was one.
    pub judged: Vec<JudgedClaim>,
    /// The partition before the follow-up request, if any. The tier is never better than this partition's.
    pub before_follow_up: Option<Vec<JudgedClaim>>,
    /// The evidence.
    pub evidence: &'a [EvidenceItem],
    /// The verdicts from the second look.
    pub second_looks: &'a [SecondLookResult],
    /// The error of the second look, if the second look at some claims failed.
    pub second_look_error: Option<String>,
    /// Who created the partition.
    pub origin: Origin,
    /// The investigation behind the report, if any.
    pub investigation: Option<&'a Investigation<'a>>,
    /// The report's self-rated confidence.
    pub confidence: Option<Confidence>,
}

impl<'a> Subject<'a> {
    /// Creates a subject without a text, second looks, an investigation or a confidence.
    #[must_use]
    pub fn new(
        claims: &'a [Claim],
        judged: Vec<JudgedClaim>,
        evidence: &'a [EvidenceItem],
        origin: Origin,
    ) -> Self {
        Self {
            synthesis: "",
            claims,
            judged,
            before_follow_up: None,
            evidence,
            second_looks: &[],
            second_look_error: None,
            origin,
            investigation: None,
            confidence: None,
        }
    }
}

/// The result of assessing a report.
#[derive(Debug)]
pub struct Assessment {
    /// The claims with the verdicts that were counted, in the order of the report.
    pub claims: Vec<VerifiedClaim>,
    /// The corrections that verification made or noted.
    pub corrections: Vec<Correction>,
    /// The counts on which the decision is based.
    pub tally: Tally,
    /// The findings from the report's text.
    pub findings: TextFindings,
    /// The decision.
    pub decision: Decision,
    /// The evidence chain behind the root cause, if the investigation has hypotheses.
    pub chain: Option<EvidenceChain>,
    /// The results of the gate, the cap and the action ladder.
    pub safety: SafetyOutcome,
    /// The claims that report a fix without citing a passed check, in report order.
    pub unverified_fixes: Vec<ClaimId>,
    /// The distinct specialists cited by claims at fault; empty if the report may be sent.
    pub affected_specialists: Vec<String>,
}

/// Assesses a judged report under a policy. Discard the result if the budget is exceeded.
#[must_use]
pub fn assess(policy: &Policy, mut subject: Subject<'_>, budget: &Budget) -> Assessment {
    claim_role::assign_root_causes(subject.synthesis, &mut subject.judged);
    let texts: Vec<&str> = subject.evidence.iter().map(|item| item.content.as_str()).collect();
    let evidence_set = EvidenceSet::new(subject.evidence)
        .with_second_looks(subject.second_looks)
        .with_budget(budget);
    let needs_coverage = policy.guards.min_coverage.is_some() || policy.guards.synthesis_required;
    let coverage = if needs_coverage {
        coverage(subject.synthesis, subject.claims, &texts, budget)
    } else {
        None
    };
    let heaviest = heaviest_allowed(policy, subject.evidence);
    let as_judged = JudgedTallies::new(
        policy,
        subject.before_follow_up.as_ref().unwrap_or(&subject.judged),
        heaviest,
    );
    let cited_specialists = CitedSpecialists::new(&subject.judged, &evidence_set);
    let verified =
        verify(policy.verification, policy, subject.claims, subject.judged, &evidence_set);
    let context = ReportContext { coverage, second_look_error: subject.second_look_error };
    let PartitionDecision { tally, findings, decision } =
        decide_partition(policy, &as_judged, &verified, context, subject.origin);

    let unverified_fixes = unverified_fixes(&verified.claims, &evidence_set);
    let fix = match unverified_fixes.is_empty() {
        true => UnverifiedFix::Absent,
        false => UnverifiedFix::Claimed,
    };
    let affected_specialists = cited_specialists.affected(&decision, &verified.claims);
    let (chain, safety) =
        chain_and_safety(policy, subject.investigation, subject.confidence, decision.tier, fix);
    Assessment {
        claims: verified.claims,
        corrections: verified.corrections,
        tally,
        findings,
        decision,
        chain,
        safety,
        unverified_fixes,
        affected_specialists,
    }
}

fn unverified_fixes(claims: &[VerifiedClaim], evidence_set: &EvidenceSet<'_>) -> Vec<ClaimId> {
    let has_passed_check = |judged: &JudgedClaim| {
        judged.class == Class::Grounded
            && judged.citations.iter().any(|citation| match &citation.target {
                Target::Evidence { id, .. } => {
                    evidence_set.item(id).is_some_and(|item| item.is_passed_check())
                }
                Target::Claim(_) => false,
            })
    };
    let is_unverified = |judged: &&JudgedClaim| {
        judged.evidence_type != EvidenceType::NegEvidence
            && polarity::action_done(&judged.claim.text).is_some()
            && !has_passed_check(judged)
    };
    let judged = claims.iter().map(|claim| &claim.judged).filter(is_unverified);
    judged.map(|judged| judged.claim.id.clone()).collect()
}

/// Returns an abstention without a score, for the case that the judge returned no partition.
#[must_use]
pub fn without_partition(
    policy: &Policy,
    reason: Reason,
    investigation: Option<&Investigation<'_>>,
    confidence: Option<Confidence>,
) -> (Decision, Option<EvidenceChain>, SafetyOutcome) {
    let decision = Decision {
        tier: Tier::Abstain,
        score: None,
        guarded_score: None,
        terms: ScoreTerms::default(),
        reasons: vec![reason],
        not_applicable: Vec::new(),
        bounds: None,
    };
    let (chain, safety) =
        chain_and_safety(policy, investigation, confidence, Tier::Abstain, UnverifiedFix::Absent);
    (decision, chain, safety)
}

pub(crate) struct PartitionDecision {
    pub(crate) tally: Tally,
    pub(crate) findings: TextFindings,
    pub(crate) decision: Decision,
}

/// The counts of the judge's own partition under each assumption about its undecided claims.
pub(crate) struct JudgedTallies {
    /// The heaviest evidence type that the evidence allows. It is assumed for undecided claims.
    heaviest: EvidenceType,
    worst: (Tally, u32),
    /// `None` if every claim is decided.
    best: Option<(Tally, u32)>,
    undecided: u64,
}

impl JudgedTallies {
    pub(crate) fn new(policy: &Policy, judged: &[JudgedClaim], heaviest: EvidenceType) -> Self {
        let keys = Keys::new(judged.iter().map(|judged| judged.claim.text.as_str()), policy);
        let count = |assumption| {
            let assumed_verdict = AssumedVerdict { assumption, evidence_type: heaviest };
            count_claims(
                policy,
                assumed_verdict,
                &keys,
                judged.iter().map(|judged| (judged, VerdictStatus::AsJudged)),
            )
        };
        let undecided = match policy.undecided {
            Undecided::Bounds => judged.iter().filter(|judged| judged.undecided.is_some()).count(),
            Undecided::Ungrounded => 0,
        };
        Self {
            heaviest,
            worst: count(Assumption::Worst),
            best: (undecided > 0).then(|| count(Assumption::Best)),
            undecided: undecided as u64,
        }
    }

    fn counts(&self, assumption: Assumption) -> &(Tally, u32) {
        match assumption {
            Assumption::Worst => &self.worst,
            Assumption::Best => self.best.as_ref().unwrap_or(&self.worst),
        }
    }
}

#[derive(Clone)]
pub(crate) struct ReportContext {
    pub(crate) coverage: Option<Coverage>,
    pub(crate) second_look_error: Option<String>,
}

fn headline(
    policy: &Policy,
    assumed_verdict: AssumedVerdict,
    claims: &[VerifiedClaim],
) -> Headline {
    let is_grounded =
        |judged: &JudgedClaim| assumed_verdict.class_and_type(policy, judged).0 == Class::Grounded;
    let ids = |role: Role| {
        let with_role =
            claims.iter().map(|claim| &claim.judged).filter(|judged| judged.role == role);
        let not_grounded = with_role.filter(|judged| !is_grounded(judged));
        not_grounded.map(|judged| judged.claim.id.clone()).collect()
    };
    let is_other_grounded_claim = |judged: &JudgedClaim| {
        is_grounded(judged) && !matches!(judged.role, Role::RootCause | Role::RemedyDone)
    };
    Headline {
        root_causes: ids(Role::RootCause),
        remedies: ids(Role::RemedyDone),
        has_others: claims.iter().any(|claim| is_other_grounded_claim(&claim.judged)),
    }
}

/// Decides the tier of a verified partition. The tier is never better than that of the judge's own partition.
pub(crate) fn decide_partition(
    policy: &Policy,
    as_judged: &JudgedTallies,
    verified: &VerifiedPartition,
    context: ReportContext,
    origin: Origin,
) -> PartitionDecision {
    if as_judged.undecided == 0 {
        return decide_assuming(policy, as_judged, verified, context, origin, Assumption::Worst);
    }
    let decide = |assumption| {
        decide_assuming(policy, as_judged, verified, context.clone(), origin, assumption)
    };
    let (worst, best) = (decide(Assumption::Worst), decide(Assumption::Best));
    let (decision, assumption) = combine(&worst.decision, &best.decision, as_judged.undecided);
    let outcome = match assumption {
        Assumption::Worst => worst,
        Assumption::Best => best,
    };
    PartitionDecision { decision, ..outcome }
}

fn decide_assuming(
    policy: &Policy,
    as_judged: &JudgedTallies,
    verified: &VerifiedPartition,
    ReportContext { coverage, second_look_error }: ReportContext,
    origin: Origin,
    assumption: Assumption,
) -> PartitionDecision {
    let assumed_verdict = AssumedVerdict { assumption, evidence_type: as_judged.heaviest };
    let as_judged = as_judged.counts(assumption);
    let enforced =
        policy.verification == VerificationMode::Enforce && !verified.corrections.is_empty();
    let (tally, duplicates) = if enforced {
        let texts = verified.claims.iter().map(|claim| claim.judged.claim.text.as_str());
        let claims = verified.claims.iter().map(|claim| (&claim.judged, claim.status));
        count_claims(policy, assumed_verdict, &Keys::new(texts, policy), claims)
    } else {
        *as_judged
    };
    let headline = headline(policy, assumed_verdict, &verified.claims);
    let findings = TextFindings { coverage, duplicates, headline, second_look_error };
    let mut decision = decide(policy, &tally, origin, Some(&findings));
    if enforced {
        enforce_judged_tier(policy, as_judged, origin, &findings, &mut decision);
    }
    PartitionDecision { tally, findings, decision }
}

fn count_claims<'a>(
    policy: &Policy,
    assumed_verdict: AssumedVerdict,
    keys: &Keys,
    claims: impl Iterator<Item = (&'a JudgedClaim, VerdictStatus)>,
) -> (Tally, u32) {
    let claims = claims.map(|(judged, status)| {
        let (class, evidence_type) = assumed_verdict.class_and_type(policy, judged);
        (class, evidence_type, status)
    });
    let (tally, merges) = canonical_tally(keys, claims, policy);
    let set_aside = merges.iter().map(|merge| merge.set_aside).sum();
    (tally, set_aside)
}

/// Makes the tier as strict as that of the judge's own partition if verification made it more lenient.
fn enforce_judged_tier(
    policy: &Policy,
    (tally, duplicates): &(Tally, u32),
    origin: Origin,
    findings: &TextFindings,
    decision: &mut Decision,
) {
    let findings = TextFindings { duplicates: *duplicates, ..findings.clone() };
    let before = decide(policy, tally, origin, Some(&findings)).tier;
    if before > decision.tier {
        decision.tier = before;
        decision.reasons.push(Reason::VerificationKeepsTier { before });
    }
}

pub(crate) fn chain_and_safety(
    policy: &Policy,
    investigation: Option<&Investigation<'_>>,
    confidence: Option<Confidence>,
    tier: Tier,
    unverified_fix: UnverifiedFix,
) -> (Option<EvidenceChain>, SafetyOutcome) {
    let gate = investigation.map(|investigation| finish_without_hypotheses(investigation.gate));
    let with_hypotheses =
        investigation.filter(|investigation| !investigation.gate.hypotheses.is_empty());
    let chain = with_hypotheses.map(|investigation| chain(policy, investigation));
    let strength = chain.as_ref().map_or(Strength::Ungrounded, |chain| chain.strength);
    let input = SafetyInput { gate, strength, confidence, tier, unverified_fix };
    (chain, evaluate_safety(policy, &input))
}

/// Treats a report on an investigation without hypotheses as a request to finish.
fn finish_without_hypotheses(gate: GateInput<'_>) -> GateInput<'_> {
    GateInput { wants_to_finish: gate.wants_to_finish || gate.hypotheses.is_empty(), ..gate }
}

/// Returns the evidence chain for the root cause that the gate identified.
#[must_use]
pub fn chain(policy: &Policy, investigation: &Investigation<'_>) -> EvidenceChain {
    let outcome = gate::evaluate(&policy.gate, &investigation.gate);
    let hypotheses = investigation.gate.hypotheses;
    let root_cause = outcome.root_cause.as_ref().and_then(|cause| hypotheses.get(cause.index));
    assemble(root_cause, investigation)
}
