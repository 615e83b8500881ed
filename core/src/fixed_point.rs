//! Exact numbers for decisions: decimals and reduced fractions (docs/adr/0001-exact-arithmetic.md).

use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

/// The number of millionths in one.
pub const ONE_MILLION: u32 = 1_000_000;

/// A non-negative decimal with at most six places, from 0 to 4294.967295, stored in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millionths(u32);

impl Millionths {
    /// 0.
    pub const ZERO: Self = Self(0);
    /// 1.
    pub const ONE: Self = Self(ONE_MILLION);

    /// Creates the decimal `millionths` / 1 000 000.
    #[must_use]
    pub const fn new(millionths: u32) -> Self {
        Self(millionths)
    }

    /// The value in millionths.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The value in millionths, widened for multiplication.
    #[must_use]
    pub const fn wide(self) -> u128 {
        self.0 as u128
    }

    /// Converts a double that represents a decimal with at most six places.
    pub fn from_f64(value: f64) -> Result<Self, DecimalError> {
        if !value.is_finite() {
            return Err(DecimalError::NotFinite);
        }
        if value.is_sign_negative() {
            return Err(DecimalError::Negative);
        }
        if value > 4294.0 {
            return Err(DecimalError::TooLarge);
        }
        // Rounds to the nearest integer. The sum is below 2^53, so the cast is exact.
        let rounded = (value * f64::from(ONE_MILLION) + 0.5) as u32;
        if f64::from(rounded) / f64::from(ONE_MILLION) == value {
            Ok(Self(rounded))
        } else {
            Err(DecimalError::TooManyPlaces)
        }
    }

    /// Converts to the nearest double, for display and the wire.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / f64::from(ONE_MILLION)
    }
}

impl FromStr for Millionths {
    type Err = DecimalError;

    /// Parses a decimal such as `0.95`, `2` or `.5`, without a minus sign or an exponent.
    fn from_str(literal: &str) -> Result<Self, DecimalError> {
        let unsigned = literal.strip_prefix('+').unwrap_or(literal);
        if unsigned.starts_with('-') {
            return Err(DecimalError::Negative);
        }
        let (integer, decimals) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if (integer.is_empty() && decimals.is_empty())
            || !is_digits(integer)
            || !is_digits(decimals)
        {
            return Err(match unsigned.to_ascii_lowercase().as_str() {
                "nan" | "inf" | "infinity" => DecimalError::NotFinite,
                _ => DecimalError::NotADecimal,
            });
        }
        if decimals.len() > 6 {
            return Err(DecimalError::TooManyPlaces);
        }
        let mut value: u64 = 0;
        let padding = core::iter::repeat_n(b'0', 6 - decimals.len());
        for digit in integer.bytes().chain(decimals.bytes()).chain(padding) {
            value = value * 10 + u64::from(digit - b'0');
            if value > u64::from(u32::MAX) {
                return Err(DecimalError::TooLarge);
            }
        }
        u32::try_from(value).map(Self).map_err(|_| DecimalError::TooLarge)
    }
}

impl fmt::Display for Millionths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (integer, mut decimals) = (self.0 / ONE_MILLION, self.0 % ONE_MILLION);
        if decimals == 0 {
            return write!(f, "{integer}");
        }
        let mut width = 6;
        while decimals.is_multiple_of(10) {
            decimals /= 10;
            width -= 1;
        }
        write!(f, "{integer}.{decimals:0width$}")
    }
}

/// An invalid decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// The number is NaN or infinite.
    #[error("is not a finite number")]
    NotFinite,
    /// The number is below zero, or is minus zero.
    #[error("is negative; it must be 0 or more")]
    Negative,
    /// The number is above the maximum of the type.
    #[error("is too large")]
    TooLarge,
    /// The number has more than six decimal places.
    #[error("has more than six decimal places")]
    TooManyPlaces,
    /// The text is not a decimal literal.
    #[error("is not a plain decimal number")]
    NotADecimal,
}

/// A reduced fraction of unsigned integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl Fraction {
    /// One half, the paper's value for an empty partition.
    pub const HALF: Self = Self { numerator: 1, denominator: 2 };
    /// Zero.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// Creates a fraction and reduces it. Returns `None` if the denominator is zero.
    #[must_use]
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Some(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// The numerator.
    #[must_use]
    pub const fn numerator(self) -> u128 {
        self.numerator
    }

    /// The denominator, at least 1.
    #[must_use]
    pub const fn denominator(self) -> u128 {
        self.denominator
    }

    /// Compares the fraction with a threshold by cross-multiplication.
    #[must_use]
    pub fn compare(self, threshold: Millionths) -> Ordering {
        let left = self.numerator.saturating_mul(u128::from(ONE_MILLION));
        let right = self.denominator.saturating_mul(threshold.wide());
        left.cmp(&right)
    }

    /// Formats the fraction with three decimal places, rounded down so that a score below a threshold never reads as
    /// the threshold.
    #[must_use]
    pub fn to_decimal(self) -> String {
        let thousandths = self.numerator.saturating_mul(1000) / self.denominator;
        format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
    }

    /// Converts to a double for display, accurate to one ulp.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        // Both parts of a score are below 2^64, so dividing their nearest doubles is accurate to one ulp.
        self.numerator as f64 / self.denominator as f64
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    /// Compares exactly without overflow, by continued fractions.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        let mut is_reversed = false;
        loop {
            let (remainder_a, remainder_b) =
                (a.numerator % a.denominator, b.numerator % b.denominator);
            let integer_order = (a.numerator / a.denominator).cmp(&(b.numerator / b.denominator));
            if integer_order.is_ne() || remainder_a == 0 || remainder_b == 0 {
                let order = integer_order.then((remainder_a != 0).cmp(&(remainder_b != 0)));
                return if is_reversed { order.reverse() } else { order };
            }
            a = Self { numerator: a.denominator, denominator: remainder_a };
            b = Self { numerator: b.denominator, denominator: remainder_b };
            is_reversed = !is_reversed;
        }
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    // Scores fit into 64 bits, for which division is several times faster.
    if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        return u128::from(a);
    }
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_literals_exactly() {
        for (literal, millionths) in [
            ("0", 0),
            ("1", 1_000_000),
            ("0.95", 950_000),
            (".5", 500_000),
            ("2.", 2_000_000),
            ("0.000001", 1),
        ] {
            assert_eq!(literal.parse(), Ok(Millionths::new(millionths)), "{literal}");
        }
    }

    #[test]
    fn rejects_literals_that_are_not_short_decimals() {
        for (literal, error) in [
            ("0.1234567", DecimalError::TooManyPlaces),
            ("0.8000000", DecimalError::TooManyPlaces),
            ("-0", DecimalError::Negative),
            ("-1", DecimalError::Negative),
            ("nan", DecimalError::NotFinite),
            ("inf", DecimalError::NotFinite),
            ("1e-3", DecimalError::NotADecimal),
            ("", DecimalError::NotADecimal),
            (".", DecimalError::NotADecimal),
            ("99999999999999999999", DecimalError::TooLarge),
        ] {
            assert_eq!(literal.parse::<Millionths>(), Err(error), "{literal}");
        }
    }

    #[test]
    fn accepts_only_doubles_that_are_short_decimals() {
        assert_eq!(Millionths::from_f64(0.95), Ok(Millionths::new(950_000)));
        assert_eq!(Millionths::from_f64(0.1 + 0.2), Err(DecimalError::TooManyPlaces));
        assert_eq!(Millionths::from_f64(-0.0), Err(DecimalError::Negative));
        assert_eq!(Millionths::from_f64(f64::NAN), Err(DecimalError::NotFinite));
        assert_eq!(Millionths::from_f64(f64::INFINITY), Err(DecimalError::NotFinite));
    }

    proptest::proptest! {
        #[test]
        fn every_decimal_round_trips_through_text_and_double(millionths in 0u32..=10_000_000) {
            let value = Millionths::new(millionths);
            proptest::prop_assert_eq!(value.to_string().parse(), Ok(value));
            proptest::prop_assert_eq!(Millionths::from_f64(value.to_f64()), Ok(value));
        }
    }

    proptest::proptest! {
        #[test]
        fn fractions_compare_like_their_cross_products(a in 0u128..1 << 60, b in 1u128..1 << 60, c in 0u128..1 << 60, d in 1u128..1 << 60) {
            let order = Fraction::new(a, b).unwrap().cmp(&Fraction::new(c, d).unwrap());
            proptest::prop_assert_eq!(order, (a * d).cmp(&(c * b)));
        }
    }

    #[test]
    fn fractions_reduce_and_compare_exactly() {
        let score = Fraction::new(2_800_000, 3_700_000).unwrap();
        assert_eq!(score.to_string(), "28/37");
        assert_eq!(Fraction::new(4, 5).unwrap().compare(Millionths::new(800_000)), Ordering::Equal);
        assert_eq!(Fraction::new(1, 0), None);
    }
}
