//! The shared state of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use gsar_client::{Client, Token};
use tokio::sync::watch;

use crate::faults::phases::Phases;
use crate::faults::schedule::{Place, Setting};
use crate::identity::{
    AUDITOR, Authority, Credential, GUEST, Principal, READER, STRANGER, WORKERS,
};
use crate::invariants::acknowledged::Acknowledged;
use crate::invariants::levels::Sample;
use crate::invariants::{Violation, Violations};
use crate::left_data::LeftData;
use crate::report::latencies::Latencies;
use crate::servers::database::Database;
use crate::servers::disk::Disk;
use crate::servers::model::Model;
use crate::servers::sidecar::Sidecar;

/// The state of a run. Drop order matters: servers before their database, and both before their disks.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) setting: Setting,
    pub(crate) sidecars: Vec<Sidecar>,
    pub(crate) database: Option<Database>,
    pub(crate) disks: BTreeMap<Place, Disk>,
    pub(crate) model: Model,
    pub(crate) daily_budget: u64,
    pub(crate) authority: Authority,
    pub(crate) files: PathBuf,
    /// Locked while these files are invalid or a server is starting.
    pub(crate) files_lock: tokio::sync::Mutex<()>,
    pub(crate) phases: Phases,
    pub(crate) violations: Violations,
    pub(crate) latencies: Latencies,
    pub(crate) acknowledged: Mutex<Acknowledged>,
    pub(crate) left_data: Mutex<LeftData>,
    pub(crate) samples: Mutex<Vec<Sample>>,
    pub(crate) counts: Mutex<BTreeMap<String, u64>>,
    pub(crate) is_over: watch::Sender<bool>,
    pub(crate) keys: AtomicU64,
    pub(crate) paid: AtomicU64,
    /// Each call takes one ticket.
    pub(crate) tickets: tokio::sync::Semaphore,
    /// The connections by server and principal. Set only once.
    pub(crate) clients: OnceLock<Vec<BTreeMap<&'static str, Client>>>,
}

/// The deadline for a call, including client retries.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

impl World {
    pub(crate) async fn connect(&self) -> anyhow::Result<()> {
        let mut clients = Vec::new();
        for sidecar in &self.sidecars {
            let mut of_server = BTreeMap::new();
            for principal in WORKERS.into_iter().chain([READER, AUDITOR, GUEST, STRANGER]) {
                of_server.insert(principal.name, self.connect_as(sidecar, &principal).await?);
            }
            clients.push(of_server);
        }
        self.clients.set(clients).ok().context("already connected")
    }

    async fn connect_as(&self, sidecar: &Sidecar, principal: &Principal) -> anyhow::Result<Client> {
        let client = match principal.proof {
            Credential::Certificate => {
                Client::connect_with(&sidecar.tls(), &self.authority.files(principal)).await?
            }
            Credential::Token => Client::connect(&sidecar.socket())
                .await?
                .with_token(Token::new(&principal.token())?),
        };
        Ok(client.with_deadline(DEADLINE))
    }

    pub(crate) fn client(&self, server: usize, principal: &Principal) -> anyhow::Result<&Client> {
        let clients = self.clients.get().context("not connected yet")?;
        clients
            .get(server)
            .and_then(|of_server| of_server.get(principal.name))
            .context("no such server or principal")
    }

    pub(crate) fn is_over(&self) -> bool {
        *self.is_over.borrow()
    }

    pub(crate) fn end(&self) {
        self.is_over.send_replace(true);
    }

    /// Waits for `time`. Returns `true` if the load ended first.
    pub(crate) async fn ends_within(&self, time: Duration) -> bool {
        let mut is_over = self.is_over.subscribe();
        // The sender lives as long as `self`.
        tokio::time::timeout(time, is_over.wait_for(|is_over| *is_over)).await.is_ok()
    }

    pub(crate) fn new_key(&self) -> u64 {
        self.keys.fetch_add(1, Ordering::SeqCst)
    }

    pub(crate) const fn is_shared(&self) -> bool {
        self.setting.has_database
    }

    pub(crate) fn acknowledged(&self) -> MutexGuard<'_, Acknowledged> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn left_data(&self) -> MutexGuard<'_, LeftData> {
        self.left_data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count(&self, what: &str) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        match counts.get_mut(what) {
            Some(count) => *count += 1,
            None => drop(counts.insert(what.to_owned(), 1)),
        }
    }

    pub(crate) fn record(&self, violation: Violation) {
        self.violations.note(self.phases.now(), violation);
    }

    pub(crate) fn record_violation(&self, invariant: &'static str, found: impl Into<String>) {
        self.record(Violation::new(invariant, found));
    }

    /// Records a violation, if any. Returns `true` if there is none.
    pub(crate) fn check<T>(&self, checked: Result<T, Violation>) -> bool {
        checked.map_err(|violation| self.record(violation)).is_ok()
    }
}
