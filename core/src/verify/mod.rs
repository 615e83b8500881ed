//! This module verifies a partition against the evidence: no verdict of a judge is accepted unchecked.
//!
//! The checks run in this order, each in its own file:
//!
//! | check | finds | effect |
//! |---|---|---|
//! | `ids` | unknown, duplicate, altered and dropped claims | refused, strictest, restored, ungrounded and blocking |
//! | `resolve`, `quotes` | citations that do not resolve, quotes that are not there, circles | the citation is taken away |
//! | `resolve` | quotes beside the cited field, values that could be of anything | ungrounded |
//! | `kinds` | questions and proposals called grounded | complementary; what they propose is compared with nothing |
//! | `actions` | a check whose last run failed called passed, an empty set of changes called done | contradicted |
//! | `citations` | grounded, contradicted or complementary without a valid citation | ungrounded; a contradiction goes on blocking |
//! | `names` | names that the evidence lacks | ungrounded |
//! | `absence` | an absence nobody looked for | ungrounded |
//! | `siblings` | quotes about a sibling of what the claim names | ungrounded |
//! | `bearing` | items without words, citations of something else | ungrounded |
//! | `negation`, `figures`, `times` | disagreement between claim and evidence | ungrounded, contradicted or a lower type; see `agreement` |
//! | `rules` | cited records of which a rule says that they refute the claim | contradicted |
//! | `opinion` | claims that a second judge finds hardly likely to be shown | ungrounded |
//! | `types` | types above what the cited items allow | a lower type |
//! | `references` | claims that rest on weaker claims | held to the weakest |
//!
//! Structure (`ids`, `resolve`, `references`, `quotes`, `citations`, `actions`) always corrects. What a finding of meaning does is the policy's
//! choice per check: it corrects, asks the judge once more (`turn`), or is noted.
//!
//! What is found of a part of a sentence is weighed against the whole of it (`fragments`).
//!
//! Nothing here makes a claim count for more: classes become stricter, types of supported claims lighter.

mod absence;
mod actions;
mod agreement;
mod attributes;
mod bearing;
mod citations;
mod context;
mod corrections;
mod derivable;
mod documents;
mod escapes;
mod evidence_set;
mod figures;
mod fragments;
mod ids;
mod json;
mod kinds;
mod minutes;
mod names;
mod negation;
mod numbers;
mod opinion;
mod quotes;
mod references;
mod resolve;
mod rules;
mod siblings;
mod spelling;
mod times;
mod turn;
mod types;
mod undo;
mod wording;

use alloc::string::String;
use alloc::vec::Vec;

pub use corrections::{Correction, CorrectionCode, ExtraTurn, Outcome};
pub use evidence_set::EvidenceSet;
pub use opinion::Opinion;
pub use references::claim_cycle;
pub use spelling::holds_spelled;
pub(crate) use turn::settled as settled_findings;
pub use turn::{Objection, after_turn, objections};
pub use undo::{AskedAgain, Undone, undo};

use actions::Executed;
use agreement::Cited;
use corrections::{Findings, is_supported};
use evidence_set::Sources;
use fragments::{Sentence, Sentences};
use resolve::Source;

use crate::claim::{Claim, JudgedClaim};
use crate::evidence::Target;
use crate::policy::{PolicyValues, VerificationMode};
use crate::report::ClaimKind;
use crate::text::figures::figures as figures_of;

/// How a verified claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// In the class and type it has.
    AsJudged,
    /// Judged contradicted, with citations that failed: counts as ungrounded at max(1, rho) times its
    /// weight, and still blocks.
    UnverifiedContradiction,
    /// Given, but missing from the judge's answer: counts as ungrounded at max(1, rho) times the largest
    /// weight, and blocks.
    Dropped,
}

/// A claim after verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedClaim {
    /// The claim with the class, type and citations it now has.
    pub judged: JudgedClaim,
    /// How it stands.
    pub standing: Standing,
    /// Whether a finding about it is open, which blocks proceed.
    pub disputed: bool,
}

/// What verification made of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// When enforced, one for each given claim in their order; else what the judge said.
    pub claims: Vec<VerifiedClaim>,
    /// What was found, in the order of the checks.
    pub corrections: Vec<Correction>,
}

/// Checks what was said of the given claims against the evidence, by a judge that cannot be asked once more.
///
/// [`VerificationMode::Off`] checks nothing. [`VerificationMode::Observe`] lists the corrections and
/// returns the claims as judged. [`VerificationMode::Enforce`] returns them corrected.
#[must_use]
pub fn verify(
    mode: VerificationMode,
    policy: &PolicyValues,
    given: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> Verified {
    verify_with(mode, policy, ExtraTurn::Impossible, given, judged, evidence_set)
}

/// As [`verify`], for a judge that may be asked once more: see [`ExtraTurn`].
#[must_use]
pub fn verify_with(
    mode: VerificationMode,
    policy: &PolicyValues,
    turn: ExtraTurn,
    given: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> Verified {
    match mode {
        VerificationMode::Off => Verified { claims: as_judged(judged), corrections: Vec::new() },
        VerificationMode::Observe => {
            let mut observed = enforce(policy, turn, given, judged.clone(), evidence_set);
            for correction in &mut observed.corrections {
                correction.outcome = Outcome::Noted;
            }
            Verified { claims: as_judged(judged), corrections: observed.corrections }
        }
        VerificationMode::Enforce => enforce(policy, turn, given, judged, evidence_set),
    }
}

fn as_judged(judged: Vec<JudgedClaim>) -> Vec<VerifiedClaim> {
    let stands = |judged| VerifiedClaim { judged, standing: Standing::AsJudged, disputed: false };
    judged.into_iter().map(stands).collect()
}

fn enforce(
    policy: &PolicyValues,
    turn: ExtraTurn,
    given: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> Verified {
    let mut findings = Findings::new(policy.findings, turn);
    let mut sources = Sources::new(evidence_set);
    let mut claims = ids::match_claims(policy, given, judged, &mut findings);
    let texts = texts_of_cited_claims(&claims);
    let points_at =
        resolve::check_citations(&mut claims, &texts, evidence_set, &mut sources, &mut findings);
    let executed = Executed::of(evidence_set);
    for claim in claims.iter_mut().filter(|claim| claim.standing != Standing::Dropped) {
        citations::check(claim, &mut findings);
        kinds::check(claim, &mut findings);
        executed.check(claim, evidence_set, &mut findings);
    }
    let sentences = Sentences::of(&claims, &points_at, &sources);
    for (place, (claim, points_at)) in claims.iter_mut().zip(&points_at).enumerate() {
        if is_supported(&claim.judged) {
            let cited = (points_at.as_slice(), texts.as_slice());
            let sentence = sentences.around(place);
            check_support(policy, claim, cited, sentence, &mut sources, &mut findings);
            opinion::check(&mut claim.judged, evidence_set.opinions(), &mut findings);
        }
    }
    references::hold_to_weakest(policy, &mut claims, &points_at, &mut findings);
    let disputed = findings.disputed();
    for claim in &mut claims {
        claim.disputed = disputed.contains(&claim.judged.claim.id);
    }
    Verified { claims, corrections: findings.corrections }
}

/// Compares a supported claim with what it cites.
fn check_support(
    policy: &PolicyValues,
    claim: &mut VerifiedClaim,
    (points_at, texts): (&[Source], &[String]),
    sentence: Option<&Sentence<'_>>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    let citations = core::mem::take(&mut claim.judged.citations);
    let cited = Cited::of(&citations, points_at, texts, sources);
    // What a question asks and what a proposal proposes is compared with nothing.
    if ClaimKind::of(&claim.judged.claim.text) == ClaimKind::Statement {
        let (before, found_before) = (claim.judged.clone(), findings.corrections.len());
        check_meaning(policy, &mut claim.judged, &cited, sources, findings);
        let found = findings.reclassed_since(found_before);
        if let Some(sentence) = sentence.filter(|_| !found.is_empty()) {
            let cleared = sentence.clears(&found, policy, &before, &cited, texts, sources);
            if !cleared.is_empty() {
                claim.judged = before;
                findings.corrections.truncate(found_before);
                findings.without(cleared, |findings| {
                    check_meaning(policy, &mut claim.judged, &cited, sources, findings);
                });
            }
        }
        rules::check(&mut claim.judged, &citations, points_at, sources, findings);
    }
    types::check(policy, &mut claim.judged, points_at, &cited, sources, findings);
    claim.judged.citations = citations;
}

/// The checks of meaning.
fn check_meaning(
    policy: &PolicyValues,
    judged: &mut JudgedClaim,
    cited: &Cited<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) {
    let claimed = figures_of(&judged.claim.text);
    names::check(judged, &claimed, cited, sources, findings);
    siblings::check(judged, cited, sources, findings);
    absence::check(policy, judged, cited, sources, findings);
    bearing::check(judged, &claimed, cited, sources, findings);
    negation::check(judged, cited, findings);
    figures::check(policy, judged, &claimed, cited, sources, findings);
}

/// The words of every claim where any claim cites another; nothing otherwise.
fn texts_of_cited_claims(claims: &[VerifiedClaim]) -> Vec<String> {
    let cites_claims = claims.iter().any(|claim| {
        claim.judged.citations.iter().any(|citation| matches!(citation.target, Target::Claim(_)))
    });
    if cites_claims {
        claims.iter().map(|claim| claim.judged.claim.text.clone()).collect()
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;
