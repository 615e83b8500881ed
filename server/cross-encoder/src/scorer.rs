//! Runs batches on one session. Groups rows by length and rejects invalid scores.

use std::sync::Arc;

use gsar_embedding::{Computation, SessionError, Vector};

use crate::graph::Graph;
use crate::pair::Pair;
use crate::tokens::{Row, Tokens};

/// The maximum number of tokens per run, including padding. On a CPU, larger runs take just as long per
/// row.
const MAX_RUN_TOKENS: usize = 256;

#[derive(Debug)]
pub(crate) struct Scorer {
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) graph: Graph,
    /// `true` if each row must run alone, because a score would depend on the other rows in the run.
    pub(crate) runs_rows_alone: bool,
}

impl Scorer {
    /// Returns the logits for each row, in order. Fails if a score is not finite.
    pub(crate) fn logits(&mut self, rows: &[Row]) -> Result<Vec<Vector>, SessionError> {
        let mut logits: Vec<Option<Vector>> = vec![None; rows.len()];
        for group in self.groups(rows) {
            let group_rows: Vec<&Row> = group.iter().filter_map(|index| rows.get(*index)).collect();
            for (index, values) in group.iter().zip(self.graph.run(&group_rows)?) {
                if !values.iter().all(|value| value.is_finite()) {
                    return Err(SessionError(format!("invalid scores {values:?}")));
                }
                if let Some(slot) = logits.get_mut(*index) {
                    *slot = Some(values.into());
                }
            }
        }
        Ok(logits.into_iter().flatten().collect())
    }

    /// Groups the indexes of rows with similar lengths, up to the token limit.
    fn groups(&self, rows: &[Row]) -> Vec<Vec<usize>> {
        let mut by_length: Vec<(usize, usize)> =
            rows.iter().enumerate().map(|(index, row)| (row.ids.len(), index)).collect();
        by_length.sort_unstable();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut shortest_length = 0;
        for (length, index) in by_length {
            match groups.last_mut() {
                Some(group)
                    if !self.runs_rows_alone
                        && length * (group.len() + 1) <= MAX_RUN_TOKENS
                        && shortest_length >= length - length / 4 =>
                {
                    group.push(index);
                }
                _ => {
                    shortest_length = length;
                    groups.push(vec![index]);
                }
            }
        }
        groups
    }
}

impl Computation<Pair> for Scorer {
    fn max_bytes(&self) -> usize {
        self.tokens.longest_pair()
    }

    fn compute(&mut self, pairs: &[&Pair]) -> Result<Vec<Vector>, SessionError> {
        let rows = pairs
            .iter()
            .map(|pair| self.tokens.row(pair).map_err(SessionError))
            .collect::<Result<Vec<_>, _>>()?;
        self.logits(&rows)
    }
}

#[cfg(test)]
#[path = "../../tests/support/skip.rs"]
mod skip;

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::allow_attributes,
        clippy::print_stdout,
        reason = "a test fails by panicking"
    )]

    use std::path::Path;

    use gsar_embedding::Runtime;

    use super::*;
    use crate::model::Model;

    #[test]
    fn grouping_does_not_change_logits() {
        let runtime = match Runtime::load(None) {
            Ok(runtime) => runtime,
            Err(error) => return super::skip::report_skip("onnxruntime", error),
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture");
        let mut scorer = Model::open(&folder).unwrap().scorer(&runtime).unwrap();
        let rows: Vec<Row> = (0..40)
            .map(|index| Pair::new(format!("claim {}", index % 7), format!("evidence {index}")))
            .map(|pair| scorer.tokens.row(&pair).unwrap())
            .collect();
        assert!(scorer.groups(&rows).len() * 4 < rows.len());
        let grouped = scorer.logits(&rows).unwrap();
        for (row, grouped) in rows.iter().zip(&grouped) {
            let single = scorer.logits(std::slice::from_ref(row)).unwrap();
            let differences = single[0].iter().zip(grouped.iter()).map(|(a, b)| (a - b).abs());
            assert!(differences.fold(0.0, f32::max) < 1e-4);
        }
    }
}
