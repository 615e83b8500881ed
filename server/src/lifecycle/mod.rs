//! Starting, readiness, draining: a configuration becomes an [`App`], which is served until it is asked to stop.
//!
//! Assembly is a value, so that tests start the same object as `main`.

mod accept;
mod admin;
mod app;
mod http;
mod listen;
mod passed;
mod phase;
mod readiness;
mod reload;
mod service_manager;

pub use app::{App, StartError};
pub use listen::{Bound, ListenError};
pub use passed::PassedError;
pub use phase::{Phase, PhaseCell};
pub use service_manager::ServiceManager;
