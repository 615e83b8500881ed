//! This module tells whether a figure may follow from the numbers of what is cited: rounded, in another unit, or as a
//! sum, difference, ratio or share of quoted ones. It is generous: what it denies stands nowhere near the evidence.
//! Exact arithmetic in billionths; where that overflows, the figure counts as one that may follow.

use alloc::vec::Vec;

use crate::text::figures::{Decimal, Figure};
use crate::text::part;

/// How many parts of one a number is counted in.
const PARTS: i128 = 1_000_000_000;
/// The most numbers that are read of a text.
const MAX_NUMBERS: usize = 8_192;
/// The most quoted numbers of which sums, differences and ratios are taken.
const MAX_OPERANDS: usize = 24;

/// What a unit may turn into: factors of ten, of 1024, of time, and the gaps between the two kinds of bytes.
const FACTORS: [i128; 16] = [
    1,
    10,
    100,
    1_000,
    1_000_000,
    PARTS,
    1 << 10,
    1 << 20,
    1 << 30,
    60,
    3_600,
    24,
    86_400,
    8,
    12,
    7,
];
const GAPS: [(i128, i128); 2] = [(1_048_576, 1_000_000), (1_073_741_824, 1_000_000_000)];

/// The numbers of a text, in billionths; a comma between digits is read both ways.
pub(super) fn numbers(text: &str) -> Vec<i128> {
    let bytes = text.as_bytes();
    let mut read = Vec::new();
    let mut at = 0;
    while at < bytes.len() && read.len() < MAX_NUMBERS {
        if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
            continue;
        }
        let start = at;
        let mut grouped = true;
        while bytes.get(at).is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'_'))
        {
            at += 1;
        }
        let whole = part(text, start..at);
        for group in whole.split([',', '_']).skip(1) {
            grouped &= group.len() == 3;
        }
        let fraction_from = at;
        let is_fraction =
            bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if is_fraction {
            at += 1;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        }
        let fraction = part(text, fraction_from..at).trim_start_matches('.');
        let single = whole.rsplit([',', '_']).next().unwrap_or(whole);
        read.extend(number(single, fraction));
        if single.len() < whole.len() {
            read.extend(whole.split([',', '_']).filter_map(|digits| number(digits, "")));
            if grouped {
                let digits: alloc::string::String =
                    whole.chars().filter(char::is_ascii_digit).collect();
                read.extend(number(&digits, fraction));
            }
        }
    }
    read
}

fn number(whole: &str, fraction: &str) -> Option<i128> {
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let digits = part(fraction, 0..fraction.len().min(9));
    let exponent = u32::try_from(9 - digits.len()).ok()?;
    let fraction: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    whole.checked_mul(PARTS)?.checked_add(fraction.checked_mul(10_i128.checked_pow(exponent)?)?)
}

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

/// Whether a figure may follow from quoted numbers, or stand rounded or in another unit among the item's.
pub(super) fn may_follow(figure: &Figure, quoted: &[i128], items: &[i128]) -> bool {
    let Some(value) = in_parts(figure.value) else { return true };
    let tolerance = match significant(figure.value) {
        0..=2 => 60,
        3 => 20,
        _ => 3,
    };
    let near = |number: i128| is_near_scaled(value, number, tolerance);
    if value == 0 || quoted.iter().chain(items).any(|number| near(*number)) {
        return true;
    }
    let operands = quoted.get(..quoted.len().min(MAX_OPERANDS)).unwrap_or_default();
    let total: i128 = operands.iter().sum();
    let count = i128::try_from(operands.len().max(1)).unwrap_or(1);
    near(total)
        || near(total / count)
        || operands.iter().enumerate().any(|(at, a)| {
            operands.iter().enumerate().any(|(other, b)| {
                at != other
                    && (near(a + b) || near(a - b) || is_ratio(value, *a, *b, tolerance.max(20)))
            })
        })
}

/// Whether a figure is the difference of two quoted numbers, or one of two digits or more the sum of two or of all.
pub(super) fn combines(figure: &Figure, quoted: &[i128]) -> bool {
    let Some(value) = in_parts(figure.value) else { return true };
    let tolerance = match significant(figure.value) {
        0..=1 => 60,
        2 => 20,
        _ => 3,
    };
    let near = |number: i128| value > 0 && is_near(value, 1, number, 1, tolerance);
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
    value.mantissa.checked_abs()?.checked_mul(10_i128.checked_pow(exponent)?)
}

fn is_near_scaled(value: i128, number: i128, tolerance: i128) -> bool {
    number > 0
        && (FACTORS.iter().any(|factor| {
            is_near(value, 1, number, *factor, tolerance)
                || is_near(value, *factor, number, 1, tolerance)
        }) || GAPS.iter().any(|(more, less)| {
            is_near(value, *more, number, *less, tolerance)
                || is_near(value, *less, number, *more, tolerance)
        }))
}

/// Whether `value` is `a / b`, as a factor or in per cent, or the share by which they differ.
fn is_ratio(value: i128, a: i128, b: i128, tolerance: i128) -> bool {
    let is = |share: i128| {
        is_near(value, b, share, PARTS, tolerance)
            || share.checked_mul(100).is_none_or(|share| is_near(value, b, share, PARTS, tolerance))
    };
    b > 0 && (is(a) || (a != b && is((a - b).abs())))
}

/// Whether `value * times` is `number * factor` but for a tolerance in thousandths.
fn is_near(value: i128, times: i128, number: i128, factor: i128, tolerance: i128) -> bool {
    let sides = value.checked_mul(times).zip(number.checked_mul(factor));
    let Some((left, right)) = sides else { return true };
    let (Some(gap), Some(allowed)) = (
        left.abs_diff(right).checked_mul(1_000),
        right.unsigned_abs().checked_mul(tolerance.unsigned_abs()),
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
        may_follow(&figures(claim).figures[0], &numbers(quote), &numbers(item))
    }

    #[test]
    fn rounded_converted_and_computed_figures_follow() {
        for (claim, quote) in [
            ("about 38 points", "from 99.2 % to 61.3 %"),
            ("433 MB of memory", "414Mi"),
            ("1,080.96 ms", "1080960237"),
            ("some 104 thousand", "104411"),
            ("35 % failed", "142 of 407"),
            ("243 more", "412 then 655"),
            ("13.1 GiB", "14063512655.0"),
            ("3.1 times", "12 to 37.2"),
            ("12,733 members", "20:50,presence,25104,12733"),
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
        ] {
            assert!(!follows(claim, quote, ""), "{claim} from {quote}");
        }
    }

    proptest! {
        #[test]
        fn a_number_follows_from_itself(whole in 1_i64..1_000_000, text in "[a-z ,.0-9]{0,20}") {
            let figure = &figures(&alloc::format!("{whole} pods")).figures[0];
            let quoted = numbers(&alloc::format!("{whole}"));
            prop_assert!(may_follow(figure, &quoted, &numbers(&text)));
        }

        #[test]
        fn nothing_panics(claim in "[0-9.,]{1,40} ms", text in "[0-9.,_e ]{0,80}") {
            for figure in &figures(&claim).figures {
                let _ = (may_follow(figure, &numbers(&text), &[]), is_specific(figure.value));
            }
        }
    }
}
