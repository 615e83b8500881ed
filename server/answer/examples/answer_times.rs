//! Measures how long it takes to parse an answer with fifty claims, compared with plain `serde_json`. Prints
//! the medians of alternating rounds.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gsar_answer::{Bounds, Form, parse};
use gsar_core::{Claim, ClaimId};
use serde_json::{Value, json};

const CLAIMS: usize = 50;
const ROUNDS: usize = 20_000;

/// The default for [`Bounds::bytes`].
const HOSTILE_BYTES: usize = 4 << 20;
/// Adversarial texts, each given as a prefix and a part to repeat.
const HOSTILE: [(&str, &str); 8] = [
    ("", "{"),
    ("", "\""),
    ("", "{\"a\":1}"),
    ("", "{\"a\":1 b} "),
    ("{\"a\":\"", "\" , \"b\" "),
    ("{\"claims\":[", "{\"id\":\"c1\","),
    ("{\"claims\":[", "{\"id\":\"c1\",\"note\":\"x\" y},"),
    ("{\"claims\":[{\"id\":\"", "\"}\n"),
];

#[expect(clippy::print_stdout, reason = "the program prints its results")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let claims = claims();
    let structured = verdict().to_string();
    let fenced = format!("Here is my judgement:\n```json\n{structured}\n```\n");
    let broken = structured.replacen("decided by the pod list", "decided by the \"pod\" list", 1);
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        let [plain, whole, in_prose, fixed] = &mut times;
        plain.push(time(|| serde_json::from_str::<Value>(black_box(&structured)).is_ok()));
        for (times, text) in [(whole, &structured), (in_prose, &fenced), (fixed, &broken)] {
            times.push(time(|| {
                parse(black_box(text), Form::Judgement, &claims, &Bounds::default()).is_ok()
            }));
        }
    }
    println!("{CLAIMS} claims, {} bytes, median of {ROUNDS} rounds\n", structured.len());
    println!("| parser | µs |\n|---|---|");
    let names = [
        "serde_json into Value",
        "gsar-answer, structured",
        "gsar-answer, fence and prose",
        "gsar-answer, unescaped quote",
    ];
    for (name, times) in names.iter().zip(&mut times) {
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        println!("| {name} | {:.1} |", median.as_secs_f64() * 1e6);
    }
    println!("\n| {HOSTILE_BYTES} bytes of | ms | result |\n|---|---|---|");
    for (prefix, part) in HOSTILE {
        let text = format!("{prefix}{}", part.repeat((HOSTILE_BYTES - prefix.len()) / part.len()));
        let start = Instant::now();
        let outcome = parse(&text, Form::Judgement, &claims, &Bounds::default());
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        println!(
            "| `{prefix}` `{part}` … | {elapsed:.0} | {} |",
            outcome.map_or_else(|error| error.name(), |_| "salvaged")
        );
    }
    Ok(())
}

fn time(work: impl FnOnce() -> bool) -> Duration {
    let start = Instant::now();
    assert!(black_box(work()));
    start.elapsed()
}

fn claims() -> Vec<Claim> {
    let ids = (1..=CLAIMS).filter_map(|number| ClaimId::new(format!("c{number}")).ok());
    ids.map(|id| Claim::new(id, "checkout restarted four times after 14:02")).collect()
}

/// Returns an answer that has a note and one citation with a 60-byte quote per claim.
fn verdict() -> Value {
    let claim = |number: usize| {
        json!({
            "id": format!("c{number}"), "class": "grounded", "type": "tool_match", "note": "decided by the pod list",
            "citations": [{
                "evidence": "e1", "field_path": "/items/0/status",
                "quote": "checkout-7f9c 0/1 CrashLoopBackOff 4 restarts in 12 minutes!"
            }],
        })
    };
    json!({
        "claims": (1..=CLAIMS).map(claim).collect::<Vec<_>>(), "score": 0.83, "explanation": "Most is shown.",
        "gaps": ["logs of payments"], "contradictions": [], "abstain": null,
    })
}
