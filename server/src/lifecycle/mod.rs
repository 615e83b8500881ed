//! Starting, readiness, draining: a configuration becomes an [`App`], which is served until it is asked to stop.
//!
//! Assembly is a value, so that tests start the same object as `main`.

mod admin;
mod app;
mod listen;
mod phase;
mod readiness;
mod reload;

pub use app::{App, StartError};
pub use listen::{Bound, ListenError};
pub use phase::{Phase, PhaseCell};
