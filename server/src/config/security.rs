//! This module holds who may call: `[security]`. It checks that the files and the listeners go together, and opens
//! nothing.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Problems;
use super::values::{Config, Listen};

/// Who may call. The files are read again on SIGHUP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Security {
    /// Refuse to start where somebody could call whom nothing identifies, or over a network in the clear.
    pub require: bool,
    /// A TOML file with a table for each principal. Absent: everybody who can connect may do everything.
    pub principals: Option<PathBuf>,
    /// Who signs JSON Web Tokens.
    pub jwt: Option<Jwt>,
}

/// Who signs JSON Web Tokens, and for whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jwt {
    /// What `iss` has to be.
    pub issuer: String,
    /// What `aud` has to name.
    pub audience: String,
    /// A file with the issuer's public keys as a set of JSON Web Keys.
    pub keys: PathBuf,
}

/// Notes what cannot hold.
pub(super) fn check(config: &Config, problems: &mut Problems) {
    let Security { require, principals, jwt } = &config.security;
    if problems.concern(&["security"]) {
        return;
    }
    if let Some(jwt) = jwt {
        if principals.is_none() {
            let description = "is of no use without security.principals, which says what subjects may do; give it";
            problems.add(&["security", "jwt"], description);
        }
        for (key, text) in [("issuer", &jwt.issuer), ("audience", &jwt.audience)] {
            if text.is_empty() {
                problems.add(&["security", "jwt", key], "is empty; give what tokens hold");
            }
        }
    }
    if *require && !problems.concern(&["listen"]) {
        for exposed in config.exposed() {
            problems.add(&["security", "require"], format!("is set, and {exposed}"));
        }
    }
}

impl Config {
    /// Where calls can come from that nothing identifies, or over a network in the clear: sentences with the fix.
    #[must_use]
    pub fn exposed(&self) -> Vec<String> {
        let identifies = self.security.principals.is_some();
        let mut exposed: Vec<String> = self
            .listen
            .iter()
            .filter_map(|listen| {
                let is_plain = matches!(listen, Listen::Tcp(address) if !address.ip().is_loopback());
                let is_reached = match listen {
                    Listen::Unix(_) => false,
                    // Every program of the machine.
                    Listen::Tcp(_) => true,
                    Listen::Tls(address) => !address.ip().is_loopback(),
                };
                let is_open = !identifies && (is_reached || self.security.require);
                let anybody = matches!(listen, Listen::Tls(_)) && self.tls.client_ca.is_some() && !self.security.require;
                match (is_plain, is_open && !anybody) {
                    (true, true) => Some(format!(
                        "{listen} carries calls in the clear from anybody; listen on grpcs:// and give security.principals"
                    )),
                    (true, false) => Some(format!(
                        "{listen} carries calls and tokens in the clear; listen on grpcs://"
                    )),
                    (false, true) => Some(format!(
                        "{listen} takes calls from anybody who can connect; give security.principals"
                    )),
                    (false, false) => None,
                }
            })
            .collect();
        if let Some(address) = self.gateway.address {
            if !address.ip().is_loopback() {
                exposed.push(format!(
                    "the gateway at {address} carries calls and tokens in the clear; have something in front of it that ends TLS, and a loopback address here"
                ));
            } else if !identifies && self.security.require {
                exposed.push(format!(
                    "the gateway at {address} takes calls from anybody on this machine; give security.principals"
                ));
            }
        }
        exposed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exposed(listen: &str, change: impl FnOnce(&mut Config)) -> String {
        let mut config = Config { listen: vec![listen.parse().unwrap()], ..Config::default() };
        change(&mut config);
        let mut problems = Problems::default();
        check(&config, &mut problems);
        format!("{}\n{problems}", config.exposed().join("\n"))
    }

    #[test]
    fn what_is_exposed_is_said_and_refused_where_that_is_required() {
        let identified = |config: &mut Config| config.security.principals = Some("p".into());
        let required = |config: &mut Config| config.security.require = true;
        let both = |config: &mut Config| {
            identified(config);
            required(config);
        };
        for (listen, change, said, refused) in [
            ("unix:///a", &(|_: &mut Config| {}) as &dyn Fn(&mut Config), false, false),
            ("grpc://127.0.0.1:1", &|_| {}, true, false),
            ("grpc://[::1]:1", &|_| {}, true, false),
            ("grpc://127.0.0.1:1", &identified, false, false),
            ("grpc://0.0.0.0:1", &|_| {}, true, false),
            ("grpc://0.0.0.0:1", &identified, true, false),
            ("grpc://0.0.0.0:1", &both, true, true),
            ("grpc://127.0.0.1:1", &required, true, true),
            ("grpc://127.0.0.1:1", &both, false, false),
            ("grpcs://0.0.0.0:1", &|_| {}, true, false),
            ("grpcs://0.0.0.0:1", &|config| config.tls.client_ca = Some("ca".into()), false, false),
            ("grpcs://127.0.0.1:1", &|_| {}, false, false),
            ("grpcs://127.0.0.1:1", &required, true, true),
            ("grpcs://0.0.0.0:1", &required, true, true),
            ("grpcs://0.0.0.0:1", &identified, false, false),
            ("grpcs://0.0.0.0:1", &both, false, false),
            ("unix:///a", &required, true, true),
            ("unix:///a", &both, false, false),
        ] {
            let text = exposed(listen, change);
            assert_eq!(text.starts_with('\n'), !said, "{listen}: {text}");
            assert_eq!(text.contains("security.require"), refused, "{listen}: {text}");
        }
    }

    #[test]
    fn the_gateway_is_exposed_beyond_loopback_and_without_principals_where_they_are_required() {
        for (address, has_principals, require, said) in [
            ("127.0.0.1:1", false, false, false),
            ("127.0.0.1:1", true, false, false),
            ("127.0.0.1:1", false, true, true),
            ("127.0.0.1:1", true, true, false),
            ("0.0.0.0:1", true, false, true),
            ("0.0.0.0:1", true, true, true),
        ] {
            let text = exposed("unix:///a", |config| {
                config.gateway.address = Some(address.parse().unwrap());
                // Health and metrics, and no calls: wherever it is, nothing of this is about it.
                config.admin = Some("0.0.0.0:2".parse().unwrap());
                config.security.principals = has_principals.then(|| "p".into());
                config.security.require = require;
            });
            let case = format!("{address} {has_principals} {require}: {text}");
            assert_eq!(text.contains("the gateway at"), said, "{case}");
            let refused = text.contains("security.require: is set, and the gateway");
            assert_eq!(refused, said && require, "{case}");
            assert!(!text.contains("0.0.0.0:2"), "{case}");
        }
    }

    #[test]
    fn tokens_need_an_issuer_an_audience_and_principals() {
        let text = exposed("unix:///a", |config| {
            config.security.jwt =
                Some(Jwt { issuer: String::new(), audience: String::new(), keys: "k".into() });
        });
        for words in [
            "3 problems",
            "security.jwt: is of no use",
            "security.jwt.issuer",
            "security.jwt.audience",
        ] {
            assert!(text.contains(words), "{words} in: {text}");
        }
    }
}
