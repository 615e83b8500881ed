//! The verdict on a report.

use gsar_core::fixed_point::Fraction;
use gsar_core::{Class, Tier};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

/// The sidecar's verdict on a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict(v1::EvaluateResponse);

impl Verdict {
    pub(crate) const fn new(answer: v1::EvaluateResponse) -> Self {
        Self(answer)
    }

    /// Returns `true` if the report may be sent. Always `true` if the policy is in shadow mode.
    #[must_use]
    pub fn may_proceed(&self) -> bool {
        let in_shadow = self.0.decision.as_ref().is_some_and(|decision| decision.in_shadow);
        in_shadow || (self.0.outcome() != v1::Outcome::Failed && self.tier() == Some(Tier::Proceed))
    }

    /// Returns the computed tier, even if it is not enforced. `None` if it is absent or unknown to this client.
    #[must_use]
    pub fn tier(&self) -> Option<Tier> {
        let shadow = self.0.shadow.as_ref().and_then(|shadow| shadow.decision.as_ref());
        Tier::from_number(shadow.or(self.0.decision.as_ref())?.tier)
    }

    /// Returns the published score, from 0 to 1, as an exact fraction. `None` if no claim was scored.
    #[must_use]
    pub fn score(&self) -> Option<Fraction> {
        let score = self.0.score.as_ref()?;
        Fraction::new(score.numerator.into(), score.denominator.into())
    }

    /// Returns the claims as scored.
    pub fn claims(&self) -> impl Iterator<Item = ClaimVerdict<'_>> {
        self.0.claims.iter().map(ClaimVerdict)
    }

    /// Returns the claims that are contradicted or ungrounded.
    pub fn faults(&self) -> impl Iterator<Item = ClaimVerdict<'_>> {
        self.claims()
            .filter(|claim| matches!(claim.class(), Some(Class::Contradicted | Class::Ungrounded)))
    }

    /// Returns the reasons for the decision, each as a stable code and a sentence.
    pub fn reasons(&self) -> impl Iterator<Item = (&str, &str)> {
        let reasons = self.0.decision.iter().flat_map(|decision| &decision.reasons);
        reasons.map(|reason| (reason.code.as_str(), reason.sentence.as_str()))
    }

    /// Returns the underlying response, with the explanation, the evaluation's id and everything else.
    #[must_use]
    pub const fn answer(&self) -> &v1::EvaluateResponse {
        &self.0
    }
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimVerdict<'v>(&'v v1::JudgedClaim);

impl<'v> ClaimVerdict<'v> {
    /// Returns the claim's text.
    #[must_use]
    pub fn text(&self) -> &'v str {
        &self.0.text
    }

    /// Returns the claim's class, or `None` if it is unknown to this client.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        Class::from_number(self.0.class)
    }

    /// Returns the deciding quotes, each as the evidence item's id and the quoted text.
    pub fn quotes(&self) -> impl Iterator<Item = (&'v str, &'v str)> {
        let citations = self.0.citations.iter();
        citations.map(|citation| (citation.evidence_id.as_str(), citation.quote.as_str()))
    }
}
