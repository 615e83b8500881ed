//! Measures a minimal chat model client, and the steps of an evaluation.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Parser;
use gsar_benches::load::{self, Measurement, Plan, quantile};
use gsar_client::Endpoint;
use gsar_proto::v1::EvaluateResponse;
use prost::Message as _;
use serde::Deserialize;
use serde_json::{Value, json};

/// Prints the measurements as one JSON object, with times in microseconds.
#[derive(Parser)]
enum Arguments {
    /// Sends the same request many times with only reqwest and serde_json, like a program without GSAR.
    Bare {
        /// File with the request body, as the stub received it.
        #[arg(long)]
        question: PathBuf,
        /// URL of the stub, such as http://127.0.0.1:8000.
        #[arg(long)]
        provider: String,
        /// Concurrent requests.
        #[arg(long, default_value_t = 1)]
        in_flight: u32,
        /// Requests before the measurement.
        #[arg(long, default_value_t = 0)]
        warm_up: u64,
        /// Measured requests.
        #[arg(long)]
        calls: u64,
    },
    /// Evaluates sequentially and prints the median time of each step, as reported in the answers, and
    /// of the whole call.
    Steps {
        /// Server address: unix:///path/to.sock or grpc://address:port.
        #[arg(long)]
        endpoint: Endpoint,
        /// File with the encoded request.
        #[arg(long)]
        message: PathBuf,
        /// Evaluations before the measurement.
        #[arg(long, default_value_t = 0)]
        warm_up: u64,
        /// Measured evaluations.
        #[arg(long)]
        calls: u64,
    },
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "prints its result")]
async fn main() -> anyhow::Result<()> {
    let measured = match Arguments::parse() {
        Arguments::Bare { question, provider, in_flight, warm_up, calls } => {
            let client = BareLoop::new(&provider, &std::fs::read(&question)?)?;
            bare(client, in_flight, warm_up, calls).await?
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

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: String,
}

/// Contains all fields of an answer, for a realistic parsing cost.
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
struct BareLoop {
    client: reqwest::Client,
    url: String,
    /// Serialized for each call.
    question: Arc<Value>,
}

impl BareLoop {
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

    /// Returns the length of the answer text in bytes.
    async fn ask(&self) -> anyhow::Result<u64> {
        let body = serde_json::to_vec(&*self.question)?;
        let request = self.client.post(&self.url).header("content-type", "application/json");
        let answer = request.body(body).send().await?.error_for_status()?.bytes().await?;
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
        Ok(text.len() as u64)
    }
}

async fn bare(bare: BareLoop, in_flight: u32, warm_up: u64, calls: u64) -> anyhow::Result<Value> {
    let ask = move || {
        let bare = bare.clone();
        async move { bare.ask().await }
    };
    load::in_flight(in_flight, warm_up, ask.clone()).await?;
    // Measure this process instead of a server.
    let process = Some(std::process::id());
    let run = load::in_flight(in_flight, calls, ask);
    Ok(Measurement::of(calls, process, run).await?.to_json())
}

async fn steps(plan: &Plan) -> anyhow::Result<Value> {
    let answers = load::in_sequence(plan).await?;
    let mut totals = Vec::with_capacity(answers.len());
    let mut steps: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for (took, answer) in answers {
        let answer = EvaluateResponse::decode(answer)?;
        totals.push(took);
        let mut elsewhere = took;
        for timing in answer.provenance.unwrap_or_default().timings {
            let took = Duration::try_from(timing.duration.unwrap_or_default())?;
            elsewhere = elsewhere.saturating_sub(took);
            steps.entry(timing.step).or_default().push(took);
        }
        steps.entry("elsewhere".to_owned()).or_default().push(elsewhere);
    }
    steps.insert("whole".to_owned(), totals);
    let medians = steps.into_iter().map(|(step, mut times)| {
        times.sort_unstable();
        (step, json!(quantile(&times, 0.50).as_secs_f64() * 1e6))
    });
    Ok(Value::Object(medians.collect()))
}
