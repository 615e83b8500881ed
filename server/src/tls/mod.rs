//! TLS of the listeners: the server's certificate, client authentication, and handshakes that do not block other
//! connections.
//!

mod connection;
mod files;
mod handshakes;
mod store;

pub use connection::TlsConnection;
pub use files::TlsProblem;
pub use handshakes::incoming;
pub use store::TlsStore;
