//! Decides partitions from JSON lines.

use anyhow::Context as _;
use clap::Parser;
use gsar_benches::partitions;
use gsar_core::{Origin, Preset, Tally, decide, preset};

/// Reads partitions as JSON lines from standard input and prints the tier of each, one word a line.
#[derive(Parser)]
struct Arguments {
    /// The preset to decide under.
    #[arg(long, default_value = "paper")]
    policy: String,
}

#[expect(clippy::print_stdout, reason = "this is what the program is for")]
fn main() -> anyhow::Result<()> {
    let name = Arguments::parse().policy;
    let policy = preset(Preset::from_name(&name).with_context(|| format!("no preset `{name}`"))?);
    for (number, line) in std::io::stdin().lines().enumerate() {
        let partition =
            partitions::from_json(&line?).with_context(|| format!("line {}", number + 1))?;
        println!("{}", decide(&policy, &Tally::of(partition), Origin::Caller, None).tier.name());
    }
    Ok(())
}
