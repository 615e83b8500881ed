//! Measures the CPU time for framing a hundred telemetry items and the test texts.
//!
//! `cargo run --release -p gsar-framing --example framing_times`

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use fastrand::Rng;
use gsar_core::evidence::{EvidenceId, EvidenceKind, Lane};
use gsar_framing::{Framer, Item, Nonce};
use rustix::time::{ClockId, clock_gettime};

const RUNS: usize = 300;
const ITEMS: usize = 100;
const NONCE: Nonce = Nonce::new(0x7d1c_22ab_90e4_4f6b_8f10_55aa_3c2b_1d0e);

type Texts = [String; 3];

#[expect(clippy::print_stdout, reason = "the program prints its results")]
fn main() -> anyhow::Result<()> {
    let framer = Framer::new()?;
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    println!("| texts | items | bytes | findings | µs | ns per byte |\n|---|---|---|---|---|---|");
    for (name, texts) in [
        ("logs", telemetry(&[log])),
        ("JSON", telemetry(&[json])),
        ("metrics", telemetry(&[metrics])),
        ("logs, JSON and metrics", telemetry(&[log, json, metrics])),
        ("German logs", telemetry(&[german])),
        ("injections", read(&tests.join("injections"))?),
        ("harmless", read(&tests.join("harmless"))?),
    ] {
        let bytes: usize = texts.iter().flatten().map(String::len).sum();
        let (findings, time) = measure(&framer, &texts)?;
        let microseconds = time.as_secs_f64() * 1e6;
        let per_byte = microseconds * 1e3 / bytes as f64;
        println!(
            "| {name} | {} | {bytes} | {findings} | {microseconds:.0} | {per_byte:.1} |",
            texts.len()
        );
    }
    Ok(())
}

/// Returns the number of findings and the minimum framing time.
fn measure(framer: &Framer, texts: &[Texts]) -> anyhow::Result<(usize, Duration)> {
    let ids: Vec<EvidenceId> =
        (0..texts.len()).map(|n| EvidenceId::new(format!("item-{n}"))).collect::<Result<_, _>>()?;
    let items: Vec<Item<'_>> = ids
        .iter()
        .zip(texts)
        .map(|(id, [tool, query, content])| Item {
            tool,
            query,
            ..Item::new(id, EvidenceKind::ToolOutput, Lane::Logs, content)
        })
        .collect();
    let mut min = Duration::MAX;
    let mut findings = 0;
    for _ in 0..RUNS {
        let start = thread_time()?;
        let frame = black_box(framer.frame(NONCE, &items)?);
        min = min.min(thread_time()?.saturating_sub(start));
        findings = frame.findings().len();
    }
    Ok((findings, min))
}

fn thread_time() -> anyhow::Result<Duration> {
    Ok(Duration::try_from(clock_gettime(ClockId::ThreadCPUTime))?)
}

fn read(folder: &Path) -> anyhow::Result<Vec<Texts>> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        texts.push([String::new(), String::new(), std::fs::read_to_string(entry?.path())?]);
    }
    Ok(texts)
}

/// Generates items of 200 to 500 bytes, cycling through the generators. The result is deterministic.
fn telemetry(kinds: &[fn(&mut Rng) -> Texts]) -> Vec<Texts> {
    let mut rng = Rng::with_seed(7);
    kinds.iter().cycle().take(ITEMS).map(|generate| generate(&mut rng)).collect()
}

fn log(rng: &mut Rng) -> Texts {
    const MESSAGES: [&str; 6] = [
        "INFO  c.s.orders.OrderService - order accepted, 3 lines, total 41.20 EUR",
        "WARN  com.zaxxer.hikari.pool.HikariPool - Pool-1 - Connection is not available, request timed out after 30000ms.",
        "ERROR o.a.k.clients.NetworkClient - [Producer clientId=checkout-1] Connection to node -1 (kafka-0.kafka:9092) could not be established.",
        "DEBUG retrieved 12 rows from public.orders in 4 ms (user=checkout, database=shop)",
        "level=error msg=\"failed to reserve stock\" err=\"context deadline exceeded\" attempt=3",
        "java.sql.SQLTransientConnectionException: Connection is not available\n\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:696)",
    ];
    let pod = pod(rng);
    let mut content = String::new();
    for _ in 0..rng.u64(2..=3) {
        let (minute, second) = (rng.u64(0..=59), rng.u64(0..=59));
        let (message, trace) = (rng.choice(MESSAGES).unwrap_or_default(), rng.u64(..));
        content.push_str(&format!(
            "2026-03-12T14:{minute:02}:{second:02}.123Z {pod} {message} trace_id={trace:016x}\n"
        ));
    }
    ["kubectl".to_owned(), format!("kubectl logs {pod} -n shop --since=10m"), content]
}

fn json(rng: &mut Rng) -> Texts {
    const MESSAGES: [&str; 4] = [
        "upstream request timeout",
        "payment declined: {\\\"code\\\":\\\"insufficient_funds\\\",\\\"retry\\\":false}",
        "GET /api/v1/orders 503 in 30001 ms\\n\\tat handler (/srv/app/index.js:42:7)",
        "liveness probe failed: HTTP probe failed with statuscode: 500",
    ];
    let (pod, message, trace) = (pod(rng), rng.choice(MESSAGES).unwrap_or_default(), rng.u64(..));
    let (restarts, millis) = (rng.u64(0..=9), rng.u64(0..=999));
    let content = format!(
        r#"{{"timestamp":"2026-03-12T14:02:17.{millis:03}Z","level":"error","service":"checkout","kubernetes":{{"pod":"{pod}","namespace":"shop","labels":{{"app.kubernetes.io/name":"checkout","version":"2.14.{restarts}"}}}},"message":"{message}","restarts":{restarts},"trace_id":"{trace:016x}{trace:016x}"}}"#
    );
    ["loki".to_owned(), r#"{app="checkout"} |= "error" | json"#.to_owned(), content]
}

fn metrics(rng: &mut Rng) -> Texts {
    const NAMES: [&str; 4] = [
        "http_requests_total",
        "container_memory_working_set_bytes",
        "pg_stat_activity_count",
        "kube_pod_container_status_restarts_total",
    ];
    let name = rng.choice(NAMES).unwrap_or_default();
    let mut content = format!("# TYPE {name} counter\n");
    for _ in 0..rng.u64(2..=3) {
        let (pod, value) = (pod(rng), rng.u64(1..=99_999));
        content.push_str(&format!(
            "{name}{{namespace=\"shop\",pod=\"{pod}\",method=\"POST\",status=\"503\"}} {value} 1773324137000\n"
        ));
    }
    ["prometheus".to_owned(), format!("sum by (pod) (rate({name}[5m]))"), content]
}

fn german(rng: &mut Rng) -> Texts {
    let [_, query, mut content] = log(rng);
    content.push_str("Der Dienst läuft wieder, die Störung ist behoben; übrig sind 12 Aufträge\n");
    ["kubectl".to_owned(), query, content]
}

fn pod(rng: &mut Rng) -> String {
    let name = rng.choice(["checkout", "payments", "orders", "inventory"]).unwrap_or_default();
    format!("{name}-{:08x}-{:05x}", rng.u32(..), rng.u64(..1 << 20))
}
