//! Reads the files in `[tls]` into a rustls configuration.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{CertificateError, Error, InconsistentKeys, RootCertStore, ServerConfig};

use crate::config::Tls;

/// The ALPN name of HTTP/2.
const HTTP_2: &[u8] = b"h2";

/// An error in a TLS file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tls.{key}: {description}")]
pub struct TlsProblem {
    pub(super) key: &'static str,
    pub(super) description: String,
}

#[derive(Debug)]
pub(super) struct Contents {
    pub(super) config: Arc<ServerConfig>,
    /// The expiry of the server certificate in seconds since 1970, if known.
    pub(super) not_after: Option<u64>,
}

/// Reads the files and returns all errors in them.
pub(super) fn read(files: &Tls) -> Result<Contents, Vec<TlsProblem>> {
    let provider = Arc::new(ring::default_provider());
    let mut problems = Vec::new();
    let chain = files.certificate.as_deref().map_or_else(missing_file, certificates);
    let chain = note(&mut problems, "certificate", chain);
    let key = files.key.as_deref().map_or_else(missing_file, private_key);
    let key = note(&mut problems, "key", key);
    let verifier = client_verifier(files.client_ca.as_deref(), &provider);
    let verifier = note(&mut problems, "client_ca", verifier);
    let certified = match (chain, key) {
        (Some(chain), Some(key)) => {
            let certified = certified_key(files, chain, key, &provider);
            certified.map_err(|problem| problems.push(problem)).ok()
        }
        _ => None,
    };
    let (Some(certified), Some(verifier)) = (certified, verifier) else { return Err(problems) };
    let not_after = certified.end_entity_cert().ok().and_then(not_after);
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| vec![TlsProblem { key: "key", description: error.to_string() }])?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    config.alpn_protocols = vec![HTTP_2.to_vec()];
    Ok(Contents { config: Arc::new(config), not_after })
}

fn note<T>(
    problems: &mut Vec<TlsProblem>,
    key: &'static str,
    result: Result<T, String>,
) -> Option<T> {
    result.map_err(|description| problems.push(TlsProblem { key, description })).ok()
}

fn missing_file<T>() -> Result<T, String> {
    Err("is missing; name a PEM file".to_owned())
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| {
        format!("{}: {error}; name a PEM file that the server can read", path.display())
    })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let invalid_file = |reason: String| {
        format!(
            "{}: {reason}; name a PEM file that contains -----BEGIN CERTIFICATE-----",
            path.display()
        )
    };
    let parsed: Result<Vec<_>, pem::Error> =
        CertificateDer::pem_slice_iter(&read_file(path)?).collect();
    let chain = parsed.map_err(|error| invalid_file(format!("invalid PEM: {error}")))?;
    if chain.is_empty() {
        return Err(invalid_file("contains no certificate".to_owned()));
    }
    Ok(chain)
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_slice(&read_file(path)?).map_err(|error| {
        let reason = match error {
            pem::Error::NoItemsFound => "contains no private key".to_owned(),
            error => format!("invalid PEM: {error}"),
        };
        format!(
            "{}: {reason}; name a PEM file that contains a private key (PKCS #8, PKCS #1 or SEC 1) without a password",
            path.display()
        )
    })
}

fn certified_key(
    files: &Tls,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, TlsProblem> {
    let display_path = |path: &Option<std::path::PathBuf>| {
        path.as_deref().unwrap_or(Path::new("")).display().to_string()
    };
    let (certificate_file, key_file) = (display_path(&files.certificate), display_path(&files.key));
    let key = provider.key_provider.load_private_key(key).map_err(|error| {
        let description = format!(
            "{key_file}: unsupported private key ({error}); use an RSA key of 2048 bits or more, \
             or an ECDSA P-256, ECDSA P-384 or Ed25519 key"
        );
        TlsProblem { key: "key", description }
    })?;
    let certified = CertifiedKey::new(chain, key);
    match certified.keys_match() {
        Ok(()) | Err(Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(certified),
        Err(Error::InconsistentKeys(_)) => {
            let description = format!(
                "{key_file}: is not the key of the first certificate in {certificate_file} (tls.certificate); name the two files that were created together, with the server's own certificate first"
            );
            Err(TlsProblem { key: "key", description })
        }
        Err(error) => {
            let description = format!(
                "{certificate_file}: the first certificate cannot be read ({error}); name a PEM file with an X.509 version 3 certificate"
            );
            Err(TlsProblem { key: "certificate", description })
        }
    }
}

/// Returns a verifier that accepts clients whose certificate an authority in the file signed, or all
/// clients if there is no file.
fn client_verifier(
    file: Option<&Path>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, String> {
    let Some(path) = file else { return Ok(WebPkiClientVerifier::no_client_auth()) };
    let invalid_file = |reason: String| {
        format!(
            "{}: {reason}; name a PEM file with the certificates of authorities, each an X.509 version 3 certificate",
            path.display()
        )
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots
            .add(certificate)
            .map_err(|error| invalid_file(format!("a certificate cannot be read ({error})")))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| invalid_file(error.to_string()))
}

/// Returns the expiry of a certificate in seconds since 1970. rustls exposes it only in the error for an
/// expired certificate, so this function verifies the certificate at the latest possible time.
fn not_after(certificate: &CertificateDer<'_>) -> Option<u64> {
    let certificate = ParsedCertificate::try_from(certificate).ok()?;
    let result = verify_server_cert_signed_by_trust_anchor(
        &certificate,
        &RootCertStore::empty(),
        &[],
        UnixTime::since_unix_epoch(Duration::from_secs(u64::MAX)),
        ring::default_provider().signature_verification_algorithms.all,
    );
    match result {
        Err(Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
            Some(not_after.as_secs())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_expiry_of_certificates() {
        let key = rcgen::KeyPair::generate().unwrap();
        for (is_ca, year, seconds) in [
            (rcgen::IsCa::NoCa, 2001, 1_009_756_800),
            (rcgen::IsCa::ExplicitNoCa, 2100, 4_133_894_400),
        ] {
            let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
            params.is_ca = is_ca;
            params.not_after = rcgen::date_time_ymd(year, 12, 31);
            let certificate = params.self_signed(&key).unwrap();
            assert_eq!(not_after(certificate.der()), Some(seconds), "{year}");
        }
    }
}
