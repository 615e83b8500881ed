//! TLS to a server: whom the client trusts, what it shows, and what went wrong in words that name the fix.
//!
//! Files are read once, when a client connects; nothing here knows calls.

mod connector;
mod failure;
mod files;

use std::path::PathBuf;

pub(crate) use connector::connector;
pub(crate) use failure::{LastFailure, TlsFailure};
pub use files::TlsFileError;
pub(crate) use files::configuration;

/// The files with which a client connects to a `grpcs://` endpoint, each PEM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate authorities that the server's certificate may be signed by; `None` for those of the system.
    pub ca: Option<PathBuf>,
    /// The client's certificate, and after it those that lead to its authority.
    pub certificate: Option<PathBuf>,
    /// The private key of that certificate.
    pub key: Option<PathBuf>,
}

impl TlsFiles {
    /// These files, and for those that are not named others.
    #[must_use]
    pub fn or(self, others: &Self) -> Self {
        Self {
            ca: self.ca.or_else(|| others.ca.clone()),
            certificate: self.certificate.or_else(|| others.certificate.clone()),
            key: self.key.or_else(|| others.key.clone()),
        }
    }
}
