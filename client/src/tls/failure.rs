//! Explains TLS failures.

use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError};

use super::TlsFiles;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFailure {
    pub(crate) reason: String,
    pub(crate) fix: String,
}

/// The TLS failure of the current connection, if any. It explains rejected client certificates: the server rejects them
/// after the client has completed its handshake, so calls report only a closed connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastFailure(Arc<Mutex<Option<TlsFailure>>>);

impl LastFailure {
    pub(crate) fn set(&self, failure: Option<TlsFailure>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }

    pub(crate) fn get(&self) -> Option<TlsFailure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns the TLS failure that caused an I/O error, if any.
pub(super) fn from_io(error: &io::Error, host: &str, files: &TlsFiles) -> Option<TlsFailure> {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    inner.map(|error| describe(error, host, files))
}

pub(super) fn connection_closed(host: &str) -> TlsFailure {
    failure(
        "the server closed the connection during the handshake",
        format!("check that {host} listens with TLS on this port; without TLS, use grpc://"),
    )
}

pub(super) fn http2_missing() -> TlsFailure {
    failure(
        "the server does not speak HTTP/2",
        "check that a GSAR server listens there, and that proxies forward HTTP/2",
    )
}

pub(super) fn invalid_name(host: &str) -> TlsFailure {
    failure(format!("invalid host name `{host}`"), "specify a DNS name or an IP address")
}

fn failure(reason: impl Into<String>, fix: impl Into<String>) -> TlsFailure {
    TlsFailure { reason: reason.into(), fix: fix.into() }
}

fn describe(error: &rustls::Error, host: &str, files: &TlsFiles) -> TlsFailure {
    match error {
        rustls::Error::InvalidCertificate(error) => describe_certificate_error(error, host, files),
        rustls::Error::AlertReceived(alert) => describe_alert(*alert, files),
        rustls::Error::InvalidMessage(_) => failure(
            "the response is not TLS",
            format!("check that {host} listens with TLS on this port; without TLS, use grpc://"),
        ),
        error => failure(error.to_string(), "see the server's log at level debug"),
    }
}

fn describe_certificate_error(
    error: &CertificateError,
    host: &str,
    files: &TlsFiles,
) -> TlsFailure {
    match error {
        // The last two occur if an untrusted issuer has the same name as a trusted authority.
        CertificateError::UnknownIssuer
        | CertificateError::BadSignature
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            let fix = match &files.ca {
                None => {
                    "pass the PEM file of its authority with --tls-ca or GSAR_TLS_CA; by default, \
                         the authorities of this system are trusted"
                        .to_owned()
                }
                Some(path) => format!(
                    "pass the PEM file of its authority with --tls-ca or GSAR_TLS_CA; {} does not contain it",
                    path.display()
                ),
            };
            failure("the server's certificate was issued by an untrusted authority", fix)
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<&str> = presented.iter().map(|name| inner_name(name)).collect();
            if names.is_empty() {
                let fix = format!("issue a certificate with `{host}` as subjectAltName");
                return failure("the server's certificate has no subjectAltName", fix);
            }
            let names = names.join(", ");
            failure(
                format!("the server's certificate is for {names}, not for {host}"),
                format!("use that name in --endpoint, or issue a certificate for {host}"),
            )
        }
        CertificateError::ExpiredContext { not_after, .. } => failure(
            format!("the server's certificate expired at {}", instant(*not_after)),
            "renew it on the server and send SIGHUP, or correct the clock of this machine",
        ),
        CertificateError::NotValidYetContext { not_before, .. } => failure(
            format!("the server's certificate is not valid before {}", instant(*not_before)),
            "correct the clock of this machine, or replace the certificate on the server",
        ),
        // rustls has no variant for this error.
        error if format!("{error:?}").contains("CaUsedAsEndEntity") => failure(
            "the server's certificate is a CA certificate",
            "issue an end-entity certificate for the server (basicConstraints CA:FALSE)",
        ),
        error => {
            failure(format!("invalid server certificate: {error}"), "replace it on the server")
        }
    }
}

fn describe_alert(alert: AlertDescription, files: &TlsFiles) -> TlsFailure {
    use AlertDescription as Alert;
    match (alert, &files.certificate) {
        (Alert::CertificateRequired, _) | (Alert::HandshakeFailure, None) => failure(
            "the server requires a client certificate",
            "pass one with --tls-certificate and its key with --tls-key (GSAR_TLS_CERTIFICATE, GSAR_TLS_KEY)",
        ),
        (Alert::CertificateExpired, Some(path)) => failure(
            format!("the server rejected the certificate in {}: it has expired", path.display()),
            "renew it, and pass the new one with --tls-certificate and --tls-key",
        ),
        (
            Alert::UnknownCA
            | Alert::BadCertificate
            | Alert::CertificateUnknown
            | Alert::CertificateRevoked
            | Alert::UnsupportedCertificate
            | Alert::AccessDenied
            | Alert::DecryptError,
            Some(path),
        ) => failure(
            format!("the server rejected the certificate in {} ({alert:?})", path.display()),
            "pass one with --tls-certificate that is signed by an authority in the server's tls.client_ca",
        ),
        (Alert::NoApplicationProtocol, _) => http2_missing(),
        _ => failure(
            format!("the server aborted the handshake ({alert:?})"),
            "see the server's log at level debug",
        ),
    }
}

/// Extracts `localhost` from `DnsName("localhost")`.
fn inner_name(name: &str) -> &str {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.unwrap_or(name).trim_matches('"')
}

fn instant(time: UnixTime) -> String {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds)
        .map_or_else(|_| format!("{seconds} s after 1970"), |time| time.to_string())
}

impl std::fmt::Display for TlsFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.reason, self.fix)
    }
}

impl Error for TlsFailure {}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_failure(error: rustls::Error) -> String {
        from_io(&io::Error::other(error), "gsar", &TlsFiles::default()).unwrap().to_string()
    }

    #[test]
    fn formats_names_and_instants() {
        assert_eq!(inner_name("DnsName(\"localhost\")"), "localhost");
        assert_eq!(inner_name("IpAddress(127.0.0.1)"), "127.0.0.1");
        assert_eq!(inner_name("localhost"), "localhost");
        let time = UnixTime::since_unix_epoch(std::time::Duration::from_secs(1_009_756_800));
        let expired = CertificateError::ExpiredContext { time, not_after: time };
        let text = format_failure(rustls::Error::InvalidCertificate(expired));
        assert!(text.contains("expired at 2001-12-31T00:00:00Z; renew it"), "{text}");
    }

    #[test]
    fn other_io_errors_are_not_tls_failures() {
        assert_eq!(
            from_io(&io::ErrorKind::ConnectionReset.into(), "gsar", &TlsFiles::default()),
            None
        );
    }
}
