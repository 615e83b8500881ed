//! Builds the rustls configuration from [`TlsFiles`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier, client::WantsClientCert};
use rustls_platform_verifier::Verifier;

use super::TlsFiles;

/// An error in the TLS files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsFileError {
    /// A file is invalid.
    #[error("{flag} (or {variable}): {}: {reason}", path.display())]
    File {
        /// The flag for the file.
        flag: &'static str,
        /// The environment variable for the file.
        variable: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The problem and the fix.
        reason: String,
    },
    /// The certificate or its key is missing.
    #[error("{given} requires {missing}")]
    IncompletePair {
        /// The given flag.
        given: &'static str,
        /// The missing flag.
        missing: &'static str,
    },
    /// The system's certificate authorities are not available.
    #[error(
        "failed to load the certificate authorities of this system ({reason}); pass the server's authority with \
         --tls-ca or GSAR_TLS_CA"
    )]
    System {
        /// The system's error.
        reason: String,
    },
}

/// A flag and its environment variable.
type FlagNames = (&'static str, &'static str);

const CA: FlagNames = ("--tls-ca", "GSAR_TLS_CA");
const CERTIFICATE: FlagNames = ("--tls-certificate", "GSAR_TLS_CERTIFICATE");
const KEY: FlagNames = ("--tls-key", "GSAR_TLS_KEY");

fn file_error((flag, variable): FlagNames, path: &Path, reason: impl Into<String>) -> TlsFileError {
    TlsFileError::File { flag, variable, path: path.to_owned(), reason: reason.into() }
}

pub(crate) fn client_config(files: &TlsFiles) -> Result<ClientConfig, TlsFileError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsFileError::System { reason: error.to_string() })?;
    let verified_builder = with_authorities(builder, files.ca.as_deref(), provider)?;
    let mut config = match (&files.certificate, &files.key) {
        (None, None) => verified_builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let chain = certificates(CERTIFICATE, certificate)?;
            let private_key = private_key(key)?;
            verified_builder.with_client_auth_cert(chain, private_key).map_err(|error| {
                let reason = format!(
                    "does not match the certificate in {} ({error}); pass a certificate and its own key",
                    certificate.display()
                );
                file_error(KEY, key, reason)
            })?
        }
        (Some(_), None) => {
            return Err(TlsFileError::IncompletePair { given: CERTIFICATE.0, missing: KEY.0 });
        }
        (None, Some(_)) => {
            return Err(TlsFileError::IncompletePair { given: KEY.0, missing: CERTIFICATE.0 });
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

/// Adds the authorities in the file, or those of the system if there is no file.
fn with_authorities(
    builder: ConfigBuilder<ClientConfig, WantsVerifier>,
    ca: Option<&Path>,
    provider: Arc<CryptoProvider>,
) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, TlsFileError> {
    let Some(path) = ca else {
        let system = Verifier::new(provider)
            .map_err(|error| TlsFileError::System { reason: error.to_string() })?;
        return Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(system)));
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(CA, path)? {
        roots.add(certificate).map_err(|error| {
            let reason = format!(
                "invalid certificate ({error}); expected a PEM file with X.509 v3 certificates"
            );
            file_error(CA, path, reason)
        })?;
    }
    Ok(builder.with_root_certificates(roots))
}

fn read_file(names: FlagNames, path: &Path) -> Result<Vec<u8>, TlsFileError> {
    std::fs::read(path)
        .map_err(|error| file_error(names, path, format!("{error}; expected a readable PEM file")))
}

fn certificates(
    names: FlagNames,
    path: &Path,
) -> Result<Vec<CertificateDer<'static>>, TlsFileError> {
    let bytes = read_file(names, path)?;
    let parsed: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&bytes).collect();
    let reason = match parsed {
        Ok(found) if !found.is_empty() => return Ok(found),
        Ok(_) => "contains no certificate".to_owned(),
        Err(error) => format!("invalid PEM: {error}"),
    };
    let fix = "expected a PEM file with -----BEGIN CERTIFICATE-----";
    Err(file_error(names, path, format!("{reason}; {fix}")))
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsFileError> {
    PrivateKeyDer::from_pem_slice(&read_file(KEY, path)?).map_err(|error| {
        let reason = match error {
            pem::Error::NoItemsFound => "contains no private key".to_owned(),
            error => format!("invalid PEM: {error}"),
        };
        let fix = "expected a PEM file with an unencrypted private key (PKCS #8, PKCS #1 or SEC 1)";
        file_error(KEY, path, format!("{reason}; {fix}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_flag_and_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| Some(folder.path().join(name));
        std::fs::write(folder.path().join("text"), "no PEM").unwrap();
        let truncated = "-----BEGIN CERTIFICATE-----\nMII";
        std::fs::write(folder.path().join("begun"), truncated).unwrap();
        let dir = folder.path().display();
        for (files, expected) in [
            (
                TlsFiles { ca: path("none"), ..TlsFiles::default() },
                format!("--tls-ca (or GSAR_TLS_CA): {dir}/none: No such file"),
            ),
            (
                TlsFiles { ca: path("text"), ..TlsFiles::default() },
                format!(
                    "--tls-ca (or GSAR_TLS_CA): {dir}/text: contains no certificate; expected a PEM"
                ),
            ),
            (
                TlsFiles { ca: path("begun"), ..TlsFiles::default() },
                format!("--tls-ca (or GSAR_TLS_CA): {dir}/begun: invalid PEM: "),
            ),
        ] {
            let error = client_config(&files).unwrap_err().to_string();
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
