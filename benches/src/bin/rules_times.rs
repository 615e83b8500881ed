//! What the embedded judge costs: reading evidence of each shape once, and judging claims against it.
//!
//! Processor time of one thread. The baseline is a scan that lower-cases every line and looks for every word of
//! a claim in it, which is the least that any judge without an index does per claim.

use std::hint::black_box;

use clap::Parser;
use gsar_benches::telemetry::{Shape, claims};
use gsar_benches::timing::{median, milliseconds, scan};
use gsar_core::evidence::EvidenceItem;
use gsar_rules::{MOST_BYTES, Observations};

/// Prints two Markdown tables.
#[derive(Parser)]
struct Arguments {
    /// How often each figure is taken; the median is printed.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
}

#[expect(clippy::print_stdout, reason = "this is what the program is for")]
fn main() -> anyhow::Result<()> {
    const MEGABYTE: usize = 1_000_000;
    let rounds = Arguments::parse().rounds.max(1);
    println!(
        "| shape | read, ms per MB of 1 MB | of 16 MB | 16 / 1 | MB/s read | MB/s prepared | 20 claims against 1 MB, ms | a scan, ms | scan / judge |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let claims = claims()?;
    for shape in Shape::ALL {
        let small = [shape.item(MEGABYTE)?];
        let large = [shape.item(MOST_BYTES - 4096)?];
        let per_megabyte = |evidence: &[EvidenceItem; 1]| {
            let bytes: usize = evidence.iter().map(|item| item.content.as_str().len()).sum();
            let time = median(rounds, || drop(black_box(Observations::read(evidence))));
            milliseconds(time) * 1e6 / bytes as f64
        };
        let (at_one, at_most) = (per_megabyte(&small), per_megabyte(&large));
        let prepared = median(rounds, || drop(black_box(Observations::read(&small).prepared())));
        let observations = Observations::read(&small).prepared();
        let judged = median(rounds, || drop(black_box(observations.judge(&claims, || true))));
        let [item] = &small;
        let text = item.content.as_str();
        let scanned = median(rounds, || drop(black_box(scan(text, &claims))));
        println!(
            "| {} | {at_one:.1} | {at_most:.1} | {:.2} | {:.0} | {:.0} | {:.2} | {:.1} | {:.1} |",
            shape.name(),
            at_most / at_one,
            1e3 / at_one,
            1e3 / milliseconds(prepared),
            milliseconds(judged),
            milliseconds(scanned),
            scanned.as_secs_f64() / judged.as_secs_f64(),
        );
    }
    Ok(())
}
