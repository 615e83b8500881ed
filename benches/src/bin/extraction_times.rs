//! Measures fact extraction and the rules.
//!
//! Reports the median CPU time of one thread. One baseline counts lines with memchr; the other scans every
//! line for every word in a claim.

use std::hint::black_box;

use clap::Parser;
use gsar_benches::extraction::{Question, check};
use gsar_benches::telemetry::{Shape, claims};
use gsar_benches::timing::{median, milliseconds, scan};
use gsar_extraction::budget::Budget;
use gsar_extraction::facts::{Facts, Item};
use gsar_extraction::rules::Index;

/// Prints Markdown tables.
#[derive(Parser)]
struct Arguments {
    /// Number of rounds, whose medians are printed.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Name of the shape to measure. Default: all shapes.
    #[arg(long)]
    shape: Option<String>,
    /// Print only the CPU time, in microseconds, of extraction, rules and verification for one `Evaluate`
    /// call from the service figures.
    #[arg(long)]
    evaluate: bool,
}

const MEGABYTE: usize = 1_000_000;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let rounds = arguments.rounds.max(1);
    if arguments.evaluate { evaluate(rounds) } else { shapes(rounds, arguments.shape.as_deref()) }
}

#[expect(clippy::print_stdout, reason = "prints its result")]
fn evaluate(rounds: usize) -> anyhow::Result<()> {
    const CALLS: u32 = 50;
    let question = Question::new()?;
    let checked = check(&question)?;
    anyhow::ensure!(checked == 20, "{checked} of 20 claims were checked");
    let time = median(rounds, || {
        for _ in 0..CALLS {
            drop(black_box(check(&question)));
        }
    });
    println!("{:.1}", time.as_secs_f64() * 1e6 / f64::from(CALLS));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "prints its result")]
fn shapes(rounds: usize, name: Option<&str>) -> anyhow::Result<()> {
    let shapes: Vec<Shape> = Shape::ALL
        .into_iter()
        .filter(|shape| name.is_none_or(|name| name == shape.name()))
        .collect();
    anyhow::ensure!(
        !shapes.is_empty(),
        "unknown shape; expected one of {:?}",
        Shape::ALL.map(Shape::name)
    );
    let claims = claims()?;
    println!(
        "| shape | reading 16 MB, MB/s | reading 1 MB, MB/s | time per MB, 16 MB / 1 MB | counting lines / reading | index of 1 MB, ms | rules on 20 claims, ms | scan, ms | scan / rules |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for shape in shapes {
        let (small, large) = (shape.item(MEGABYTE)?, shape.item(16 * MEGABYTE)?);
        let (small, large) = (small.content.as_str(), large.content.as_str());
        let extraction =
            |content: &str| per_megabyte(content, rounds, || drop(black_box(facts(content))));
        let (small_time, large_time) = (extraction(small), extraction(large));
        let counting = per_megabyte(large, rounds, || {
            black_box(memchr::memchr_iter(b'\n', black_box(large.as_bytes())).count());
        });
        let mut copies: Vec<Facts<'_>> = (0..rounds).map(|_| facts(small)).collect();
        let indexed = median(rounds, || {
            drop(black_box(copies.pop().map(|facts| Index::new(facts, &Budget::unlimited()))))
        });
        let index = Index::new(facts(small), &Budget::unlimited());
        let ruled = median(rounds, || {
            for claim in &claims {
                drop(black_box(index.check(&claim.text)));
            }
        });
        let scanned = median(rounds, || drop(black_box(scan(small, &claims))));
        println!(
            "| {} | {:.1} | {:.1} | {:.2} | {:.0} | {:.1} | {:.2} | {:.0} | {:.1} |",
            shape.name(),
            1e3 / large_time,
            1e3 / small_time,
            large_time / small_time,
            large_time / counting,
            milliseconds(indexed),
            milliseconds(ruled),
            milliseconds(scanned),
            scanned.as_secs_f64() / ruled.as_secs_f64(),
        );
    }
    Ok(())
}

fn facts(content: &str) -> Facts<'_> {
    Facts::extract(
        [Item { tool: "collect", query: "", content, exhaustive: false }],
        &Budget::unlimited(),
    )
}

fn per_megabyte(content: &str, rounds: usize, run: impl FnMut()) -> f64 {
    milliseconds(median(rounds, run)) * 1e6 / content.len() as f64
}
