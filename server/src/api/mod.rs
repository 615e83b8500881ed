//! The gRPC services, which parse requests, call the engine and render responses.

mod admission;
mod evaluate_stream;
mod evidence;
mod export;
mod gate;
mod grades;
mod grounding;
mod investigation;
mod ledger;
mod method_rights;
mod permits;
mod policy;
mod services;

pub use admission::AdmissionLayer;
pub(crate) use permits::Permits;
pub use services::{clear_health, routes, set_health};
