//! The arguments that say which server is asked.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use gsar_client::TlsFiles;

/// Which server is asked.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct Connection {
    /// Where the server listens: unix:///path, grpc://host:port or, with TLS, grpcs://host:port
    ///
    /// Without it: GSAR_ENDPOINT, else the default socket, else the gsar-server installed beside gsar,
    /// started for this one call.
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// Start a server for this one call that keeps its records in DIR
    #[arg(long, value_name = "DIR", conflicts_with = "endpoint", value_hint = ValueHint::DirPath)]
    pub(crate) data_dir: Option<PathBuf>,
    /// The certificate authorities that may have signed the certificate of a grpcs:// server, as PEM
    ///
    /// Without it: GSAR_TLS_CA, else the authorities of this system.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tls_ca: Option<PathBuf>,
    /// The certificate to show to a grpcs:// server, as PEM; without it GSAR_TLS_CERTIFICATE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tls_certificate: Option<PathBuf>,
    /// The private key of that certificate, as PEM; without it GSAR_TLS_KEY
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tls_key: Option<PathBuf>,
    /// A file with the token that says who calls, read at each call; without it GSAR_TOKEN_FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// How long a call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    deadline: u32,
}

impl Connection {
    /// How long a call may take.
    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_secs(u64::from(self.deadline))
    }

    /// The files for TLS.
    pub(crate) fn tls(&self) -> TlsFiles {
        TlsFiles {
            ca: self.tls_ca.clone(),
            certificate: self.tls_certificate.clone(),
            key: self.tls_key.clone(),
        }
    }
}
