//! This module is how a call stands: what it and its connection present, and whose it is. The messages of a stream are
//! looked at one by one, so that a right that was taken away is gone in the middle of a stream as well.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use http::{Extensions, HeaderMap};
use tonic::transport::server::UdsConnectInfo;

use super::certificate::PeerCertificate;
use super::principal::Principal;
use super::right::Right;
use super::store::{Identified, IdentityStore, Unidentified};
use super::token;

/// What a call and its connection present. It holds a token, and is never shown.
pub(super) struct Presented {
    pub(super) token: Option<String>,
    pub(super) certificate: Option<PeerCertificate>,
    pub(super) uid: Option<u32>,
}

impl Presented {
    /// What stands in the headers of a call and in what is known of its connection.
    ///
    /// # Errors
    /// What is wrong with the header of the token.
    pub(super) fn of(headers: &HeaderMap, connection: &Extensions) -> Result<Self, &'static str> {
        let peer = connection.get::<UdsConnectInfo>().and_then(|peer| peer.peer_cred);
        Ok(Self {
            token: token::of_headers(headers)?.map(str::to_owned),
            certificate: connection.get::<PeerCertificate>().cloned(),
            uid: peer.map(|peer| peer.uid()),
        })
    }
}

/// Why a call is not let in, or a stream does not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// It is of no principal.
    #[error(transparent)]
    Unidentified(#[from] Unidentified),
    /// Its principal lacks the right.
    #[error("{principal} may not {right}")]
    NoRight {
        /// The name of the principal.
        principal: String,
        /// What it lacks.
        right: Right,
    },
}

/// A call that was let in, and by what.
#[derive(Clone)]
pub struct Standing {
    store: Arc<IdentityStore>,
    /// `None` where nobody is asked.
    presented: Option<Arc<Presented>>,
    right: Option<Right>,
    at_first: Identified,
}

impl std::fmt::Debug for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { right, at_first, .. } = self;
        let mut shown = f.debug_struct("Standing");
        shown.field("principal", &at_first.principal).field("right", right).finish_non_exhaustive()
    }
}

impl Standing {
    /// How a call stands that takes this right.
    ///
    /// # Errors
    /// [`NotAdmitted`].
    pub fn of_call(
        store: &Arc<IdentityStore>,
        headers: &HeaderMap,
        connection: &Extensions,
        right: Option<Right>,
    ) -> Result<Self, NotAdmitted> {
        let store = Arc::clone(store);
        if !store.is_any() {
            let at_first = Identified::anybody();
            return Ok(Self { store, presented: None, right, at_first });
        }
        let presented = Presented::of(headers, connection).map_err(Unidentified::because)?;
        let at_first = store.identify(&presented)?;
        has(&at_first.principal, right)?;
        Ok(Self { store, presented: Some(Arc::new(presented)), right, at_first })
    }

    /// Whose call it was when it was let in.
    #[must_use]
    pub fn principal(&self) -> &Arc<Principal> {
        &self.at_first.principal
    }

    /// Whose call it is now, by the principals in force and the time.
    ///
    /// # Errors
    /// [`NotAdmitted`] where it would not be let in any more, or would be another principal's.
    pub fn now(&self) -> Result<Arc<Principal>, NotAdmitted> {
        let Some(presented) = &self.presented else { return Ok(Arc::clone(self.principal())) };
        if self.store.still_holds(&self.at_first, seconds_now()) {
            return Ok(Arc::clone(self.principal()));
        }
        let found = self.store.identify(presented)?.principal;
        has(&found, self.right)?;
        if found.owner() != self.principal().owner() {
            let why = "what was presented is another principal's by now; begin another stream";
            return Err(Unidentified::because(why).into());
        }
        Ok(found)
    }
}

fn has(principal: &Principal, right: Option<Right>) -> Result<(), NotAdmitted> {
    match right.filter(|right| !principal.may(*right)) {
        None => Ok(()),
        Some(right) => Err(NotAdmitted::NoRight { principal: principal.name().to_owned(), right }),
    }
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
