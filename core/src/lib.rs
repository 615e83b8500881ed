//! The rules that decide whether an incident report may be sent.
//!
//! From a report's claims, a judge's verdicts on them and the evidence, this crate verifies the partition ([`verify`]),
//! computes an exact score ([`score`]), applies the guards and decides ([`decide`]), and determines which action an agent
//! may take ([`safety`]).
//!
//! It does no I/O, reads no clock and runs no model, and no floating-point number takes part in a decision.
//!
//! ```
//! use gsar_core::{Class, EvidenceType, Origin, Preset, Tally, decide, preset};
//!
//! let mut tally = Tally::default();
//! tally.add(Class::Grounded, EvidenceType::ToolMatch, 4);
//! tally.add(Class::Ungrounded, EvidenceType::ToolMatch, 1);
//! let decision = decide(&preset(Preset::Paper), &tally, Origin::Caller, None);
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
mod ids;
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
pub mod sheets;
pub mod split;
pub mod tally;
#[cfg(test)]
mod testing;
mod tier;
pub mod time;
pub mod undecided;
pub mod verify;

pub use gsar_extraction::{budget, report, text};

pub use claim::{Claim, Class, EvidenceType, JudgedClaim, Leaning, Role};
pub use decision::{Decision, Guard, Headline, Origin, TextFindings, decide};
pub use ids::{ClaimId, IdError};
pub use policy::{Policy, Preset, preset};
pub use reason::Reason;
pub use tally::Tally;
pub use tier::Tier;
