//! Prints the generated partitions of a size as JSON lines.

use clap::Parser;
use gsar_benches::partitions;

/// Prints the partitions of the core figures as JSON lines.
#[derive(Parser)]
struct Arguments {
    /// Claims per partition.
    #[arg(long)]
    claims: usize,
}

#[expect(clippy::print_stdout, reason = "prints its result")]
fn main() {
    for partition in partitions::of_size(Arguments::parse().claims) {
        println!("{}", partitions::to_json(&partition));
    }
}
