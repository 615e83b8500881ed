//! Exact binomial intervals (Clopper and Pearson 1934), McNemar's test (1947, two-sided), and the
//! binomial tail.

use statrs::distribution::{Beta, Binomial, ContinuousCDF as _, DiscreteCDF as _};

use super::{Counts, Interval};

/// Returns the exact interval of a share at level `1 - alpha`, or `None` if nothing was counted.
pub(crate) fn clopper_pearson(counts: Counts, alpha: f64) -> Option<Interval> {
    if counts.of == 0 {
        return None;
    }
    let (hits, of) = (f64::from(counts.hits), f64::from(counts.of));
    let low = match counts.hits {
        0 => 0.0,
        _ => Beta::new(hits, of - hits + 1.0).ok()?.inverse_cdf(alpha / 2.0),
    };
    let high = match counts.of - counts.hits {
        0 => 1.0,
        _ => Beta::new(hits + 1.0, of - hits).ok()?.inverse_cdf(1.0 - alpha / 2.0),
    };
    Some(Interval { low, high })
}

/// Returns P(X <= `wrong`) for X ~ Binomial(`of`, `risk`), or 1 if nothing was counted.
pub(crate) fn tail_at_most(wrong: u32, of: u32, risk: f64) -> Option<f64> {
    if of == 0 {
        return Some(1.0);
    }
    Some(Binomial::new(risk, of.into()).ok()?.cdf(wrong.into()))
}

pub(crate) fn mcnemar(only_first: u32, only_second: u32) -> Option<f64> {
    let (fewer, all) = (only_first.min(only_second), only_first + only_second);
    tail_at_most(fewer, all, 0.5).map(|tail| (2.0 * tail).min(1.0))
}
