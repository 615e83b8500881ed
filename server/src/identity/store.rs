//! This module keeps the principals that were last read, replaced all at once or not at all, and finds that of a call.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use http::{Extensions, HeaderMap};
use tonic::transport::server::UdsConnectInfo;

use super::certificate::PeerCertificate;
use super::file::Principals;
use super::jwt::Issuer;
use super::principal::Principal;
use super::token::{self, TokenDigest};
use crate::config::{Problems, Security};

/// The principals in force.
#[derive(Debug)]
pub struct IdentityStore {
    files: Security,
    /// `None` where everybody is the same.
    current: RwLock<Option<Arc<Known>>>,
}

#[derive(Debug)]
struct Known {
    principals: Principals,
    issuer: Option<Issuer>,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("security.{key}: {description}")]
pub struct IdentityProblem {
    key: &'static str,
    description: String,
}

/// Why a call comes from no principal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unidentified(String);

impl IdentityStore {
    /// Reads the files that are configured, and notes everything that is wrong with them.
    pub fn check(files: &Security, problems: &mut Problems) -> Option<Self> {
        if problems.concern(&["security"]) {
            return None;
        }
        match read(files) {
            Ok(known) => {
                Some(Self { files: files.clone(), current: RwLock::new(known.map(Arc::new)) })
            }
            Err(wrong) => {
                for IdentityProblem { key, description } in wrong {
                    problems.add(&["security", key], description);
                }
                None
            }
        }
    }

    /// Reads the files again, for calls from now on; `false` where there are none. What was in force stays in force when
    /// anything is wrong.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn reload(&self) -> Result<bool, Vec<IdentityProblem>> {
        let known = read(&self.files)?.map(Arc::new);
        let is_any = known.is_some();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = known;
        Ok(is_any)
    }

    /// Whether there are principals.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.current().is_some()
    }

    fn current(&self) -> Option<Arc<Known>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The principal of a call: by the token that it brings, else by the certificate of its connection, else by the
    /// user at the other end of a Unix socket.
    ///
    /// # Errors
    /// [`Unidentified`] where it is none, with the fix.
    pub fn identify(
        &self,
        headers: &HeaderMap,
        connection: &Extensions,
    ) -> Result<Arc<Principal>, Unidentified> {
        match self.current() {
            None => Ok(Principal::anybody()),
            Some(known) => known.identify(headers, connection).map_err(Unidentified),
        }
    }
}

impl Known {
    fn identify(
        &self,
        headers: &HeaderMap,
        connection: &Extensions,
    ) -> Result<Arc<Principal>, String> {
        if let Some(token) = token::of_headers(headers)? {
            return self.of_token(token);
        }
        let principals = &self.principals;
        let names = connection.get::<PeerCertificate>().map(PeerCertificate::names);
        let of_certificate =
            names.into_iter().flatten().find_map(|name| principals.by_certificate.get(name));
        let peer = connection.get::<UdsConnectInfo>().and_then(|peer| peer.peer_cred);
        let of_user = || peer.and_then(|peer| principals.by_uid.get(&peer.uid()));
        of_certificate.or_else(of_user).cloned().ok_or_else(|| match (names, peer) {
            (Some([first, ..]), _) => format!(
                "the certificate is of {first}, which is no principal of this server; have it added to security.principals"
            ),
            (_, Some(peer)) => format!(
                "user {} is no principal of this server; bring a token, or have the user added to security.principals",
                peer.uid()
            ),
            (_, None) => {
                "nothing says who calls; bring a token as `authorization: Bearer TOKEN`, or a client certificate"
                    .to_owned()
            }
        })
    }

    fn of_token(&self, token: &str) -> Result<Arc<Principal>, String> {
        let Principals { by_token, by_subject, .. } = &self.principals;
        if let Some(principal) = by_token.get(&TokenDigest::of(token)) {
            return Ok(Arc::clone(principal));
        }
        let Some(issuer) = &self.issuer else {
            return Err(
                "the token is not known; have its digest added to security.principals".to_owned()
            );
        };
        let subject = issuer.subject(token)?;
        by_subject.get(&subject).cloned().ok_or_else(|| {
            "the subject of the token is no principal of this server; have it added to security.principals".to_owned()
        })
    }
}

fn read(files: &Security) -> Result<Option<Known>, Vec<IdentityProblem>> {
    let Some(file) = &files.principals else { return Ok(None) };
    let mut problems = Vec::new();
    let principals = text(file).and_then(|text| Principals::read(&text));
    let principals = noted(&mut problems, "principals", file, principals);
    let mut issuer = None;
    if let Some(jwt) = &files.jwt {
        let read = text(&jwt.keys).and_then(|keys| Issuer::new(&jwt.issuer, &jwt.audience, &keys));
        issuer = noted(&mut problems, "jwt.keys", &jwt.keys, read);
    } else if let Some(principals) = &principals
        && !principals.by_subject.is_empty()
    {
        let description = format!(
            "{} names subjects, and nothing says who signs their tokens; give security.jwt, or take them out",
            file.display()
        );
        problems.push(IdentityProblem { key: "principals", description });
    }
    match principals {
        Some(principals) if problems.is_empty() => Ok(Some(Known { principals, issuer })),
        _ => Err(problems),
    }
}

fn text(file: &Path) -> Result<String, Vec<String>> {
    std::fs::read_to_string(file)
        .map_err(|error| vec![format!("{error}; name a file that can be read")])
}

fn noted<T>(
    problems: &mut Vec<IdentityProblem>,
    key: &'static str,
    file: &Path,
    read: Result<T, Vec<String>>,
) -> Option<T> {
    let describe =
        |wrong| IdentityProblem { key, description: format!("{}: {wrong}", file.display()) };
    read.map_err(|wrong| problems.extend(wrong.into_iter().map(describe))).ok()
}
