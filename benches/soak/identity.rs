//! The callers in a soak: principals, their tokens and certificates, and the files that servers read.

use std::path::{Path, PathBuf};

use gsar_client::TlsFiles;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType};
use sha2::{Digest as _, Sha256};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credential {
    /// A certificate over TLS.
    Certificate,
    /// A token over the Unix socket.
    Token,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Principal {
    pub(crate) name: &'static str,
    may: &'static str,
    pub(crate) proof: Credential,
}

const EVERYTHING: &str =
    r#"["evaluate", "override", "read", "delete", "grade", "store", "search"]"#;

pub(crate) const WORKERS: [Principal; 4] = [
    Principal { name: "ada", may: EVERYTHING, proof: Credential::Certificate },
    Principal { name: "ben", may: EVERYTHING, proof: Credential::Token },
    Principal { name: "cleo", may: EVERYTHING, proof: Credential::Certificate },
    Principal { name: "dan", may: EVERYTHING, proof: Credential::Token },
];
pub(crate) const READER: Principal =
    Principal { name: "reader", may: r#"["read"]"#, proof: Credential::Token };
pub(crate) const AUDITOR: Principal =
    Principal { name: "auditor", may: r#"["audit", "read", "search"]"#, proof: Credential::Token };
pub(crate) const GUEST: Principal =
    Principal { name: "guest", may: r#"["read"]"#, proof: Credential::Token };
pub(crate) const STRANGER: Principal =
    Principal { name: "stranger", may: "[]", proof: Credential::Token };

pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Principal {
    /// Derives the token. The token is not secret: a check searches the logs for it.
    pub(crate) fn token(&self) -> String {
        format!("token-of-{}-0123456789abcdef", self.name)
    }

    fn uri(&self) -> String {
        format!("spiffe://soak/{}", self.name)
    }

    fn table(&self) -> String {
        let Self { name, may, .. } = self;
        let digest: String = Sha256::digest(self.token().as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let uri = self.uri();
        format!(
            "[{name}]\ntokens = [\"sha256:{digest}\"]\ncertificates = [\"{uri}\"]\nmay = {may}\n"
        )
    }
}

pub(crate) fn principals(has_guest: bool) -> String {
    let guest = has_guest.then_some(GUEST);
    let all = WORKERS.iter().chain(&[READER, AUDITOR]).chain(&guest);
    all.map(Principal::table).collect()
}

impl Authority {
    pub(crate) fn new(folder: &Path) -> anyhow::Result<Self> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "soak");
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let authority = Self { issuer, folder: folder.to_owned() };
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("ca.pem"), authority.issuer.pem())?;
        authority.rotate(2050)?;
        for principal in WORKERS {
            let mut params = CertificateParams::new(Vec::new())?;
            params.subject_alt_names.push(SanType::URI(principal.uri().try_into()?));
            authority.sign(&params, principal.name)?;
        }
        Ok(authority)
    }

    /// Writes a new server certificate that expires in the given year.
    pub(crate) fn rotate(&self, until: i32) -> anyhow::Result<()> {
        let names = ["localhost", "127.0.0.1"].map(str::to_owned);
        let mut params = CertificateParams::new(names)?;
        params.not_after = rcgen::date_time_ymd(until, 12, 31);
        self.sign(&params, "server")
    }

    pub(crate) fn files(&self, principal: &Principal) -> TlsFiles {
        let file = |name: String| Some(self.folder.join(name));
        TlsFiles {
            ca: file("ca.pem".to_owned()),
            certificate: file(format!("{}.pem", principal.name)),
            key: file(format!("{}.key", principal.name)),
        }
    }

    fn sign(&self, params: &CertificateParams, name: &str) -> anyhow::Result<()> {
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        std::fs::write(self.folder.join(format!("{name}.pem")), certificate.pem())?;
        std::fs::write(self.folder.join(format!("{name}.key")), key.serialize_pem())?;
        Ok(())
    }
}
