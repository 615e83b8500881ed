//! TLS for connections to PostgreSQL.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns a connector that trusts the authorities in a file, or the system's authorities.
pub(super) fn connector(ca: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let config = match ca {
        Some(file) => builder.with_root_certificates(read_roots(file)?).with_no_client_auth(),
        None => {
            let verifier = rustls_platform_verifier::Verifier::new(provider).map_err(|error| {
                format!(
                    "the system's certificate authorities are unavailable ({error}); set storage.ca"
                )
            })?;
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(verifier))
                .with_no_client_auth()
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn read_roots(file: &Path) -> Result<RootCertStore, String> {
    let invalid_file = |reason: &dyn std::fmt::Display| {
        format!("storage.ca {}: {reason}; use a PEM file of certificates", file.display())
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| invalid_file(&error))? {
        let certificate = certificate.map_err(|error| invalid_file(&error))?;
        roots.add(certificate).map_err(|error| invalid_file(&error))?;
    }
    match roots.is_empty() {
        true => Err(invalid_file(&"contains no certificate")),
        false => Ok(roots),
    }
}
