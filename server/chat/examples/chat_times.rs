//! Measures the overhead of calls over plain HTTP, the delay after a deadline, and the memory that many
//! concurrent calls use.
//!
//! `cargo run --release -p gsar-chat --example chat_times [ROUNDS]`
//!
//! The overhead is the difference from using reqwest and serde_json alone. Calls alternate between the two
//! clients, and go to the same loopback server. The clients and the server run on one thread each.

#![allow(clippy::print_stdout, clippy::allow_attributes, reason = "the program prints its results")]

use std::error::Error;
use std::future::Future;
use std::time::{Duration, Instant};

use gsar_chat::{Chat, Endpoint, Request, Retry, Schema, Settings};
use gsar_chat_wire::{KEY, ScriptedReply, Server, Wire};
use serde_json::{Value, json};

const SCHEMA: &str = r#"{"type":"object","properties":{"claims":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"class":{"type":"string"}}}}}}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(5000), |argument| argument.parse())?;
    let server_runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let server = server_runtime.block_on(Server::start())?;
    server.forget_requests();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        overhead(&server, rounds).await?;
        deadlines(&server, rounds.min(1000)).await?;
        memory(&server).await
    })
}

fn chat(server: &Server, settings: Settings) -> Result<Chat, Box<dyn Error>> {
    let base_url = server.base_url(Wire::OpenAi);
    let endpoint = Endpoint::new("openai:m".parse()?, Some(&base_url), Some(KEY.into()))?;
    Ok(Chat::new(&endpoint, settings)?)
}

/// Measures calls with an 8 KiB request and a 3 KiB answer that has sixty claims.
async fn overhead(server: &Server, rounds: usize) -> Result<(), Box<dyn Error>> {
    let claims: Vec<Value> = (0..60)
        .map(|number| json!({"id": format!("claim-{number}"), "class": "CLAIM_CLASS_GROUNDED"}))
        .collect();
    server.always(ScriptedReply::answer(&json!({ "claims": claims }).to_string()));
    let chat = chat(server, Settings::default())?;
    let mut request = Request::new("Judge the claims.", "evidence ".repeat(900));
    request.schema = Some(Schema::new("verdict", SCHEMA)?);
    let bare = BareClient::new(server)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..rounds + rounds / 10 {
        // The order alternates. The first tenth of the rounds is warm-up.
        let (our_result, their_result) = if round % 2 == 0 {
            let our_result = timed(chat_once(&chat, &request)).await?;
            (our_result, timed(bare.ask(&request)).await?)
        } else {
            let their_result = timed(bare.ask(&request)).await?;
            (timed(chat_once(&chat, &request)).await?, their_result)
        };
        if our_result.0 != their_result.0 {
            return Err("the answers differ".into());
        }
        if round >= rounds / 10 {
            ours.push(our_result.1);
            theirs.push(their_result.1);
        }
    }
    println!("one call, {rounds} rounds     p50        p99");
    let (ours, theirs) = (Quantiles::new(ours), Quantiles::new(theirs));
    println!("gsar-chat              {:>10.1?} {:>10.1?}", ours.p50, ours.p99);
    println!("reqwest + serde_json   {:>10.1?} {:>10.1?}", theirs.p50, theirs.p99);
    println!("overhead at p50        {:>10.1} us", micros(ours.p50) - micros(theirs.p50));
    Ok(())
}

async fn chat_once(chat: &Chat, request: &Request) -> Result<String, Box<dyn Error>> {
    Ok(chat.ask(request, Instant::now() + Duration::from_secs(10)).await?.text)
}

async fn timed(
    call: impl Future<Output = Result<String, Box<dyn Error>>>,
) -> Result<(String, Duration), Box<dyn Error>> {
    let started_at = Instant::now();
    let text = call.await?;
    Ok((text, started_at.elapsed()))
}

struct BareClient {
    client: reqwest::Client,
    url: String,
    schema: Value,
}

impl BareClient {
    fn new(server: &Server) -> Result<Self, Box<dyn Error>> {
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        Ok(Self {
            client: reqwest::Client::builder().tls_backend_preconfigured(tls).build()?,
            url: format!("{}/chat/completions", server.base_url(Wire::OpenAi)),
            schema: serde_json::from_str(SCHEMA)?,
        })
    }

    async fn ask(&self, request: &Request) -> Result<String, Box<dyn Error>> {
        let question = request.messages.first().ok_or("no question")?;
        let body = json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": question.text},
            ],
            "temperature": 0.0,
            "max_completion_tokens": 4096,
            "response_format": {"type": "json_schema",
                "json_schema": {"name": "verdict", "strict": true, "schema": self.schema}},
        });
        let answer = self
            .client
            .post(&self.url)
            .bearer_auth(KEY)
            .header("content-type", "application/json")
            .body(serde_json::to_vec(&body)?)
            .send()
            .await?
            .bytes()
            .await?;
        let answer: Value = serde_json::from_slice(&answer)?;
        let text = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
        Ok(text.ok_or("no text")?.to_owned())
    }
}

/// Measures the delay after a deadline of 200 ms, with a hundred concurrent calls to a provider that hangs.
async fn deadlines(server: &Server, calls: usize) -> Result<(), Box<dyn Error>> {
    const DEADLINE: Duration = Duration::from_millis(200);
    server.always(ScriptedReply::Hang);
    let settings = Settings { max_concurrent: 100, ..Settings::default() };
    let chat = chat(server, settings)?;
    let mut delays = Vec::new();
    for _ in 0..calls.div_ceil(100) {
        let running: Vec<_> = (0..100)
            .map(|_| {
                let chat = chat.clone();
                tokio::spawn(async move {
                    let mut request = Request::new("", "hang");
                    request.schema = Schema::new("x", SCHEMA).ok();
                    let deadline = Instant::now() + DEADLINE;
                    let answer = chat.ask(&request, deadline).await;
                    (Instant::now() - deadline, answer.err().map(|error| error.code()))
                })
            })
            .collect();
        for call in running {
            let (delay, code) = call.await?;
            if code != Some("DEADLINE_PASSED") {
                return Err(format!("{code:?} instead of the deadline").into());
            }
            delays.push(delay);
        }
    }
    server.wait_until(|counts| counts.answering == 0).await;
    let delays = Quantiles::new(delays);
    println!("\n200 ms deadline, {calls} calls that hang, 100 at once");
    println!("late                   {:>10.1?} {:>10.1?}", delays.p50, delays.p99);
    println!("running afterwards     {:>10}", chat.load().running);
    Ok(())
}

/// Measures 500 concurrent calls to a provider that takes 100 ms. 16 calls run, 64 wait, and an answer may have up to
/// 4 MiB.
async fn memory(server: &Server) -> Result<(), Box<dyn Error>> {
    server.always(ScriptedReply::AnswerAfter(
        Duration::from_millis(100),
        json!({"x": 1}).to_string(),
    ));
    let settings =
        Settings { retry: Retry { attempts: 1, ..Retry::default() }, ..Settings::default() };
    let chat = chat(server, settings)?;
    let before = resident_kilobytes()?;
    let running: Vec<_> = (0..500)
        .map(|_| {
            let chat = chat.clone();
            tokio::spawn(async move {
                let mut request = Request::new("", "evidence ".repeat(900));
                request.schema = Schema::new("x", SCHEMA).ok();
                chat.ask(&request, Instant::now() + Duration::from_secs(60)).await
            })
        })
        .collect();
    let (mut answered, mut refused, mut max) = (0, 0, before);
    for call in running {
        match call.await? {
            Ok(_) => answered += 1,
            Err(error) if error.code() == "TOO_MANY_CALLS" => refused += 1,
            Err(error) => return Err(error.into()),
        }
        max = max.max(resident_kilobytes()?);
    }
    println!("\n500 calls at once, 16 run and 64 wait");
    println!("answered, refused      {answered:>10} {refused:>10}");
    println!("max additional memory  {:>10} KiB", max - before);
    Ok(())
}

fn resident_kilobytes() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

struct Quantiles {
    p50: Duration,
    p99: Duration,
}

impl Quantiles {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at =
            |hundredths| times.get(times.len() * hundredths / 100).copied().unwrap_or_default();
        Self { p50: at(50), p99: at(99) }
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
