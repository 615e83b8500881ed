//! Compares another evaluator's scores with S by three measures: the rank correlation with the gold classes, the
//! tiers, and the wrong proceeds.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, ensure};
use gsar_core::Tier;
use gsar_core::policy::Policy;
use serde::{Deserialize, Serialize};

use super::cell::{Cell, Row};
use super::measures::{Estimate, correlation, share};
use super::variant::Variant;
use crate::data_set::lines;
use crate::statistics::Share;

/// An evaluator's score for each row, read from JSON lines with the fields `row` and `score`.
#[derive(Debug)]
pub(crate) struct Scores {
    name: String,
    by_row: HashMap<String, f64>,
}

#[derive(Deserialize)]
struct Line {
    row: String,
    score: f64,
}

impl Scores {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut by_row = HashMap::new();
        for Line { row, score } in lines(path)? {
            let location = || format!("{}: row {row}", path.display());
            ensure!(
                (0.0..=1.0).contains(&score),
                "{}: score {score}; expected a value from 0 to 1",
                location()
            );
            ensure!(by_row.insert(row.clone(), score).is_none(), "{}: duplicate row", location());
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, by_row })
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Evaluator {
    pub(crate) name: String,
    /// The number of rows that have a score.
    pub(crate) rows: usize,
    /// Spearman's rank correlation between the scores and the rows' faithfulness.
    pub(crate) correlation: Option<Estimate>,
    /// The numbers of rows in the tiers proceed, regenerate and replan.
    pub(crate) tiers: [usize; 3],
    pub(crate) wrong_proceeds: Share,
    /// The share of rows for which the evaluator and S agree on whether the row proceeds.
    pub(crate) agreement: Share,
}

impl Evaluator {
    /// Returns the results for S, followed by those for each score file.
    pub(super) fn all(cell: &Cell, policy: &Policy, files: &[Scores]) -> Vec<Self> {
        let own = cell.rows.iter().filter_map(|row| {
            let outcome = row.under(Variant::Policy);
            Some((row, outcome.score?, outcome.tier))
        });
        let mut evaluators = vec![Self::of("S".to_owned(), &own.collect::<Vec<_>>())];
        let (proceed, regenerate) = (policy.tau_proceed.to_f64(), policy.tau_regenerate.to_f64());
        for file in files {
            let scored: Vec<(&Row, f64, Tier)> = cell
                .rows
                .iter()
                .filter_map(|row| Some((row, *file.by_row.get(&row.name)?)))
                .map(|(row, score)| match score {
                    score if score >= proceed => (row, score, Tier::Proceed),
                    score if score >= regenerate => (row, score, Tier::Regenerate),
                    score => (row, score, Tier::Replan),
                })
                .collect();
            evaluators.push(Self::of(file.name.clone(), &scored));
        }
        evaluators
    }

    fn of(name: String, scored: &[(&Row, f64, Tier)]) -> Self {
        let pairs: Vec<(f64, f64)> =
            scored.iter().map(|(row, score, _)| (*score, row.faithfulness)).collect();
        let count = |tier| scored.iter().filter(|(_, _, found)| *found == tier).count();
        let proceeds = |tier: Tier| tier == Tier::Proceed;
        Self {
            name,
            rows: scored.len(),
            correlation: correlation(&pairs),
            tiers: [Tier::Proceed, Tier::Regenerate, Tier::Replan].map(count),
            wrong_proceeds: share(scored, |(.., tier)| proceeds(*tier), |(row, ..)| row.is_wrong),
            agreement: share(
                scored,
                |_| true,
                |(row, _, tier)| proceeds(*tier) == row.has_tier(Variant::Policy, Tier::Proceed),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Counts;
    use crate::trace::{Origin, tests::header};
    use gsar_core::{Class, Preset, preset};

    fn cell() -> Cell {
        let row = |name: &str, is_wrong| {
            let mut row = Row::unjudged(vec![(Class::Grounded, None)], true);
            row.name = name.to_owned();
            row.is_wrong = is_wrong;
            row.faithfulness = f64::from(u8::from(!is_wrong));
            row
        };
        let rows = vec![row("a", false), row("b", true), row("c", false), row("d", true)];
        Cell { header: header(), origin: Origin::default(), rows }
    }

    fn read(text: &str) -> Result<Scores> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Scores::read(file.path())
    }

    #[test]
    fn thresholds_turn_external_scores_into_tiers() {
        let scores = r#"{"row":"a","score":1.0,"reason":"fine"}
            {"row":"b","score":0.8}
            {"row":"c","score":0.7}
            {"row":"elsewhere","score":0.1}"#;
        let evaluators =
            Evaluator::all(&cell(), &preset(Preset::Reference), &[read(scores).unwrap()]);
        let [own, evaluator] = &evaluators[..] else { panic!("expected two evaluators") };
        assert_eq!((own.name.as_str(), own.rows), ("S", 0));
        assert_eq!((evaluator.rows, evaluator.tiers), (3, [2, 1, 0]));
        assert_eq!(evaluator.wrong_proceeds.counts, Counts { hits: 1, of: 2 });
        assert_eq!(evaluator.agreement.counts, Counts { hits: 1, of: 3 });
        assert_eq!(evaluator.correlation.map(|found| found.value), Some(0.0));
    }

    #[test]
    fn rejects_out_of_range_scores_and_duplicate_rows() {
        let error = |text: &str| format!("{:#}", read(text).unwrap_err());
        assert!(
            error(r#"{"row":"a","score":1.5}"#)
                .ends_with("row a: score 1.5; expected a value from 0 to 1")
        );
        let twice = "{\"row\":\"a\",\"score\":1}\n{\"row\":\"a\",\"score\":1}";
        assert!(error(twice).ends_with("row a: duplicate row"));
    }
}
