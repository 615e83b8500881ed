//! This module holds the rules outside the score: verdicts of tool results, hypotheses, gate, evidence chain, cap and
//! action ladder.
//!
//! Each module settles one question and knows nothing of the ones after it; [`rollout`] runs gate, cap
//! and ladder in order. Nothing here reads a clock, does I/O, runs a model or merges and executes
//! anything: the highest action is a pull request that a person merges.

pub mod cap;
pub mod chain;
pub mod gate;
pub mod hypothesis;
pub mod ladder;
pub mod rollout;
pub mod verdict;

pub use cap::{Capped, Confidence, ConfidenceError, cap};
pub use chain::{ChainInput, Change, ChangeCitation, EvidenceChain, Strength, assemble};
pub use gate::{
    GateExit, GateInput, GateOutcome, GateReason, GateState, RootCause, evaluate as evaluate_gate,
};
pub use hypothesis::{
    Admitted, Assessment, EvidenceRecord, Hypothesis, HypothesisId, HypothesisState, admit, assess,
};
pub use ladder::{Action, ActionVerdict, Hold, LadderInput, UnverifiedFix, action};
pub use rollout::{Rolled, SettleInput, Settled, Shadow, roll, settle};
pub use verdict::{ClassifiedVerdict, Expectation, Polarity, Signal, ToolResult, Verdict};
pub use verdict::{classify, summary};
