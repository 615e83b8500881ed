//! Times the core's operations.

use std::hint::black_box;
use std::time::Duration;

use clap::Parser;
use gsar_benches::core_figures::{InDoubles, decision, decision_with_margins, score};
use gsar_benches::cpu_time::of_thread;
use gsar_benches::partitions::{self, Partition};
use gsar_core::{Preset, preset};
use serde_json::json;

/// Prints nanoseconds per partition and operation as one JSON object.
#[derive(Parser)]
struct Arguments {
    /// Claims per partition.
    #[arg(long)]
    claims: usize,
    /// Milliseconds to spend on each operation.
    #[arg(long, default_value_t = 20)]
    milliseconds: u64,
}

#[expect(clippy::print_stdout, reason = "prints its result")]
fn main() {
    let arguments = Arguments::parse();
    let partitions = partitions::of_size(arguments.claims);
    let span = Duration::from_millis(arguments.milliseconds);
    let (paper, reference) = (preset(Preset::Paper), preset(Preset::Reference));
    let in_doubles = InDoubles::of(&paper);
    println!(
        "{}",
        json!({
            "score_in_doubles": nanoseconds(&partitions, span, |p| in_doubles.score(p)),
            "score": nanoseconds(&partitions, span, |p| score(&paper, p)),
            "decision_paper": nanoseconds(&partitions, span, |p| decision(&paper, p)),
            "decision_reference": nanoseconds(&partitions, span, |p| decision(&reference, p)),
            "decision_with_margins": nanoseconds(&partitions, span, |p| decision_with_margins(&reference, p)),
        })
    );
}

/// Returns nanoseconds of CPU time per partition, after one warm-up pass.
fn nanoseconds<T>(
    partitions: &[Partition],
    span: Duration,
    operation: impl Fn(&Partition) -> T,
) -> f64 {
    let pass = || {
        for partition in partitions {
            black_box(operation(black_box(partition)));
        }
    };
    pass();
    let start = of_thread();
    let mut passes = 0_u32;
    loop {
        pass();
        passes += 1;
        let elapsed = of_thread().saturating_sub(start);
        if elapsed >= span {
            return elapsed.as_secs_f64() * 1e9 / f64::from(passes) / partitions.len() as f64;
        }
    }
}
