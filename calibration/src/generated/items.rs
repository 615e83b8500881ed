//! Converts generated evidence and claims to messages.

use anyhow::{Context as _, Result};
use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_datasets::generated::{Evidence, Expected, absences, rounding, swaps};
use gsar_proto::v1;

use crate::arguments::Generator;
use crate::data_set::message;

pub(super) struct Item {
    pub(super) form: &'static str,
    pub(super) family: Option<&'static str>,
    pub(super) evidence: v1::EvidenceItem,
    pub(super) claims: Vec<(String, Expected)>,
}

pub(super) fn items(generator: Generator, seed: u64, count: usize) -> Result<Vec<Item>> {
    let pair = |truth, falsehood| vec![(truth, Expected::Shown), (falsehood, Expected::Refuted)];
    match generator {
        Generator::Swaps => swaps(seed, count)
            .into_iter()
            .map(|swap| {
                Ok(Item {
                    form: swap.shape.name(),
                    family: Some(swap.family.name()),
                    evidence: item(swap.evidence)?,
                    claims: pair(swap.truth, swap.swapped),
                })
            })
            .collect(),
        Generator::Absences => absences(seed, count)
            .into_iter()
            .map(|absence| {
                Ok(Item {
                    form: absence.form.name(),
                    family: None,
                    evidence: item(absence.evidence)?,
                    claims: vec![(absence.claim, absence.form.expected())],
                })
            })
            .collect(),
        Generator::Rounding => rounding(seed, count)
            .into_iter()
            .map(|rounding| {
                Ok(Item {
                    form: rounding.form.name(),
                    family: None,
                    evidence: item(rounding.evidence)?,
                    claims: pair(rounding.truth, rounding.falsehood),
                })
            })
            .collect(),
    }
}

fn item(evidence: Evidence) -> Result<v1::EvidenceItem> {
    let Evidence { kind, lane, tool, content, json, exhaustive } = evidence;
    let kind = EvidenceKind::from_name(kind).with_context(|| format!("unknown kind `{kind}`"))?;
    let lane = Lane::from_name(lane).with_context(|| format!("unknown lane `{lane}`"))?;
    let item = message("e1".to_owned(), content, json).kind(kind).lane(lane).tool(tool);
    Ok(v1::EvidenceItem { exhaustive, ..item.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_the_items_of_every_generator() {
        for (generator, claims) in
            [(Generator::Swaps, 2), (Generator::Absences, 1), (Generator::Rounding, 2)]
        {
            let items = items(generator, 1, 40).unwrap();
            assert_eq!(items.len(), 40, "{}", generator.name());
            assert!(items.iter().all(|item| item.claims.len() == claims), "{}", generator.name());
        }
    }
}
