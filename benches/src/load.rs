//! The load client. Makes the same unary call many times on one connection.
//!
//! Uses HTTP/2 directly and decodes no messages, so that it costs less than the server. Fails unless every
//! answer has grpc-status 0 and exactly one message.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail, ensure};
use bytes::{BufMut as _, Bytes, BytesMut};
use gsar_client::Endpoint;
use h2::RecvStream;
use h2::client::SendRequest;
use http::{HeaderMap, Method, Request, Version};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinSet;

use crate::cpu_time;

pub(crate) const FRAME_HEADER: usize = 5;
/// A flow-control window large enough that the client never waits for it.
const WINDOW: u32 = 16 << 20;

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The server address.
    pub endpoint: Endpoint,
    /// The method, such as `/gsar.v1.GroundingService/Score`.
    pub path: String,
    /// The encoded message.
    pub message: Bytes,
    /// The number of concurrent calls.
    pub in_flight: u32,
    /// The number of calls before the measurement.
    pub warm_up: u64,
    /// The number of measured calls.
    pub calls: u64,
    /// The server's process id, to measure its CPU time.
    pub server: Option<u32>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The number of answered calls.
    pub calls: u64,
    /// The time from the first call to the last answer.
    pub elapsed: Duration,
    /// The median time from sending a call to the last byte of its answer.
    pub p50: Duration,
    /// The 99th percentile of that time.
    pub p99: Duration,
    /// The mean message size per answer in bytes.
    pub answer_bytes: f64,
    /// The server's CPU time, if its process is known.
    pub server: Option<Duration>,
    /// This client's CPU time.
    pub client: Duration,
}

impl Measurement {
    /// Measures `run`, which makes the calls and returns their durations and answer sizes.
    pub async fn of(
        calls: u64,
        server: Option<u32>,
        run: impl Future<Output = anyhow::Result<Vec<(Duration, u64)>>>,
    ) -> anyhow::Result<Self> {
        let server_before = server.map(cpu_time::of_process).transpose()?;
        let client_before = cpu_time::of_process(std::process::id())?;
        let start = Instant::now();
        let answers = run.await?;
        let elapsed = start.elapsed();
        let client = cpu_time::of_process(std::process::id())?.saturating_sub(client_before);
        let server_after = server.map(cpu_time::of_process).transpose()?;
        let server =
            server_before.zip(server_after).map(|(before, now)| now.saturating_sub(before));
        let (mut times, mut bytes) = (Vec::with_capacity(answers.len()), 0);
        for (time, size) in answers {
            times.push(time);
            bytes += size;
        }
        times.sort_unstable();
        let (p50, p99) = (quantile(&times, 0.50), quantile(&times, 0.99));
        let answer_bytes = bytes as f64 / calls.max(1) as f64;
        Ok(Self { calls, elapsed, p50, p99, answer_bytes, server, client })
    }

    /// Returns a JSON object with times in microseconds.
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

/// Runs a plan. Fails if a call does not end with grpc-status 0.
pub async fn run(plan: &Plan) -> anyhow::Result<Measurement> {
    ensure!(plan.in_flight > 0 && plan.calls > 0, "in-flight and calls must be at least 1");
    let call = Arc::new(Call::new(connect(&plan.endpoint).await?, plan)?);
    let call = move || {
        let call = Arc::clone(&call);
        async move { call.make(|_| {}).await }
    };
    in_flight(plan.in_flight, plan.warm_up, call.clone()).await?;
    Measurement::of(plan.calls, plan.server, in_flight(plan.in_flight, plan.calls, call)).await
}

/// Makes concurrent calls. Returns the duration and result of each.
pub async fn in_flight<T, F>(
    in_flight: u32,
    calls: u64,
    call: impl Fn() -> F + Clone + Send + 'static,
) -> anyhow::Result<Vec<(Duration, T)>>
where
    T: Send + 'static,
    F: Future<Output = anyhow::Result<T>> + Send,
{
    let left = Arc::new(AtomicU64::new(calls));
    let mut lanes = JoinSet::new();
    for _ in 0..in_flight {
        let (call, left) = (call.clone(), Arc::clone(&left));
        let take = move || {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        };
        lanes.spawn(async move {
            let mut answers = Vec::new();
            while take().is_ok() {
                let start = Instant::now();
                let answer = call().await?;
                answers.push((start.elapsed(), answer));
            }
            anyhow::Ok(answers)
        });
    }
    let mut all = Vec::new();
    while let Some(answers) = lanes.join_next().await {
        all.extend(answers??);
    }
    Ok(all)
}

/// Returns a quantile of ascending times, or 0 if there are none.
pub fn quantile(ascending: &[Duration], share: f64) -> Duration {
    let index = (share * ascending.len().saturating_sub(1) as f64).round() as usize;
    ascending.get(index).copied().unwrap_or_default()
}

/// Runs a plan sequentially. Returns the duration and message of each measured answer.
pub async fn in_sequence(plan: &Plan) -> anyhow::Result<Vec<(Duration, Bytes)>> {
    let call = Call::new(connect(&plan.endpoint).await?, plan)?;
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

pub(crate) async fn connect(endpoint: &Endpoint) -> anyhow::Result<SendRequest<Bytes>> {
    let context = || format!("connecting to {endpoint}");
    match endpoint {
        Endpoint::Unix(path) => {
            handshake(UnixStream::connect(path).await.with_context(context)?).await
        }
        Endpoint::Tcp(address) => {
            let stream = TcpStream::connect(address).await.with_context(context)?;
            stream.set_nodelay(true)?;
            handshake(stream).await
        }
        Endpoint::Tls(_) => bail!("{endpoint}: TLS is not supported here"),
    }
}

async fn handshake(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> anyhow::Result<SendRequest<Bytes>> {
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
    let (requests, connection) = builder.handshake(stream).await?;
    tokio::spawn(connection);
    Ok(requests)
}

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

    /// Makes the call, passes each chunk of the answer to `take`, and returns the message size.
    async fn make(&self, mut take: impl FnMut(&[u8])) -> anyhow::Result<u64> {
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
        ensure!(size >= FRAME_HEADER, "the answer has no message");
        Ok((size - FRAME_HEADER) as u64)
    }
}

/// Checks the status in the trailers, or in the headers if the answer has no body.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::echo::{self, Echo};

    async fn run_against_echo(path: &str) -> anyhow::Result<Measurement> {
        let folder = tempfile::tempdir()?;
        let socket = folder.path().join("echo.sock");
        let endpoint = Endpoint::Unix(socket.clone());
        let server = tokio::spawn({
            let endpoint = endpoint.clone();
            async move { echo::serve(&endpoint, Echo::answering(100)).await }
        });
        while !socket.exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let path = path.to_owned();
        let plan = Plan {
            endpoint,
            path,
            message: Bytes::new(),
            in_flight: 2,
            warm_up: 1,
            calls: 5,
            server: None,
        };
        let measured = run(&plan).await;
        server.abort();
        measured
    }

    #[tokio::test]
    async fn measures_answered_calls() {
        let measured = run_against_echo(echo::PATH).await.unwrap();
        assert_eq!((measured.calls, measured.answer_bytes), (5, 100.0));
    }

    #[tokio::test]
    async fn fails_on_an_answer_other_than_ok() {
        let error = run_against_echo("/gsar.benches.Echo/Unknown").await.unwrap_err();
        assert!(error.to_string().starts_with("grpc-status 12: "), "{error}");
    }
}
