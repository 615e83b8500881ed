//! This module keeps the principals that were last read, replaced all at once or not at all, and finds that of a call.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use super::certificate::PeerCertificate;
use super::file::Principals;
use super::jwt::{Issuer, Subject};
use super::principal::Principal;
use super::standing::Presented;
use super::token::TokenDigest;
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
        match read(files, None) {
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
        let before = self.current();
        let before = before.as_ref().map(|known| &known.principals);
        let known = read(&self.files, before)?.map(Arc::new);
        let is_any = known.is_some();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = known;
        Ok(is_any)
    }

    /// Whether there are principals.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.current().is_some()
    }

    /// The name of one principal with a daily budget, where there is one.
    #[must_use]
    pub fn with_budget(&self) -> Option<String> {
        let known = self.current()?;
        known.principals.first_with_budget().map(str::to_owned)
    }

    fn current(&self) -> Option<Arc<Known>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The principal of a call: by the token that it brings, else by the certificate of its connection, else by the
    /// user at the other end of a Unix socket.
    ///
    /// # Errors
    /// [`Unidentified`] where it is none, with the fix.
    pub(super) fn identify(&self, presented: &Presented) -> Result<Identified, Unidentified> {
        let Some(known) = self.current() else { return Ok(Identified::anybody()) };
        let (principal, until) = known.identify(presented).map_err(Unidentified)?;
        Ok(Identified { principal, known: Some(known), until })
    }

    /// Whether what was found is still so: nothing was read anew since, and no token has ended.
    pub(super) fn still_holds(&self, found: &Identified, seconds_now: u64) -> bool {
        let Identified { known, until, .. } = found;
        let is_current = match (known, &self.current()) {
            (Some(found), Some(current)) => Arc::ptr_eq(found, current),
            (None, None) => true,
            _ => false,
        };
        is_current && until.is_none_or(|until| seconds_now <= until)
    }
}

/// Whose a call is.
#[derive(Clone)]
pub(super) struct Identified {
    pub(super) principal: Arc<Principal>,
    /// The principals among which it was found.
    known: Option<Arc<Known>>,
    /// When its token ends, in seconds since 1970.
    until: Option<u64>,
}

impl Identified {
    /// Everybody's, where there are no principals.
    pub(super) fn anybody() -> Self {
        Self { principal: Principal::anybody(), known: None, until: None }
    }
}

impl Unidentified {
    pub(super) fn because(why: &str) -> Self {
        Self(why.to_owned())
    }
}

/// A principal, and when the token ends that names it.
type Found = (Arc<Principal>, Option<u64>);

impl Known {
    fn identify(&self, presented: &Presented) -> Result<Found, String> {
        let Presented { token, certificate, uid } = presented;
        if let Some(token) = token {
            return self.of_token(token);
        }
        let principals = &self.principals;
        let names = certificate.as_ref().map(PeerCertificate::names);
        let of_certificate =
            names.into_iter().flatten().find_map(|name| principals.by_certificate.get(name));
        let of_user = || uid.and_then(|uid| principals.by_uid.get(&uid));
        let found = of_certificate.or_else(of_user).cloned().ok_or_else(|| match (names, uid) {
            (Some([first, ..]), _) => format!(
                "the certificate is of {first}, which is no principal of this server; have it added to security.principals"
            ),
            (_, Some(uid)) => format!(
                "user {uid} is no principal of this server; bring a token, or have the user added to security.principals"
            ),
            (_, None) => {
                "nothing says who calls; bring a token as `authorization: Bearer TOKEN`, or a client certificate"
                    .to_owned()
            }
        });
        Ok((found?, None))
    }

    fn of_token(&self, token: &str) -> Result<Found, String> {
        let Principals { by_token, by_subject, .. } = &self.principals;
        if let Some(principal) = by_token.get(&TokenDigest::of(token)) {
            return Ok((Arc::clone(principal), None));
        }
        let Some(issuer) = &self.issuer else {
            return Err(
                "the token is not known; have its digest added to security.principals".to_owned()
            );
        };
        let Subject { name, until } = issuer.subject(token)?;
        let principal = by_subject.get(&name).cloned().ok_or_else(|| {
            "the subject of the token is no principal of this server; have it added to security.principals".to_owned()
        })?;
        Ok((principal, Some(until)))
    }
}

fn read(
    files: &Security,
    before: Option<&Principals>,
) -> Result<Option<Known>, Vec<IdentityProblem>> {
    let Some(file) = &files.principals else { return Ok(None) };
    let mut problems = Vec::new();
    let principals = text(file).and_then(|text| Principals::read(&text, before));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_holds_until_its_token_ends_or_files_are_read_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("principals.toml");
        std::fs::write(&file, "[a]\nuids = [7]\nmay = [\"read\"]\n").unwrap();
        let files = Security { principals: Some(file), ..Security::default() };
        let store = IdentityStore::check(&files, &mut Problems::default()).unwrap();
        let presented = Presented { token: None, certificate: None, uid: Some(7) };
        let found = store.identify(&presented).unwrap();
        assert!(store.still_holds(&found, u64::MAX));
        let of_token = Identified { until: Some(100), ..found.clone() };
        assert!(store.still_holds(&of_token, 100) && !store.still_holds(&of_token, 101));
        store.reload().unwrap();
        assert!(!store.still_holds(&found, 0));
    }
}
