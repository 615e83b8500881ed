//! This module is the load client: the same unary call, n in flight on one connection, for a bounded number of calls.
//!
//! It speaks HTTP/2 directly and never decodes a message, so that the server stays the one under load. Every
//! answer is checked: anything but grpc-status 0 with one whole message ends the run with an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, ensure};
use bytes::{BufMut as _, Bytes, BytesMut};
use h2::RecvStream;
use h2::client::SendRequest;
use http::{HeaderMap, Method, Request, Version};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinSet;

use crate::endpoint::Endpoint;
use crate::processor_time;

/// A compression flag and a length in front of every message.
pub(crate) const FRAME_HEADER: usize = 5;
/// Wide enough that flow control never holds an answer up.
const WINDOW: u32 = 16 << 20;

/// What to send, where, and how often.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The server.
    pub endpoint: Endpoint,
    /// The method, such as `/gsar.v1.GroundingService/Score`.
    pub path: String,
    /// The encoded message.
    pub message: Bytes,
    /// Calls in flight at any time.
    pub in_flight: u32,
    /// Calls before the measurement.
    pub warm_up: u64,
    /// Calls that are measured.
    pub calls: u64,
    /// The process of the server, to read its processor time.
    pub server: Option<u32>,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Calls answered.
    pub calls: u64,
    /// From the first call to the last answer.
    pub elapsed: Duration,
    /// From sending a call to its last byte, half of the calls.
    pub p50: Duration,
    /// The same, 99 of 100 calls.
    pub p99: Duration,
    /// Mean size of an answer's message, in bytes.
    pub answer_bytes: f64,
    /// Processor time of the server, where its process was named.
    pub server: Option<Duration>,
    /// Processor time of this client.
    pub client: Duration,
}

impl Measurement {
    /// One JSON object; times in microseconds.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let micros = |duration: Duration| duration.as_secs_f64() * 1e6;
        let calls = self.calls as f64;
        json!({
            "calls": self.calls,
            "calls_per_second": calls / self.elapsed.as_secs_f64(),
            "p50_us": micros(self.p50),
            "p99_us": micros(self.p99),
            "answer_bytes": self.answer_bytes,
            "server_cpu_us_per_call": self.server.map(|server| micros(server) / calls),
            "client_cpu_us_per_call": micros(self.client) / calls,
        })
    }
}

/// Carries out a plan.
///
/// # Errors
/// The server cannot be reached, or one call did not end with grpc-status 0.
pub async fn run(plan: &Plan) -> anyhow::Result<Measurement> {
    ensure!(plan.in_flight > 0 && plan.calls > 0, "in-flight and calls must be at least 1");
    let connection = connect(&plan.endpoint).await?;
    let call = Call::new(connection, plan)?;
    rounds(&call, plan.in_flight, plan.warm_up).await?;

    let server_before = plan.server.map(processor_time::of_process).transpose()?;
    let client_before = processor_time::of_process(std::process::id())?;
    let start = Instant::now();
    let mut answers = rounds(&call, plan.in_flight, plan.calls).await?;
    let elapsed = start.elapsed();
    let client = processor_time::of_process(std::process::id())?.saturating_sub(client_before);
    let server_after = plan.server.map(processor_time::of_process).transpose()?;

    answers.latencies.sort_unstable();
    Ok(Measurement {
        calls: plan.calls,
        elapsed,
        p50: quantile(&answers.latencies, 0.50),
        p99: quantile(&answers.latencies, 0.99),
        answer_bytes: answers.bytes as f64 / plan.calls as f64,
        server: server_before.zip(server_after).map(|(before, after)| after.saturating_sub(before)),
        client,
    })
}

/// The value below which that share of ascending times lies; nothing of none.
#[must_use]
pub fn quantile(ascending: &[Duration], share: f64) -> Duration {
    let index = (share * ascending.len().saturating_sub(1) as f64).round() as usize;
    ascending.get(index).copied().unwrap_or_default()
}

/// Makes the calls of a plan one after the other, and gives the message of each measured answer with the time from
/// sending its call to its last byte.
///
/// # Errors
/// As [`run`].
pub async fn in_sequence(plan: &Plan) -> anyhow::Result<Vec<(Duration, Bytes)>> {
    let mut call = Call::new(connect(&plan.endpoint).await?, plan)?;
    for _ in 0..plan.warm_up {
        call.make(|_| {}).await?;
    }
    let mut answers = Vec::new();
    for _ in 0..plan.calls {
        let (start, mut message) = (Instant::now(), BytesMut::new());
        call.make(|chunk| message.extend_from_slice(chunk)).await?;
        let took = start.elapsed();
        answers.push((took, message.split_off(FRAME_HEADER.min(message.len())).freeze()));
    }
    Ok(answers)
}

/// Makes one call and gives the message of its answer.
///
/// # Errors
/// As [`run`].
pub async fn once(plan: &Plan) -> anyhow::Result<Bytes> {
    let connection = connect(&plan.endpoint).await?;
    let mut message = BytesMut::new();
    Call::new(connection, plan)?.make(|chunk| message.extend_from_slice(chunk)).await?;
    Ok(message.split_off(FRAME_HEADER.min(message.len())).freeze())
}

pub(crate) async fn connect(endpoint: &Endpoint) -> anyhow::Result<SendRequest<Bytes>> {
    let reach = || format!("connecting to {endpoint}");
    match endpoint {
        Endpoint::Unix(path) => {
            handshake(UnixStream::connect(path).await.with_context(reach)?).await
        }
        Endpoint::Tcp(address) => {
            let stream = TcpStream::connect(address).await.with_context(reach)?;
            stream.set_nodelay(true)?;
            handshake(stream).await
        }
    }
}

async fn handshake(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> anyhow::Result<SendRequest<Bytes>> {
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
    let (requests, connection) = builder.handshake(stream).await?;
    // Ends with the last handle; a broken connection shows in the calls.
    tokio::spawn(connection);
    Ok(requests)
}

/// The head of a call.
pub(crate) fn request(path: &str) -> anyhow::Result<Request<()>> {
    let request = Request::builder()
        .method(Method::POST)
        .version(Version::HTTP_2)
        .uri(format!("http://localhost{path}"))
        .header("te", "trailers")
        .header("content-type", "application/grpc")
        .body(())?;
    Ok(request)
}

/// A call that can be made over and over.
#[derive(Clone)]
struct Call {
    connection: SendRequest<Bytes>,
    request: Request<()>,
    body: Bytes,
}

impl Call {
    fn new(connection: SendRequest<Bytes>, plan: &Plan) -> anyhow::Result<Self> {
        let request = request(&plan.path)?;
        let mut body = BytesMut::with_capacity(FRAME_HEADER + plan.message.len());
        body.put_u8(0);
        body.put_u32(u32::try_from(plan.message.len())?);
        body.extend_from_slice(&plan.message);
        Ok(Self { connection, request, body: body.freeze() })
    }

    /// Makes the call, hands every chunk of the answer's body to `take`, and gives the size of the message.
    async fn make(&mut self, mut take: impl FnMut(&[u8])) -> anyhow::Result<u64> {
        let mut connection = self.connection.clone().ready().await?;
        let (answer, mut stream) = connection.send_request(self.request.clone(), false)?;
        stream.send_data(self.body.clone(), true)?;
        let (head, mut body) = answer.await?.into_parts();
        ensure!(head.status == http::StatusCode::OK, "HTTP status {}", head.status);
        let mut size = 0;
        while let Some(chunk) = body.data().await {
            let chunk = chunk?;
            body.flow_control().release_capacity(chunk.len())?;
            size += chunk.len();
            take(&chunk);
        }
        check(&head.headers, &mut body).await?;
        ensure!(size >= FRAME_HEADER, "an answer without a message");
        Ok((size - FRAME_HEADER) as u64)
    }
}

/// The status is in the trailers, or in the headers of an answer that has nothing else.
pub(crate) async fn check(headers: &HeaderMap, body: &mut RecvStream) -> anyhow::Result<()> {
    let trailers = body.trailers().await?.unwrap_or_default();
    let text = |name| {
        let value = trailers.get(name).or_else(|| headers.get(name))?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    match text("grpc-status").as_deref() {
        Some("0") => Ok(()),
        status => Err(anyhow!(
            "grpc-status {}: {}",
            status.unwrap_or("missing"),
            text("grpc-message").unwrap_or_default()
        )),
    }
}

#[derive(Default)]
struct Answers {
    latencies: Vec<Duration>,
    bytes: u64,
}

async fn rounds(call: &Call, in_flight: u32, calls: u64) -> anyhow::Result<Answers> {
    let left = Arc::new(AtomicU64::new(calls));
    let mut lanes = JoinSet::new();
    for _ in 0..in_flight {
        lanes.spawn(lane(call.clone(), Arc::clone(&left)));
    }
    let mut all = Answers::default();
    while let Some(answers) = lanes.join_next().await {
        let answers = answers??;
        all.latencies.extend(answers.latencies);
        all.bytes += answers.bytes;
    }
    Ok(all)
}

/// One call after the other, until none is left to make.
async fn lane(mut call: Call, left: Arc<AtomicU64>) -> anyhow::Result<Answers> {
    let mut answers = Answers::default();
    while left
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        .is_ok()
    {
        let start = Instant::now();
        answers.bytes += call.make(|_| {}).await?;
        answers.latencies.push(start.elapsed());
    }
    Ok(answers)
}
