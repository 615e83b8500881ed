//! Computes M1 and M2 over the whole loop, for runs with `--loop`.

use gsar_core::Class;
use serde::Serialize;

use super::cell::Row;
use super::measures::{Estimate, share};
use crate::rows::is_faulty;
use crate::statistics::Share;
use crate::trace::LoopEnd;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct LoopMeasures {
    /// M1: the share of rows whose loop ends with a report that proceeds.
    pub(crate) proceeds: Share,
    /// M2: the mean number of replans of the rows that proceed.
    pub(crate) replans: Option<Estimate>,
    pub(crate) judged: Option<Estimate>,
    /// The number of claims labelled contradicted in the reports that proceed.
    pub(crate) false_claims: usize,
    /// The number of claims labelled ungrounded or contradicted in the reports that proceed.
    pub(crate) wrong_claims: usize,
}

impl LoopMeasures {
    /// Returns `None` if no row was driven through the loop.
    pub(crate) fn of(rows: &[Row]) -> Option<Self> {
        let ends: Vec<(&Row, &LoopEnd)> =
            rows.iter().filter_map(|row| Some((row, row.loop_end.as_ref()?))).collect();
        let proceeding = || ends.iter().filter(|(_, end)| end.proceeds());
        let replans: Vec<f64> = proceeding().map(|(_, end)| f64::from(end.replans)).collect();
        let judged: Vec<f64> = ends.iter().map(|(_, end)| end.judged as f64).collect();
        let sent = |is_counted: &dyn Fn(Class) -> bool| {
            let claims = proceeding().flat_map(|(row, end)| {
                end.claims.iter().filter_map(|number| row.claims.get(number.checked_sub(1)?))
            });
            claims.filter(|(gold, _)| is_counted(*gold)).count()
        };
        (!ends.is_empty()).then(|| Self {
            proceeds: share(&ends, |_| true, |(_, end)| end.proceeds()),
            replans: Estimate::mean(&replans),
            judged: Estimate::mean(&judged),
            false_claims: sent(&|gold| gold == Class::Contradicted),
            wrong_claims: sent(&is_faulty),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Counts;

    fn row(end: &str, replans: u32, judged: usize, claims: &[usize]) -> Row {
        let gold = [Class::Grounded, Class::Contradicted, Class::Ungrounded];
        let mut row = Row::unjudged(gold.map(|gold| (gold, None)).into(), true);
        let (end, claims) = (end.to_owned(), claims.to_vec());
        row.loop_end = Some(LoopEnd { end, replans, judged, claims });
        row
    }

    #[test]
    fn counts_replans_and_false_claims_of_rows_that_proceed() {
        let rows = [
            row("PROCEED", 2, 3, &[1, 2, 3]),
            row("PROCEED", 1, 2, &[1, 3]),
            row("REPLANS_SPENT", 2, 4, &[1, 2]),
            row("CANCELLED", 0, 1, &[2]),
        ];
        let measures = LoopMeasures::of(&rows).unwrap();
        assert_eq!(measures.proceeds.counts, Counts { hits: 2, of: 4 });
        let means = [measures.replans, measures.judged].map(|mean| mean.unwrap().value);
        assert_eq!(means, [1.5, 2.5]);
        assert_eq!((measures.false_claims, measures.wrong_claims), (1, 3));
        let without_proceed = LoopMeasures::of(&rows[2..]).unwrap();
        assert_eq!((without_proceed.replans, without_proceed.false_claims), (None, 0));
        assert!(LoopMeasures::of(&[Row::unjudged(Vec::new(), true)]).is_none());
    }
}
