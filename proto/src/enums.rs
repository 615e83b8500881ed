//! Converts enumerations between the contract and the core. Matches are exhaustive on both sides, so that a new variant
//! cannot be missed.

use gsar_core::belief::Label;
use gsar_core::evidence::{EvidenceKind, Lane, VerificationResult};
use gsar_core::policy::VerificationMode;
use gsar_core::report::Reason;
use gsar_core::safety::{Action, GateExit, GateState, HypothesisState, Strength, Verdict};
use gsar_core::second_look;
use gsar_core::verify::CorrectionOutcome;
use gsar_core::{Class, EvidenceType, Role, Tier};

use crate::v1;

/// A core enumeration with a counterpart in the contract.
pub trait Enumeration: Copy + Sized + 'static {
    /// The generated enumeration.
    type Wire;

    /// All values except unspecified, in the order of the contract.
    const ALL: &'static [Self];

    /// Returns the generated value, never unspecified.
    fn wire(self) -> Self::Wire;

    /// Returns the number on the wire, never 0.
    fn number(self) -> i32;

    /// Returns the name in the contract, such as `CLAIM_CLASS_GROUNDED`.
    fn wire_name(self) -> &'static str;

    /// Returns the value with the given number, or `None` if the number is 0 (unspecified) or unknown.
    fn from_number(number: i32) -> Option<Self>;
}

macro_rules! enumeration {
    ($core:ty, $wire:ident { $($variant:ident),+ $(,)? }) => {
        impl Enumeration for $core {
            type Wire = v1::$wire;

            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn wire(self) -> v1::$wire {
                match self {
                    $(Self::$variant => v1::$wire::$variant,)+
                }
            }

            fn number(self) -> i32 {
                i32::from(self.wire())
            }

            fn wire_name(self) -> &'static str {
                self.wire().as_str_name()
            }

            fn from_number(number: i32) -> Option<Self> {
                match v1::$wire::try_from(number).ok()? {
                    v1::$wire::Unspecified => None,
                    $(v1::$wire::$variant => Some(Self::$variant),)+
                }
            }
        }
    };
}

enumeration!(Class, ClaimClass { Grounded, Ungrounded, Contradicted, Complementary });
enumeration!(
    EvidenceType,
    EvidenceType {
        ToolMatch,
        SpecificData,
        SignalMatch,
        ComplementaryFinding,
        Synthesis,
        NegEvidence,
        Inference,
        Domain,
    }
);
enumeration!(
    EvidenceKind,
    EvidenceKind { ToolOutput, StepOutput, Signal, Change, Verification, PriorClaim }
);
enumeration!(
    Lane,
    EvidenceLane {
        Traces,
        Logs,
        Metrics,
        StaticInfra,
        Change,
        Synthetic,
        Verification,
        LlmInferred,
    }
);
enumeration!(VerificationResult, VerificationResult { Passed, Failed });
enumeration!(Role, ClaimRole { RootCause, Impact, RemedyDone, Proposal, Observation });
enumeration!(second_look::SecondLookVerdict, SecondLookVerdict { Shown, NotShown, Refuted });
enumeration!(Tier, Tier { Proceed, Regenerate, Replan, Abstain });
enumeration!(VerificationMode, VerificationMode { Off, Observe, Enforce });
enumeration!(Verdict, Verdict { Supports, Refutes, Inconclusive });
enumeration!(HypothesisState, HypothesisState { Validated, Invalidated, Contested, Inconclusive });
enumeration!(
    GateState,
    GateState { EvidenceSufficient, BudgetExhausted, NoConfidentRootCause, Investigating }
);
enumeration!(Strength, GroundingStrength { Grounded, PartiallyGrounded, Ungrounded });
enumeration!(Label, BeliefLabel { Healthy, Origin, Symptom, Defer });
enumeration!(
    Reason,
    UncoveredReason {
        Markup,
        Marker,
        Label,
        ColumnHeader,
        Title,
        EvidenceLine,
        LinkTarget,
        NotJudged,
    }
);
enumeration!(CorrectionOutcome, CorrectionOutcome { Corrected, Noted });
enumeration!(Action, Action { Notify, Issue, Patch, PullRequest });

/// Converts a gate exit.
#[must_use]
pub const fn gate_exit(exit: GateExit) -> v1::GateExit {
    match exit {
        GateExit::Confident => v1::GateExit::Confident,
        GateExit::NoConfidentRootCause => v1::GateExit::NoConfidentRootCause,
        GateExit::None => v1::GateExit::Unspecified,
    }
}
