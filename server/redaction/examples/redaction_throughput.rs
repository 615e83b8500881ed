//! Measures the throughput of finding, hiding and restoring on logs and adversarial texts.
//!
//! `cargo run --release -p gsar-redaction --example redaction_throughput`

use std::hint::black_box;
use std::time::{Duration, Instant};

use gsar_redaction::{Options, Redactor};

const MEGABYTE: usize = 1 << 20;
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let redactor = Redactor::new(&Options::default())?;
    let mut out = std::io::stdout().lock();
    for (name, text) in texts() {
        let found = best(|| redactor.find(&text).len());
        let begun = best(|| redactor.begin(1, [text.as_str()]).prefix().len());
        let mut redaction = redactor.begin(1, [text.as_str()]);
        let hidden = redaction.hide(&text).into_owned();
        let hid = best(|| redactor.begin(1, [text.as_str()]).hide(&text).len());
        let restored = best(|| redaction.restore(&hidden).len());
        let speed = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
        std::io::Write::write_fmt(
            &mut out,
            format_args!(
                "{name:<28} {:>6} places   find {:>7.1}   begin {:>7.1}   begin and hide {:>7.1}   restore {:>8.1} MB/s\n",
                redactor.find(&text).len(),
                speed(found),
                speed(begun),
                speed(hid),
                speed(restored),
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
        let mut number = 0;
        while text.len() < MEGABYTE {
            text.push_str(&line(number));
            number += 1;
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
    let again = |piece: &str| piece.repeat(MEGABYTE / piece.len());
    vec![
        ("log, nothing to hide", log(&plain)),
        ("access log, all hidden", log(&access)),
        ("\"://\"", again("a://")),
        ("\"a://b:c@\"", again("a://b:c@")),
        ("\"@\"", again("@")),
        ("\"a@b.cc\"", again("a@b.cc")),
        ("key begin markers", again("-----BEGIN PRIVATE KEY-----\n")),
        ("\"password=\"", again("password=")),
        ("'password=\"'", again("password=\"")),
        ("\"1.1.1.1.\"", again("1.1.1.1.")),
        ("colons", again(":")),
        ("\"eyJ\"", again("eyJ")),
        ("\"4111 \"", again("4111 ")),
        ("\"+1 \"", again("+1 ")),
        ("digits", again("4111111111")),
        ("letters", again("a")),
    ]
}
