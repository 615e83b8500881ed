//! The codes of corrections, including those of earlier versions.

/// The code of a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CorrectionCode {
    /// The judge returned a claim that the report does not have.
    UnknownClaim,
    /// The judge returned a claim more than once; the strictest verdict counts.
    DuplicateClaim,
    /// The judge changed the text or span of a claim.
    AlteredClaim,
    /// The judge omitted a claim.
    ClaimDropped,
    /// A citation of an item that the evidence does not have.
    UnknownEvidence,
    /// A citation of a field that the item does not have.
    UnknownField,
    /// A citation of a claim that the report does not have.
    UnknownReference,
    /// A claim that cites itself.
    SelfCitation,
    /// Claims that rest on each other in a cycle.
    CitationCycle,
    /// A quote that the cited item does not contain.
    QuoteNotFound,
    /// A quote that exactly one other item contains instead of the cited one; the citation is moved there.
    QuoteMoved,
    /// A quote that the cited item contains but the cited field does not; the pointer is dropped.
    QuoteOutsideField,
    /// A quoted value that is short or frequent in its item, without its field or key.
    QuoteAmbiguous,
    /// A grounded, contradicted or complementary claim without a valid citation.
    NoValidCitation,
    /// A claim that its quotes do not show, according to the second reader.
    NotShown,
    /// A claim that its quotes refute, according to the second reader.
    Refuted,
    /// A claim that rests on a weaker one.
    WeakerSupport,
    /// A type above what the kind of the cited item allows.
    TypeAboveEvidence,
    /// A type above inference for an item that is not attested, or that a model inferred.
    NotAttested,
    /// A question or proposal that was judged grounded.
    StatesNothing,
    /// A claim that a check passed, or that the incident is over, although the last run of the check failed.
    CheckFailed,
    /// A claim that something was done, although the set of changes is empty.
    NothingChanged,
    /// A code that only earlier versions used; it occurs only in old records.
    Retired(&'static str),
}

/// The names of [`CorrectionCode::Retired`].
const RETIRED: [&str; 13] = [
    "NOTHING_QUOTED",
    "CITATION_UNRELATED",
    "HEDGED",
    "FIGURE_CONFLICT",
    "FIGURE_NOT_IN_EVIDENCE",
    "DERIVED",
    "TIME_CONFLICT",
    "NAME_NOT_IN_EVIDENCE",
    "NAME_CONFLICT",
    "NEGATION_CONFLICT",
    "ABSENCE_NOT_SHOWN",
    "REFUTED_BY_RULE",
    "SECOND_OPINION",
];

impl CorrectionCode {
    /// Every code that this version uses, in declaration order.
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

    /// The stable name, in upper snake case.
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
            Self::Retired(name) => name,
        }
    }

    /// Returns the code with this name, including retired ones.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let retired = || RETIRED.into_iter().find(|known| *known == name).map(Self::Retired);
        Self::ALL.into_iter().find(|code| code.name() == name).or_else(retired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip_through_their_names() {
        for code in CorrectionCode::ALL {
            assert_eq!(CorrectionCode::from_name(code.name()), Some(code));
            assert!(!RETIRED.contains(&code.name()));
        }
        for name in RETIRED {
            let code = CorrectionCode::from_name(name).unwrap();
            assert_eq!((code, code.name()), (CorrectionCode::Retired(name), name));
        }
        assert_eq!(CorrectionCode::from_name("FIGURE"), None);
    }
}
