//! Decides partitions read as JSON lines.

use anyhow::Context as _;
use clap::Parser;
use gsar_benches::partitions;
use gsar_core::{Origin, Policy, Preset, Tally, decide, preset};

/// Reads partitions as JSON lines from standard input and prints the tier of each.
#[derive(Parser)]
struct Arguments {
    /// Preset to decide under.
    #[arg(long, default_value = "paper")]
    policy: String,
}

#[expect(clippy::print_stdout, reason = "prints its result")]
fn main() -> anyhow::Result<()> {
    let name = Arguments::parse().policy;
    let policy =
        preset(Preset::from_name(&name).with_context(|| format!("unknown preset `{name}`"))?);
    for (number, line) in std::io::stdin().lines().enumerate() {
        let tier = tier(&policy, &line?).with_context(|| format!("line {}", number + 1))?;
        println!("{tier}");
    }
    Ok(())
}

fn tier(policy: &Policy, line: &str) -> anyhow::Result<&'static str> {
    let tally = Tally::from_claims(partitions::from_json(line)?);
    Ok(decide(policy, &tally, Origin::Caller, None).tier.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decides_each_line() {
        let policy = preset(Preset::Paper);
        let line = |grounded, ungrounded| {
            let claim = |class: &str| format!(r#"["{class}", "tool_match"]"#);
            let mut claims = vec![claim("grounded"); grounded];
            claims.resize(grounded + ungrounded, claim("ungrounded"));
            format!(r#"{{"claims": [{}]}}"#, claims.join(", "))
        };
        assert_eq!(tier(&policy, &line(4, 1)).unwrap(), "proceed");
        assert_eq!(tier(&policy, &line(7, 3)).unwrap(), "regenerate");
        assert_eq!(tier(&policy, &line(1, 1)).unwrap(), "replan");
    }

    #[test]
    fn rejects_unknown_classes() {
        let line = r#"{"claims": [["right", "tool_match"]]}"#;
        let error = tier(&preset(Preset::Paper), line).unwrap_err();
        assert_eq!(format!("{error:#}"), "claims[0]: unknown class `right`");
    }
}
