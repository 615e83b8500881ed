//! The verdicts on tool results and hypotheses, and the limits on an agent's actions. This module executes nothing.

pub mod action_ladder;
pub mod cap;
pub mod evidence_chain;
pub mod gate;
pub mod hypothesis;
pub mod rollout_modes;
pub mod verdict;

pub use action_ladder::{
    Action, ActionLimit, ActionVerdict, LadderGate, LadderInput, UnverifiedFix, action,
};
pub use cap::{CappedConfidence, Confidence, ConfidenceError, cap};
pub use evidence_chain::{
    Change, ChangeCitation, ChangeKind, EvidenceChain, Investigation, Strength, assemble,
};
pub use gate::{
    GateExit, GateInput, GateOutcome, GateReason, GateState, RootCause, evaluate as evaluate_gate,
};
pub use hypothesis::{
    EvidenceRecord, Hypothesis, HypothesisAssessment, HypothesisId, HypothesisState,
    assess_hypothesis,
};
pub use rollout_modes::{SafetyInput, SafetyOutcome, Shadow, evaluate_safety};
pub use verdict::{ClassifiedVerdict, Expectation, Polarity, Signal, ToolResult, Verdict};
pub use verdict::{classify, summary};
