//! The arguments that select a server.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use gsar_client::TlsFiles;

/// The server to call.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct Connection {
    /// The server's address: unix:///path, grpc://host:port or grpcs://host:port (TLS)
    ///
    /// Defaults to GSAR_ENDPOINT, or else the default socket, or else a temporary server started for this command.
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// Start a temporary server that stores its data in DIR
    #[arg(long, value_name = "DIR", conflicts_with = "endpoint", value_hint = ValueHint::DirPath)]
    pub(crate) data_dir: Option<PathBuf>,
    /// The certificate authorities to trust for grpcs://, in PEM
    ///
    /// Defaults to GSAR_TLS_CA, or else the system's authorities.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tls_ca: Option<PathBuf>,
    /// The client certificate for grpcs://, in PEM [default: GSAR_TLS_CERTIFICATE]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tls_certificate: Option<PathBuf>,
    /// The private key of the client certificate, in PEM [default: GSAR_TLS_KEY]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    tls_key: Option<PathBuf>,
    /// A file that contains the bearer token, read on each call [default: GSAR_TOKEN_FILE]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// The deadline for each call, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    deadline: u32,
}

impl Connection {
    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_secs(u64::from(self.deadline))
    }

    pub(crate) fn tls(&self) -> TlsFiles {
        TlsFiles {
            ca: self.tls_ca.clone(),
            certificate: self.tls_certificate.clone(),
            key: self.tls_key.clone(),
        }
    }
}
