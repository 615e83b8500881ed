//! This module is the server: its configured behaviour, the requests received, and the open connections.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::{AbortHandle, JoinSet};

use crate::connection;
use crate::play::Play;
use crate::request::{Seen, Wire};

/// A provider on loopback. Ends when dropped, with its connections.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: AbortHandle,
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many connections were ever open.
    pub opened: u64,
    /// How many connections are open.
    pub open: u64,
    /// How many requests were received whole.
    pub requests: u64,
    /// How many requests are being answered; one whose caller has gone is not.
    pub answering: u64,
}

#[derive(Debug)]
pub(crate) struct Shared {
    plays: Mutex<Plays>,
    seen: Mutex<Vec<Seen>>,
    counts: watch::Sender<Counts>,
    pub(crate) released: Semaphore,
}

/// What to do with a request, as a function of it.
type Answer = Arc<dyn Fn(&Seen) -> Play + Send + Sync>;

struct Plays {
    next: VecDeque<Play>,
    then: Answer,
    keep_seen: bool,
    schema: bool,
}

impl fmt::Debug for Plays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plays").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Server {
    /// Listens on a free port. It answers `{"ok":true}` until configured otherwise.
    ///
    /// # Errors
    ///
    /// No port.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            plays: Mutex::new(Plays {
                next: VecDeque::new(),
                then: Arc::new(|_| Play::answer(r#"{"ok":true}"#)),
                keep_seen: true,
                schema: true,
            }),
            seen: Mutex::default(),
            counts: watch::Sender::default(),
            released: Semaphore::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared))).abort_handle();
        Ok(Self { address, shared, accepting })
    }

    /// The base URL for one wire format.
    #[must_use]
    pub fn base_url(&self, wire: Wire) -> String {
        format!("http://{}{}", self.address, wire.base())
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to do with the next requests, one each.
    pub fn next(&self, plays: impl IntoIterator<Item = Play>) {
        self.shared.plays().next.extend(plays);
    }

    /// What to do with every request after those.
    pub fn always(&self, play: Play) {
        self.answer_with(move |_| play.clone());
    }

    /// What to do with every request after those, by what it asks.
    pub fn answer_with(&self, answer: impl Fn(&Seen) -> Play + Send + Sync + 'static) {
        self.shared.plays().then = Arc::new(answer);
    }

    /// Whether a request without a schema is refused, as it is at first.
    pub fn demand_schema(&self, demanded: bool) {
        self.shared.plays().schema = demanded;
    }

    /// Keeps no requests from now on, for measurements.
    pub fn forget_requests(&self) {
        self.shared.plays().keep_seen = false;
    }

    /// Releases `number` answers that wait.
    pub fn release(&self, number: usize) {
        self.shared.released.add_permits(number);
    }

    /// The requests so far.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen().clone()
    }

    /// What has happened so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        *self.shared.counts.borrow()
    }

    /// Waits until the counts are so.
    pub async fn until(&self, so: impl FnMut(&Counts) -> bool) {
        // The sender lives as long as this server.
        let _ = self.shared.counts.subscribe().wait_for(so).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    /// What to do with this request, which is kept.
    pub(crate) fn play(&self, seen: &Seen) -> Play {
        let mut plays = self.plays();
        if plays.keep_seen {
            self.seen().push(seen.clone());
        }
        if plays.schema && seen.schema().is_none() {
            return Play::Raw(422, "text/plain", b"there is no schema".to_vec());
        }
        match plays.next.pop_front() {
            Some(play) => play,
            None => {
                let answer = Arc::clone(&plays.then);
                // It may take its time; other requests need not wait for it.
                drop(plays);
                answer(seen)
            }
        }
    }

    pub(crate) fn count(&self, change: impl FnOnce(&mut Counts)) {
        self.counts.send_modify(change);
    }

    fn plays(&self) -> MutexGuard<'_, Plays> {
        self.plays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    connections.spawn(connection::serve(stream, Arc::clone(&shared)));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}
