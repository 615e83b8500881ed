//! TLS of the listeners: the certificate that is shown, the clients that may connect, and handshakes that hold up no
//! other connection.
//!
//! It knows files and sockets, and nothing of calls.

mod connection;
mod files;
mod handshakes;
mod store;

pub use connection::TlsConnection;
pub use files::TlsProblem;
pub use handshakes::incoming;
pub use store::TlsStore;
