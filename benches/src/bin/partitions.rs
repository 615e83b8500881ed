//! Prints the generated partitions of a size as JSON lines.

use clap::Parser;
use gsar_benches::partitions;

/// Prints the partitions of the core figures, one JSON object a line.
#[derive(Parser)]
struct Arguments {
    /// Claims of each partition.
    #[arg(long)]
    claims: usize,
}

#[expect(clippy::print_stdout, reason = "this is what the program is for")]
fn main() {
    for partition in partitions::of_size(Arguments::parse().claims) {
        println!("{}", partitions::to_json(&partition));
    }
}
