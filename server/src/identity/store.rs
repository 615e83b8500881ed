//! The current principals, which are replaced atomically, and the identification of calls.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use super::admitted_identity::Credentials;
use super::certificate::PeerCertificate;
use super::file::Principals;
use super::jwt::{Issuer, Subject};
use super::principal::Principal;
use super::token::TokenDigest;
use crate::config::{Problems, Security};

/// The current principals.
#[derive(Debug)]
pub struct IdentityStore {
    files: Security,
    /// `None` if no principals are configured.
    current: RwLock<Option<Arc<Snapshot>>>,
}

#[derive(Debug)]
struct Snapshot {
    principals: Principals,
    issuer: Option<Issuer>,
}

/// An error in a configured file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("security.{key}: {description}")]
pub struct IdentityProblem {
    key: &'static str,
    description: String,
}

/// An error about missing or invalid credentials.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct IdentificationError(String);

impl IdentityStore {
    /// Reads the configured files and adds every error to `problems`.
    pub fn check(files: &Security, problems: &mut Problems) -> Option<Self> {
        if problems.has_errors_at(&["security"]) {
            return None;
        }
        match read(files, None) {
            Ok(snapshot) => {
                Some(Self { files: files.clone(), current: RwLock::new(snapshot.map(Arc::new)) })
            }
            Err(errors) => {
                for IdentityProblem { key, description } in errors {
                    problems.add(&["security", key], description);
                }
                None
            }
        }
    }

    /// Reloads the files. Returns `false` if no file is configured. Keeps the previous principals if there
    /// is any error.
    ///
    /// # Errors
    /// Returns all errors in the files.
    pub fn reload(&self) -> Result<bool, Vec<IdentityProblem>> {
        let previous = self.current();
        let previous = previous.as_ref().map(|snapshot| &snapshot.principals);
        let snapshot = read(&self.files, previous)?.map(Arc::new);
        let has_principals = snapshot.is_some();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(has_principals)
    }

    /// Returns `true` if principals are configured.
    #[must_use]
    pub fn has_principals(&self) -> bool {
        self.current().is_some()
    }

    /// Returns the name of a principal with a daily budget, if any.
    #[must_use]
    pub fn principal_with_budget(&self) -> Option<String> {
        let snapshot = self.current()?;
        snapshot.principals.first_with_budget().map(str::to_owned)
    }

    fn current(&self) -> Option<Arc<Snapshot>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Identifies the principal of a call by its token, or else its certificate, or else its Unix socket user.
    pub(super) fn identify(
        &self,
        credentials: &Credentials,
    ) -> Result<Identity, IdentificationError> {
        let Some(snapshot) = self.current() else { return Ok(Identity::anonymous()) };
        let (principal, expires_at) =
            snapshot.identify(credentials).map_err(IdentificationError)?;
        Ok(Identity { principal, snapshot: Some(snapshot), expires_at })
    }

    /// Returns `true` while the files have not been reloaded and the token has not expired.
    pub(super) fn is_current(&self, identity: &Identity, now_seconds: u64) -> bool {
        let Identity { snapshot, expires_at, .. } = identity;
        let is_same_snapshot = match (snapshot, &self.current()) {
            (Some(previous), Some(current)) => Arc::ptr_eq(previous, current),
            (None, None) => true,
            _ => false,
        };
        is_same_snapshot && expires_at.is_none_or(|expires_at| now_seconds <= expires_at)
    }
}

#[derive(Clone)]
pub(super) struct Identity {
    pub(super) principal: Arc<Principal>,
    /// The principals at the time of identification.
    snapshot: Option<Arc<Snapshot>>,
    /// The expiry of the token in seconds since 1970.
    expires_at: Option<u64>,
}

impl Identity {
    pub(super) fn anonymous() -> Self {
        Self { principal: Principal::anonymous(), snapshot: None, expires_at: None }
    }
}

impl IdentificationError {
    pub(super) fn new(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

/// A principal and the expiry of its token.
type Identified = (Arc<Principal>, Option<u64>);

impl Snapshot {
    fn identify(&self, credentials: &Credentials) -> Result<Identified, String> {
        let Credentials { token, certificate, uid } = credentials;
        if let Some(token) = token {
            return self.identify_token(token);
        }
        let principals = &self.principals;
        let names = certificate.as_ref().map(PeerCertificate::names);
        let by_certificate =
            names.into_iter().flatten().find_map(|name| principals.by_certificate.get(name));
        let by_uid = || uid.and_then(|uid| principals.by_uid.get(&uid));
        let principal = by_certificate.or_else(by_uid).cloned().ok_or_else(|| match (names, uid) {
            (Some([first, ..]), _) => format!(
                "the certificate names {first}, which is not a principal of this server; have it added to security.principals"
            ),
            (_, Some(uid)) => format!(
                "user {uid} is not a principal of this server; send a token, or have the user added to security.principals"
            ),
            (_, None) => {
                "no credentials; send a token as `authorization: Bearer TOKEN`, or a client certificate"
                    .to_owned()
            }
        });
        Ok((principal?, None))
    }

    fn identify_token(&self, token: &str) -> Result<Identified, String> {
        let Principals { by_token, by_subject, .. } = &self.principals;
        if let Some(principal) = by_token.get(&TokenDigest::new(token)) {
            return Ok((Arc::clone(principal), None));
        }
        let Some(issuer) = &self.issuer else {
            return Err("unknown token; have its digest added to security.principals".to_owned());
        };
        let Subject { name, expires_at } = issuer.verify(token)?;
        let principal = by_subject.get(&name).cloned().ok_or_else(|| {
            "the token's subject is not a principal of this server; have it added to security.principals".to_owned()
        })?;
        Ok((principal, Some(expires_at)))
    }
}

fn read(
    files: &Security,
    previous: Option<&Principals>,
) -> Result<Option<Snapshot>, Vec<IdentityProblem>> {
    let Some(file) = &files.principals else { return Ok(None) };
    let mut problems = Vec::new();
    let principals = read_text(file).and_then(|text| Principals::read(&text, previous));
    let principals = note(&mut problems, "principals", file, principals);
    let mut issuer = None;
    if let Some(jwt) = &files.jwt {
        let parsed_issuer =
            read_text(&jwt.keys).and_then(|keys| Issuer::new(&jwt.issuer, &jwt.audience, &keys));
        issuer = note(&mut problems, "jwt.keys", &jwt.keys, parsed_issuer);
    } else if let Some(principals) = &principals
        && !principals.by_subject.is_empty()
    {
        let description = format!(
            "{} lists subjects, but security.jwt is missing; add it, or remove the subjects",
            file.display()
        );
        problems.push(IdentityProblem { key: "principals", description });
    }
    match principals {
        Some(principals) if problems.is_empty() => Ok(Some(Snapshot { principals, issuer })),
        _ => Err(problems),
    }
}

fn read_text(file: &Path) -> Result<String, Vec<String>> {
    std::fs::read_to_string(file).map_err(|error| vec![format!("{error}; name a readable file")])
}

fn note<T>(
    problems: &mut Vec<IdentityProblem>,
    key: &'static str,
    file: &Path,
    result: Result<T, Vec<String>>,
) -> Option<T> {
    let to_problem =
        |error| IdentityProblem { key, description: format!("{}: {error}", file.display()) };
    result.map_err(|errors| problems.extend(errors.into_iter().map(to_problem))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_expires_with_its_token_or_on_reload() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("principals.toml");
        std::fs::write(&file, "[a]\nuids = [7]\nmay = [\"read\"]\n").unwrap();
        let files = Security { principals: Some(file), ..Security::default() };
        let store = IdentityStore::check(&files, &mut Problems::default()).unwrap();
        let credentials = Credentials { token: None, certificate: None, uid: Some(7) };
        let identity = store.identify(&credentials).unwrap();
        assert!(store.is_current(&identity, u64::MAX));
        let token_identity = Identity { expires_at: Some(100), ..identity.clone() };
        assert!(store.is_current(&token_identity, 100) && !store.is_current(&token_identity, 101));
        store.reload().unwrap();
        assert!(!store.is_current(&identity, 0));
    }
}
