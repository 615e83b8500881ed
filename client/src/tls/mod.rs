//! TLS for clients: trust, client certificates, and errors that name the fix.
//!
//! Files are read once, when a client connects.

mod connector;
mod failure;
mod files;

use std::path::PathBuf;

pub(crate) use connector::connector;
pub(crate) use failure::{LastFailure, TlsFailure};
pub use files::TlsFileError;
pub(crate) use files::client_config;

/// The TLS files of a client for `grpcs://` endpoints, all in PEM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate authorities to trust; `None` for those of the system.
    pub ca: Option<PathBuf>,
    /// The client certificate, followed by intermediate certificates.
    pub certificate: Option<PathBuf>,
    /// The private key of the client certificate.
    pub key: Option<PathBuf>,
}

impl TlsFiles {
    /// Fills in missing files from `others`.
    #[must_use]
    pub fn or(self, others: &Self) -> Self {
        Self {
            ca: self.ca.or_else(|| others.ca.clone()),
            certificate: self.certificate.or_else(|| others.certificate.clone()),
            key: self.key.or_else(|| others.key.clone()),
        }
    }
}
