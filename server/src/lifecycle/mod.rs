//! Starts, runs and drains the server. This is the composition root, the only module that depends on all
//! others. Tests start the same [`App`] as `main`.

mod accept;
mod admin;
mod app;
mod http;
mod listen;
mod listeners;
mod passed_sockets;
mod readiness;
mod reload;
mod running;
mod service_manager;

pub use app::{App, StartError};
pub use listen::{Bound, ListenError};
pub use passed_sockets::PassedError;
pub use service_manager::ServiceManager;
