//! This module holds what verification finds: corrections, each with a stable code, a sentence for a person and what
//! came of it. It makes no check itself.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::claim::{ClaimId, Class, EvidenceType, JudgedClaim};
use crate::policy::{Check, FindingMode, FindingModes, PolicyValues};

/// One thing that verification corrected, or would have corrected, in a judge's partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The claim.
    pub claim: ClaimId,
    /// What was wrong.
    pub code: CorrectionCode,
    /// Class and type before.
    pub from: (Class, EvidenceType),
    /// Class and type after; the same where only a citation was refused.
    pub to: (Class, EvidenceType),
    /// What was wrong, in one sentence for a person.
    pub sentence: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The returned claim carries it.
    Corrected,
    /// The judge was asked, or is to be asked, and has cited nothing that clears it: the claim keeps its class and
    /// blocks proceed.
    Disputed,
    /// The judge was asked and cited words that clear it.
    Cleared,
    /// It is listed and changes nothing.
    Noted,
}

impl Outcome {
    /// The word used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Corrected => "corrected",
            Self::Disputed => "disputed",
            Self::Cleared => "cleared",
            Self::Noted => "noted",
        }
    }
}

/// Whether the judge that gave a partition can be asked about it once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraTurn {
    /// It cannot, or a caller gave the partition: findings that would be asked about are corrected.
    Impossible,
    /// It can: findings to ask about leave the class as it is and block until they are cleared.
    Possible,
}

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
    /// A quote that stands in the cited item but not in the cited field.
    QuoteOutsideField,
    /// A quoted value that is short or frequent in its item, without its field or key.
    QuoteAmbiguous,
    /// A grounded, contradicted or complementary claim without any valid citation.
    NoValidCitation,
    /// Items cited as a whole, where only the words that decide can be checked.
    NothingQuoted,
    /// Citations that hold next to nothing of what the claim says.
    CitationUnrelated,
    /// A claim that rests on a weaker one.
    WeakerSupport,
    /// A type above what the kind of the cited item allows.
    TypeAboveEvidence,
    /// A type above inference on an item that nobody vouches for, or that a model inferred.
    NotAttested,
    /// A hedged claim whose content the evidence does not state.
    Hedged,
    /// A figure that differs from the quoted one of the same attribute.
    FigureConflict,
    /// A figure that the cited items neither hold nor allow to derive.
    FigureNotInEvidence,
    /// A figure or time that the cited items do not state but may allow to derive.
    Derived,
    /// A time that differs from every one of the cited items.
    TimeConflict,
    /// A name, version, address or code that the cited items do not hold.
    NameNotInEvidence,
    /// A name that is a part of another name in the quote.
    NameConflict,
    /// A denial of what the quote states, or the reverse.
    NegationConflict,
    /// An absence without a search or exhaustive item behind it.
    AbsenceNotShown,
    /// A grounded claim that a rule refutes from the cited records.
    RefutedByRule,
    /// A grounded claim of which a second judge finds it unlikely that the evidence shows it.
    SecondOpinion,
    /// A question or a proposal that was called grounded.
    StatesNothing,
    /// A claim that a check passed, or that the incident is over, where the last run of the check failed.
    CheckFailed,
    /// A claim that something was done, where the set of changes is empty.
    NothingChanged,
}

impl CorrectionCode {
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
            Self::NothingQuoted => "NOTHING_QUOTED",
            Self::CitationUnrelated => "CITATION_UNRELATED",
            Self::WeakerSupport => "WEAKER_SUPPORT",
            Self::TypeAboveEvidence => "TYPE_ABOVE_EVIDENCE",
            Self::NotAttested => "NOT_ATTESTED",
            Self::Hedged => "HEDGED",
            Self::FigureConflict => "FIGURE_CONFLICT",
            Self::FigureNotInEvidence => "FIGURE_NOT_IN_EVIDENCE",
            Self::Derived => "DERIVED",
            Self::TimeConflict => "TIME_CONFLICT",
            Self::NameNotInEvidence => "NAME_NOT_IN_EVIDENCE",
            Self::NameConflict => "NAME_CONFLICT",
            Self::NegationConflict => "NEGATION_CONFLICT",
            Self::AbsenceNotShown => "ABSENCE_NOT_SHOWN",
            Self::RefutedByRule => "REFUTED_BY_RULE",
            Self::SecondOpinion => "SECOND_OPINION",
            Self::StatesNothing => "STATES_NOTHING",
            Self::CheckFailed => "CHECK_FAILED",
            Self::NothingChanged => "NOTHING_CHANGED",
        }
    }
}

impl CorrectionCode {
    /// Every code, in the order in which they are declared.
    pub const ALL: [Self; 33] = [
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
        Self::NothingQuoted,
        Self::CitationUnrelated,
        Self::WeakerSupport,
        Self::TypeAboveEvidence,
        Self::NotAttested,
        Self::Hedged,
        Self::FigureConflict,
        Self::FigureNotInEvidence,
        Self::Derived,
        Self::TimeConflict,
        Self::NameNotInEvidence,
        Self::NameConflict,
        Self::NegationConflict,
        Self::AbsenceNotShown,
        Self::RefutedByRule,
        Self::SecondOpinion,
        Self::StatesNothing,
        Self::CheckFailed,
        Self::NothingChanged,
    ];

    /// The code of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }

    /// The check of meaning that finds it; `None` for structure, which is always corrected.
    #[must_use]
    pub const fn check(self) -> Option<Check> {
        match self {
            Self::QuoteOutsideField | Self::QuoteAmbiguous => Some(Check::Citations),
            Self::FigureConflict | Self::FigureNotInEvidence => Some(Check::Figures),
            Self::TimeConflict => Some(Check::Times),
            Self::NegationConflict => Some(Check::Negation),
            Self::NameNotInEvidence | Self::NameConflict => Some(Check::Names),
            Self::CitationUnrelated => Some(Check::Bearing),
            Self::AbsenceNotShown => Some(Check::Absence),
            Self::RefutedByRule => Some(Check::Rules),
            Self::SecondOpinion => Some(Check::SecondOpinion),
            _ => None,
        }
    }
}

/// The corrections found so far, and what a finding does.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) corrections: Vec<Correction>,
    modes: FindingModes,
    turn: ExtraTurn,
    /// The types that claims had before one was lowered.
    lowered: BTreeMap<ClaimId, EvidenceType>,
    /// Findings that count for nothing at the moment.
    cleared: Vec<CorrectionCode>,
}

impl Findings {
    pub(super) const fn new(modes: FindingModes, turn: ExtraTurn) -> Self {
        Self { corrections: Vec::new(), modes, turn, lowered: BTreeMap::new(), cleared: Vec::new() }
    }

    /// Findings that change no class.
    pub(super) fn noting() -> Self {
        Self::new(FindingModes::all(FindingMode::Note), ExtraTurn::Impossible)
    }

    /// The codes of the checks of meaning that found a claim of another class, past the first `corrections`.
    pub(super) fn reclassed_since(&self, corrections: usize) -> Vec<CorrectionCode> {
        let since = self.corrections.get(corrections..).unwrap_or_default();
        since.iter().map(|found| found.code).filter(|code| code.check().is_some()).collect()
    }

    /// Checks while some findings count for nothing.
    pub(super) fn without(&mut self, cleared: Vec<CorrectionCode>, check: impl FnOnce(&mut Self)) {
        self.cleared = cleared;
        check(self);
        self.cleared.clear();
    }

    fn outcome(&self, code: CorrectionCode) -> Outcome {
        match code.check().map(|check| self.modes.of(check)) {
            None | Some(FindingMode::Correct) => Outcome::Corrected,
            Some(FindingMode::Ask) if self.turn == ExtraTurn::Possible => Outcome::Disputed,
            Some(FindingMode::Ask) => Outcome::Corrected,
            Some(FindingMode::Note) => Outcome::Noted,
        }
    }

    /// The claims about which a finding is open.
    pub(super) fn disputed(&self) -> BTreeSet<ClaimId> {
        let open = self.corrections.iter().filter(|found| found.outcome == Outcome::Disputed);
        open.map(|found| found.claim.clone()).collect()
    }

    /// Notes something that leaves class and type as they are.
    pub(super) fn note(&mut self, judged: &JudgedClaim, code: CorrectionCode, sentence: String) {
        let stands = (judged.class, judged.evidence_type);
        self.push(judged.claim.id.clone(), code, (stands, stands), Outcome::Corrected, sentence);
    }

    /// Finds that a supported claim should have a stricter class. It gets that class where the finding corrects. Where
    /// it no longer counts in favour of the report, it has the type with which it came: an unsupported claim of a
    /// lowered type would weigh less.
    pub(super) fn reclass(
        &mut self,
        judged: &mut JudgedClaim,
        code: CorrectionCode,
        class: Class,
        sentence: String,
    ) {
        if self.cleared.contains(&code) {
            return;
        }
        let from = (judged.class, judged.evidence_type);
        let class = judged.class.max(class);
        let supported = matches!(class, Class::Grounded | Class::Complementary);
        let came_as = self.lowered.get(&judged.claim.id).filter(|_| !supported).copied();
        let to = (class, came_as.unwrap_or(judged.evidence_type));
        let outcome = self.outcome(code);
        if outcome == Outcome::Corrected {
            (judged.class, judged.evidence_type) = to;
        }
        self.push(judged.claim.id.clone(), code, (from, to), outcome, sentence);
    }

    /// Lowers the type of a supported claim to at most `ceiling`. Nothing happens where the type is no
    /// higher, or where the policy gives the lower type more weight.
    pub(super) fn retype(
        &mut self,
        policy: &PolicyValues,
        judged: &mut JudgedClaim,
        code: CorrectionCode,
        ceiling: EvidenceType,
        sentence: impl FnOnce() -> String,
    ) {
        let weight = |evidence_type| policy.weights.of(evidence_type);
        let too_high = judged.evidence_type < ceiling;
        if !is_supported(judged) || !too_high || weight(ceiling) > weight(judged.evidence_type) {
            return;
        }
        let from = (judged.class, judged.evidence_type);
        self.lowered.entry(judged.claim.id.clone()).or_insert(judged.evidence_type);
        judged.evidence_type = ceiling;
        let to = (judged.class, ceiling);
        self.push(judged.claim.id.clone(), code, (from, to), Outcome::Corrected, sentence());
    }

    /// Notes a change of class that was made already.
    pub(super) fn note_change(
        &mut self,
        judged: &JudgedClaim,
        code: CorrectionCode,
        from: (Class, EvidenceType),
        sentence: String,
    ) {
        let to = (judged.class, judged.evidence_type);
        self.push(judged.claim.id.clone(), code, (from, to), Outcome::Corrected, sentence);
    }

    fn push(
        &mut self,
        claim: ClaimId,
        code: CorrectionCode,
        (from, to): ((Class, EvidenceType), (Class, EvidenceType)),
        outcome: Outcome,
        sentence: String,
    ) {
        self.corrections.push(Correction { claim, code, from, to, sentence, outcome });
    }
}

/// Whether a claim counts towards the score's numerator.
pub(super) fn is_supported(judged: &JudgedClaim) -> bool {
    matches!(judged.class, Class::Grounded | Class::Complementary)
}
