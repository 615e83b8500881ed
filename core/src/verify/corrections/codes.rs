//! The codes of corrections.

/// The code of a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CorrectionCode {
    /// The judge returned a claim that is not in the report.
    UnknownClaim,
    /// The judge returned a claim more than once.
    DuplicateClaim,
    /// The judge changed the text or span of a claim.
    AlteredClaim,
    /// The judge omitted a claim.
    ClaimDropped,
    /// A cited item is not in the evidence.
    UnknownEvidence,
    /// A cited field is not in the item.
    UnknownField,
    /// A cited claim is not in the report.
    UnknownReference,
    /// A claim cites itself.
    SelfCitation,
    /// Claims cite each other in a cycle.
    CitationCycle,
    /// A quote is not in the cited item.
    QuoteNotFound,
    /// A quote is in exactly one other item, to which the citation was moved.
    QuoteMoved,
    /// A quote is outside the cited field, and the pointer was dropped.
    QuoteOutsideField,
    /// A quote is a short or frequent value without its field or key.
    QuoteAmbiguous,
    /// A grounded, contradicted or complementary claim has no valid citation.
    NoValidCitation,
    /// A claim is not shown by its quotes, according to the second look.
    NotShown,
    /// A claim is refuted by its quotes, according to the second look.
    Refuted,
    /// A claim cites a weaker claim.
    WeakerSupport,
    /// The evidence type is above that of the cited items.
    TypeAboveEvidence,
    /// The cited item is unattested or inferred.
    NotAttested,
    /// A question or proposal was judged grounded.
    StatesNothing,
    /// A check was reported as passed, or the incident as over, but the last run of the check failed.
    CheckFailed,
    /// An action was reported, but the set of changes is empty.
    NothingChanged,
}

impl CorrectionCode {
    /// Every code, in declaration order.
    pub const ALL: [Self; 22] = [
        Self::UnknownClaim,
        Self::DuplicateClaim,
        Self::AlteredClaim,
        Self::ClaimDropped,
        Self::UnknownEvidence,
        Self::UnknownField,
        Self::UnknownReference,
        Self::SelfCitation,
        Self::CitationCycle,
        Self::QuoteNotFound,
        Self::QuoteMoved,
        Self::QuoteOutsideField,
        Self::QuoteAmbiguous,
        Self::NoValidCitation,
        Self::NotShown,
        Self::Refuted,
        Self::WeakerSupport,
        Self::TypeAboveEvidence,
        Self::NotAttested,
        Self::StatesNothing,
        Self::CheckFailed,
        Self::NothingChanged,
    ];

    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownClaim => "UNKNOWN_CLAIM",
            Self::DuplicateClaim => "DUPLICATE_CLAIM",
            Self::AlteredClaim => "ALTERED_CLAIM",
            Self::ClaimDropped => "CLAIM_DROPPED",
            Self::UnknownEvidence => "UNKNOWN_EVIDENCE",
            Self::UnknownField => "UNKNOWN_FIELD",
            Self::UnknownReference => "UNKNOWN_REFERENCE",
            Self::SelfCitation => "SELF_CITATION",
            Self::CitationCycle => "CITATION_CYCLE",
            Self::QuoteNotFound => "QUOTE_NOT_FOUND",
            Self::QuoteMoved => "QUOTE_MOVED",
            Self::QuoteOutsideField => "QUOTE_OUTSIDE_FIELD",
            Self::QuoteAmbiguous => "QUOTE_AMBIGUOUS",
            Self::NoValidCitation => "NO_VALID_CITATION",
            Self::NotShown => "NOT_SHOWN",
            Self::Refuted => "REFUTED",
            Self::WeakerSupport => "WEAKER_SUPPORT",
            Self::TypeAboveEvidence => "TYPE_ABOVE_EVIDENCE",
            Self::NotAttested => "NOT_ATTESTED",
            Self::StatesNothing => "STATES_NOTHING",
            Self::CheckFailed => "CHECK_FAILED",
            Self::NothingChanged => "NOTHING_CHANGED",
        }
    }

    /// Returns the code with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip_through_their_names() {
        for code in CorrectionCode::ALL {
            assert_eq!(CorrectionCode::from_name(code.name()), Some(code));
        }
        assert_eq!(CorrectionCode::from_name("FIGURE"), None);
    }
}
