//! This crate holds the rules by which an incident report may go out.
//!
//! Given a report's claims, what a judge says of them and the evidence, this crate verifies the
//! partition ([`verify`]), scores it exactly ([`score`]), applies the guards and decides ([`decide`]),
//! and settles what an agent may do about it ([`safety`]).
//!
//! It never reads a clock, a file, a socket or the environment, never runs a model, and no floating-point number takes
//! part in a decision.
//!
//! ```
//! use gsar_core::{Class, EvidenceType, Preset, Tally, decide, preset};
//!
//! let mut tally = Tally::default();
//! tally.add(Class::Grounded, EvidenceType::ToolMatch, 4);
//! tally.add(Class::Ungrounded, EvidenceType::ToolMatch, 1);
//! let decision = decide(&preset(Preset::Paper), &tally);
//! assert_eq!(decision.tier.name(), "proceed");
//! ```

pub mod assess;
pub mod belief;
pub mod check;
mod claim;
pub mod context;
pub mod coverage;
pub mod decision;
pub mod duplicates;
mod escapes;
pub mod evidence;
pub mod explain;
mod fault;
pub mod fixed;
pub mod open_points;
pub mod outer_loop;
pub mod own_report;
pub mod policy;
pub mod ranking;
mod reason;
pub mod reassess;
pub mod role;
pub mod safety;
pub mod score;
pub mod second_look;
pub mod split;
pub mod tally;
#[cfg(test)]
mod testing;
pub mod time;
pub mod undecided;
pub mod verify;

pub use gsar_extraction::{budget, report, text};

pub use claim::{Claim, ClaimId, Class, EvidenceType, IdError, JudgedClaim, Leaning, Role};
pub use decision::{Decision, Guard, Headline, Origin, TextFindings, Tier, decide, decide_with};
pub use policy::{Policy, Preset, preset};
pub use reason::Reason;
pub use tally::Tally;
