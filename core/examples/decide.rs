//! Applies every preset to a partition, given as counts of grounded, ungrounded and contradicted claims:
//! `cargo run -p gsar-core --example decide -- 4 1 0`.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::allow_attributes,
    reason = "an example program that reads its arguments and prints"
)]

use gsar_core::{Class, EvidenceType, Origin, Preset, Tally, decide, preset};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let counts: Vec<u32> =
        std::env::args().skip(1).map(|count| count.parse()).collect::<Result<_, _>>()?;
    let [grounded, ungrounded, contradicted] = counts[..] else {
        return Err("give three counts: grounded, ungrounded, contradicted".into());
    };
    let mut tally = Tally::default();
    tally.add(Class::Grounded, EvidenceType::ToolMatch, grounded);
    tally.add(Class::Ungrounded, EvidenceType::ToolMatch, ungrounded);
    tally.add(Class::Contradicted, EvidenceType::ToolMatch, contradicted);
    for name in Preset::ALL {
        let policy = preset(name);
        let decision = decide(&policy, &tally, Origin::Caller, None);
        println!("{:<10} {}", policy.name, decision.tier.name());
        for reason in &decision.reasons {
            println!("{:<10}   {}", "", reason.sentence());
        }
    }
    Ok(())
}
