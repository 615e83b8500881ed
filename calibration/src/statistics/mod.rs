//! Shares with their intervals.
//!
//! Claims in one case share evidence and an author and are not independent, so intervals draw whole cases.

#[cfg(test)]
mod against_scipy;
mod agreement;
mod bootstrap;
mod exact;
mod wilson;

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeStruct as _, Serializer};

pub(crate) use agreement::{kappa, spearman};
pub(crate) use bootstrap::interval;
pub use bootstrap::{Interval, mean_interval};
pub(crate) use exact::{clopper_pearson, mcnemar, tail_at_most};
pub(crate) use gsar_datasets::Random;
pub(crate) use wilson::wilson;

const MIN_CASES: usize = 5;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) hits: u32,
    pub(crate) of: u32,
}

impl FromIterator<bool> for Counts {
    /// Counts the items that are `true` as hits.
    fn from_iter<I: IntoIterator<Item = bool>>(items: I) -> Self {
        items.into_iter().fold(Self::default(), |counts, is_hit| Self {
            hits: counts.hits + u32::from(is_hit),
            of: counts.of + 1,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    pub(crate) counts: Counts,
    /// The share, from 0 to 1; `None` if nothing was counted.
    pub(crate) value: Option<f64>,
    /// The 95 % bootstrap interval over cases; `None` for fewer than five cases with counted items.
    pub(crate) interval: Option<Interval>,
}

impl Share {
    pub(crate) fn new(counts: Counts, interval: Option<Interval>) -> Self {
        Self { counts, value: ratio(counts), interval }
    }

    pub(crate) fn by_claim(cases: &[Counts]) -> Self {
        Self::over_cases(cases, |cases| ratio(total(cases)))
    }

    pub(crate) fn by_case(cases: &[Counts]) -> Self {
        Self::over_cases(cases, |cases| {
            let ratios: Vec<f64> = cases.filter_map(|counts| ratio(*counts)).collect();
            let number = u32::try_from(ratios.len()).ok().filter(|number| *number > 0)?;
            Some(ratios.iter().sum::<f64>() / f64::from(number))
        })
    }

    fn over_cases(
        cases: &[Counts],
        statistic: impl Fn(&mut dyn Iterator<Item = &Counts>) -> Option<f64>,
    ) -> Self {
        let counting = cases.iter().filter(|counts| counts.of > 0).count();
        Self {
            counts: total(&mut cases.iter()),
            value: statistic(&mut cases.iter()),
            interval: (counting >= MIN_CASES).then(|| interval(cases, statistic)).flatten(),
        }
    }
}

impl Serialize for Share {
    /// Serializes as `{"hits": 1, "of": 2, "interval": [5.5, 94.5]}`, with the interval in percent.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let interval =
            self.interval.map(|Interval { low, high }| [low, high].map(|end| end * 100.0));
        let mut share = serializer.serialize_struct("Share", 3)?;
        share.serialize_field("hits", &self.counts.hits)?;
        share.serialize_field("of", &self.counts.of)?;
        share.serialize_field("interval", &interval)?;
        share.end()
    }
}

/// Counts the items selected by `of`, and the hits among them, per case.
pub(crate) fn per_case<'a, T: 'a>(
    items: impl IntoIterator<Item = &'a T>,
    case: impl Fn(&T) -> usize,
    of: impl Fn(&T) -> bool,
    hit: impl Fn(&T) -> bool,
) -> Vec<Counts> {
    let mut cases: BTreeMap<usize, Counts> = BTreeMap::new();
    for item in items {
        let counts = cases.entry(case(item)).or_default();
        if of(item) {
            counts.of += 1;
            counts.hits += u32::from(hit(item));
        }
    }
    cases.into_values().collect()
}

fn total(cases: &mut dyn Iterator<Item = &Counts>) -> Counts {
    cases.fold(Counts::default(), |sum, counts| Counts {
        hits: sum.hits + counts.hits,
        of: sum.of + counts.of,
    })
}

fn ratio(counts: Counts) -> Option<f64> {
    (counts.of > 0).then(|| f64::from(counts.hits) / f64::from(counts.of))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: [Counts; 3] =
        [Counts { hits: 1, of: 1 }, Counts { hits: 1, of: 4 }, Counts { hits: 0, of: 0 }];

    #[test]
    fn claims_and_cases_weigh_differently() {
        let by_claim = Share::by_claim(&CASES);
        assert_eq!(by_claim.counts, Counts { hits: 2, of: 5 });
        assert_eq!(by_claim.value, Some(0.4));
        let by_case = Share::by_case(&CASES);
        assert_eq!(by_case.counts, by_claim.counts);
        assert_eq!(by_case.value, Some(0.625), "cases without claims are skipped");
    }

    #[test]
    fn few_cases_have_no_interval() {
        let case = Counts { hits: 1, of: 2 };
        assert_eq!(Share::by_claim(&[case; 4]).interval, None);
        let same = Interval { low: 0.5, high: 0.5 };
        assert_eq!(Share::by_claim(&[case; 5]).interval, Some(same));
        let empty = [case, case, Counts::default(), Counts::default(), Counts::default()];
        assert_eq!(Share::by_claim(&empty).interval, None);
    }

    #[test]
    fn empty_counts_have_no_share() {
        for share in [Share::by_claim(&[]), Share::by_case(&[Counts::default()])] {
            assert_eq!((share.value, share.interval), (None, None));
        }
    }
}
