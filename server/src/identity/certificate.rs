//! Reads the names in client certificates, which the TLS handshake has already verified.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

/// The names in a client certificate: URIs such as SPIFFE ids, and lowercase DNS names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PeerCertificate(Arc<[String]>);

impl PeerCertificate {
    /// Reads the names from the first certificate of a chain. An invalid certificate has no names.
    #[must_use]
    pub(super) fn from_chain(chain: &[CertificateDer<'_>]) -> Self {
        let Some(certificate) = chain.first() else { return Self::default() };
        let Ok(certificate) = EndEntityCert::try_from(certificate) else { return Self::default() };
        // A URI without a scheme could be mistaken for a DNS name.
        let uris = certificate.valid_uri_names().filter(|uri| uri.contains("://"));
        let uris = uris.map(str::to_owned);
        let hosts = certificate.valid_dns_names().map(str::to_ascii_lowercase);
        Self(uris.chain(hosts).collect())
    }

    /// Returns the names.
    #[must_use]
    pub(super) fn names(&self) -> &[String] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rcgen::{CertificateParams, KeyPair, SanType};

    use super::*;

    fn certificate() -> CertificateDer<'static> {
        let mut params = CertificateParams::new(vec!["Agent.Example".to_owned()]).unwrap();
        let id = "spiffe://Prod/ns/rca".try_into().unwrap();
        params.subject_alt_names.push(SanType::URI(id));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().clone()
    }

    #[test]
    fn reads_uris_and_lowercase_hosts() {
        let parsed = PeerCertificate::from_chain(&[certificate()]);
        assert_eq!(parsed.names(), ["spiffe://Prod/ns/rca", "agent.example"]);
        assert_eq!(PeerCertificate::from_chain(&[]), PeerCertificate::default());
    }

    #[test]
    fn ignores_names_of_other_kinds() {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(rcgen::DnType::CommonName, "agent.example");
        let ascii_name = |text: &str| text.try_into().unwrap();
        params.subject_alt_names = vec![
            SanType::URI(ascii_name("agent.example")),
            SanType::DnsName(ascii_name("agent.example\0.evil.example")),
            SanType::DnsName(ascii_name("spiffe://example/ada")),
            SanType::Rfc822Name(ascii_name("spiffe://example/ada")),
            SanType::IpAddress([127, 0, 0, 1].into()),
            SanType::URI(ascii_name("spiffe://example/ada\0")),
            SanType::URI(ascii_name("SPIFFE://user@Example/%61da")),
        ];
        let signed = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        let parsed = PeerCertificate::from_chain(&[signed.der().clone()]);
        // Names are compared byte by byte, without normalization.
        assert_eq!(parsed.names(), ["spiffe://example/ada\0", "SPIFFE://user@Example/%61da"]);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_do_not_panic(position in any::<prop::sample::Index>(), byte in any::<u8>(), length in any::<prop::sample::Index>()) {
            let mut bytes = certificate().to_vec();
            let offset = position.index(bytes.len());
            bytes[offset] = byte;
            bytes.truncate(length.index(bytes.len()) + 1);
            let _names = PeerCertificate::from_chain(&[CertificateDer::from(bytes)]);
        }
    }
}
