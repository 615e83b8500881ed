//! Tests authentication and authorization: credentials, the separation of principals, and revocation during streams.

mod apart;
mod budgets;
mod calls;
mod known;
mod leaks;
mod streams;
mod table;

use crate::support::TestServer;
pub(crate) use calls::RawCodec;

use crate::support::tokens::{AUDIENCE, ISSUER, Issuer};
use data_encoding::HEXLOWER;
use gsar_server::config::{Config, Jwt};
use sha2::{Digest as _, Sha256};
use tonic::metadata::MetadataValue;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

/// Tokens that must not appear in logs, errors, records or metrics.
const TOKENS: [&str; 5] = [
    "secret-of-ada",
    "secret-of-ben",
    "secret-of-the-auditor",
    "secret-of-a-reader",
    "secret-of-a-caller",
];

#[derive(Clone)]
struct Bearer(Option<String>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            let value = MetadataValue::try_from(format!("Bearer {token}")).unwrap();
            request.metadata_mut().insert("authorization", value);
        }
        Ok(request)
    }
}

type Caller = InterceptedService<Channel, Bearer>;

fn with_token(channel: &Channel, token: Option<&str>) -> Caller {
    InterceptedService::new(channel.clone(), Bearer(token.map(str::to_owned)))
}

pub(crate) fn digest(token: &str) -> String {
    format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(token.as_bytes())))
}

fn principals_toml() -> String {
    let all = r#"["evaluate", "override", "read", "delete", "grade", "store", "search"]"#;
    let [ada, ben, auditor, reader, caller] = TOKENS.map(digest);
    format!(
        "[ada]\ntokens = [\"{ada}\"]\nsubjects = [\"ada@example\"]\ncertificates = [\"spiffe://example/ada\"]\nmay = {all}\n\
         [ben]\ntokens = [\"{ben}\"]\nmay = {all}\n\
         [auditor]\ntokens = [\"{auditor}\"]\nmay = [\"audit\", \"read\", \"search\"]\n\
         [reader]\ntokens = [\"{reader}\"]\nmay = [\"read\"]\n\
         [caller]\ntokens = [\"{caller}\"]\nmay = [\"evaluate\"]\n"
    )
}

fn configure_principals(config: &mut Config, issuer: &Issuer) {
    let folder = config.data_dir.parent().unwrap().to_owned();
    std::fs::write(folder.join("principals.toml"), principals_toml()).unwrap();
    std::fs::write(folder.join("jwks.json"), issuer.keys()).unwrap();
    config.security.require = true;
    config.security.principals = Some(folder.join("principals.toml"));
    config.security.jwt = Some(Jwt {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        keys: folder.join("jwks.json"),
    });
}

async fn start_server(issuer: &Issuer) -> TestServer {
    TestServer::with(|config| configure_principals(config, issuer)).await
}

fn code<T: std::fmt::Debug>(answer: Result<T, Status>) -> Code {
    answer.err().map_or(Code::Ok, |status| status.code())
}
