//! This module reads who a client is from the certificate that it presented. That an authority of `tls.client_ca` signed
//! it, the handshake has decided.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

/// The names in the certificate of a client: its URIs, such as SPIFFE ids, and its DNS names, in small letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerCertificate(Arc<[String]>);

impl PeerCertificate {
    /// The names of the first certificate of a chain. One that cannot be read has none.
    #[must_use]
    pub fn of_chain(chain: &[CertificateDer<'_>]) -> Self {
        let Some(certificate) = chain.first() else { return Self::default() };
        let Ok(certificate) = EndEntityCert::try_from(certificate) else { return Self::default() };
        let uris = certificate.valid_uri_names().map(str::to_owned);
        let hosts = certificate.valid_dns_names().map(str::to_ascii_lowercase);
        Self(uris.chain(hosts).collect())
    }

    /// The names.
    #[must_use]
    pub fn names(&self) -> &[String] {
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
    fn uris_are_as_they_are_and_hosts_in_small_letters() {
        let read = PeerCertificate::of_chain(&[certificate()]);
        assert_eq!(read.names(), ["spiffe://Prod/ns/rca", "agent.example"]);
        assert_eq!(PeerCertificate::of_chain(&[]), PeerCertificate::default());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(at in any::<prop::sample::Index>(), byte in any::<u8>(), length in any::<prop::sample::Index>()) {
            let mut bytes = certificate().to_vec();
            let position = at.index(bytes.len());
            bytes[position] = byte;
            bytes.truncate(length.index(bytes.len()) + 1);
            let _names = PeerCertificate::of_chain(&[CertificateDer::from(bytes)]);
        }
    }
}
