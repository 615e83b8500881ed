//! This program prints the processor time of pure code against the size of what is read: reports, evidence, claims, citations
//! and policies of shapes that have cost much, each at four sizes, with the exponent of the growth.

use std::time::Duration;

use clap::Parser;
use gsar_benches::growth::{Shape, exponent, shapes};

/// Prints a line per shape: bytes, seconds of processor time at each size, seconds per MiB, exponent.
#[derive(Parser)]
struct Arguments {
    /// Only shapes whose names contain this.
    #[arg(default_value = "")]
    only: String,
    /// Bytes of the largest input.
    #[arg(long, default_value_t = 256 << 10)]
    bytes: usize,
    /// Seconds after which a shape is not tried at a larger size.
    #[arg(long, default_value_t = 4.0)]
    patience: f64,
}

#[expect(clippy::print_stdout, reason = "this is what the program is for")]
fn main() {
    let arguments = Arguments::parse();
    println!("{:34} {:>9} {:>9} {:>9} {:>9}  s/MiB  exponent", "shape", "1/8", "1/4", "1/2", "1");
    for shape in shapes().filter(|shape| shape.name.contains(&arguments.only)) {
        let times = times(&shape, &arguments);
        let shown =
            |at: usize| times.get(at).map_or("-".to_owned(), |(_, time)| format!("{time:.3}"));
        let columns: String = (0..4).map(|at| format!(" {:>9}", shown(at))).collect();
        let (bytes, seconds) = times.last().copied().unwrap_or_default();
        let per_mebibyte = seconds / (bytes as f64 / f64::from(1 << 20));
        println!("{:34}{columns}  {per_mebibyte:5.2}  {:.2}", shape.name, exponent(&times));
    }
}

/// Bytes and seconds at each size, until one takes too long.
fn times(shape: &Shape, arguments: &Arguments) -> Vec<(usize, f64)> {
    let mut found: Vec<(usize, f64)> = Vec::new();
    for part in [8, 4, 2, 1] {
        if found.last().is_some_and(|(_, seconds)| *seconds > arguments.patience) {
            break;
        }
        let (bytes, time): (usize, Duration) = shape.measure(arguments.bytes / part);
        found.push((bytes, time.as_secs_f64()));
    }
    found
}
