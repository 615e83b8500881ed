//! Decimal literals of any size, compared exactly, with or without a unit.

use core::cmp::Ordering;

/// More significant digits than this are not read: with the largest unit they still fit 128 bits.
const MAX_DIGITS: u32 = 24;

/// `mantissa` * 10^`exponent`, the mantissa without trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    mantissa: i128,
    exponent: i32,
}

impl Decimal {
    /// Reads `-12.5`, `.5`, `1e-3`, `1,200`; nothing else, so neither NaN nor infinities.
    pub(super) fn parse(literal: &str) -> Option<Self> {
        let (negative, unsigned) = match literal.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, literal.strip_prefix('+').unwrap_or(literal)),
        };
        let (digits, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i16>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, places) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && places.is_empty() {
            return None;
        }
        let mut mantissa: i128 = 0;
        for byte in whole.bytes().chain(places.bytes()) {
            match byte {
                b'0'..=b'9' => {
                    mantissa = mantissa.checked_mul(10)?.checked_add((byte - b'0').into())?
                }
                b',' => {}
                _ => return None,
            }
        }
        if whole.contains(',') && !grouped(whole) || places.contains(',') {
            return None;
        }
        let places = i32::try_from(places.len()).ok()?;
        let mut decimal = Self { mantissa, exponent: i32::from(exponent).checked_sub(places)? };
        decimal.strip();
        if decimal.digits() > MAX_DIGITS {
            return None;
        }
        if negative {
            decimal.mantissa = -decimal.mantissa;
        }
        Some(decimal)
    }

    pub(super) const fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    pub(super) const fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// Times `factor` * 10^`exponent`.
    fn scaled(self, factor: i128, exponent: i32) -> Option<Self> {
        let mut scaled = Self {
            mantissa: self.mantissa.checked_mul(factor)?,
            exponent: self.exponent.checked_add(exponent)?,
        };
        scaled.strip();
        Some(scaled)
    }

    fn strip(&mut self) {
        if self.mantissa == 0 {
            self.exponent = 0;
        }
        while self.mantissa != 0 && self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.exponent = self.exponent.saturating_add(1);
        }
    }

    fn digits(self) -> u32 {
        self.mantissa.unsigned_abs().checked_ilog10().map_or(0, |log| log + 1)
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        let sign = |decimal: Self| decimal.mantissa.signum();
        if sign(self) != sign(other) || self.mantissa == 0 {
            return sign(self).cmp(&sign(other));
        }
        let magnitude = |decimal: Self| i64::from(decimal.digits()) + i64::from(decimal.exponent);
        let order = magnitude(self).cmp(&magnitude(other)).then_with(|| {
            // The leading digits stand in the same place, so aligning adds no digit beyond the longer one.
            let shared = self.exponent.min(other.exponent);
            aligned(self, shared).cmp(&aligned(other, shared))
        });
        if self.mantissa < 0 { order.reverse() } else { order }
    }
}

/// The absolute mantissa in units of 10^`exponent`.
fn aligned(decimal: Decimal, exponent: i32) -> u128 {
    let zeros = decimal.exponent.saturating_sub(exponent).unsigned_abs();
    decimal.mantissa.unsigned_abs().saturating_mul(10u128.saturating_pow(zeros))
}

/// Whether the commas of a whole number stand between groups of three digits.
fn grouped(whole: &str) -> bool {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3)
}

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    /// A share of a whole; the base is 1.
    Share,
    /// Time; the base is the second.
    Time,
    /// An amount of data; the base is the byte.
    Data,
    /// Kubernetes' `m`, thousandths of something.
    Milli,
}

/// A unit as a multiple of the base of its dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) dimension: Dimension,
    factor: i128,
    exponent: i32,
}

/// Every unit that is read: name, dimension, factor, power of ten.
const UNITS: &[(&str, Dimension, i128, i32)] = &[
    ("%", Dimension::Share, 1, -2),
    ("percent", Dimension::Share, 1, -2),
    ("pct", Dimension::Share, 1, -2),
    ("ns", Dimension::Time, 1, -9),
    ("us", Dimension::Time, 1, -6),
    ("µs", Dimension::Time, 1, -6),
    ("ms", Dimension::Time, 1, -3),
    ("msec", Dimension::Time, 1, -3),
    ("milliseconds", Dimension::Time, 1, -3),
    ("s", Dimension::Time, 1, 0),
    ("sec", Dimension::Time, 1, 0),
    ("secs", Dimension::Time, 1, 0),
    ("second", Dimension::Time, 1, 0),
    ("seconds", Dimension::Time, 1, 0),
    ("min", Dimension::Time, 60, 0),
    ("mins", Dimension::Time, 60, 0),
    ("minute", Dimension::Time, 60, 0),
    ("minutes", Dimension::Time, 60, 0),
    ("h", Dimension::Time, 3600, 0),
    ("hour", Dimension::Time, 3600, 0),
    ("hours", Dimension::Time, 3600, 0),
    ("d", Dimension::Time, 86_400, 0),
    ("day", Dimension::Time, 86_400, 0),
    ("days", Dimension::Time, 86_400, 0),
    ("B", Dimension::Data, 1, 0),
    ("byte", Dimension::Data, 1, 0),
    ("bytes", Dimension::Data, 1, 0),
    ("kB", Dimension::Data, 1, 3),
    ("KB", Dimension::Data, 1, 3),
    ("MB", Dimension::Data, 1, 6),
    ("GB", Dimension::Data, 1, 9),
    ("TB", Dimension::Data, 1, 12),
    ("Ki", Dimension::Data, 1 << 10, 0),
    ("KiB", Dimension::Data, 1 << 10, 0),
    ("Mi", Dimension::Data, 1 << 20, 0),
    ("MiB", Dimension::Data, 1 << 20, 0),
    ("Gi", Dimension::Data, 1 << 30, 0),
    ("GiB", Dimension::Data, 1 << 30, 0),
    ("Ti", Dimension::Data, 1 << 40, 0),
    ("TiB", Dimension::Data, 1 << 40, 0),
    ("m", Dimension::Milli, 1, -3),
];

impl Unit {
    /// The unit of that name, spelled as it is written.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (_, dimension, factor, exponent) = UNITS.iter().find(|(unit, ..)| *unit == name)?;
        Some(Self { dimension: *dimension, factor: *factor, exponent: *exponent })
    }
}

/// A number as it is written, with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quantity<'a> {
    /// As it is written.
    pub(super) literal: &'a str,
    /// The number before its unit.
    pub(super) value: Decimal,
    /// The unit, where one is written.
    pub(super) unit: Option<Unit>,
}

impl<'a> Quantity<'a> {
    /// Reads `0.93`, `97%`, `1.8s`, `512Mi`, `97 %`.
    pub(super) fn parse(literal: &'a str) -> Option<Self> {
        let literal = literal.trim();
        if let Some(value) = Decimal::parse(literal) {
            return Some(Self { literal, value, unit: None });
        }
        let end = literal.rfind(|c: char| c.is_ascii_digit() || c == '.')? + 1;
        let (number, unit) = literal.split_at_checked(end)?;
        let unit = Unit::named(unit.trim_start())?;
        Some(Self { literal, value: Decimal::parse(number)?, unit: Some(unit) })
    }

    /// Compares two quantities; `None` where their units do not allow it.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self.unit, other.unit) {
            (Some(a), Some(b)) if a.dimension != b.dimension => None,
            (Some(_), Some(_)) => Some(self.in_base()?.compare(other.in_base()?)),
            (None, None) => Some(self.value.compare(other.value)),
            (Some(unit), None) => beside_bare(unit, other)
                .then_some(())
                .and_then(|()| Some(self.in_base()?.compare(other.value))),
            (None, Some(unit)) => beside_bare(unit, self)
                .then_some(())
                .and_then(|()| Some(self.value.compare(other.in_base()?))),
        }
    }

    /// Whether it is the whole of a share: 1 or 100 %; a bare 100 counts as percent.
    pub(super) fn is_whole(self) -> bool {
        let one = Decimal { mantissa: 1, exponent: 0 };
        let hundred = Decimal { mantissa: 1, exponent: 2 };
        match self.unit {
            Some(_) => self.in_base() == Some(one),
            None => self.value == one || self.value == hundred,
        }
    }

    /// Whether it is above 0 and below one in a hundred.
    pub(super) fn is_below_one_percent(self) -> bool {
        let percent = Decimal { mantissa: 1, exponent: -2 };
        let base = self.in_base().unwrap_or(self.value);
        !base.is_negative() && !base.is_zero() && base.compare(percent).is_lt()
    }

    /// A hundred times the number, without its unit.
    pub(super) const fn hundred_times(self) -> Decimal {
        Decimal {
            mantissa: self.value.mantissa,
            exponent: if self.value.is_zero() { 0 } else { self.value.exponent.saturating_add(2) },
        }
    }

    fn in_base(self) -> Option<Decimal> {
        match self.unit {
            Some(unit) => self.value.scaled(unit.factor, unit.exponent),
            None => Some(self.value),
        }
    }
}

/// Whether a number without a unit can stand beside one with it: 0 always can, and a share from 0 to 1
/// beside percent.
fn beside_bare(unit: Unit, bare: Quantity<'_>) -> bool {
    let one = Decimal { mantissa: 1, exponent: 0 };
    let share = !bare.value.is_negative() && bare.value.compare(one).is_le();
    bare.value.is_zero() || (unit.dimension == Dimension::Share && share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compare(a: &str, b: &str) -> Option<Ordering> {
        Quantity::parse(a).unwrap().compare(Quantity::parse(b).unwrap())
    }

    #[test]
    fn literals_that_are_no_finite_decimals_are_not_read() {
        for literal in [
            "",
            ".",
            "-",
            "NaN",
            "+Inf",
            "inf",
            "0x10",
            "1e",
            "1e99999",
            "1,20",
            "1.2.3",
            "--1",
            "1 2",
            "5xx",
            "9999999999999999999999999",
        ] {
            assert_eq!(Quantity::parse(literal), None, "{literal}");
        }
    }

    #[test]
    fn decimals_compare_exactly() {
        for (a, b, order) in [
            ("0.80", "0.8", Ordering::Equal),
            ("0.80000000000000000001", "0.8", Ordering::Greater),
            ("1e3", "1,000", Ordering::Equal),
            ("-1", "0.5", Ordering::Less),
            ("-2", "-1", Ordering::Less),
            ("1e300", "2", Ordering::Greater),
            ("1e-300", "0", Ordering::Greater),
            ("-0.00", "0", Ordering::Equal),
        ] {
            assert_eq!(compare(a, b), Some(order), "{a} {b}");
        }
    }

    #[test]
    fn units_are_converted_or_nothing_is_said() {
        for (a, b, order) in [
            ("1.8s", "1800ms", Some(Ordering::Equal)),
            ("93%", "0.8", Some(Ordering::Greater)),
            ("0.93", "80 %", Some(Ordering::Greater)),
            ("93", "80%", None),
            ("2.3", "500ms", None),
            ("0", "500ms", Some(Ordering::Less)),
            ("512Mi", "1GiB", Some(Ordering::Less)),
            ("1MB", "1MiB", Some(Ordering::Less)),
            ("5%", "5ms", None),
            ("250m", "500m", Some(Ordering::Less)),
        ] {
            assert_eq!(compare(a, b), order, "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn reading_never_panics(literal in "[-+0-9.,eE%a-zµ]{0,30}") {
            if let Some(quantity) = Quantity::parse(&literal) {
                prop_assert_eq!(quantity.compare(quantity), Some(Ordering::Equal));
            }
        }

        #[test]
        fn comparing_agrees_with_integers(a in -1_000_000i64..1_000_000, b in -1_000_000i64..1_000_000, places in 0usize..9) {
            let literal = |n: i64| {
                let digits = alloc::format!("{:010}", n.abs());
                let (whole, rest) = digits.split_at(10 - places);
                alloc::format!("{}{whole}.{rest}", if n < 0 { "-" } else { "" })
            };
            let (a_literal, b_literal) = (literal(a), literal(b));
            prop_assert_eq!(compare(&a_literal, &b_literal), Some(a.cmp(&b)));
        }
    }
}
