//! This module holds the gRPC services: decode, check, call, encode. It has no rules.
//!
//! Every call of the contract passes [`admission`] first; whatever goes wrong is answered by [`crate::errors`].

mod admission;
mod evaluate_stream;
mod evidence;
mod export;
mod gate;
mod grades;
mod grounding;
mod investigation;
mod ledger;
mod permits;
mod policy;
mod services;

pub use admission::AdmissionLayer;
pub(crate) use permits::Permits;
pub use services::{clear_health, routes, set_health};
