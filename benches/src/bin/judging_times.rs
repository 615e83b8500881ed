//! This program measures the bare loop around a chat model, and what the steps of an evaluation take.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use clap::Parser;
use gsar_benches::endpoint::Endpoint;
use gsar_benches::load::{self, Measurement, Plan, quantile};
use gsar_benches::processor_time;
use gsar_proto::v1::EvaluateResponse;
use prost::Message as _;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Prints what was measured as one JSON object; times in microseconds.
#[derive(Parser)]
enum Arguments {
    /// Sends a question over and over, with reqwest and serde_json alone: what a program without GSAR does around a chat
    /// model.
    Bare {
        /// File with the body of the question, as the stub was sent it.
        #[arg(long)]
        question: PathBuf,
        /// The stub, such as http://127.0.0.1:8000.
        #[arg(long)]
        provider: String,
        /// Questions at any time.
        #[arg(long, default_value_t = 1)]
        in_flight: u32,
        /// Questions before the measurement.
        #[arg(long, default_value_t = 0)]
        warm_up: u64,
        /// Questions that are measured.
        #[arg(long)]
        calls: u64,
    },
    /// Evaluates one after the other and prints the median of each step, as the answers tell it, and of the whole.
    Steps {
        /// The server: unix:///path/to.sock or grpc://address:port.
        #[arg(long)]
        endpoint: Endpoint,
        /// File with the encoded request.
        #[arg(long)]
        message: PathBuf,
        /// Evaluations before the measurement.
        #[arg(long, default_value_t = 0)]
        warm_up: u64,
        /// Evaluations that are measured.
        #[arg(long)]
        calls: u64,
    },
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "this is what the program is for")]
async fn main() -> anyhow::Result<()> {
    let measured = match Arguments::parse() {
        Arguments::Bare { question, provider, in_flight, warm_up, calls } => {
            let asking = Loop::new(&provider, &std::fs::read(&question)?)?;
            bare(&asking, in_flight, warm_up, calls).await?
        }
        Arguments::Steps { endpoint, message, warm_up, calls } => {
            let message = std::fs::read(&message)?.into();
            let path = "/gsar.v1.GroundingService/Evaluate".to_owned();
            steps(&Plan { endpoint, path, message, in_flight: 1, warm_up, calls, server: None })
                .await?
        }
    };
    println!("{measured}");
    Ok(())
}

/// As much of a completion as the loop reads.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: String,
}

/// As much of an answer as the loop reads, which is all of each claim.
#[derive(Deserialize)]
#[serde(untagged)]
enum Verdict {
    Judge { claims: Vec<Judged> },
    SecondLook { statements: Vec<Read> },
}

#[derive(Deserialize)]
struct Read {
    id: String,
    verdict: String,
    words: String,
}

#[derive(Deserialize)]
struct Judged {
    id: String,
    class: String,
    r#type: String,
    citations: Vec<Cited>,
    note: String,
}

#[derive(Deserialize)]
struct Cited {
    evidence: String,
    field_path: Option<String>,
    quote: String,
}

#[derive(Clone)]
struct Loop {
    client: reqwest::Client,
    url: String,
    /// Built once; written as JSON for each call.
    question: Arc<Value>,
}

impl Loop {
    fn new(provider: &str, question: &[u8]) -> anyhow::Result<Self> {
        let tls = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(tls)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        let client =
            reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build()?;
        let question = serde_json::from_slice(question)?;
        let url = format!("{provider}/v1/chat/completions");
        Ok(Self { client, url, question: Arc::new(question) })
    }

    /// The bytes of one answer's text.
    async fn ask(&self) -> anyhow::Result<usize> {
        let body = serde_json::to_vec(&*self.question)?;
        let asked = self.client.post(&self.url).header("content-type", "application/json");
        let answer = asked.body(body).send().await?.error_for_status()?.bytes().await?;
        let completion: Completion = serde_json::from_slice(&answer)?;
        let text = completion.choices.into_iter().next().context("no choice")?.message.content;
        let verdict: Verdict = serde_json::from_str(&text)?;
        let is_whole = |judged: &Judged| {
            let cites = |cited: &Cited| {
                !cited.evidence.is_empty() && !cited.quote.is_empty() && cited.field_path.is_none()
            };
            ![&judged.id, &judged.class, &judged.r#type, &judged.note].iter().any(|t| t.is_empty())
                && judged.citations.iter().all(cites)
        };
        let is_read =
            |read: &Read| !read.id.is_empty() && !read.verdict.is_empty() && !read.words.is_empty();
        let is_all = match &verdict {
            Verdict::Judge { claims } => claims.len() >= 10 && claims.iter().all(is_whole),
            Verdict::SecondLook { statements } => {
                statements.len() >= 10 && statements.iter().all(is_read)
            }
        };
        ensure!(is_all, "{text}");
        Ok(text.len())
    }
}

async fn bare(asking: &Loop, in_flight: u32, warm_up: u64, calls: u64) -> anyhow::Result<Value> {
    lanes(asking, in_flight, warm_up).await?;
    let before = processor_time::of_process(std::process::id())?;
    let start = Instant::now();
    let (mut times, bytes) = lanes(asking, in_flight, calls).await?;
    let elapsed = start.elapsed();
    let used = processor_time::of_process(std::process::id())?.saturating_sub(before);
    times.sort_unstable();
    let measured = Measurement {
        calls,
        elapsed,
        p50: quantile(&times, 0.50),
        p99: quantile(&times, 0.99),
        answer_bytes: bytes as f64 / calls.max(1) as f64,
        // It stands where the server stands.
        server: Some(used),
        client: Duration::ZERO,
    };
    Ok(measured.to_json())
}

async fn lanes(
    asking: &Loop,
    in_flight: u32,
    calls: u64,
) -> anyhow::Result<(Vec<Duration>, usize)> {
    let left = Arc::new(AtomicU64::new(calls));
    let mut lanes = JoinSet::new();
    for _ in 0..in_flight {
        lanes.spawn(lane(asking.clone(), Arc::clone(&left)));
    }
    let mut all = (Vec::new(), 0);
    while let Some(ended) = lanes.join_next().await {
        let (times, bytes) = ended??;
        all.0.extend(times);
        all.1 += bytes;
    }
    Ok(all)
}

async fn lane(asking: Loop, left: Arc<AtomicU64>) -> anyhow::Result<(Vec<Duration>, usize)> {
    let (mut times, mut bytes) = (Vec::new(), 0);
    while left
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        .is_ok()
    {
        let start = Instant::now();
        bytes += asking.ask().await?;
        times.push(start.elapsed());
    }
    Ok((times, bytes))
}

async fn steps(plan: &Plan) -> anyhow::Result<Value> {
    let answers = load::in_sequence(plan).await?;
    let mut whole = Vec::with_capacity(answers.len());
    let mut steps: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for (took, answer) in answers {
        let answer = EvaluateResponse::decode(answer)?;
        whole.push(took);
        let mut elsewhere = took;
        for timing in answer.provenance.unwrap_or_default().timings {
            let took = Duration::try_from(timing.duration.unwrap_or_default())?;
            elsewhere = elsewhere.saturating_sub(took);
            steps.entry(timing.step).or_default().push(took);
        }
        steps.entry("elsewhere".to_owned()).or_default().push(elsewhere);
    }
    steps.insert("whole".to_owned(), whole);
    let medians = steps.into_iter().map(|(step, mut times)| {
        times.sort_unstable();
        (step, json!(quantile(&times, 0.50).as_secs_f64() * 1e6))
    });
    Ok(Value::Object(medians.collect()))
}
