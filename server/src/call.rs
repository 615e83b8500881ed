//! An admitted call, with its deadline, step, permit and compute share.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::OwnedSemaphorePermit;

use crate::attestation::Attestation;
use crate::compute_pool::Share;
use crate::identity::{AdmissionError, AdmittedIdentity, Principal};
use crate::memory::{MessageMemory, ReceivedBytes};

/// An admitted call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The deadline.
    pub deadline: Instant,
    time_limit: Duration,
    /// Decides which of the call's evidence is attested.
    pub attestation: Attestation,
    /// The caller.
    pub principal: Arc<Principal>,
    /// The identity that was admitted. `None` for calls that the server makes to itself.
    identity: Option<AdmittedIdentity>,
    progress: Arc<InProgress>,
    share: Arc<Share>,
    _message: Option<Arc<MessageMemory>>,
    received: Option<Arc<ReceivedBytes>>,
}

/// The state shared by all work for a call, which can outlive the client's connection.
#[derive(Debug)]
struct InProgress {
    step: AtomicU8,
    _permit: Option<Permit>,
}

/// A permit for a call in flight. It is released on drop.
#[derive(Debug)]
pub(crate) struct Permit {
    _call: OwnedSemaphorePermit,
    _stream: Option<OwnedSemaphorePermit>,
    _principal: Option<OwnedSemaphorePermit>,
}

impl Permit {
    pub(crate) const fn for_call(permit: OwnedSemaphorePermit) -> Self {
        Self { _call: permit, _stream: None, _principal: None }
    }

    pub(crate) fn with_principal(self, permit: Option<OwnedSemaphorePermit>) -> Self {
        Self { _principal: permit, ..self }
    }

    /// Creates the permit of a stream item, which also counts towards the limit of streams.
    pub(crate) const fn for_stream_item(
        permit: OwnedSemaphorePermit,
        stream: OwnedSemaphorePermit,
    ) -> Self {
        Self { _call: permit, _stream: Some(stream), _principal: None }
    }
}

/// Admits the messages of a stream, each as a call. Holds no permit.
#[derive(Clone, Debug)]
pub(crate) struct StreamAdmission(Call);

impl StreamAdmission {
    /// Waits until the caller's rate limit allows another message.
    ///
    /// # Errors
    /// Returns an [`AdmissionError`] if the caller is no longer admitted.
    pub(crate) async fn wait_for_call(&self) -> Result<(), AdmissionError> {
        self.0.current_principal()?.wait_for_call().await;
        // The caller's rights may have changed during the wait.
        self.0.current_principal().map(drop)
    }

    /// Admits a message as a call with its own deadline.
    ///
    /// # Errors
    /// Returns an [`AdmissionError`] if the caller is no longer admitted.
    pub(crate) fn admit(&self, permit: Permit) -> Result<Call, AdmissionError> {
        let progress = InProgress { step: AtomicU8::default(), _permit: Some(permit) };
        Ok(Call { progress: Arc::new(progress), ..self.0.for_next_message()? })
    }
}

/// The steps of a call, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    /// Reading the message.
    Read,
    /// Checking every field.
    Admit,
    /// Retrieving evidence for the claims.
    Retrieve,
    /// Judging claims.
    Judge,
    /// Verifying, scoring and deciding.
    Decide,
    /// Recording in the ledger.
    Record,
}

impl Step {
    const ALL: [Self; 6] =
        [Self::Read, Self::Admit, Self::Retrieve, Self::Judge, Self::Decide, Self::Record];

    /// Returns the name in errors and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Admit => "admit",
            Self::Retrieve => "retrieve",
            Self::Judge => "judge",
            Self::Decide => "decide",
            Self::Record => "record",
        }
    }
}

impl Call {
    pub(crate) fn admitted(
        permit: Permit,
        time_limit: Duration,
        attestation: Attestation,
        identity: AdmittedIdentity,
        share: Share,
        received: ReceivedBytes,
    ) -> Self {
        let principal = Arc::clone(identity.principal());
        let call =
            Self::new(Some(permit), time_limit, attestation, principal, Some(identity), share);
        Self { received: Some(Arc::new(received)), ..call }
    }

    /// Creates a call that the server makes to itself, with a deadline and no other limits.
    #[must_use]
    pub fn internal(time_limit: Duration) -> Self {
        let (principal, share) = (Principal::anonymous(), Share::unlimited());
        Self::new(None, time_limit, Attestation::default(), principal, None, share)
    }

    fn new(
        permit: Option<Permit>,
        time_limit: Duration,
        attestation: Attestation,
        principal: Arc<Principal>,
        identity: Option<AdmittedIdentity>,
        share: Share,
    ) -> Self {
        let progress = Arc::new(InProgress { step: AtomicU8::default(), _permit: permit });
        let (deadline, share) = (Instant::now() + time_limit, Arc::new(share));
        let (message, received) = (None, None);
        Self {
            deadline,
            time_limit,
            attestation,
            principal,
            identity,
            progress,
            share,
            _message: message,
            received,
        }
    }

    pub(crate) const fn share(&self) -> &Arc<Share> {
        &self.share
    }

    pub(crate) const fn received(&self) -> Option<&Arc<ReceivedBytes>> {
        self.received.as_ref()
    }

    pub(crate) fn with_checks(&self, checks: &Arc<BTreeSet<String>>) -> Self {
        Self { attestation: self.attestation.with_checks(checks), ..self.clone() }
    }

    /// Returns the admission of this call's stream. It does not retain this call's permit.
    pub(crate) fn stream_admission(&self) -> StreamAdmission {
        let progress = InProgress { step: AtomicU8::default(), _permit: None };
        StreamAdmission(Self {
            progress: Arc::new(progress),
            share: Arc::new(Share::new(self.share.bounds())),
            _message: None,
            ..self.clone()
        })
    }

    /// Returns the call of the stream's next message, with a new deadline and the caller's current rights.
    ///
    /// # Errors
    /// Returns an [`AdmissionError`] if the caller is no longer admitted.
    pub(crate) fn for_next_message(&self) -> Result<Self, AdmissionError> {
        Ok(Self {
            deadline: Instant::now() + self.time_limit,
            principal: self.current_principal()?,
            share: Arc::new(Share::new(self.share.bounds())),
            _message: take_memory(self.received.as_ref()),
            ..self.clone()
        })
    }

    fn current_principal(&self) -> Result<Arc<Principal>, AdmissionError> {
        match &self.identity {
            Some(identity) => identity.revalidate(),
            None => Ok(Arc::clone(&self.principal)),
        }
    }

    /// Sets the current step.
    pub fn enter(&self, step: Step) {
        self.progress.step.store(step as u8, Ordering::Relaxed);
    }

    pub(crate) fn step(&self) -> Step {
        let number = usize::from(self.progress.step.load(Ordering::Relaxed));
        Step::ALL.get(number).copied().unwrap_or(Step::Read)
    }
}

fn take_memory(received: Option<&Arc<ReceivedBytes>>) -> Option<Arc<MessageMemory>> {
    received.and_then(|received| received.take()).map(Arc::new)
}
