//! Prints the CPU time needed to parse input shapes that were once slow, each at four sizes, and the growth
//! exponent.

use clap::Parser;
use gsar_benches::growth::{Cost, Shape, exponent, shapes};

/// Prints one line per shape: bytes, CPU seconds at each size, seconds per MiB, exponent, work and
/// memory per byte.
#[derive(Parser)]
struct Arguments {
    /// Measure only shapes whose names contain this.
    #[arg(default_value = "")]
    only: String,
    /// Size of the largest input in bytes.
    #[arg(long, default_value_t = 256 << 10)]
    bytes: usize,
    /// Stop measuring a shape once an input takes longer than this many seconds.
    #[arg(long, default_value_t = 4.0)]
    patience: f64,
}

#[expect(clippy::print_stdout, reason = "prints its result")]
fn main() {
    let arguments = Arguments::parse();
    println!(
        "{:34} {:>9} {:>9} {:>9} {:>9}  s/MiB  exponent  units/byte  memory/byte",
        "shape", "1/8", "1/4", "1/2", "1"
    );
    for shape in shapes().filter(|shape| shape.name.contains(&arguments.only)) {
        let measured = measure(&shape, &arguments);
        let column = |at: usize| match measured.get(at) {
            Some(measured) => format!("{:.3}", measured.time.as_secs_f64()),
            None => "-".to_owned(),
        };
        let columns: String = (0..4).map(|at| format!(" {:>9}", column(at))).collect();
        let Some(largest) = measured.last() else { continue };
        let bytes = largest.bytes as f64;
        let per_mebibyte = largest.time.as_secs_f64() / (bytes / f64::from(1 << 20));
        let times: Vec<_> =
            measured.iter().map(|each| (each.bytes, each.time.as_secs_f64())).collect();
        println!(
            "{:34}{columns}  {per_mebibyte:5.2}  {:8.2}  {:10.1}  {:11.1}",
            shape.name,
            exponent(&times),
            largest.units as f64 / bytes,
            largest.held as f64 / bytes,
        );
    }
}

fn measure(shape: &Shape, arguments: &Arguments) -> Vec<Cost> {
    let mut found: Vec<Cost> = Vec::new();
    for part in [8, 4, 2, 1] {
        if found.last().is_some_and(|last| last.time.as_secs_f64() > arguments.patience) {
            break;
        }
        found.push(shape.measure(arguments.bytes / part));
    }
    found
}
