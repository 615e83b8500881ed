//! TLS connections. The files are read once, when a client connects.

mod connector;
mod failure;
mod files;

use std::path::PathBuf;

pub(crate) use connector::connector;
pub(crate) use failure::{LastFailure, TlsFailure};
pub use files::TlsFileError;
pub(crate) use files::client_config;

/// PEM files for `grpcs://` endpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate authorities to trust, which default to those of the system.
    pub ca: Option<PathBuf>,
    /// The client certificate, followed by its intermediate certificates.
    pub certificate: Option<PathBuf>,
    /// The private key of the client certificate.
    pub key: Option<PathBuf>,
}

impl TlsFiles {
    /// Uses the files of `fallback` where this one has none.
    #[must_use]
    pub fn or(self, fallback: &Self) -> Self {
        Self {
            ca: self.ca.or_else(|| fallback.ca.clone()),
            certificate: self.certificate.or_else(|| fallback.certificate.clone()),
            key: self.key.or_else(|| fallback.key.clone()),
        }
    }
}
