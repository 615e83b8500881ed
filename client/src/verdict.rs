//! This module is what a sidecar says of a report, in the types of the core. It decides nothing.

use gsar_core::fixed::Fraction;
use gsar_core::{Class, EvidenceType, Tier};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

/// What a sidecar says of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict(v1::EvaluateResponse);

impl Verdict {
    pub(crate) const fn new(answer: v1::EvaluateResponse) -> Self {
        Self(answer)
    }

    /// Whether it may go out: it proceeds, or its policy decides in shadow and holds nothing back.
    #[must_use]
    pub fn may_go_out(&self) -> bool {
        let in_shadow = self.0.decision.as_ref().is_some_and(|decision| decision.in_shadow);
        in_shadow || (self.0.outcome() != v1::Outcome::Failed && self.tier() == Some(Tier::Proceed))
    }

    /// The decision, whether or not it governs; `None` where there is none of a tier that this client knows.
    #[must_use]
    pub fn tier(&self) -> Option<Tier> {
        let shadow = self.0.shadow.as_ref().and_then(|shadow| shadow.decision.as_ref());
        Tier::from_number(shadow.or(self.0.decision.as_ref())?.tier)
    }

    /// The score as published, 0 to 1, exact; `None` where no claim counts or no judge answered.
    #[must_use]
    pub fn score(&self) -> Option<Fraction> {
        let score = self.0.score.as_ref()?;
        Fraction::new(score.numerator.into(), score.denominator.into())
    }

    /// Every claim as it was counted.
    pub fn claims(&self) -> impl Iterator<Item = ClaimVerdict<'_>> {
        self.0.claims.iter().map(ClaimVerdict)
    }

    /// The claims that are not borne out: contradicted, or ungrounded.
    pub fn faults(&self) -> impl Iterator<Item = ClaimVerdict<'_>> {
        self.claims()
            .filter(|claim| matches!(claim.class(), Some(Class::Contradicted | Class::Ungrounded)))
    }

    /// Why it was decided so: a stable code and a sentence for each reason.
    pub fn reasons(&self) -> impl Iterator<Item = (&str, &str)> {
        let reasons = self.0.decision.iter().flat_map(|decision| &decision.reasons);
        reasons.map(|reason| (reason.code.as_str(), reason.sentence.as_str()))
    }

    /// What the judge says to the one who rewrites the report; may be empty.
    #[must_use]
    pub fn explanation(&self) -> &str {
        &self.0.explanation
    }

    /// The id of the evaluation in the ledger.
    #[must_use]
    pub fn evaluation_id(&self) -> &str {
        &self.0.evaluation_id
    }

    /// The whole answer, as the contract has it.
    #[must_use]
    pub const fn answer(&self) -> &v1::EvaluateResponse {
        &self.0
    }
}

/// What is said of one claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimVerdict<'v>(&'v v1::JudgedClaim);

impl<'v> ClaimVerdict<'v> {
    /// The id of the claim in the report.
    #[must_use]
    pub fn id(&self) -> &'v str {
        &self.0.id
    }

    /// What it states.
    #[must_use]
    pub fn text(&self) -> &'v str {
        &self.0.text
    }

    /// How the evidence bears on it; `None` for a class that this client does not know.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        Class::from_number(self.0.class)
    }

    /// By which kind of evidence.
    #[must_use]
    pub fn evidence_type(&self) -> Option<EvidenceType> {
        EvidenceType::from_number(self.0.r#type)
    }

    /// The words of the evidence that decide it: the id of the item, and the quote.
    pub fn quotes(&self) -> impl Iterator<Item = (&'v str, &'v str)> {
        let citations = self.0.citations.iter();
        citations.map(|citation| (citation.evidence_id.as_str(), citation.quote.as_str()))
    }
}
