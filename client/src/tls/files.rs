//! This module reads [`TlsFiles`] into what a handshake needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier, client::WantsClientCert};
use rustls_platform_verifier::Verifier;

use super::TlsFiles;

/// Why the files cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsFileError {
    /// A file is not what it should be.
    #[error("{flag} (or {variable}): {}: {reason}", path.display())]
    File {
        /// The flag that names it.
        flag: &'static str,
        /// The variable that names it where the flag is not given.
        variable: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it and the fix.
        reason: String,
    },
    /// A certificate without a key, or a key without a certificate.
    #[error("{given} is given and {missing} is not; give both, or neither")]
    OneOfTwo {
        /// The flag that is given.
        given: &'static str,
        /// The flag that is missing.
        missing: &'static str,
    },
    /// The system has no certificate authorities.
    #[error(
        "the certificate authorities of this system cannot be read ({reason}); name the server's with --tls-ca or \
         GSAR_TLS_CA"
    )]
    System {
        /// Why.
        reason: String,
    },
}

/// A flag, and the variable that stands for it.
type Named = (&'static str, &'static str);

const CA: Named = ("--tls-ca", "GSAR_TLS_CA");
const CERTIFICATE: Named = ("--tls-certificate", "GSAR_TLS_CERTIFICATE");
const KEY: Named = ("--tls-key", "GSAR_TLS_KEY");

fn wrong((flag, variable): Named, path: &Path, reason: impl Into<String>) -> TlsFileError {
    TlsFileError::File { flag, variable, path: path.to_owned(), reason: reason.into() }
}

/// What a handshake needs.
///
/// # Errors
/// The first file that cannot be used.
pub(crate) fn configuration(files: &TlsFiles) -> Result<ClientConfig, TlsFileError> {
    let provider = Arc::new(ring::default_provider());
    let versions = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsFileError::System { reason: error.to_string() })?;
    let trusting = trusting(versions, files.ca.as_deref(), provider)?;
    let mut config = match (&files.certificate, &files.key) {
        (None, None) => trusting.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let chain = certificates(CERTIFICATE, certificate)?;
            let private = private_key(key)?;
            trusting.with_client_auth_cert(chain, private).map_err(|error| {
                let reason = format!(
                    "does not go with the certificate in {} ({error}); name the two files that were made together",
                    certificate.display()
                );
                wrong(KEY, key, reason)
            })?
        }
        (Some(_), None) => {
            return Err(TlsFileError::OneOfTwo { given: CERTIFICATE.0, missing: KEY.0 });
        }
        (None, Some(_)) => {
            return Err(TlsFileError::OneOfTwo { given: KEY.0, missing: CERTIFICATE.0 });
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

/// Trusts the authorities of a file and no others, or those of the system.
fn trusting(
    versions: ConfigBuilder<ClientConfig, WantsVerifier>,
    ca: Option<&Path>,
    provider: Arc<CryptoProvider>,
) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, TlsFileError> {
    let Some(path) = ca else {
        let system = Verifier::new(provider)
            .map_err(|error| TlsFileError::System { reason: error.to_string() })?;
        return Ok(versions.dangerous().with_custom_certificate_verifier(Arc::new(system)));
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(CA, path)? {
        roots.add(certificate).map_err(|error| {
            let reason = format!(
                "a certificate cannot be read ({error}); name a PEM file with X.509 certificates of version 3"
            );
            wrong(CA, path, reason)
        })?;
    }
    Ok(versions.with_root_certificates(roots))
}

fn bytes(named: Named, path: &Path) -> Result<Vec<u8>, TlsFileError> {
    std::fs::read(path)
        .map_err(|error| wrong(named, path, format!("{error}; name a PEM file that can be read")))
}

fn certificates(named: Named, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFileError> {
    let bytes = bytes(named, path)?;
    let read: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&bytes).collect();
    let reason = match read {
        Ok(found) if !found.is_empty() => return Ok(found),
        Ok(_) => "has no certificate".to_owned(),
        Err(error) => format!("is no PEM: {error}"),
    };
    let fix = "name a PEM file with -----BEGIN CERTIFICATE----- in it";
    Err(wrong(named, path, format!("{reason}; {fix}")))
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsFileError> {
    PrivateKeyDer::from_pem_slice(&bytes(KEY, path)?).map_err(|error| {
        let reason = match error {
            pem::Error::NoItemsFound => "has no private key".to_owned(),
            error => format!("is no PEM: {error}"),
        };
        let fix = "name a PEM file with a private key in it (PKCS #8, PKCS #1 or SEC 1), without a password";
        wrong(KEY, path, format!("{reason}; {fix}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_cannot_be_used_are_named_with_their_flag() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| Some(folder.path().join(name));
        std::fs::write(folder.path().join("text"), "no PEM").unwrap();
        let begun = "-----BEGIN CERTIFICATE-----\nMII";
        std::fs::write(folder.path().join("begun"), begun).unwrap();
        let dir = folder.path().display();
        for (files, expected) in [
            (
                TlsFiles { ca: path("none"), ..TlsFiles::default() },
                format!("--tls-ca (or GSAR_TLS_CA): {dir}/none: No such file"),
            ),
            (
                TlsFiles { ca: path("text"), ..TlsFiles::default() },
                format!("--tls-ca (or GSAR_TLS_CA): {dir}/text: has no certificate; name a PEM"),
            ),
            (
                TlsFiles { ca: path("begun"), ..TlsFiles::default() },
                format!("--tls-ca (or GSAR_TLS_CA): {dir}/begun: is no PEM: "),
            ),
        ] {
            let error = configuration(&files).unwrap_err().to_string();
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
