//! Generates partitions from a seed. Reads and writes them as JSON lines such as `{"claims": [["grounded",
//! "tool_match"], …]}`.

use anyhow::{Context as _, bail};
use gsar_core::{Class, EvidenceType};
use gsar_datasets::Random;
use serde_json::{Value, json};

/// A report's claims with their labels.
pub type Partition = Vec<(Class, EvidenceType)>;

/// The seed for all published figures.
pub const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns how many partitions of a size to generate: too many for a branch predictor to learn.
pub const fn count_for(size: usize) -> usize {
    match size {
        0..=50 => 256,
        51..=500 => 64,
        _ => 16,
    }
}

/// Generates partitions of a size.
pub fn of_size(size: usize) -> Vec<Partition> {
    let mut random = Random::new(SEED ^ size as u64);
    (0..count_for(size)).map(|_| partition(&mut random, size)).collect()
}

/// Draws the report's quality first, so that all tiers occur.
fn partition(random: &mut Random, size: usize) -> Partition {
    let grounded = 40 + random.below(60);
    (0..size).map(|_| claim(random, grounded)).collect()
}

/// Draws a claim that is grounded with a probability of `grounded` percent. Grounded claims tend to have
/// strong evidence types, and others weak ones.
fn claim(random: &mut Random, grounded: usize) -> (Class, EvidenceType) {
    use EvidenceType as Type;
    if random.percent(grounded) {
        let types = [
            Type::ToolMatch,
            Type::ToolMatch,
            Type::SpecificData,
            Type::SignalMatch,
            Type::Synthesis,
            Type::NegEvidence,
        ];
        return (Class::Grounded, random.pick(&types).copied().unwrap_or(Type::ToolMatch));
    }
    let classes = [Class::Ungrounded, Class::Ungrounded, Class::Contradicted, Class::Complementary];
    let class = random.pick(&classes).copied().unwrap_or(Class::Ungrounded);
    let types = match class {
        Class::Complementary => {
            [Type::ComplementaryFinding, Type::ComplementaryFinding, Type::Synthesis]
        }
        _ => [Type::Inference, Type::Domain, Type::ToolMatch],
    };
    (class, random.pick(&types).copied().unwrap_or(Type::Inference))
}

/// Formats a partition as a JSON line.
pub fn to_json(partition: &[(Class, EvidenceType)]) -> String {
    let claims: Vec<Value> = partition
        .iter()
        .map(|(class, evidence_type)| json!([class.name(), evidence_type.name()]))
        .collect();
    json!({ "claims": claims }).to_string()
}

/// Parses a JSON line.
pub fn from_json(line: &str) -> anyhow::Result<Partition> {
    let value: Value = serde_json::from_str(line)?;
    let claims = value.get("claims").and_then(Value::as_array).context("missing list `claims`")?;
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
        bail!("expected a pair of class and type, got {claim}");
    };
    let class = Class::from_name(class).with_context(|| format!("unknown class `{class}`"))?;
    let evidence_type = EvidenceType::from_name(evidence_type)
        .with_context(|| format!("unknown type `{evidence_type}`"))?;
    Ok((class, evidence_type))
}
