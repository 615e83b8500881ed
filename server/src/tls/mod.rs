//! TLS for the listeners: the server certificate, client authentication and concurrent handshakes.

mod files;
mod handshakes;
mod store;

pub use files::TlsProblem;
pub use handshakes::incoming;
pub use store::TlsStore;
