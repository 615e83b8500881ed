//! Parses numbers: separators, decimal point, exponent, sign, and durations such as `1h30m`.

use core::ops::Range;

use super::{Decimal, Dimension, Unit};
use crate::text::{byte_at, char_before, part};

pub(super) struct Number {
    pub(super) decimal: Decimal,
    pub(super) end: usize,
}

/// Parses digits with thousands separators, a decimal point and an exponent.
pub(super) fn number_at(text: &str, start: usize) -> Option<Number> {
    const MAX_DIGITS: usize = 24;
    const MAX_PLACES: u32 = 12;
    let digit_count =
        |from: usize| part(text, from..text.len()).bytes().take_while(u8::is_ascii_digit).count();
    let mut mantissa: i128 = 0;
    let mut push = |span: Range<usize>, limit: usize| {
        for byte in part(text, span).bytes().take(limit) {
            mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
        }
        Some(())
    };
    let integer_length = digit_count(start);
    if integer_length == 0 || integer_length > MAX_DIGITS {
        return None;
    }
    push(start..start + integer_length, integer_length)?;
    let mut end = start + integer_length;
    let mut places = 0;
    let is_list_item = matches!(char_before(text, start), Some('[' | ','));
    while !is_list_item
        && integer_length <= 3
        && matches!(byte_at(text, end), b',')
        && digit_count(end + 1) == 3
    {
        push(end + 1..end + 4, 3)?;
        end += 4;
    }
    if byte_at(text, end) == b'.' && digit_count(end + 1) > 0 {
        let count = digit_count(end + 1);
        let kept_places = u32::try_from(count).unwrap_or(u32::MAX).min(MAX_PLACES);
        push(end + 1..end + 1 + count, kept_places as usize)?;
        places = kept_places;
        end += 1 + count;
    }
    let mut decimal = Decimal { mantissa, places };
    if let Some((exponent, exponent_end)) = exponent_at(text, end) {
        decimal = decimal.shifted(exponent)?;
        end = exponent_end;
    }
    Some(Number { decimal, end })
}

/// Parses an exponent after digits: `e-05`, `E+3`.
fn exponent_at(text: &str, offset: usize) -> Option<(i32, usize)> {
    if !matches!(byte_at(text, offset), b'e' | b'E') {
        return None;
    }
    let sign = byte_at(text, offset + 1);
    let digits_start = offset + 1 + usize::from(matches!(sign, b'+' | b'-'));
    let count = part(text, digits_start..text.len()).bytes().take_while(u8::is_ascii_digit).count();
    let is_whole_number = !byte_at(text, digits_start + count).is_ascii_alphanumeric();
    let value: i32 = part(text, digits_start..digits_start + count)
        .parse()
        .ok()
        .filter(|_| (1..=2).contains(&count) && is_whole_number)?;
    Some((if sign == b'-' { -value } else { value }, digits_start + count))
}

impl Decimal {
    /// Multiplies by 10^`power` and adjusts the decimal places.
    pub(super) fn times_power(self, power: u32) -> Option<Self> {
        self.shifted(i32::try_from(power).ok()?)
    }

    fn shifted(self, power: i32) -> Option<Self> {
        const MAX_PLACES: i64 = 24;
        let places = i64::from(self.places) - i64::from(power);
        if places > MAX_PLACES {
            return None;
        }
        match u32::try_from(places) {
            Ok(places) => Some(Self { mantissa: self.mantissa, places }),
            Err(_) => {
                let zeros = u32::try_from(-places).ok()?;
                let mantissa = self.mantissa.checked_mul(10_i128.checked_pow(zeros)?)?;
                Some(Self { mantissa, places: 0 })
            }
        }
    }
}

pub(super) fn with_sign(
    text: &str,
    span: Range<usize>,
    mut value: Decimal,
) -> (Range<usize>, Decimal) {
    let mut start = span.start;
    let is_separate = |sign_start: usize| {
        char_before(text, sign_start)
            .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '=' | ':' | '[' | ',' | '"'))
    };
    if byte_at(text, start.wrapping_sub(1)) == b'.' && start > 0 && value.places == 0 {
        let point = start - 1;
        let digits = part(text, start..span.end).bytes().take_while(u8::is_ascii_digit).count();
        if !char_before(text, point).is_some_and(char::is_alphanumeric)
            && (is_separate(point) || byte_at(text, point.wrapping_sub(1)) == b'-')
        {
            value.places = u32::try_from(digits).unwrap_or(0);
            start = point;
        }
    }
    let sign = char_before(text, start);
    if let Some(minus @ ('-' | '\u{2212}')) = sign {
        let sign_start = start - minus.len_utf8();
        if is_separate(sign_start) {
            value.mantissa = -value.mantissa;
            start = sign_start;
        }
    }
    (start..span.end, value)
}

/// Parses `1h30m`, `6h12m5s`, `2d3h`. Returns the sum in the last unit.
pub(super) fn compound_duration(word: &str) -> Option<(Decimal, Unit)> {
    let mut total: i128 = 0;
    let mut rest = word;
    let mut last: Option<Unit> = None;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let value: u64 = part(rest, 0..digits).parse().ok()?;
        rest = part(rest, digits..rest.len());
        let letters = rest.bytes().take_while(u8::is_ascii_lowercase).count();
        let unit = Unit::from_name(part(rest, 0..letters))
            .filter(|unit| unit.dimension == Dimension::Duration)?;
        if last.is_some_and(|last| last.factor <= unit.factor) {
            return None;
        }
        total = total.checked_add(i128::from(value).checked_mul(i128::from(unit.factor))?)?;
        last = Some(unit);
        rest = part(rest, letters..rest.len());
    }
    let unit = last?;
    Some((Decimal { mantissa: total / i128::from(unit.factor), places: 0 }, unit))
}
