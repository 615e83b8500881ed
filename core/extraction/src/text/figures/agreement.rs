//! Compares figures in a claim with figures in its evidence.
//!
//! A claim accepts a range of values around its own. The evidence contains a single value.
//!
//! | claim | values that it accepts |
//! |---|---|
//! | `97 %`, `1.8 s` | within half a unit of the last digit, in either direction |
//! | `1Gi` with evidence `512Mi` (both are whole binary sizes) | exactly the claimed size |
//! | "about 97 %", "3.1 million" | within two points (at most a tenth of the value), or 5 % for other units |
//! | "at least", "over", "at most", "under" | all values within the bound |
//! | `2 GB` with evidence `2 GiB` | none, because equal digits in two systems are a mistake |
//! | `2.15 GB` with evidence `2 GiB` | within at most 1 %, in either direction |
//!
//! An approximate claim also accepts all values that the same claim would accept if it were exact. Evidence that is
//! less precise than the claim neither supports nor refutes it.

use core::ops::Range;

use super::{ClockTime, Comparator, Decimal, Dimension, Figure, System, Unit};

/// The result of comparing two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Agreement {
    /// The evidence supports the claim.
    Same,
    /// The claim and the evidence contradict each other.
    Different,
    /// The figures have different dimensions, or the evidence is too imprecise.
    Incomparable,
}

/// Compares a figure in a claim with one in its evidence.
#[must_use]
pub fn agree(claim: &Figure, evidence: &Figure) -> Agreement {
    compare(claim, evidence).unwrap_or(Agreement::Incomparable)
}

fn compare(claim: &Figure, evidence: &Figure) -> Option<Agreement> {
    let evidence_unit = comparable_unit(claim, evidence)?;
    let (claimed, actual) =
        on_one_scale((claim.value, claim.unit), (evidence.value, evidence_unit))?;
    let has_mixed_systems = claim.unit.system != System::Neutral
        && evidence_unit.system != System::Neutral
        && claim.unit.system != evidence_unit.system;
    if has_mixed_systems && claim.value.is_same_number(evidence.value) {
        return Some(Agreement::Different);
    }
    let is_configured =
        is_whole_binary(claim, claim.unit) && is_whole_binary(evidence, evidence_unit);
    let mut tolerance = if is_configured { 0 } else { claimed.tolerance(claim)? };
    if has_mixed_systems {
        tolerance = tolerance.min(claimed.value.checked_abs()? / 100);
    }
    let accepted = Interval::new(claimed.value, tolerance, claim.comparator)?;
    let accepted = if claim.approximate { accepted.close_to(claimed.value)? } else { accepted };
    // Whole counts are exact; measured values can be rounded.
    let is_whole_count = evidence.unit == Unit::COUNT && evidence.value.places == 0;
    let is_exact = is_configured || (is_whole_count && !evidence.approximate);
    let uncertainty = if is_exact { 0 } else { actual.tolerance(evidence)? };
    let possible = Interval::new(actual.value, uncertainty, evidence.comparator)?;
    let is_shown = match evidence.comparator {
        None => accepted.contains(actual.value),
        Some(bound) => accepted.includes(&Interval::new(actual.value, 0, Some(bound))?),
    };
    Some(if is_shown {
        Agreement::Same
    } else if accepted.overlaps(&possible) {
        Agreement::Incomparable
    } else {
        Agreement::Different
    })
}

/// Returns `true` for sizes such as `512Mi` and `1Gi`, which are configured and not rounded.
fn is_whole_binary(figure: &Figure, unit: Unit) -> bool {
    unit.system == System::Binary && figure.value.places == 0 && !figure.approximate
}

/// Returns the unit in which to compare the evidence. A bare ratio from 0 to 1 is comparable to a percentage.
fn comparable_unit(claim: &Figure, evidence: &Figure) -> Option<Unit> {
    let is_same_dimension = claim.unit.dimension == evidence.unit.dimension;
    let is_ratio = claim.unit.dimension == Dimension::Percent
        && evidence.unit == Unit::COUNT
        && evidence.value.places > 0
        && evidence.value.mantissa >= 0
        && evidence.value.mantissa <= power_of_ten(evidence.value.places)?;
    if is_same_dimension {
        Some(evidence.unit)
    } else if is_ratio {
        Some(Unit { factor: 100, ..Unit::PERCENT })
    } else {
        None
    }
}

/// A value and half a unit of its last digit, in halves of the smallest common step.
struct Scaled {
    value: i128,
    half_step: i128,
}

impl Scaled {
    fn tolerance(&self, figure: &Figure) -> Option<i128> {
        if !figure.approximate {
            return Some(self.half_step);
        }
        let magnitude = self.value.checked_abs()?;
        let approximate_tolerance = if figure.unit.dimension == Dimension::Percent {
            let point =
                self.half_step.checked_mul(2)?.checked_mul(power_of_ten(figure.value.places)?)?;
            point.checked_mul(2)?.min(magnitude / 10)
        } else {
            magnitude / 20
        };
        Some(approximate_tolerance.max(self.half_step))
    }
}

fn on_one_scale(claim: (Decimal, Unit), evidence: (Decimal, Unit)) -> Option<(Scaled, Scaled)> {
    let places = claim.0.places.max(evidence.0.places);
    let scaled = |(number, unit): (Decimal, Unit)| {
        let half_step =
            power_of_ten(places - number.places)?.checked_mul(i128::from(unit.factor))?;
        let value = number.mantissa.checked_mul(2)?.checked_mul(half_step)?;
        Some(Scaled { value, half_step })
    };
    Some((scaled(claim)?, scaled(evidence)?))
}

impl Decimal {
    /// Returns `true` if two decimals are equal, such as `1.50` and `1.5`.
    #[must_use]
    pub fn is_same_number(self, other: Self) -> bool {
        on_one_scale((self, Unit::COUNT), (other, Unit::COUNT))
            .is_some_and(|(a, b)| a.value == b.value)
    }
}

fn power_of_ten(places: u32) -> Option<i128> {
    10_i128.checked_pow(places)
}

/// The values from `low` to `high`, inclusive.
struct Interval {
    low: i128,
    high: i128,
}

impl Interval {
    fn new(value: i128, tolerance: i128, bound: Option<Comparator>) -> Option<Self> {
        // Only plain values are rounded, not bounds. An exclusive bound moves by one scaled step, which is the
        // smallest difference.
        Some(match bound {
            None => {
                Self { low: value.checked_sub(tolerance)?, high: value.checked_add(tolerance)? }
            }
            Some(Comparator::AtLeast) => Self { low: value, high: i128::MAX },
            Some(Comparator::Over) => Self { low: value.checked_add(1)?, high: i128::MAX },
            Some(Comparator::AtMost) => Self { low: i128::MIN, high: value },
            Some(Comparator::Under) => Self { low: i128::MIN, high: value.checked_sub(1)? },
        })
    }

    /// Limits the interval to values within a fifth of `value`: "just over 2 GB" is not 4 GB.
    fn close_to(self, value: i128) -> Option<Self> {
        let fifth = value.checked_abs()? / 5;
        let (low, high) = (value.checked_sub(fifth)?, value.checked_add(fifth)?);
        Some(Self { low: self.low.max(low), high: self.high.min(high) })
    }

    fn contains(&self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    fn includes(&self, other: &Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Returns `true` if two intervals overlap. Bounded intervals must share more than an end point, because adjacent
    /// rounding ranges meet there.
    fn overlaps(&self, other: &Self) -> bool {
        let is_unbounded = self.low == i128::MIN
            || self.high == i128::MAX
            || other.low == i128::MIN
            || other.high == i128::MAX;
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if is_unbounded { low <= high } else { low < high }
    }
}

/// Compares a clock time in a claim with one in its evidence. They can differ only if both dates are known.
#[must_use]
pub fn agree_times(claim: &ClockTime, evidence: &ClockTime) -> Agreement {
    const DAY: i64 = 86_400;
    let have_zones = claim.offset_minutes.is_some() && evidence.offset_minutes.is_some();
    let has_one_zone = claim.offset_minutes.is_some() != evidence.offset_minutes.is_some();
    let shift = |time: &ClockTime| {
        if have_zones { i64::from(time.offset_minutes.unwrap_or(0)) * 60 } else { 0 }
    };
    let second_of_day = |time: &ClockTime| i64::from(time.seconds_of_day) - shift(time);
    let gap = match (claim.date, evidence.date) {
        (Some(a), Some(b)) => {
            (b.days() - a.days()) * DAY + second_of_day(evidence) - second_of_day(claim)
        }
        _ => {
            let day_gap = (second_of_day(evidence) - second_of_day(claim)).rem_euclid(DAY);
            if day_gap > DAY / 2 { day_gap - DAY } else { day_gap }
        }
    };
    let grain = i64::from(claim.grain);
    let rounding = if claim.grain == 1 { 0 } else { grain / 2 };
    let matches: Range<i64> = -rounding..grain;
    if evidence.grain > claim.grain && gap <= 0 && -gap < i64::from(evidence.grain) && gap != 0 {
        Agreement::Incomparable
    } else if matches.contains(&gap) {
        Agreement::Same
    } else if claim.date.is_some() && evidence.date.is_some() && !has_one_zone {
        Agreement::Different
    } else {
        Agreement::Incomparable
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures;
    use super::Agreement::{Different, Incomparable, Same};
    use super::*;

    fn agreement_of(claim: &str, evidence: &str) -> Agreement {
        let (claim, evidence) = (figures(claim), figures(evidence));
        assert_eq!((claim.figures.len(), evidence.figures.len()), (1, 1), "{claim:?} {evidence:?}");
        agree(&claim.figures[0], &evidence.figures[0])
    }

    #[test]
    fn converts_units() {
        for (claim, evidence, expected) in [
            ("1.8 s", "1800 ms", Same),
            ("1800 ms", "1.8 s", Same),
            ("2 minutes", "120s", Same),
            ("95 %", "ratio 0.95", Same),
            ("0.95", "95 %", Incomparable),
            ("512 MiB", "512Mi", Same),
            ("1Gi", "512Mi", Different),
            ("512Mi", "1Gi", Different),
            ("1 GiB", "1024Mi", Same),
            ("512 MB", "512 MiB", Different),
            ("1 GB", "1 GiB", Different),
            ("1.07 GB", "1 GiB", Same),
            ("1 GiB", "1073741824 bytes", Same),
            ("1.5 cores", "1500m cpu", Same),
            ("60 req/min", "1 request per second", Same),
            ("3 restarts", "4 restarts", Different),
            ("5 s", "5 GB", Incomparable),
            ("8 Mb", "8 MB", Incomparable),
            ("90 minutes", "1h30m", Same),
            ("doubled", "2x", Same),
        ] {
            assert_eq!(agreement_of(claim, evidence), expected, "{claim} / {evidence}");
        }
    }

    #[test]
    fn tolerance_depends_on_precision() {
        for (claim, evidence, expected) in [
            ("97 %", "96.8 %", Same),
            ("97.0 %", "96.8 %", Different),
            ("97 %", "95.9 %", Different),
            ("about 97 %", "95.9 %", Same),
            ("about 97 %", "94.0 %", Different),
            ("about 1200 ms", "1.23 s", Same),
            ("1.8 s", "2 s", Incomparable),
            ("1.4 s", "2 s", Different),
            ("2.1 million", "2118400", Same),
            ("2.1 million", "3118400", Different),
        ] {
            assert_eq!(agreement_of(claim, evidence), expected, "{claim} / {evidence}");
        }
    }

    #[test]
    fn compares_bounds() {
        for (claim, evidence, expected) in [
            ("over 90 %", "96.8 %", Same),
            ("over 90 %", "90 %", Incomparable),
            ("over 90 %", "80 %", Different),
            ("at least 3", "3", Same),
            ("under 200 ms", "180 ms", Same),
            ("over 3 restarts", "3 restarts", Different),
            ("at least 3", "at most 3", Incomparable),
            ("over 90 %", "over 95 %", Same),
            ("over 95 %", "over 90 %", Incomparable),
            ("just over 2 GB", "2.1 GB", Same),
            ("just over 2 GB", "4.1 GB", Different),
            ("a little over 2 GB", "4.1 GB", Different),
            ("slightly above 2 GB", "1.9 GB", Different),
            ("just under 7 s", "6.8 s", Same),
            ("just under 7 s", "4.9 s", Different),
            ("within about 7 s", "4.9 s", Same),
            ("up to some 7 s", "4.9 s", Same),
            ("97 %", "over 95 %", Incomparable),
            ("90 %", "over 95 %", Different),
        ] {
            assert_eq!(agreement_of(claim, evidence), expected, "{claim} / {evidence}");
        }
    }

    #[test]
    fn times_differ_only_if_both_dates_are_known() {
        let time = |text: &str| figures(text).times.remove(0);
        let agreement_of = |a, b| agree_times(&time(a), &time(b));
        assert_eq!(agreement_of("14:02", "2024-05-01T14:02:31Z"), Same);
        assert_eq!(agreement_of("14:02", "2024-05-01T16:40:00Z"), Incomparable);
        assert_eq!(agreement_of("2024-05-01T14:02:31Z", "2024-05-01T16:02:31+02:00"), Same);
        assert_eq!(agreement_of("2024-05-01T14:02:31Z", "2024-05-01T14:05:00Z"), Different);
        assert_eq!(agreement_of("2024-05-01 14:02:31", "2024-05-01T16:02:31+02:00"), Incomparable);
        assert_eq!(agreement_of("14:02:31", "14:02"), Incomparable);
    }
}
