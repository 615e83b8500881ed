//! Tests TLS and tokens, in the SDK and on the command line, against a real server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::process::Process;
use gsar_client::{Client, ClientError, TlsFiles};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    /// Writes `NAME.pem`.
    fn new(folder: &Path, name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        fs::write(folder.join(name).with_extension("pem"), issuer.pem()).unwrap();
        Self(issuer)
    }

    /// Writes `NAME.pem` and `NAME.key` for a host, valid until the end of `year`.
    fn sign(&self, folder: &Path, name: &str, host: &str, year: i32) {
        let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 12, 31);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        fs::write(folder.join(name).with_extension("pem"), certificate.pem()).unwrap();
        fs::write(folder.join(name).with_extension("key"), key.serialize_pem()).unwrap();
    }
}

struct Server {
    _process: Process,
    port: u16,
}

impl Server {
    fn start(folder: &Path, scheme: &str, tls: &str) -> Self {
        let fixed_settings = "[judges]\nchain = [\"rules/2\"]\n[evidence]\nembeddings = \"off\"\n";
        let config = format!("{tls}\n{fixed_settings}");
        let listen = format!("{scheme}://127.0.0.1:0");
        let process = Process::with_flags(folder, &config, &["--listen", &listen]);
        let address = process.log_line("listening")["address"].as_str().unwrap().to_owned();
        process.log_line("ready");
        let (_, port) = address.rsplit_once(':').unwrap();
        Self { _process: process, port: port.parse().unwrap() }
    }

    fn with_tls(folder: &Path, client_ca: Option<&str>) -> Self {
        let path = |name: &str| folder.join(name).display().to_string();
        let mut tls = format!(
            "[tls]\ncertificate = {:?}\nkey = {:?}\n",
            path("server.pem"),
            path("server.key")
        );
        if let Some(name) = client_ca {
            tls.push_str(&format!("client_ca = {:?}\n", path(name)));
        }
        Self::start(folder, "grpcs", &tls)
    }

    fn endpoint(&self, scheme: &str) -> String {
        format!("{scheme}://localhost:{}", self.port)
    }
}

fn with_ca(folder: &Path, ca: &str) -> TlsFiles {
    TlsFiles { ca: Some(folder.join(ca)), ..TlsFiles::default() }
}

fn with_client_certificate(folder: &Path, name: &str) -> TlsFiles {
    TlsFiles {
        ca: Some(folder.join("authority.pem")),
        certificate: Some(folder.join(name).with_extension("pem")),
        key: Some(folder.join(name).with_extension("key")),
    }
}

/// Connects and returns `true` if the server is serving.
async fn is_serving(endpoint: &str, files: &TlsFiles) -> Result<bool, ClientError> {
    Client::connect_with(&endpoint.parse().unwrap(), files).await?.is_serving().await
}

async fn tls_failure(endpoint: &str, files: &TlsFiles) -> (String, String) {
    match is_serving(endpoint, files).await {
        Err(ClientError::Tls { reason, fix, .. }) => (reason, fix),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn server_certificate_must_be_trusted_and_valid() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let authority = Authority::new(folder, "authority");
    Authority::new(folder, "other");
    authority.sign(folder, "server", "localhost", 2099);
    let server = Server::with_tls(folder, None);
    let endpoint = server.endpoint("grpcs");
    assert!(is_serving(&endpoint, &with_ca(folder, "authority.pem")).await.unwrap());

    let (reason, fix) = tls_failure(&endpoint, &with_ca(folder, "other.pem")).await;
    assert!(reason.contains("was issued by an untrusted authority"), "{reason}");
    assert!(fix.contains("--tls-ca") && fix.contains("other.pem does not contain it"), "{fix}");

    let by_address = format!("grpcs://127.0.0.1:{}", server.port);
    let (reason, fix) = tls_failure(&by_address, &with_ca(folder, "authority.pem")).await;
    assert_eq!(reason, "the server's certificate is for localhost, not for 127.0.0.1");
    assert!(fix.contains("--endpoint"), "{fix}");
    drop(server);

    authority.sign(folder, "server", "localhost", 2001);
    let server = Server::with_tls(folder, None);
    let files = with_ca(folder, "authority.pem");
    let (reason, fix) = tls_failure(&server.endpoint("grpcs"), &files).await;
    assert!(reason.contains("expired at 2001-12-31"), "{reason}");
    assert!(fix.contains("SIGHUP"), "{fix}");
}

#[tokio::test]
async fn rejected_client_certificate_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let authority = Authority::new(folder, "authority");
    authority.sign(folder, "server", "localhost", 2099);
    authority.sign(folder, "client", "agent", 2099);
    authority.sign(folder, "old", "agent", 2001);
    Authority::new(folder, "other").sign(folder, "stranger", "agent", 2099);
    let server = Server::with_tls(folder, Some("authority.pem"));
    let endpoint = server.endpoint("grpcs");
    assert!(is_serving(&endpoint, &with_client_certificate(folder, "client")).await.unwrap());

    let (reason, fix) = tls_failure(&endpoint, &with_ca(folder, "authority.pem")).await;
    assert_eq!(reason, "the server requires a client certificate");
    assert!(fix.contains("--tls-certificate") && fix.contains("GSAR_TLS_KEY"), "{fix}");

    let (reason, fix) = tls_failure(&endpoint, &with_client_certificate(folder, "stranger")).await;
    assert!(
        reason.contains("rejected the certificate in") && reason.contains("stranger.pem"),
        "{reason}"
    );
    assert!(fix.contains("tls.client_ca"), "{fix}");

    let (reason, _) = tls_failure(&endpoint, &with_client_certificate(folder, "old")).await;
    assert!(reason.contains("old.pem: it has expired"), "{reason}");

    let mismatched =
        TlsFiles { key: Some(folder.join("old.key")), ..with_client_certificate(folder, "client") };
    let error = is_serving(&endpoint, &mismatched).await.unwrap_err().to_string();
    assert!(error.contains("--tls-key") && error.contains("its own key"), "{error}");
    let without_key = TlsFiles { key: None, ..with_client_certificate(folder, "client") };
    let error = is_serving(&endpoint, &without_key).await.unwrap_err().to_string();
    assert!(error.contains("--tls-certificate requires --tls-key"), "{error}");
}

#[tokio::test]
async fn tls_mismatch_is_reported_with_the_right_scheme() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let authority = Authority::new(folder, "authority");
    let server = Server::start(folder, "grpc", "");
    let files = with_ca(folder, "authority.pem");
    let (reason, fix) = tls_failure(&server.endpoint("grpcs"), &files).await;
    assert!(reason.contains("not TLS") || reason.contains("closed the connection"), "{reason}");
    assert!(fix.contains("grpc://"), "{fix}");
    let endpoint = server.endpoint("grpcs");
    drop(server);
    let error = is_serving(&endpoint, &files).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");

    authority.sign(folder, "server", "localhost", 2099);
    let server = Server::with_tls(folder, None);
    let error = is_serving(&server.endpoint("grpc"), &TlsFiles::default()).await.unwrap_err();
    assert!(error.to_string().contains("grpcs://"), "{error:?}");
}

fn gsar(arguments: &[&str], environment: &[(&str, PathBuf)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsar"));
    command.args(arguments).env_clear().envs(environment.iter().cloned()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn tls_files_come_from_flags_and_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let authority = Authority::new(folder, "authority");
    authority.sign(folder, "server", "localhost", 2099);
    let server = Server::with_tls(folder, None);
    let endpoint = server.endpoint("grpcs");
    let list = ["ledger", "list", "--endpoint", &endpoint];
    let (ca, missing_file) = (folder.join("authority.pem"), folder.join("none.pem"));
    Authority::new(folder, "other");
    let system = ("SSL_CERT_FILE", folder.join("other.pem"));

    let by_flag = gsar(&[&list[..], &["--tls-ca", ca.to_str().unwrap()]].concat(), &[]);
    assert!(by_flag.status.success(), "{}", text(&by_flag.stderr));
    let by_variable = gsar(&list, &[("GSAR_TLS_CA", ca.clone())]);
    assert!(by_variable.status.success(), "{}", text(&by_variable.stderr));
    let by_system = gsar(&list, &[("SSL_CERT_FILE", ca.clone())]);
    assert!(by_system.status.success(), "{}", text(&by_system.stderr));

    let untrusted = gsar(&list, std::slice::from_ref(&system));
    assert_eq!(untrusted.status.code(), Some(1));
    let message = text(&untrusted.stderr);
    assert!(
        message.contains(&format!(
            "error: TLS handshake with {endpoint} failed: the server's certificate"
        )),
        "{message}"
    );
    assert!(message.contains("--tls-ca or GSAR_TLS_CA"), "{message}");
    let doctor = gsar(&["doctor", "--endpoint", &endpoint], &[system]);
    let message = text(&doctor.stdout);
    assert!(message.contains("untrusted authority") && message.contains("--tls-ca"), "{message}");

    let with_missing_ca = gsar(&list, &[("GSAR_TLS_CA", missing_file)]);
    assert_eq!(with_missing_ca.status.code(), Some(2), "{}", text(&with_missing_ca.stderr));
    let message = text(&with_missing_ca.stderr);
    assert!(
        message.contains("GSAR_TLS_CA") && message.contains("none.pem: No such file"),
        "{message}"
    );

    let socket = ["ledger", "list", "--endpoint", "unix:///x", "--tls-ca", "a.pem"];
    let output = gsar(&socket, &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("the server is unix:///x"), "{}", text(&output.stderr));
}

#[test]
fn sends_the_token_and_checks_health() {
    let folder = tempfile::tempdir().unwrap();
    // SHA-256 of "abc".
    let digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let principals = folder.path().join("principals.toml");
    fs::write(&principals, format!("[me]\ntokens = [\"{digest}\"]\nmay = [\"read\"]\n")).unwrap();
    let security = format!("[security]\nprincipals = \"{}\"", principals.display());
    let server = Server::start(folder.path(), "grpc", &security);
    let endpoint = format!("grpc://127.0.0.1:{}", server.port);
    let token = folder.path().join("token");
    fs::write(&token, "abc\n").unwrap();
    let token = token.to_str().unwrap();
    let list = ["ledger", "list", "--endpoint", &endpoint];

    let without_token = gsar(&list, &[]);
    assert_eq!(without_token.status.code(), Some(1));
    assert!(
        text(&without_token.stderr).contains("send a token"),
        "{}",
        text(&without_token.stderr)
    );
    let with_token_file = gsar(&[&list[..], &["--token-file", token]].concat(), &[]);
    assert!(with_token_file.status.success(), "{}", text(&with_token_file.stderr));
    let by_variable = gsar(&list, &[("GSAR_TOKEN_FILE", token.into())]);
    assert!(by_variable.status.success(), "{}", text(&by_variable.stderr));
    let with_missing_file = gsar(&[&list[..], &["--token-file", "/nowhere"]].concat(), &[]);
    assert_eq!(with_missing_file.status.code(), Some(2));
    assert!(
        text(&with_missing_file.stderr).contains("--token-file (or GSAR_TOKEN_FILE): /nowhere")
    );

    let healthy = gsar(&["health", "--endpoint", &endpoint], &[]);
    assert_eq!((healthy.status.code(), text(&healthy.stdout)), (Some(0), "serving".to_owned()));
    drop(server);
    let output = gsar(&["health", "--endpoint", &endpoint], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no sidecar is responding"), "{}", text(&output.stderr));
}
