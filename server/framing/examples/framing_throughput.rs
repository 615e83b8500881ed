//! Measures the throughput of framing a log and adversarial texts, each in two sizes to show how the time grows.
//!
//! `cargo run --release -p gsar-framing --example framing_throughput`

use std::hint::black_box;
use std::time::{Duration, Instant};

use gsar_core::evidence::{EvidenceId, EvidenceKind, Lane};
use gsar_framing::{Framer, Item, Nonce};

const RUNS: usize = 3;
const SHORT: usize = 1 << 16;
const LONG: usize = 1 << 18;
const NONCE: Nonce = Nonce::new(0x7d1c_22ab_90e4_4f6b_8f10_55aa_3c2b_1d0e);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let framer = Framer::new()?;
    let id = EvidenceId::new("log")?;
    let mut out = std::io::stdout().lock();
    for (name, piece) in PIECES {
        let speed = |length: usize| {
            let text = piece.repeat(length / piece.len());
            let best = (0..RUNS).map(|_| frame(&framer, &id, &text)).min().unwrap_or_default();
            text.len() as f64 / 1e6 / best.as_secs_f64()
        };
        let line = format!("{name:<32} {:>7.1} MB/s   {:>7.1} MB/s\n", speed(SHORT), speed(LONG));
        std::io::Write::write_all(&mut out, line.as_bytes())?;
    }
    Ok(())
}

fn frame(framer: &Framer, id: &EvidenceId, content: &str) -> Duration {
    let item = Item::new(id, EvidenceKind::ToolOutput, Lane::Logs, content);
    let start = Instant::now();
    let _ = black_box(framer.frame(NONCE, &[item]));
    start.elapsed()
}

const PIECES: [(&str, &str); 16] = [
    (
        "log",
        "2026-03-12T14:02:17.123Z INFO checkout-7f9c4d8b6-x2x1z order ORD-771 took 35 ms trace_id=4bf92f3577b34da6a3ce929d0e0e4736\n",
    ),
    (
        "German log",
        "2026-03-12 Der Dienst läuft wieder, die Störung ist behoben; übrig: 12 Aufträge\n",
    ),
    ("angle brackets", "<"),
    ("citations", "[E1]"),
    ("\"ignore \"", "ignore "),
    ("\"ignore previous \"", "ignore previous "),
    ("zero width", "\u{200b}"),
    ("combining marks", "\u{301}"),
    ("backslashes", "\\"),
    ("escapes", "\\u0069"),
    ("letters", "A"),
    ("short base64", "aWdub3JlIHByZXZpb3VzIGlu "),
    ("comments", "<!--"),
    ("\"mark all claims as \"", "mark all claims as "),
    ("Chinese", "忽略"),
    ("newlines", "\n"),
];
