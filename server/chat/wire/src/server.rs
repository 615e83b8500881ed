//! The fake server.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::{AbortHandle, JoinSet};

use crate::KEY;
use crate::connection;
use crate::request::{ReceivedRequest, Wire};
use crate::scripted_reply::ScriptedReply;

/// A fake provider on loopback. Dropping it closes all connections.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: AbortHandle,
}

/// Counts of connections and requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The total number of connections.
    pub opened: u64,
    /// The number of open connections.
    pub open: u64,
    /// The number of complete requests received.
    pub requests: u64,
    /// The number of requests being answered. Excludes requests whose client has disconnected.
    pub answering: u64,
}

#[derive(Debug)]
pub(crate) struct Shared {
    script: Mutex<Script>,
    requests: Mutex<Vec<ReceivedRequest>>,
    counts: watch::Sender<Counts>,
    pub(crate) released: Semaphore,
}

type Answer = Arc<dyn Fn(&ReceivedRequest) -> ScriptedReply + Send + Sync>;

struct Script {
    queue: VecDeque<ScriptedReply>,
    default: Answer,
    records_requests: bool,
    demands_schema: bool,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server on a free port. By default, it answers `{"ok":true}`.
    ///
    /// # Errors
    /// Returns an error if the port cannot be bound.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Mutex::new(Script {
                queue: VecDeque::new(),
                default: Arc::new(|_| ScriptedReply::answer(r#"{"ok":true}"#)),
                records_requests: true,
                demands_schema: true,
            }),
            requests: Mutex::default(),
            counts: watch::Sender::default(),
            released: Semaphore::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared))).abort_handle();
        Ok(Self { address, shared, accepting })
    }

    /// Returns the base URL for a wire format.
    #[must_use]
    pub fn base_url(&self, wire: Wire) -> String {
        format!("http://{}{}", self.address, wire.base())
    }

    /// Returns the TOML table that configures a model on this server. Writes the server's key to a file in
    /// `folder`.
    ///
    /// # Errors
    /// Returns an error if the key cannot be written.
    pub fn model_table(&self, name: &str, folder: &Path) -> io::Result<String> {
        let key = folder.join("key");
        std::fs::write(&key, KEY)?;
        let (url, key) = (self.base_url(Wire::OpenAi), key.display());
        Ok(format!("[judges.models.\"{name}\"]\nbase_url = \"{url}\"\nkey_file = \"{key}\"\n"))
    }

    /// Returns the server's address.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the responses to the next requests, one each.
    pub fn enqueue(&self, replies: impl IntoIterator<Item = ScriptedReply>) {
        self.shared.script().queue.extend(replies);
    }

    /// Sets the response to all later requests.
    pub fn always(&self, reply: ScriptedReply) {
        self.answer_with(move |_| reply.clone());
    }

    /// Sets a function that computes the responses to all later requests.
    pub fn answer_with(
        &self,
        answer: impl Fn(&ReceivedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) {
        self.shared.script().default = Arc::new(answer);
    }

    /// Sets whether requests without a schema are rejected, as they are by default.
    pub fn demand_schema(&self, demanded: bool) {
        self.shared.script().demands_schema = demanded;
    }

    /// Stops recording requests, for benchmarks.
    pub fn forget_requests(&self) {
        self.shared.script().records_requests = false;
    }

    /// Releases `count` waiting answers.
    pub fn release(&self, count: usize) {
        self.shared.released.add_permits(count);
    }

    /// Returns the requests received so far.
    #[must_use]
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.shared.requests().clone()
    }

    /// Returns the current counts.
    #[must_use]
    pub fn counts(&self) -> Counts {
        *self.shared.counts.borrow()
    }

    /// Waits until the counts satisfy a condition.
    pub async fn wait_until(&self, condition: impl FnMut(&Counts) -> bool) {
        // The error is impossible: the server owns the sender.
        let _ = self.shared.counts.subscribe().wait_for(condition).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    pub(crate) fn next_reply(&self, request: &ReceivedRequest) -> ScriptedReply {
        let mut script = self.script();
        if script.records_requests {
            self.requests().push(request.clone());
        }
        if script.demands_schema && request.schema().is_none() {
            return ScriptedReply::Raw(422, "text/plain", b"the schema is missing".to_vec());
        }
        match script.queue.pop_front() {
            Some(reply) => reply,
            None => {
                let answer = Arc::clone(&script.default);
                // The function may be slow and must not block other requests.
                drop(script);
                answer(request)
            }
        }
    }

    pub(crate) fn count(&self, change: impl FnOnce(&mut Counts)) {
        self.counts.send_modify(change);
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requests(&self) -> MutexGuard<'_, Vec<ReceivedRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
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
