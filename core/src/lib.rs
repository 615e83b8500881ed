//! The rules that decide whether an incident report may be sent.
//!
//! This crate verifies a judge's verdicts on a report's claims ([`verify`]), computes an exact score ([`score`]),
//! decides the tier ([`decide`]) and determines the actions that an agent may take ([`safety`]).
//!
//! It does no I/O, reads no clock, runs no model, and uses no floating point in decisions.
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
pub mod claim_role;
pub mod context;
pub mod coverage;
pub mod duplicates;
mod escapes;
pub mod evidence;
pub mod explain;
mod fault;
pub mod fixed_point;
mod ids;
pub mod open_points;
pub mod outer_loop;
pub mod own_report;
pub mod policy;
pub mod ranking;
mod reason;
pub mod reassess;
pub mod safety;
pub mod score;
pub mod second_look;
pub mod second_look_input;
pub mod split_report;
pub mod tally;
#[cfg(test)]
mod testing;
mod tier;
pub mod tier_decision;
pub mod time;
pub mod undecided;
pub mod verify;

#[doc(hidden)]
pub use gsar_extraction::names;
pub use gsar_extraction::{budget, report, text};

pub use claim::{Claim, Class, EvidenceType, JudgedClaim, Leaning, Role};
pub use ids::{ClaimId, IdError};
pub use policy::{Policy, Preset, preset};
pub use reason::Reason;
pub use tally::Tally;
pub use tier::Tier;
pub use tier_decision::{Decision, Guard, Headline, Origin, TextFindings, decide};
