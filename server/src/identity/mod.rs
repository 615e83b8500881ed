//! Authentication and authorization: identifies the principal of a call by its credentials and checks its rights.
//!
//! If no principals are configured, all callers are the same anonymous principal with every right.

mod admitted_identity;
mod certificate;
mod file;
mod jwt;
mod principal;
mod rights;
mod store;
mod token;

pub use admitted_identity::{AdmissionError, AdmittedIdentity};
pub use principal::{Principal, RateLimitExceeded};
pub use rights::Right;
pub use store::{IdentificationError, IdentityProblem, IdentityStore};
