//! Exact comparison of a claim's figure with the samples of a track: integers only, no rounding of our own.
//!
//! All samples of a track are whole multiples of 1 / 10^`places`, so that they compare as integers. A figure
//! agrees with a sample within half a unit of the last digit stated; a figure that is called approximate within
//! a twentieth, or within its last digit that is not zero. It differs only beyond what rounding could explain.

use gsar_core::text::figures::{Agreement, Comparator, Decimal, Dimension, Figure, System, Unit};

/// How the whole numbers of a track read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// The unit of the samples, where the evidence states one.
    pub(super) unit: Option<Unit>,
    /// Decimal places of the samples.
    pub(super) places: u32,
    /// Whether the samples lie between 0 and 1 and may be read as shares of a whole.
    pub(super) is_share: bool,
}

/// The most decimal places that are kept.
pub(super) const MOST_PLACES: u32 = 15;

/// The largest mantissa of a sample: differences and small multiples of samples stay exact.
const LARGEST: i128 = 10_i128.pow(34);

fn bounded(mantissa: i128) -> Option<i128> {
    (-LARGEST..=LARGEST).contains(&mantissa).then_some(mantissa)
}

/// Reads a number as tools print it: `3420.0`, `-1`, `2.1e+09`. What lies beyond the kept places is cut off.
pub(super) fn parse(text: &str) -> Option<Decimal> {
    let text = text.trim_matches('"');
    if !text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return None;
    }
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match number.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, number),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_plain(whole) || !is_plain(fraction) || whole.len() > 20 {
        return None;
    }
    let kept = fraction.get(..fraction.len().min(MOST_PLACES as usize))?;
    let mantissa: i128 = format!("{whole}{kept}").parse().ok()?;
    let mut places = i32::try_from(kept.len()).ok()? - exponent;
    let mut mantissa = if negative { -mantissa } else { mantissa };
    if places < 0 {
        mantissa =
            mantissa.checked_mul(power(u32::try_from(-places).ok().filter(|up| *up < 20)?)?)?;
        places = 0;
    }
    let places = u32::try_from(places).ok()?;
    if places > MOST_PLACES {
        mantissa /= power(places - MOST_PLACES)?;
        return Some(Decimal { mantissa: bounded(mantissa)?, places: MOST_PLACES });
    }
    Some(Decimal { mantissa: bounded(mantissa)?, places })
}

/// A decimal as a whole number of 1 / 10^`places`.
pub(super) fn at_scale(value: Decimal, places: u32) -> Option<i128> {
    value.mantissa.checked_mul(power(places.checked_sub(value.places)?)?).and_then(bounded)
}

fn power(places: u32) -> Option<i128> {
    10_i128.checked_pow(places)
}

impl Scale {
    /// The unit in which the samples compare with a figure; `None` where nothing says that they do.
    fn unit_for(&self, claim: &Figure, value: i128) -> Option<Unit> {
        let stated = claim.unit.dimension;
        match self.unit {
            Some(unit) if unit.dimension == stated => Some(unit),
            Some(unit) if stated == Dimension::Count => {
                let is_bare = !matches!(
                    unit.dimension,
                    Dimension::Bytes | Dimension::Bits | Dimension::Duration
                );
                (is_bare || claim.value.mantissa == 0).then_some(unit)
            }
            None if stated == Dimension::Count => Some(Unit::COUNT),
            None | Some(Unit::COUNT) if stated == Dimension::Percent && self.is_share => {
                Some(Unit { factor: 100, ..Unit::PERCENT })
            }
            None if stated == Dimension::Percent && value >= 0 => None,
            _ => None,
        }
    }

    /// What a sample says to a figure.
    pub(super) fn agree(&self, claim: &Figure, value: i128) -> Agreement {
        self.compare(claim, value).unwrap_or(Agreement::Incomparable)
    }

    fn compare(&self, claim: &Figure, value: i128) -> Option<Agreement> {
        let unit = self.unit_for(claim, value)?;
        let is_bare = claim.unit.dimension != unit.dimension;
        let claim_unit = if is_bare { unit } else { claim.unit };
        let per_unit = power(self.places)?.checked_mul(i128::from(claim_unit.factor))?;
        let stated = claim.value.mantissa.checked_mul(per_unit)?.checked_mul(2)?;
        let given = value
            .checked_mul(power(claim.value.places)?)?
            .checked_mul(i128::from(unit.factor))?
            .checked_mul(2)?;
        let apart = given.checked_sub(stated)?.checked_abs()?;
        let magnitude = stated.checked_abs()?;
        if let Some(comparator) = claim.comparator {
            let found = keeps_to(comparator, given, stated);
            // "just over 4 s" is near 4 s as well.
            let is_near = !claim.approximate || apart <= magnitude / 8;
            return Some(match found {
                Agreement::Same if is_near => Agreement::Same,
                Agreement::Same if apart <= magnitude / 3 => Agreement::Incomparable,
                Agreement::Different if claim.approximate && apart <= magnitude / 20 => {
                    Agreement::Incomparable
                }
                _ => Agreement::Different,
            });
        }
        let last = last_digit(claim.value.mantissa);
        let coarse = last.checked_mul(per_unit)?.min(magnitude / 10);
        let narrow = per_unit.min(magnitude / 8);
        let tolerance = if claim.approximate {
            coarse.max(magnitude / 20).max(per_unit.min(magnitude / 3))
        } else if last >= 1_000 {
            coarse
        } else {
            narrow
        };
        if apart <= tolerance {
            return Some(Agreement::Same);
        }
        let rounded = if claim.approximate {
            (coarse * 2).min(magnitude / 6).max(magnitude / 14).max(per_unit)
        } else {
            coarse.max(per_unit)
        };
        Some(if apart <= rounded || self.agrees_in_binary(claim, value) {
            Agreement::Incomparable
        } else {
            Agreement::Different
        })
    }

    /// Whether a figure in powers of 1000 would agree if it were meant in powers of 1024.
    fn agrees_in_binary(&self, claim: &Figure, value: i128) -> bool {
        const SYSTEMS: [(u64, u64); 4] = [
            (1_000_000_000_000, 1 << 40),
            (1_000_000_000, 1 << 30),
            (1_000_000, 1 << 20),
            (1_000, 1 << 10),
        ];
        if claim.unit.system != System::Decimal {
            return false;
        }
        SYSTEMS.iter().find(|(decimal, _)| claim.unit.factor.is_multiple_of(*decimal)).is_some_and(
            |(decimal, binary)| {
                let factor = (claim.unit.factor / decimal).checked_mul(*binary);
                factor.is_some_and(|factor| {
                    let unit = Unit { factor, system: System::Binary, ..claim.unit };
                    self.agree(&Figure { unit, ..claim.clone() }, value) == Agreement::Same
                })
            },
        )
    }

    /// Whether a figure has the digits of a sample in another unit: "1140 milliseconds" of 1140 s.
    pub(super) fn is_other_unit(&self, claim: &Figure, value: i128) -> bool {
        let Some(unit) = self.unit.filter(|unit| unit.dimension == claim.unit.dimension) else {
            return false;
        };
        if unit.factor == claim.unit.factor || claim.value.mantissa == 0 {
            return self.digits_of_other_prefix(claim, value, unit);
        }
        let read = Figure { unit, comparator: None, ..claim.clone() };
        self.agree(&read, value) == Agreement::Same
            || self.digits_of_other_prefix(claim, value, unit)
    }

    /// Whether the figure would agree with one prefix more or less.
    fn digits_of_other_prefix(&self, claim: &Figure, value: i128, unit: Unit) -> bool {
        const STEPS: [u64; 4] = [60, 1000, 1024, 3600];
        STEPS.iter().any(|step| {
            let larger = claim.unit.factor.checked_mul(*step);
            let smaller =
                claim.unit.factor.is_multiple_of(*step).then_some(claim.unit.factor / step);
            [larger, smaller].into_iter().flatten().any(|factor| {
                let read = Figure {
                    unit: Unit { factor, ..claim.unit },
                    comparator: None,
                    ..claim.clone()
                };
                unit.dimension == read.unit.dimension && self.agree(&read, value) == Agreement::Same
            })
        })
    }
}

/// Whether a value keeps to a stated bound.
fn keeps_to(comparator: Comparator, given: i128, stated: i128) -> Agreement {
    let holds = match comparator {
        Comparator::Over => given > stated,
        Comparator::AtLeast => given >= stated,
        Comparator::Under => given < stated,
        Comparator::AtMost => given <= stated,
    };
    if holds { Agreement::Same } else { Agreement::Different }
}

/// The place value of the last digit that is not zero: 100 for 1700.
fn last_digit(mantissa: i128) -> i128 {
    let mut place = 1;
    let mut rest = mantissa;
    while rest != 0 && rest % 10 == 0 {
        rest /= 10;
        place *= 10;
    }
    place
}

/// How a share of two samples relates to a claimed one: `part` of `whole` against `numerator` / `denominator`,
/// with a tolerance of one in `tenths` where the claim is approximate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) numerator: i128,
    pub(super) denominator: i128,
    pub(super) approximate: bool,
    pub(super) comparator: Option<Comparator>,
    /// Half of the last digit stated, over the same denominator.
    pub(super) half_digit: i128,
}

impl Share {
    /// What `part` / `whole` says to it.
    pub(super) fn agree(&self, part: i128, whole: i128) -> Agreement {
        self.compare(part, whole).unwrap_or(Agreement::Incomparable)
    }

    fn compare(&self, part: i128, whole: i128) -> Option<Agreement> {
        if whole <= 0 || self.denominator <= 0 {
            return None;
        }
        let given = part.checked_mul(self.denominator)?.checked_mul(2)?;
        let stated = whole.checked_mul(self.numerator)?.checked_mul(2)?;
        let half = whole.checked_mul(self.half_digit)?;
        if let Some(comparator) = self.comparator {
            return Some(keeps_to(comparator, given, stated));
        }
        let apart = given.checked_sub(stated)?.checked_abs()?;
        let magnitude = stated.checked_abs()?;
        let tolerance = if self.approximate { half.max(magnitude / 12) } else { half };
        Some(if apart <= tolerance {
            Agreement::Same
        } else if apart <= (magnitude / 6).max(half) {
            Agreement::Incomparable
        } else {
            Agreement::Different
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::text::figures::figures;
    use proptest::prelude::*;

    fn agree(claim: &str, unit: Option<&str>, sample: &str) -> Agreement {
        let found = figures(claim).figures;
        let value = parse(sample).unwrap();
        let scale =
            Scale { unit: unit.and_then(Unit::named), places: value.places, is_share: false };
        scale.agree(&found[0], value.mantissa)
    }

    #[test]
    fn numbers_are_read_as_tools_print_them() {
        let read = |text| parse(text).map(|value| (value.mantissa, value.places));
        assert_eq!(read("3420.0"), Some((34_200, 1)));
        assert_eq!(read("-1"), Some((-1, 0)));
        assert_eq!(read("2.1e+09"), Some((2_100_000_000, 0)));
        assert_eq!(read("1.5e-3"), Some((15, 4)));
        assert_eq!(read("NaN"), None);
        assert_eq!(read("12:30"), None);
    }

    #[test]
    fn units_are_converted_exactly() {
        use Agreement::{Different, Incomparable, Same};
        for (claim, unit, sample, expected) in [
            ("lag was 19 minutes", Some("s"), "1140.0", Same),
            ("lag was 1140 ms", Some("s"), "1140.0", Different),
            ("about 31 s", Some("s"), "31.284", Same),
            ("13.1 GiB", Some("B"), "14063512655.0", Same),
            ("roughly 500 MB", Some("B"), "536870912.0", Same),
            ("8.3 MB", Some("B"), "8321499136", Different),
            ("2 GB", Some("B"), "2147483648", Same),
            ("2.0 GB", Some("B"), "2147483648", Incomparable),
            ("92 %", Some("percent"), "91.9", Same),
            ("92 %", Some("percent"), "88.9", Different),
            ("over 25,000", None, "25440", Same),
            ("below 900", None, "910", Different),
        ] {
            assert_eq!(agree(claim, unit, sample), expected, "{claim} {sample}");
        }
    }

    proptest! {
        #[test]
        fn nothing_overflows(text in "-?[0-9]{1,25}(\\.[0-9]{1,25})?(e[+-]?[0-9]{1,3})?", claim in "[0-9]{1,30}(\\.[0-9]{1,20})? (TB|ms|%|)") {
            if let Some(value) = parse(&text) {
                for figure in figures(&claim).figures {
                    let scale = Scale { unit: Unit::named("PB"), places: value.places, is_share: true };
                    let _ = (scale.agree(&figure, value.mantissa), scale.is_other_unit(&figure, value.mantissa));
                }
            }
        }
    }
}
