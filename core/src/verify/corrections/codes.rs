//! The codes of corrections.

use crate::names;

/// The code of a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CorrectionCode {
    /// The judge returned a claim that is not in the report.
    UnknownClaim,
    /// The judge returned a claim more than once.
    DuplicateClaim,
    /// The judge changed the text or the span of a claim.
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
    /// According to the second look, the quotes do not show the claim.
    NotShown,
    /// According to the second look, the quotes refute the claim.
    Refuted,
    /// A claim cites a weaker claim.
    WeakerSupport,
    /// The evidence type is higher than the cited items allow.
    TypeAboveEvidence,
    /// The cited items are not attested, or are inferred.
    NotAttested,
    /// A question or proposal was judged grounded.
    StatesNothing,
    /// The claim reports that a check passed or that the incident is over, but the last run of a check failed.
    CheckFailed,
    /// The claim reports an action, but the change set is empty.
    NothingChanged,
}

names!(CorrectionCode {
    UnknownClaim => "UNKNOWN_CLAIM",
    DuplicateClaim => "DUPLICATE_CLAIM",
    AlteredClaim => "ALTERED_CLAIM",
    ClaimDropped => "CLAIM_DROPPED",
    UnknownEvidence => "UNKNOWN_EVIDENCE",
    UnknownField => "UNKNOWN_FIELD",
    UnknownReference => "UNKNOWN_REFERENCE",
    SelfCitation => "SELF_CITATION",
    CitationCycle => "CITATION_CYCLE",
    QuoteNotFound => "QUOTE_NOT_FOUND",
    QuoteMoved => "QUOTE_MOVED",
    QuoteOutsideField => "QUOTE_OUTSIDE_FIELD",
    QuoteAmbiguous => "QUOTE_AMBIGUOUS",
    NoValidCitation => "NO_VALID_CITATION",
    NotShown => "NOT_SHOWN",
    Refuted => "REFUTED",
    WeakerSupport => "WEAKER_SUPPORT",
    TypeAboveEvidence => "TYPE_ABOVE_EVIDENCE",
    NotAttested => "NOT_ATTESTED",
    StatesNothing => "STATES_NOTHING",
    CheckFailed => "CHECK_FAILED",
    NothingChanged => "NOTHING_CHANGED",
}, from_name);

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
