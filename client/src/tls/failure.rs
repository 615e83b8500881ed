//! This module puts into words why TLS with a server fails, with the fix.

use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError};

use super::TlsFiles;

/// Why TLS with a server fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFailure {
    /// What is wrong.
    pub(crate) reason: String,
    /// What to do about it.
    pub(crate) fix: String,
}

/// The failure of the last connection, until the next one is begun. A call says only that its connection was closed where
/// the server refuses the certificate of the client, which it does after the client has ended its handshake.
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

/// The failure behind an error of a connection, where it is one of TLS.
pub(super) fn of(error: &io::Error, host: &str, files: &TlsFiles) -> Option<TlsFailure> {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    inner.map(|error| explained(error, host, files))
}

/// The failure of a handshake in which the server says nothing more.
pub(super) fn closed(host: &str) -> TlsFailure {
    failure(
        "the server closes the connection in the handshake",
        format!("see whether {host} listens with TLS there; without TLS the endpoint is grpc://"),
    )
}

/// The failure of a handshake in which HTTP/2 was not agreed on.
pub(super) fn no_http_2() -> TlsFailure {
    failure(
        "the server does not speak HTTP/2 there",
        "see whether a GSAR server listens there, and whether a proxy before it passes on HTTP/2",
    )
}

/// The failure of an endpoint whose host no certificate can be for.
pub(super) fn no_name(host: &str) -> TlsFailure {
    failure(
        format!("`{host}` is no host name that a certificate can be for"),
        "name the server by a DNS name or an IP address",
    )
}

fn failure(reason: impl Into<String>, fix: impl Into<String>) -> TlsFailure {
    TlsFailure { reason: reason.into(), fix: fix.into() }
}

fn explained(error: &rustls::Error, host: &str, files: &TlsFiles) -> TlsFailure {
    match error {
        rustls::Error::InvalidCertificate(error) => certificate(error, host, files),
        rustls::Error::AlertReceived(alert) => alerted(*alert, files),
        rustls::Error::InvalidMessage(_) => failure(
            "the answer is no TLS",
            format!(
                "see whether {host} listens with TLS there; without TLS the endpoint is grpc://"
            ),
        ),
        error => failure(error.to_string(), "see the log of the server at level debug"),
    }
}

/// What is wrong with the certificate of the server.
fn certificate(error: &CertificateError, host: &str, files: &TlsFiles) -> TlsFailure {
    match error {
        // The last two are of an authority that has the name of a trusted one, and another key.
        CertificateError::UnknownIssuer
        | CertificateError::BadSignature
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            let fix = match &files.ca {
                None => {
                    "name the PEM file of that authority with --tls-ca or GSAR_TLS_CA; without it \
                         the authorities of this system are trusted"
                        .to_owned()
                }
                Some(path) => format!(
                    "name the PEM file of that authority with --tls-ca or GSAR_TLS_CA; {} has others",
                    path.display()
                ),
            };
            failure("the server's certificate is of an authority that is not trusted here", fix)
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            if names.is_empty() {
                let fix = format!("have one made with `{host}` as subjectAltName");
                return failure("the server's certificate names no host", fix);
            }
            let names = names.join(", ");
            failure(
                format!("the server's certificate is for {names}, not for {host}"),
                format!("name the server so in --endpoint, or have a certificate made for {host}"),
            )
        }
        CertificateError::ExpiredContext { not_after, .. } => failure(
            format!("the server's certificate expired at {}", instant(*not_after)),
            "replace it on the server and send SIGHUP there; or set the clock of this machine",
        ),
        CertificateError::NotValidYetContext { not_before, .. } => failure(
            format!("the server's certificate holds only from {}", instant(*not_before)),
            "set the clock of this machine; or replace the certificate on the server",
        ),
        // Has no case of its own.
        error if format!("{error:?}").contains("CaUsedAsEndEntity") => failure(
            "the server's certificate is that of an authority",
            "have the authority sign a certificate for the server (basicConstraints CA:FALSE)",
        ),
        error => failure(
            format!("the server's certificate is not accepted: {error}"),
            "replace it on the server",
        ),
    }
}

/// What the server says of this client.
fn alerted(alert: AlertDescription, files: &TlsFiles) -> TlsFailure {
    use AlertDescription as Alert;
    match (alert, &files.certificate) {
        (Alert::CertificateRequired, _) | (Alert::HandshakeFailure, None) => failure(
            "the server requires a certificate of the client",
            "name one with --tls-certificate and its key with --tls-key (GSAR_TLS_CERTIFICATE, GSAR_TLS_KEY)",
        ),
        (Alert::CertificateExpired, Some(path)) => failure(
            format!("the server says that the certificate in {} has expired", path.display()),
            "renew it, and name the new one with --tls-certificate and --tls-key",
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
            format!("the server refuses the certificate in {} ({alert:?})", path.display()),
            "name one with --tls-certificate that an authority in the server's tls.client_ca signed",
        ),
        (Alert::NoApplicationProtocol, _) => no_http_2(),
        _ => failure(
            format!("the server ends the handshake ({alert:?})"),
            "see the log of the server at level debug",
        ),
    }
}

/// A name as a person writes it: `localhost` of `DnsName("localhost")`.
fn bare(name: &str) -> &str {
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

    fn shown(error: rustls::Error) -> String {
        of(&io::Error::other(error), "gsar", &TlsFiles::default()).unwrap().to_string()
    }

    #[test]
    fn names_and_instants_are_written_as_people_do() {
        assert_eq!(bare("DnsName(\"localhost\")"), "localhost");
        assert_eq!(bare("IpAddress(127.0.0.1)"), "127.0.0.1");
        assert_eq!(bare("localhost"), "localhost");
        let time = UnixTime::since_unix_epoch(std::time::Duration::from_secs(1_009_756_800));
        let expired = CertificateError::ExpiredContext { time, not_after: time };
        let text = shown(rustls::Error::InvalidCertificate(expired));
        assert!(text.contains("expired at 2001-12-31T00:00:00Z; replace it"), "{text}");
    }

    #[test]
    fn what_is_no_error_of_tls_is_left_to_others() {
        assert_eq!(of(&io::ErrorKind::ConnectionReset.into(), "gsar", &TlsFiles::default()), None);
    }
}
