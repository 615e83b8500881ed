//! This module is what a call carries through the server once it was let in: its deadline, the step it has come to, its
//! permit, and what it may take. It knows no service and no rule.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::OwnedSemaphorePermit;

use crate::attestation::Attestation;
use crate::compute::{Bounds, Share};
use crate::identity::{NotAdmitted, Principal, Standing};
use crate::memory::{Arrived, Weighed};

/// A call that was let in: its deadline, how far it came, and its permit.
#[derive(Clone, Debug)]
pub struct Call {
    /// When its caller stops waiting.
    pub deadline: Instant,
    allowed: Duration,
    /// Which evidence that comes with it is attested.
    pub attestation: Attestation,
    /// Who calls.
    pub principal: Arc<Principal>,
    /// By what it was let in; `None` of a call of the server to itself.
    standing: Option<Standing>,
    progress: Arc<InProgress>,
    /// What its computations may take.
    share: Arc<Share>,
    /// The room of its message.
    _message: Option<Arc<Weighed>>,
    /// What has arrived after that.
    arrived: Option<Arc<Arrived>>,
}

/// Held by the work on a call, even after its caller has gone.
#[derive(Debug)]
struct InProgress {
    step: AtomicU8,
    _permit: Option<Permit>,
}

/// A place among the calls in progress; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _of_all: OwnedSemaphorePermit,
    _of_streams: Option<OwnedSemaphorePermit>,
    _of_principal: Option<OwnedSemaphorePermit>,
}

impl Permit {
    /// The place of a call that came alone.
    pub(crate) const fn of_call(of_all: OwnedSemaphorePermit) -> Self {
        Self { _of_all: of_all, _of_streams: None, _of_principal: None }
    }

    /// The same, which takes one of its principal's places as well.
    pub(crate) fn with_place(self, of_principal: Option<OwnedSemaphorePermit>) -> Self {
        Self { _of_principal: of_principal, ..self }
    }

    /// The place of one message of a stream, which is one of those that streams may take as well.
    pub(crate) const fn of_item(
        of_all: OwnedSemaphorePermit,
        of_streams: OwnedSemaphorePermit,
    ) -> Self {
        Self { _of_all: of_all, _of_streams: Some(of_streams), _of_principal: None }
    }
}

/// What holds for every message of a stream whose messages are let in one by one.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    allowed: Duration,
    attestation: Attestation,
    standing: Option<Standing>,
    bounds: Arc<Bounds>,
    arrived: Option<Arc<Arrived>>,
}

impl Terms {
    /// Waits until the caller may send another message, and counts it.
    ///
    /// # Errors
    /// [`NotAdmitted`] where it may send none any more.
    pub(crate) async fn wait_for_call(&self) -> Result<(), NotAdmitted> {
        self.principal()?.wait_for_call().await;
        // It may have been a long time.
        self.principal().map(drop)
    }

    /// A message that is let in, as a call of its own.
    ///
    /// # Errors
    /// [`NotAdmitted`] where the caller may send none any more.
    pub(crate) fn admitted(&self, permit: Permit) -> Result<Call, NotAdmitted> {
        let principal = self.principal()?;
        let Self { allowed, attestation, standing, bounds, arrived } = self.clone();
        let share = Share::new(&bounds);
        let call = Call::new(Some(permit), allowed, attestation, principal, standing, share);
        Ok(Call { _message: taken(arrived.as_ref()), ..call })
    }

    fn principal(&self) -> Result<Arc<Principal>, NotAdmitted> {
        self.standing.as_ref().map_or_else(|| Ok(Principal::anybody()), Standing::now)
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
    /// Finding what bears on the claims.
    Retrieve,
    /// Judging claims.
    Judge,
    /// Verifying, scoring, deciding.
    Decide,
    /// Recording in the ledger.
    Record,
}

impl Step {
    const ALL: [Self; 6] =
        [Self::Read, Self::Admit, Self::Retrieve, Self::Judge, Self::Decide, Self::Record];

    /// The word used in errors and metrics.
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
    /// A call that holds this permit, may take that long, and was let in so.
    pub(crate) fn admitted(
        permit: Permit,
        allowed: Duration,
        attestation: Attestation,
        standing: Standing,
        share: Share,
        arrived: Arrived,
    ) -> Self {
        let principal = Arc::clone(standing.principal());
        let call = Self::new(Some(permit), allowed, attestation, principal, Some(standing), share);
        Self { arrived: Some(Arc::new(arrived)), ..call }
    }

    /// A call of the server to itself, outside every limit.
    #[must_use]
    pub fn rehearsal(allowed: Duration) -> Self {
        let (nobody, share) = (Principal::anybody(), Share::unlimited());
        Self::new(None, allowed, Attestation::default(), nobody, None, share)
    }

    fn new(
        permit: Option<Permit>,
        allowed: Duration,
        attestation: Attestation,
        principal: Arc<Principal>,
        standing: Option<Standing>,
        share: Share,
    ) -> Self {
        let progress = Arc::new(InProgress { step: AtomicU8::default(), _permit: permit });
        let (deadline, share) = (Instant::now() + allowed, Arc::new(share));
        let (message, arrived) = (None, None);
        Self {
            deadline,
            allowed,
            attestation,
            principal,
            standing,
            progress,
            share,
            _message: message,
            arrived,
        }
    }

    /// What its computations may take.
    pub(crate) const fn share(&self) -> &Arc<Share> {
        &self.share
    }

    /// What has arrived of its messages.
    pub(crate) const fn arrived(&self) -> Option<&Arc<Arrived>> {
        self.arrived.as_ref()
    }

    /// The same call, with the checks that an investigation declared.
    pub(crate) fn declaring(&self, checks: &Arc<BTreeSet<String>>) -> Self {
        Self { attestation: self.attestation.declaring(checks), ..self.clone() }
    }

    /// What holds for the messages of its stream. They hold no permit of this call.
    pub(crate) fn terms(&self) -> Terms {
        Terms {
            allowed: self.allowed,
            attestation: self.attestation.clone(),
            standing: self.standing.clone(),
            bounds: Arc::clone(self.share.bounds()),
            arrived: self.arrived.clone(),
        }
    }

    /// The same call for the next message of its stream: with as much time as it had at first, and with the rights
    /// that its caller has now.
    ///
    /// # Errors
    /// [`NotAdmitted`] where the caller would not be let in any more.
    pub(crate) fn renewed(&self) -> Result<Self, NotAdmitted> {
        let principal = match &self.standing {
            Some(standing) => standing.now()?,
            None => Arc::clone(&self.principal),
        };
        Ok(Self {
            deadline: Instant::now() + self.allowed,
            principal,
            share: Arc::new(Share::new(self.share.bounds())),
            _message: taken(self.arrived.as_ref()),
            ..self.clone()
        })
    }

    /// Notes the step the call has come to.
    pub fn enter(&self, step: Step) {
        self.progress.step.store(step as u8, Ordering::Relaxed);
    }

    /// The step the call has come to.
    pub(crate) fn step(&self) -> Step {
        let number = usize::from(self.progress.step.load(Ordering::Relaxed));
        Step::ALL.get(number).copied().unwrap_or(Step::Read)
    }
}

/// The room of the message that has just come.
fn taken(arrived: Option<&Arc<Arrived>>) -> Option<Arc<Weighed>> {
    arrived.and_then(|arrived| arrived.take()).map(Arc::new)
}
