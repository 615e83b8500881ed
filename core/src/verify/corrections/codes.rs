//! This module names what verification finds, and what earlier versions found.

/// What a correction is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CorrectionCode {
    /// The judge spoke of a claim that the report does not have.
    UnknownClaim,
    /// The judge gave a claim more than once; the strictest counts.
    DuplicateClaim,
    /// The judge changed the words or the place of a claim.
    AlteredClaim,
    /// The judge left a claim out.
    ClaimDropped,
    /// A citation of an item that the evidence does not have.
    UnknownEvidence,
    /// A citation of a field that the item does not have.
    UnknownField,
    /// A citation of a claim that the report does not have.
    UnknownReference,
    /// A claim that cites itself.
    SelfCitation,
    /// Claims that rest on each other in a circle.
    CitationCycle,
    /// A quote that the cited item does not contain.
    QuoteNotFound,
    /// A quote that the cited item does not contain but exactly one other does; the citation is now of that one.
    QuoteMoved,
    /// A quote that stands in the cited item but not in the cited field; the pointer is dropped.
    QuoteOutsideField,
    /// A quoted value that is short or frequent in its item, without its field or key.
    QuoteAmbiguous,
    /// A grounded, contradicted or complementary claim without any valid citation.
    NoValidCitation,
    /// A claim that a second reader does not find shown by its quotes.
    NotShown,
    /// A claim that a second reader finds refuted by its quotes.
    Refuted,
    /// A claim that rests on a weaker one.
    WeakerSupport,
    /// A type above what the kind of the cited item allows.
    TypeAboveEvidence,
    /// A type above inference on an item that nobody vouches for, or that a model inferred.
    NotAttested,
    /// A question or a proposal that was called grounded.
    StatesNothing,
    /// A claim that a check passed, or that the incident is over, where the last run of the check failed.
    CheckFailed,
    /// A claim that something was done, where the set of changes is empty.
    NothingChanged,
    /// What earlier versions found and this one does not look for: it stands in old records alone.
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
    /// Every code that this version gives, in the order in which they are declared.
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

    /// The code of that name, retired ones among them.
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
    fn every_code_is_found_by_its_name_and_retired_ones_are_given_no_more() {
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
