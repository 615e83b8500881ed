//! This module generates partitions to measure with from a seed, the same on every machine, as JSON lines for
//! programs in other languages.
//!
//! A line is `{"claims": [["grounded", "tool_match"], …]}`, claims in the order of the report.

use anyhow::{Context as _, bail};
use gsar_core::{Class, EvidenceType};
use serde_json::{Value, json};

/// Claims as a judge labels them, in the order of a report.
pub type Partition = Vec<(Class, EvidenceType)>;

/// The numbers of claims for which figures are published.
pub const SIZES: [usize; 5] = [5, 20, 50, 500, 5000];

/// The seed of every published figure.
pub const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// How many partitions of a size are measured: enough that no branch predictor learns them by heart.
#[must_use]
pub const fn count_for(size: usize) -> usize {
    match size {
        0..=50 => 256,
        51..=500 => 64,
        _ => 16,
    }
}

/// The partitions of a size, as every figure uses them.
#[must_use]
pub fn of_size(size: usize) -> Vec<Partition> {
    let mut random = Random::new(SEED ^ size as u64);
    (0..count_for(size)).map(|_| partition(&mut random, size)).collect()
}

/// A report of `size` claims: its quality is drawn first, so that all tiers occur, then each claim.
fn partition(random: &mut Random, size: usize) -> Partition {
    let grounded = 40 + random.below(60);
    (0..size).map(|_| claim(random, grounded)).collect()
}

/// A claim: grounded with a chance of `grounded` in a hundred, else mostly ungrounded; a grounded claim
/// leans on strong types, an ungrounded one on weak types.
fn claim(random: &mut Random, grounded: u64) -> (Class, EvidenceType) {
    use EvidenceType as Type;
    if random.below(100) < grounded {
        let types = [
            Type::ToolMatch,
            Type::ToolMatch,
            Type::SpecificData,
            Type::SignalMatch,
            Type::Synthesis,
            Type::NegEvidence,
        ];
        return (Class::Grounded, random.pick(&types, Type::ToolMatch));
    }
    let class = random.pick(
        &[Class::Ungrounded, Class::Ungrounded, Class::Contradicted, Class::Complementary],
        Class::Ungrounded,
    );
    let types = match class {
        Class::Complementary => {
            [Type::ComplementaryFinding, Type::ComplementaryFinding, Type::Synthesis]
        }
        _ => [Type::Inference, Type::Domain, Type::ToolMatch],
    };
    (class, random.pick(&types, Type::Inference))
}

/// A partition as a JSON line.
#[must_use]
pub fn to_json(partition: &[(Class, EvidenceType)]) -> String {
    let claims: Vec<Value> = partition
        .iter()
        .map(|(class, evidence_type)| json!([class.name(), evidence_type.name()]))
        .collect();
    json!({ "claims": claims }).to_string()
}

/// Reads a JSON line.
///
/// # Errors
/// What is not a partition, and where.
pub fn from_json(line: &str) -> anyhow::Result<Partition> {
    let value: Value = serde_json::from_str(line)?;
    let claims = value.get("claims").and_then(Value::as_array).context("no list `claims`")?;
    claims
        .iter()
        .enumerate()
        .map(|(index, claim)| pair(claim).with_context(|| format!("claims[{index}]")))
        .collect()
}

fn pair(claim: &Value) -> anyhow::Result<(Class, EvidenceType)> {
    let Some([Value::String(class), Value::String(evidence_type)]) =
        claim.as_array().map(Vec::as_slice)
    else {
        bail!("{claim} is not a pair of class and type");
    };
    let class = Class::from_name(class).with_context(|| format!("no class `{class}`"))?;
    let evidence_type = EvidenceType::from_name(evidence_type)
        .with_context(|| format!("no type `{evidence_type}`"))?;
    Ok((class, evidence_type))
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, and the same sequence everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) const fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, among: &[T], otherwise: T) -> T {
        let index = self.below(among.len() as u64);
        usize::try_from(index).ok().and_then(|index| among.get(index)).copied().unwrap_or(otherwise)
    }
}

#[cfg(test)]
mod tests {
    use gsar_core::{Preset, Tally, Tier, decide, preset};

    use super::*;

    #[test]
    fn partitions_are_the_same_every_time_and_have_their_size() {
        for size in SIZES {
            let partitions = of_size(size);
            assert_eq!(partitions, of_size(size));
            assert_eq!(partitions.len(), count_for(size));
            assert!(partitions.iter().all(|partition| partition.len() == size));
        }
    }

    #[test]
    fn every_tier_and_every_class_occurs_among_those_of_twenty_claims() {
        let partitions = of_size(20);
        let paper = preset(Preset::Paper);
        let tiers: Vec<Tier> = partitions
            .iter()
            .map(|partition| decide(&paper, &Tally::of(partition.iter().copied())).tier)
            .collect();
        for tier in [Tier::Proceed, Tier::Regenerate, Tier::Replan] {
            assert!(tiers.iter().filter(|found| **found == tier).count() > 10, "{tier:?}");
        }
        for class in Class::ALL {
            assert!(partitions.iter().flatten().any(|(found, _)| *found == class), "{class:?}");
        }
    }

    #[test]
    fn json_lines_come_back_as_they_went() {
        for partition in of_size(5) {
            assert_eq!(from_json(&to_json(&partition)).unwrap(), partition);
        }
    }

    #[test]
    fn what_is_no_partition_is_named() {
        let error =
            from_json(r#"{"claims": [["grounded", "tool_match"], ["grounded", "hearsay"]]}"#)
                .unwrap_err();
        assert_eq!(format!("{error:#}"), "claims[1]: no type `hearsay`");
    }
}
