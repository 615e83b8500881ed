//! The gRPC services: decode, check, call, encode. They contain no rules.
//!
//! Every call passes [`admission`] first. Errors come from [`crate::errors`].

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
