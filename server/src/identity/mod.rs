//! This module says who calls: which principal a call comes from by what it presents, and what that principal may do. It
//! reads the file of principals and the keys of tokens, and looks at no message.
//!
//! Where no principals are configured, everybody who can connect is the same caller and may do everything.

mod certificate;
mod file;
mod jwt;
mod principal;
mod right;
mod standing;
mod store;
mod token;

pub use certificate::PeerCertificate;
pub use principal::{Principal, TooFast};
pub use right::Right;
pub use standing::{NotAdmitted, Standing};
pub use store::{IdentityProblem, IdentityStore, Unidentified};
