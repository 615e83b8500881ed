//! The identity of an admitted call. It is checked again for each message of a stream, so that the
//! revocation of a right takes effect at once.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use http::{Extensions, HeaderMap};
use tonic::transport::server::{TcpConnectInfo, TlsConnectInfo, UdsConnectInfo};

use super::certificate::PeerCertificate;
use super::principal::Principal;
use super::rights::Right;
use super::store::{IdentificationError, Identity, IdentityStore};
use super::token;

/// The credentials of a call. `Debug` is not implemented, because the token is secret.
pub(super) struct Credentials {
    pub(super) token: Option<String>,
    pub(super) certificate: Option<PeerCertificate>,
    pub(super) uid: Option<u32>,
}

impl Credentials {
    /// Reads the credentials of a call. Fails if the authorization header is invalid.
    pub(super) fn from_call(
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Self, &'static str> {
        let tls = extensions.get::<TlsConnectInfo<TcpConnectInfo>>();
        let certificate = |tls: &TlsConnectInfo<_>| {
            tls.peer_certs().map(|chain| PeerCertificate::from_chain(&chain)).unwrap_or_default()
        };
        let peer = extensions.get::<UdsConnectInfo>().and_then(|peer| peer.peer_cred);
        Ok(Self {
            token: token::bearer_token(headers)?.map(str::to_owned),
            certificate: tls.map(certificate),
            uid: peer.map(|peer| peer.uid()),
        })
    }
}

/// An error that rejects a call or ends a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionError {
    /// The caller is not a known principal.
    #[error(transparent)]
    Unidentified(#[from] IdentificationError),
    /// The principal lacks the required right.
    #[error("{principal} may not {right}")]
    NoRight {
        /// The name of the principal.
        principal: String,
        /// The missing right.
        right: Right,
    },
}

/// The identity of an admitted call.
#[derive(Clone)]
pub struct AdmittedIdentity {
    store: Arc<IdentityStore>,
    /// `None` if no principals are configured.
    credentials: Option<Arc<Credentials>>,
    right: Option<Right>,
    initial: Identity,
}

impl std::fmt::Debug for AdmittedIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { right, initial, .. } = self;
        let mut debug_struct = f.debug_struct("AdmittedIdentity");
        debug_struct
            .field("principal", &initial.principal)
            .field("right", right)
            .finish_non_exhaustive()
    }
}

impl AdmittedIdentity {
    /// Identifies the caller and checks its right.
    ///
    /// # Errors
    /// Returns an [`AdmissionError`].
    pub fn admit(
        store: &Arc<IdentityStore>,
        headers: &HeaderMap,
        extensions: &Extensions,
        right: Option<Right>,
    ) -> Result<Self, AdmissionError> {
        let store = Arc::clone(store);
        if !store.has_principals() {
            let initial = Identity::anonymous();
            return Ok(Self { store, credentials: None, right, initial });
        }
        let credentials =
            Credentials::from_call(headers, extensions).map_err(IdentificationError::new)?;
        let initial = store.identify(&credentials)?;
        require_right(&initial.principal, right)?;
        Ok(Self { store, credentials: Some(Arc::new(credentials)), right, initial })
    }

    /// Returns the principal that was identified when the call was admitted.
    #[must_use]
    pub fn principal(&self) -> &Arc<Principal> {
        &self.initial.principal
    }

    /// Identifies the caller again, with the current principals and time.
    ///
    /// # Errors
    /// Returns an [`AdmissionError`] if the call would now be rejected, or if it now belongs to another
    /// principal.
    pub fn revalidate(&self) -> Result<Arc<Principal>, AdmissionError> {
        let Some(credentials) = &self.credentials else { return Ok(Arc::clone(self.principal())) };
        if self.store.is_current(&self.initial, now_seconds()) {
            return Ok(Arc::clone(self.principal()));
        }
        let principal = self.store.identify(credentials)?.principal;
        require_right(&principal, self.right)?;
        if principal.owner() != self.principal().owner() {
            let reason = "the credentials now belong to another principal; open another stream";
            return Err(IdentificationError::new(reason).into());
        }
        Ok(principal)
    }
}

fn require_right(principal: &Principal, right: Option<Right>) -> Result<(), AdmissionError> {
    match right.filter(|right| !principal.may(*right)) {
        None => Ok(()),
        Some(right) => {
            Err(AdmissionError::NoRight { principal: principal.name().to_owned(), right })
        }
    }
}

fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
