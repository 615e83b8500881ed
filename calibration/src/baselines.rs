//! Baselines that a judge must beat: the most frequent class, and the word overlap between claim and
//! evidence. They are fitted on the tune part only.

use std::collections::{HashMap, HashSet};

use gsar_core::Class;
use gsar_proto::v1;

use crate::data_set::Part;
use crate::measured::{Measurements, Row};

/// Copies of the rows in which each baseline's class is the verdict.
pub(crate) struct Baselines {
    pub(crate) majority: Vec<Row>,
    pub(crate) overlap: Vec<Row>,
    pub(crate) class: Class,
    pub(crate) thresholds: Thresholds,
}

/// Thresholds on the percentage of a claim's words that occur in one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thresholds {
    /// Claims with a lower overlap are ungrounded.
    pub(crate) contradicted: u32,
    /// Claims with at least this overlap are grounded. Never below `contradicted`.
    pub(crate) grounded: u32,
}

impl Thresholds {
    fn class(self, overlap: u32) -> Class {
        if overlap >= self.grounded {
            Class::Grounded
        } else if overlap >= self.contradicted {
            Class::Contradicted
        } else {
            Class::Ungrounded
        }
    }
}

pub(crate) fn baselines(measured: &Measurements) -> Baselines {
    let rows = &measured.rows;
    let class = majority(rows);
    let evidence: Vec<Vec<HashSet<String>>> = measured
        .cases
        .iter()
        .map(|case| case.evidence.iter().map(|item| words(content(item)).collect()).collect())
        .collect();
    let overlaps: Vec<u32> = rows
        .iter()
        .map(|row| overlap(&row.label.text, evidence.get(row.label.case).into_iter().flatten()))
        .collect();
    let thresholds = thresholds(rows, &overlaps);
    let judged = |row: &Row, class| {
        let mut row = row.clone();
        row.verdict.class = Some(class);
        row
    };
    Baselines {
        majority: rows.iter().map(|row| judged(row, class)).collect(),
        overlap: rows
            .iter()
            .zip(&overlaps)
            .map(|(row, overlap)| judged(row, thresholds.class(*overlap)))
            .collect(),
        class,
        thresholds,
    }
}

/// Returns the most frequent class in the tune part, or the first in `Class::ALL` on a tie.
fn majority(rows: &[Row]) -> Class {
    let count = |class| {
        rows.iter().filter(|row| row.part == Part::Tune && row.label.class == class).count()
    };
    let most_frequent = Class::ALL.into_iter().rev().max_by_key(|class| count(*class));
    most_frequent.unwrap_or(Class::Grounded)
}

/// Returns the thresholds with the most correct verdicts in the tune part, or the lowest on a tie.
fn thresholds(rows: &[Row], overlaps: &[u32]) -> Thresholds {
    let mut tally: HashMap<(u32, Class), u32> = HashMap::new();
    for (row, overlap) in rows.iter().zip(overlaps).filter(|(row, _)| row.part == Part::Tune) {
        *tally.entry((*overlap, row.label.class)).or_default() += 1;
    }
    let right = |thresholds: Thresholds| -> u32 {
        let right =
            tally.iter().filter(|((overlap, class), _)| thresholds.class(*overlap) == *class);
        right.map(|(_, count)| count).sum()
    };
    let mut best = Thresholds { contradicted: 0, grounded: 0 };
    let mut max = right(best);
    for grounded in 0..=101 {
        for contradicted in 0..=grounded {
            let thresholds = Thresholds { contradicted, grounded };
            let count = right(thresholds);
            if count > max {
                (best, max) = (thresholds, count);
            }
        }
    }
    best
}

/// Returns the highest percentage of the claim's distinct words that occur in one item.
fn overlap<'a>(claim: &str, items: impl Iterator<Item = &'a HashSet<String>>) -> u32 {
    let claim: HashSet<String> = words(claim).collect();
    let shared = |item: &HashSet<String>| claim.iter().filter(|word| item.contains(*word)).count();
    let max = items.map(shared).max().unwrap_or(0);
    u32::try_from(max * 100 / claim.len().max(1)).unwrap_or(100)
}

/// Returns a text's words in lowercase.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

pub(crate) fn content(item: &v1::EvidenceItem) -> &str {
    match &item.content {
        Some(v1::evidence_item::Content::Text(text) | v1::evidence_item::Content::Json(text)) => {
            text
        }
        Some(v1::evidence_item::Content::CheckRun(run)) => &run.output,
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_set::Case;
    use crate::measured::tests::row;

    fn measured(rows: Vec<Row>) -> Measurements {
        let content = Some(v1::evidence_item::Content::Text("alpha beta gamma delta".to_owned()));
        let item = v1::EvidenceItem { content, ..Default::default() };
        let case = Case { name: "a".to_owned(), part: Part::Tune, evidence: vec![item] };
        Measurements { cases: vec![case], rows, reports: Vec::new() }
    }

    fn claim(part: Part, text: &str, class: Class) -> Row {
        let mut row = row(0, class, Class::Ungrounded);
        (row.part, row.label.text) = (part, text.to_owned());
        row
    }

    #[test]
    fn baselines_are_fitted_on_the_tune_part_only() {
        let tune = [
            claim(Part::Tune, "alpha beta gamma delta", Class::Grounded),
            claim(Part::Tune, "alpha beta gamma zeta", Class::Grounded),
            claim(Part::Tune, "alpha beta eta zeta", Class::Contradicted),
            claim(Part::Tune, "theta eta zeta iota", Class::Ungrounded),
        ];
        let alone = baselines(&measured(tune.to_vec()));
        assert_eq!(alone.thresholds, Thresholds { contradicted: 1, grounded: 51 });
        assert_eq!(alone.class, Class::Grounded);
        assert!(alone.overlap.iter().all(Row::is_right));

        let misleading = claim(Part::Test, "alpha beta gamma delta", Class::Ungrounded);
        let rows = tune.iter().cloned().chain(std::iter::repeat_n(misleading, 50)).collect();
        let both = baselines(&measured(rows));
        assert_eq!((both.thresholds, both.class), (alone.thresholds, alone.class));
        assert!(both.overlap.iter().skip(4).all(|row| !row.is_right()));
        assert!(both.majority.iter().all(|row| row.verdict.class == Some(Class::Grounded)));
    }

    #[test]
    fn overlap_is_computed_with_the_best_item() {
        let items: Vec<HashSet<String>> =
            ["pod a-1 runs", "node b"].map(|text| words(text).collect()).to_vec();
        assert_eq!(overlap("Pod a-1 failed", items.iter()), 75);
        assert_eq!(overlap("", items.iter()), 0);
    }
}
