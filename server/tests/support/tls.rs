//! Certificate authorities, certificates, and TLS clients.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use gsar_server::config::{Config, Tls};
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::transport::{Channel, Endpoint};

pub struct Authority(CertifiedIssuer<'static, KeyPair>);

#[derive(Clone)]
pub struct Signed {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub fn pem(&self) -> String {
        self.0.pem()
    }

    pub fn sign(&self) -> Signed {
        self.sign_until(2099)
    }

    /// Issues a client certificate for a URI, such as a SPIFFE ID.
    pub fn sign_for(&self, uri: &str) -> Signed {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.subject_alt_names.push(SanType::URI(uri.try_into().unwrap()));
        self.sign_params(&params)
    }

    pub fn sign_until(&self, year: i32) -> Signed {
        let names = ["localhost", "127.0.0.1"].map(str::to_owned);
        let mut params = CertificateParams::new(names).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 12, 31);
        self.sign_params(&params)
    }

    fn sign_params(&self, params: &CertificateParams) -> Signed {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        Signed { certificate: certificate.pem(), key: key.serialize_pem() }
    }
}

impl Signed {
    pub fn write(&self, folder: &Path, name: &str) {
        std::fs::write(folder.join(format!("{name}.pem")), &self.certificate).unwrap();
        std::fs::write(folder.join(format!("{name}.key")), &self.key).unwrap();
    }

    pub fn der(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap()
    }
}

/// Adds a TLS listener with this server certificate. If `client_ca` is given, the listener verifies client
/// certificates against it.
pub fn configure(config: &mut Config, server: &Signed, client_ca: Option<&Authority>) {
    let folder = config.data_dir.parent().unwrap();
    server.write(folder, "server");
    if let Some(authority) = client_ca {
        std::fs::write(folder.join("clients.pem"), authority.pem()).unwrap();
    }
    config.listen.push("grpcs://127.0.0.1:0".parse().unwrap());
    config.tls = Tls {
        certificate: Some(folder.join("server.pem")),
        key: Some(folder.join("server.key")),
        client_ca: client_ca.map(|_| folder.join("clients.pem")),
    };
}

pub struct Client {
    pub config: ClientConfig,
}

impl Client {
    /// Creates a client that trusts `authority`, has no certificate, and supports all TLS versions.
    pub fn trusting(authority: &Authority) -> Self {
        Self::new(authority, None, rustls::ALL_VERSIONS)
    }

    pub fn new(
        authority: &Authority,
        signed: Option<&Signed>,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match signed {
            None => builder.with_no_client_auth(),
            Some(signed) => {
                let key = PrivateKeyDer::from_pem_slice(signed.key.as_bytes()).unwrap();
                builder.with_client_auth_cert(vec![signed.der()], key).unwrap()
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        Self { config }
    }

    pub async fn handshake(&self, address: SocketAddr) -> io::Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(address).await?;
        let connector = TlsConnector::from(Arc::new(self.config.clone()));
        connector.connect(ServerName::try_from("localhost").unwrap(), stream).await
    }

    pub async fn server_certificate(&self, address: SocketAddr) -> CertificateDer<'static> {
        let stream = self.handshake(address).await.unwrap();
        stream.get_ref().1.peer_certificates().unwrap().first().unwrap().clone().into_owned()
    }

    pub async fn channel(&self, address: SocketAddr) -> Result<Channel, tonic::transport::Error> {
        let config = Arc::new(self.config.clone());
        let connector = tower::service_fn(move |_| {
            let client = Self { config: ClientConfig::clone(&config) };
            async move { client.handshake(address).await.map(TokioIo::new) }
        });
        Endpoint::from_static("http://localhost").connect_with_connector(connector).await
    }
}
