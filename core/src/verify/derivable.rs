//! This module tells whether a figure may follow from the numbers of what is cited: rounded, in another unit, or as a
//! sum, mean, difference, ratio or share of quoted ones. Exact arithmetic in billionths; where that overflows, the figure
//! counts as one that may follow. It reads no text.

use super::numbers::{MAX_NUMBER, MAX_OPERANDS, MAX_SHORT, Moment, Numbers, PARTS, spans};
use crate::text::figures::{Decimal, Dimension, Figure, Unit};

/// By how much a figure that is called approximate, or a bound, may differ, in thousandths.
const LOOSE: i128 = 60;

/// What a number may have to be multiplied with for a figure of a dimension.
const fn factors(dimension: Dimension) -> &'static [i128] {
    match dimension {
        Dimension::Duration => &[1, 1_000, 1_000_000, PARTS, 60, 3_600, 86_400, 24],
        Dimension::Bytes | Dimension::ByteRate | Dimension::Bits | Dimension::BitRate => {
            &[1, 8, 1_000, 1_000_000, PARTS, 1_000 * PARTS, 1 << 10, 1 << 20, 1 << 30, 1 << 40]
        }
        Dimension::Percent => &[1, 100],
        Dimension::Cores => &[1, 100, 1_000],
        Dimension::Rate => &[1, 60, 1_000],
        Dimension::Multiple => &[1],
        Dimension::Count => &[1, 1_000, 1_000_000, PARTS],
    }
}

/// The ratios of binary to decimal units of bytes, as numerator and denominator.
const GAPS: [(i128, i128); 2] = [(1_048_576, 1_000_000), (1_073_741_824, 1_000_000_000)];

/// Whether a figure has two digits or more that say something: not 5, 40 or 3000.
pub(super) fn is_specific(value: Decimal) -> bool {
    significant(value) >= 2 || (value.places == 0 && value.mantissa.unsigned_abs() >= 10)
}

fn significant(value: Decimal) -> u32 {
    let mut mantissa = value.mantissa.unsigned_abs();
    while value.places == 0 && mantissa > 0 && mantissa.is_multiple_of(10) {
        mantissa /= 10;
    }
    mantissa.checked_ilog10().map_or(0, |log| log + 1)
}

/// A figure with what it may be off: one of its last digit that says something, more where it is only about so.
#[derive(Clone, Copy)]
struct Wanted {
    value: i128,
    off: i128,
    under: i128,
    dimension: Dimension,
}

impl Wanted {
    fn of(figure: &Figure, is_loose: bool) -> Option<Self> {
        let value = in_parts(figure.value)?;
        let mut step = 10_i128.checked_pow(9_u32.checked_sub(figure.value.places)?)?;
        while figure.value.places == 0 && value > 0 && (value / step) % 10 == 0 {
            step *= 10;
        }
        let is_loose = is_loose || figure.approximate || figure.comparator.is_some();
        let loose = if is_loose { value / 1_000 * LOOSE } else { 0 };
        let (off, under) = (step.max(loose), (step / 2).max(loose));
        Some(Self { value, off, under, dimension: figure.unit.dimension })
    }

    /// Whether it is a number, rounded to the nearest or down.
    fn is(&self, number: i128) -> bool {
        let gap = number.saturating_sub(self.value);
        (-self.under..=self.off).contains(&gap)
    }

    /// Whether it is a number in some unit of its dimension.
    fn is_scaled(&self, number: i128) -> bool {
        number > 0
            && (factors(self.dimension).iter().any(|factor| {
                number.checked_mul(*factor).is_none_or(|more| self.is(more))
                    || self.is_divided(number, *factor)
            }) || GAPS.iter().any(|(more, less)| {
                self.dimension == Dimension::Bytes
                    && (number
                        .checked_mul(*more)
                        .is_none_or(|number| self.is_divided(number, *less))
                        || number
                            .checked_mul(*less)
                            .is_none_or(|number| self.is_divided(number, *more)))
            }))
    }

    /// Whether it is a length of time between two of the times.
    fn lasts_one_of(&self, moments: &[Moment], unit: Unit) -> bool {
        // Units of time are counted in nanoseconds.
        let nanoseconds =
            |parts: i128| parts.checked_mul(i128::from(unit.factor)).map(|count| count / PARTS);
        let Some((value, off)) = nanoseconds(self.value).zip(nanoseconds(self.off)) else {
            return true;
        };
        unit.dimension == Dimension::Duration
            && spans(moments)
                .iter()
                .any(|span| value.abs_diff(*span) <= off.unsigned_abs().max(PARTS.unsigned_abs()))
    }

    fn is_divided(&self, number: i128, by: i128) -> bool {
        by != 0 && self.is(number / by)
    }

    /// Whether it is `a / b`, as a factor or in per cent, or the share by which they differ.
    fn is_ratio(&self, a: i128, b: i128) -> bool {
        let share = |of: i128| of.checked_mul(PARTS).map(|of| of / b);
        let is = |of: i128| match self.dimension {
            Dimension::Percent => share(of).is_none_or(|share| self.is(share.saturating_mul(100))),
            Dimension::Count | Dimension::Multiple => {
                share(of).is_none_or(|share| self.is(share) || self.is(share.saturating_mul(100)))
            }
            // A rate: the share is in any unit of its dimension.
            _ => share(of).is_none_or(|share| self.is_scaled(share)),
        };
        b > 0 && (is(a) || (a != b && is((a - b).abs())))
    }
}

/// Whether a figure may follow from quoted numbers, or stand rounded or in another unit among the item's. One that is
/// loose may be off a few in a hundred.
pub(super) fn may_follow(figure: &Figure, is_loose: bool, numbers: &Numbers) -> bool {
    let Some(wanted) = Wanted::of(figure, is_loose) else { return true };
    let Numbers { quoted, sums, moments, items, short, has_long_items } = numbers;
    if wanted.value == 0
        || wanted.lasts_one_of(moments, figure.unit)
        || quoted.iter().chain(sums).any(|number| wanted.is_scaled(*number))
        || items.iter().any(|number| wanted.is(*number))
    {
        return true;
    }
    let operands = quoted.get(..quoted.len().min(MAX_OPERANDS)).unwrap_or_default();
    let is_short = !has_long_items && short.len() <= MAX_SHORT;
    let short = if is_short { short.as_slice() } else { &[] };
    let total: i128 = operands.iter().sum();
    let count = i128::try_from(operands.len().max(1)).unwrap_or(1);
    let shares = || sums.iter().take(MAX_OPERANDS).chain(operands);
    wanted.is(total)
        || wanted.is(total / count)
        || operands.iter().any(|a| wanted.is(a + a - total))
        || operands.iter().enumerate().any(|(at, a)| {
            operands.iter().enumerate().any(|(other, b)| {
                at != other && (wanted.is_scaled(a + b) || wanted.is_scaled((a - b).abs()))
            })
        })
        || shares().any(|a| shares().chain(short).any(|b| wanted.is_ratio(*a, *b)))
}

/// Whether a figure is the difference of two quoted numbers, or one of two digits or more the sum of two or of all.
pub(super) fn combines(figure: &Figure, quoted: &[i128]) -> bool {
    let Some(value) = in_parts(figure.value) else { return true };
    let tolerance = match significant(figure.value) {
        0..=1 => 60,
        2 => 20,
        _ => 3,
    };
    let near = |number: i128| value > 0 && is_near(value, number, tolerance);
    let operands = quoted.get(..quoted.len().min(MAX_OPERANDS)).unwrap_or_default();
    let specific = is_specific(figure.value);
    (specific && near(operands.iter().sum()))
        || operands.iter().enumerate().any(|(at, a)| {
            let mut others = operands.iter().skip(at + 1);
            others.any(|b| near((a - b).abs()) || (specific && a != b && near(a + b)))
        })
}

fn in_parts(value: Decimal) -> Option<i128> {
    let exponent = 9_u32.checked_sub(value.places)?;
    let parts = value.mantissa.checked_abs()?.checked_mul(10_i128.checked_pow(exponent)?);
    parts.filter(|parts| *parts <= MAX_NUMBER)
}

/// Whether two numbers differ by at most a tolerance in thousandths.
fn is_near(value: i128, number: i128, tolerance: i128) -> bool {
    let (Some(gap), Some(allowed)) = (
        value.abs_diff(number).checked_mul(1_000),
        number.unsigned_abs().checked_mul(tolerance.unsigned_abs()),
    ) else {
        return true;
    };
    gap <= allowed
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::figures::figures;
    use proptest::prelude::*;

    fn follows(claim: &str, quote: &str, item: &str) -> bool {
        let mut read = Numbers::of_quotes([quote].into_iter());
        read.add_item(item, ["", ""]);
        may_follow(&figures(claim).figures[0], false, &read)
    }

    #[test]
    fn rounded_converted_and_computed_figures_follow() {
        for (claim, quote) in [
            ("about 38 points", "from 99.2 % to 61.3 %"),
            ("434 MB of memory", "414Mi"),
            ("1,080.96 ms", "1080960237"),
            ("some 104 thousand", "104411"),
            ("35 % failed", "142 of 407"),
            ("243 more", "412 then 655"),
            ("13.1 GiB", "14063512655.0"),
            ("3.1 times", "12 to 37.2"),
            ("12,733 members", "20:50,presence,25104,12733"),
            (
                "117 timeouts",
                "RouteEta,18390,37,9\nRouteEta,18602,41,8\nRouteEta,18475,39,7\nBatchEta,377,22,1",
            ),
            ("27 % too high", "motor,YDC-02,1190.00,1511.40"),
            ("4.4 cores", "stg-pool-03   4410m"),
            ("178 times", "1074400892.0\n6005672.0"),
            ("87 % fewer", "150\n20"),
        ] {
            assert!(follows(claim, quote, ""), "{claim} from {quote}");
        }
        assert!(follows("310 goroutines", "flat", "goroutines 310"));
    }

    #[test]
    fn h21_other_figures_do_not() {
        for (claim, quote) in [
            ("2,733 members", "presence,25104,12733"),
            ("27 restarts", "restarts 13"),
            ("714 MiB", "limit 512Mi"),
            ("1.9 s", "p99 1.2 s"),
            ("49.7 % of hits", "17:55  99.4\n18:05  24.6"),
            ("20480 MB in use", "1847MB / 2048MB"),
            ("31,004.80 spent", "Budgeted: $2,300.00  ACTUAL (2025-01-19): $3,100.48"),
            ("560 times longer", "1066789345.0\n382800.0"),
            ("5.5 % worn", "2025-01-19T20:48:12Z worn on r14-c4 node-7"),
        ] {
            assert!(!follows(claim, quote, ""), "{claim} from {quote}");
        }
    }

    #[test]
    fn a_rate_follows_from_two_numbers_and_two_times() {
        let follows = |claim: &str| {
            let quote = "2025-05-16T20:00:00Z,wal,7.4\n2025-05-17T12:00:00Z,wal,76.6";
            let mut read = Numbers::of_quotes(quote.lines());
            assert!(read.add_rates());
            may_follow(&figures(claim).figures[0], false, &read)
        };
        assert!(follows("some 4.3 points an hour"));
        assert!(!follows("some 6.2 points an hour"));
    }

    #[test]
    fn a_length_of_time_follows_from_two_times() {
        let follows = |claim: &str, quote: &str| {
            let read = Numbers::of_quotes([quote].into_iter());
            may_follow(&figures(claim).figures[0], false, &read)
        };
        let quote = "08:04:18 failover started\n08:04:58 failover completed";
        assert!(follows("The failover took 40 seconds", quote));
        assert!(!follows("The failover took 8 seconds", quote));
        assert!(follows(
            "9 minutes and 28 seconds",
            "at 1773325040417348000\nat 1773325608417348000"
        ));
        assert!(follows("86 seconds", "09:06:02 reconfigured\n2024-02-20T16:07:28Z closed"));
        assert!(follows("18 min later", "23:58:40 down\n00:16:50 up"));
        assert!(!follows("18 min later", "01:58:40 down\n02:01:50 up"));
    }

    proptest! {
        #[test]
        fn a_number_follows_from_itself(whole in 1_i64..1_000_000, text in "[a-z ,.0-9]{0,20}") {
            let figure = &figures(&alloc::format!("{whole} pods")).figures[0];
            let mut read = Numbers::of_quotes([&*alloc::format!("{whole}")].into_iter());
            read.add_item(&text, ["", ""]);
            prop_assert!(may_follow(figure, false, &read));
        }

        #[test]
        fn nothing_panics(claim in "[0-9.,]{1,40} (ms|pods|% an hour)", text in "([0-9]{1,38}[.,_e :Z-]?){0,8}") {
            for figure in &figures(&claim).figures {
                let mut read = Numbers::of_quotes([&*text].into_iter());
                read.add_times(&figures("14:02 and 14:09").times);
                read.add_rates();
                read.add_item(&text, ["", ""]);
                let _ = (may_follow(figure, false, &read), is_specific(figure.value));
            }
        }
    }
}
