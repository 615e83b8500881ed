//! Parses and compares quantities exactly.

use core::cmp::Ordering;

use gsar_extraction::text::figures::{Dimension, Unit};

#[derive(Clone, Copy, Debug)]
pub(super) struct Quantity<'a> {
    pub(super) literal: &'a str,
    /// The value is `digits` / 10^`places`; `places` can be negative.
    digits: i128,
    places: i32,
    /// The unit; [`Unit::COUNT`] if the literal has none.
    pub(super) unit: Unit,
}

impl<'a> Quantity<'a> {
    /// Parses quantities such as `0.93`, `-1e-3`, `1,200`, `97 %`, `1.8s` or `512Mi`. Rejects NaN and infinities.
    pub(super) fn parse(literal: &'a str) -> Option<Self> {
        let literal = literal.trim();
        let end = literal.rfind(|c: char| c.is_ascii_digit() || c == '.')? + 1;
        let (number, unit) = literal.split_at_checked(end)?;
        let unit = match unit.trim_start() {
            "" => Unit::COUNT,
            unit => Unit::from_name(unit)?,
        };
        let (number, exponent) = match number.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, i32::from(exponent.parse::<i8>().ok()?)),
            None => (number, 0),
        };
        let unsigned = number.strip_prefix(['-', '+']).unwrap_or(number);
        let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        if !is_grouped(whole) || whole.len() + decimals.len() == 0 {
            return None;
        }
        let mut digits: i128 = 0;
        for byte in whole.bytes().chain(decimals.bytes()).filter(|byte| *byte != b',') {
            let digit = byte.is_ascii_digit().then(|| i128::from(byte - b'0'))?;
            digits = digits.checked_mul(10)?.checked_add(digit)?;
        }
        let digits = if number.starts_with('-') { -digits } else { digits };
        let places = i32::try_from(decimals.len()).ok()?.checked_sub(exponent)?;
        (!decimals.contains(',')).then_some(Self { literal, digits, places, unit })
    }

    pub(super) const fn is_zero(&self) -> bool {
        self.digits == 0
    }

    pub(super) const fn is_negative(&self) -> bool {
        self.digits < 0
    }

    pub(super) fn with_unit_of(self, name: &str) -> Self {
        Unit::from_field_name(name).map_or(self, |unit| self.with_default_unit(unit))
    }

    pub(super) fn with_default_unit(self, unit: Unit) -> Self {
        if self.unit == Unit::COUNT { Self { unit, ..self } } else { self }
    }

    /// Compares two quantities if their units are compatible. 0 is comparable with any quantity.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        if self.is_zero() || other.is_zero() {
            return Some(self.digits.signum().cmp(&other.digits.signum()));
        }
        let (a, b) = (self.with_dimension_of(other)?, other.with_dimension_of(self)?);
        let places = a.places.max(b.places);
        let scale = |quantity: &Self| {
            let power = 10_i128.checked_pow(u32::try_from(places - quantity.places).ok()?)?;
            quantity.digits.checked_mul(i128::from(quantity.unit.factor))?.checked_mul(power)
        };
        Some(scale(&a)?.cmp(&scale(&b)?))
    }

    fn with_dimension_of(&self, other: &Self) -> Option<Self> {
        if self.unit.dimension == other.unit.dimension {
            return Some(*self);
        }
        match (self.unit.dimension, other.unit.dimension) {
            (Dimension::Percent, Dimension::Count) => Some(*self),
            (Dimension::Count, Dimension::Percent) => {
                let share = Self { unit: Unit { factor: 100, ..Unit::PERCENT }, ..*self };
                (!self.is_negative() && share.compare(&percent(100))? != Ordering::Greater)
                    .then_some(share)
            }
            _ => None,
        }
    }

    /// Returns `true` for 1, 100 % or a plain 100.
    pub(super) fn is_whole(&self) -> bool {
        let hundred = Self { unit: Unit::COUNT, ..percent(100) };
        [percent(100), hundred].iter().any(|whole| self.compare(whole) == Some(Ordering::Equal))
    }

    pub(super) fn is_below_one_percent(&self) -> bool {
        !self.is_negative() && !self.is_zero() && self.compare(&percent(1)) == Some(Ordering::Less)
    }

    pub(super) fn is_at_least_one_percent_of(&self, whole: &Self) -> bool {
        let hundredfold = Self { places: self.places.saturating_sub(2), ..*self };
        hundredfold.compare(whole).is_some_and(Ordering::is_ge)
    }
}

const fn percent(digits: i128) -> Quantity<'static> {
    Quantity { literal: "", digits, places: 0, unit: Unit::PERCENT }
}

fn is_grouped(whole: &str) -> bool {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut groups_after_first = groups.peekable();
    groups_after_first.peek().is_none()
        || (1..=3).contains(&first.len()) && groups_after_first.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_literals_that_are_not_finite_decimals() {
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
            "9999999999999999999999999999999999999999",
        ] {
            assert!(Quantity::parse(literal).is_none(), "{literal}");
        }
    }

    #[test]
    fn h21_quantities_compare_exactly_across_units() {
        let compare = |a: &str, b: &str| Quantity::parse(a)?.compare(&Quantity::parse(b)?);
        for (a, b, expected) in [
            ("1.8s", "1800ms", Some(Ordering::Equal)),
            ("0.95", "95%", Some(Ordering::Equal)),
            ("1MB", "1MiB", Some(Ordering::Less)),
            ("0.90000000000000000001", "0.9", Some(Ordering::Greater)),
            ("1,200", "1.2e3", Some(Ordering::Equal)),
            ("0", "5ms", Some(Ordering::Less)),
            ("-1", "0", Some(Ordering::Less)),
            ("93", "80%", None),
            ("2.3", "500ms", None),
            ("1e120", "1e-120", None),
        ] {
            assert_eq!(compare(a, b), expected, "{a} {b}");
        }
    }
}
