//! Measures the throughput of finding, hiding and restoring on logs and adversarial texts.
//!
//! `cargo run --release -p gsar-redaction --example redaction_throughput`

use std::hint::black_box;
use std::time::{Duration, Instant};

use gsar_redaction::Redactor;

const MEGABYTE: usize = 1 << 20;
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let redactor = Redactor::new(&[])?;
    let mut out = std::io::stdout().lock();
    for (name, text) in texts() {
        let find_time = best(|| redactor.find(&text).len());
        let begin_time = best(|| redactor.begin(1, [text.as_str()]).prefix().len());
        let mut redaction = redactor.begin(1, [text.as_str()]);
        let hidden = redaction.hide(&text).into_owned();
        let hide_time = best(|| redactor.begin(1, [text.as_str()]).hide(&text).len());
        let restore_time = best(|| redaction.restore(&hidden).len());
        let speed = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
        std::io::Write::write_fmt(
            &mut out,
            format_args!(
                "{name:<28} {:>6} places   find {:>7.1}   begin {:>7.1}   begin and hide {:>7.1}   restore {:>8.1} MB/s\n",
                redactor.find(&text).len(),
                speed(find_time),
                speed(begin_time),
                speed(hide_time),
                speed(restore_time),
            ),
        )?;
    }
    Ok(())
}

fn best(mut work: impl FnMut() -> usize) -> Duration {
    let run = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..RUNS).map(run).min().unwrap_or_default()
}

fn texts() -> Vec<(&'static str, String)> {
    let log = |line: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        let mut line_number = 0;
        while text.len() < MEGABYTE {
            text.push_str(&line(line_number));
            line_number += 1;
        }
        text
    };
    let plain = |n: usize| {
        format!(
            "2026-03-12T14:{:02}:{:02}.{:03}Z INFO checkout-7f9c4d8b6-x2x1z order ORD-{n} took {} ms trace_id=4bf92f3577b34da6a3ce929d0e{:06x}\n",
            n / 60 % 60,
            n % 60,
            n % 1000,
            n % 997,
            n
        )
    };
    let access = |n: usize| {
        format!(
            "10.{}.{}.{} - user{}@example.com [12/Mar/2026:14:02:17 +0000] \"GET /api/orders/{n}?token=a1b2c3d4e5{n:06} HTTP/1.1\" 200 {} \"Mozilla/5.0 Chrome/120.0.0.1\"\n",
            n / 65536 % 256,
            n / 256 % 256,
            n % 256,
            n % 500,
            n % 9000
        )
    };
    let repeat = |piece: &str| piece.repeat(MEGABYTE / piece.len());
    vec![
        ("log, nothing to hide", log(&plain)),
        ("access log, all hidden", log(&access)),
        ("\"://\"", repeat("a://")),
        ("\"a://b:c@\"", repeat("a://b:c@")),
        ("\"@\"", repeat("@")),
        ("\"a@b.cc\"", repeat("a@b.cc")),
        ("key begin markers", repeat("-----BEGIN PRIVATE KEY-----\n")),
        ("\"password=\"", repeat("password=")),
        ("'password=\"'", repeat("password=\"")),
        ("\"1.1.1.1.\"", repeat("1.1.1.1.")),
        ("colons", repeat(":")),
        ("\"eyJ\"", repeat("eyJ")),
        ("\"4111 \"", repeat("4111 ")),
        ("\"+1 \"", repeat("+1 ")),
        ("digits", repeat("4111111111")),
        ("letters", repeat("a")),
    ]
}
