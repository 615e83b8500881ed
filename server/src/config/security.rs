//! The table `[security]`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Problems;
use super::values::{Config, Listen};

/// The authentication of callers. The files are reloaded on SIGHUP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Security {
    /// `true` if the server refuses to start when callers are not authenticated or calls cross a network
    /// unencrypted.
    pub require: bool,
    /// A TOML file with a table per principal. If absent, all clients have all rights.
    pub principals: Option<PathBuf>,
    /// The issuer of JSON Web Tokens.
    pub jwt: Option<Jwt>,
}

/// The issuer of JSON Web Tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jwt {
    /// The required `iss` claim.
    pub issuer: String,
    /// The required `aud` claim.
    pub audience: String,
    /// A file with the issuer's JSON Web Key Set.
    pub keys: PathBuf,
}

pub(super) fn check(config: &Config, problems: &mut Problems) {
    let Security { require, principals, jwt } = &config.security;
    if problems.has_errors_at(&["security"]) {
        return;
    }
    if let Some(jwt) = jwt {
        if principals.is_none() {
            let description = "has no effect without security.principals, which defines the rights of subjects; set it";
            problems.add(&["security", "jwt"], description);
        }
        for (key, text) in [("issuer", &jwt.issuer), ("audience", &jwt.audience)] {
            if text.is_empty() {
                problems
                    .add(&["security", "jwt", key], "is empty; set it to the value in the tokens");
            }
        }
    }
    if *require && !problems.has_errors_at(&["listen"]) {
        for warning in config.exposure_warnings() {
            problems.add(&["security", "require"], format!("is set, but {warning}"));
        }
    }
}

impl Config {
    /// Returns a warning for each address that admits unauthenticated callers or transmits calls
    /// unencrypted over a network.
    #[must_use]
    pub fn exposure_warnings(&self) -> Vec<String> {
        let has_principals = self.security.principals.is_some();
        let mut warnings: Vec<String> = self
            .listen
            .iter()
            .filter_map(|listen| {
                let is_unencrypted = matches!(listen, Listen::Tcp(address) if !address.ip().is_loopback());
                let is_exposed = match listen {
                    Listen::Unix(_) => false,
                    // Any local process can connect.
                    Listen::Tcp(_) => true,
                    Listen::Tls(address) => !address.ip().is_loopback(),
                };
                let is_open = !has_principals && (is_exposed || self.security.require);
                let needs_certificate = matches!(listen, Listen::Tls(_)) && self.tls.client_ca.is_some() && !self.security.require;
                match (is_unencrypted, is_open && !needs_certificate) {
                    (true, true) => Some(format!(
                        "{listen} accepts unencrypted calls from anyone; listen on grpcs:// and set security.principals"
                    )),
                    (true, false) => Some(format!(
                        "{listen} transmits calls and tokens unencrypted; listen on grpcs://"
                    )),
                    (false, true) => Some(format!(
                        "{listen} accepts calls from anyone who can connect; set security.principals"
                    )),
                    (false, false) => None,
                }
            })
            .collect();
        if let Some(address) = self.gateway.address {
            if !address.ip().is_loopback() {
                warnings.push(format!(
                    "the gateway at {address} transmits calls and tokens unencrypted; terminate TLS in front of it, and use a loopback address here"
                ));
            } else if !has_principals && self.security.require {
                warnings.push(format!(
                    "the gateway at {address} accepts calls from anyone on this machine; set security.principals"
                ));
            }
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_exposure(listen: &str, change: impl FnOnce(&mut Config)) -> String {
        let mut config = Config { listen: vec![listen.parse().unwrap()], ..Config::default() };
        change(&mut config);
        let mut problems = Problems::default();
        check(&config, &mut problems);
        format!("{}\n{problems}", config.exposure_warnings().join("\n"))
    }

    #[test]
    fn reports_exposed_addresses() {
        let set_principals = |config: &mut Config| config.security.principals = Some("p".into());
        let set_require = |config: &mut Config| config.security.require = true;
        let set_both = |config: &mut Config| {
            set_principals(config);
            set_require(config);
        };
        for (listen, change, has_warning, is_refused) in [
            ("unix:///a", &(|_: &mut Config| {}) as &dyn Fn(&mut Config), false, false),
            ("grpc://127.0.0.1:1", &|_| {}, true, false),
            ("grpc://[::1]:1", &|_| {}, true, false),
            ("grpc://127.0.0.1:1", &set_principals, false, false),
            ("grpc://0.0.0.0:1", &|_| {}, true, false),
            ("grpc://0.0.0.0:1", &set_principals, true, false),
            ("grpc://0.0.0.0:1", &set_both, true, true),
            ("grpc://127.0.0.1:1", &set_require, true, true),
            ("grpc://127.0.0.1:1", &set_both, false, false),
            ("grpcs://0.0.0.0:1", &|_| {}, true, false),
            ("grpcs://0.0.0.0:1", &|config| config.tls.client_ca = Some("ca".into()), false, false),
            ("grpcs://127.0.0.1:1", &|_| {}, false, false),
            ("grpcs://127.0.0.1:1", &set_require, true, true),
            ("grpcs://0.0.0.0:1", &set_require, true, true),
            ("grpcs://0.0.0.0:1", &set_principals, false, false),
            ("grpcs://0.0.0.0:1", &set_both, false, false),
            ("unix:///a", &set_require, true, true),
            ("unix:///a", &set_both, false, false),
        ] {
            let text = describe_exposure(listen, change);
            assert_eq!(text.starts_with('\n'), !has_warning, "{listen}: {text}");
            assert_eq!(text.contains("security.require"), is_refused, "{listen}: {text}");
        }
    }

    #[test]
    fn reports_an_exposed_gateway() {
        for (address, has_principals, require, has_warning) in [
            ("127.0.0.1:1", false, false, false),
            ("127.0.0.1:1", true, false, false),
            ("127.0.0.1:1", false, true, true),
            ("127.0.0.1:1", true, true, false),
            ("0.0.0.0:1", true, false, true),
            ("0.0.0.0:1", true, true, true),
        ] {
            let text = describe_exposure("unix:///a", |config| {
                config.gateway.address = Some(address.parse().unwrap());
                // The admin address serves no calls.
                config.admin = Some("0.0.0.0:2".parse().unwrap());
                config.security.principals = has_principals.then(|| "p".into());
                config.security.require = require;
            });
            let case = format!("{address} {has_principals} {require}: {text}");
            assert_eq!(text.contains("the gateway at"), has_warning, "{case}");
            let is_refused = text.contains("security.require: is set, but the gateway");
            assert_eq!(is_refused, has_warning && require, "{case}");
            assert!(!text.contains("0.0.0.0:2"), "{case}");
        }
    }

    #[test]
    fn rejects_incomplete_token_settings() {
        let text = describe_exposure("unix:///a", |config| {
            config.security.jwt =
                Some(Jwt { issuer: String::new(), audience: String::new(), keys: "k".into() });
        });
        for words in [
            "3 problems",
            "security.jwt: has no effect",
            "security.jwt.issuer",
            "security.jwt.audience",
        ] {
            assert!(text.contains(words), "expected {words:?} in: {text}");
        }
    }
}
