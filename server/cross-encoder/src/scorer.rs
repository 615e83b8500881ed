//! Runs batches on one session. Groups rows by length and rejects invalid scores.

use std::sync::Arc;

use gsar_embedding::{Computation, SessionError, Vector};

use crate::graph::Graph;
use crate::pair::Pair;
use crate::tokens::{Row, Tokens};

/// The maximum number of tokens per run, including padding. Larger runs are not faster per row on a CPU.
const MAX_RUN_TOKENS: usize = 256;

#[derive(Debug)]
pub(crate) struct Scorer {
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) graph: Graph,
    /// `true` if a score depends on the other rows in the run.
    pub(crate) alone: bool,
}

impl Scorer {
    /// Returns the logits for each row, in order. Fails on a score that is not a number.
    pub(crate) fn logits(&mut self, rows: &[Row]) -> Result<Vec<Vector>, SessionError> {
        let mut logits: Vec<Option<Vector>> = vec![None; rows.len()];
        for group in self.groups(rows) {
            let together: Vec<&Row> = group.iter().filter_map(|at| rows.get(*at)).collect();
            for (at, values) in group.iter().zip(self.graph.run(&together)?) {
                if !values.iter().all(|value| value.is_finite()) {
                    return Err(SessionError(format!("invalid scores {values:?}")));
                }
                if let Some(place) = logits.get_mut(*at) {
                    *place = Some(values.into());
                }
            }
        }
        Ok(logits.into_iter().flatten().collect())
    }

    /// Groups the indexes of rows with similar lengths, up to the token limit.
    fn groups(&self, rows: &[Row]) -> Vec<Vec<usize>> {
        let mut places: Vec<(usize, usize)> =
            rows.iter().enumerate().map(|(at, row)| (row.ids.len(), at)).collect();
        places.sort_unstable();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut shortest = 0;
        for (length, at) in places {
            match groups.last_mut() {
                Some(group)
                    if !self.alone
                        && length * (group.len() + 1) <= MAX_RUN_TOKENS
                        && shortest >= length - length / 4 =>
                {
                    group.push(at);
                }
                _ => {
                    shortest = length;
                    groups.push(vec![at]);
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
            Err(error) => return super::skip::skipped("onnxruntime", error),
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture");
        let mut scorer = Model::open(&folder).unwrap().scorer(&runtime).unwrap();
        let rows: Vec<Row> = (0..40)
            .map(|at| Pair::new(format!("claim {}", at % 7), format!("evidence {at}")))
            .map(|pair| scorer.tokens.row(&pair).unwrap())
            .collect();
        assert!(scorer.groups(&rows).len() * 4 < rows.len());
        let together = scorer.logits(&rows).unwrap();
        for (row, together) in rows.iter().zip(&together) {
            let alone = scorer.logits(std::slice::from_ref(row)).unwrap();
            let apart =
                alone[0].iter().zip(together.iter()).map(|(one, other)| (one - other).abs());
            assert!(apart.fold(0.0, f32::max) < 1e-4);
        }
    }
}
