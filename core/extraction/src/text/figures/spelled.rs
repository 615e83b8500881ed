//! Parses numbers, fractions and factors written as words.

use super::context::is_any;
use super::{Decimal, Dimension, Unit};
use crate::text::byte_at;
use crate::text::tokens::{Word, Words};

/// Parses a word from "zero" to "twenty", or a multiple of ten up to "ninety", ignoring case.
#[must_use]
pub fn spelled(word: &str) -> Option<u8> {
    #[rustfmt::skip]
    const SPELLED: [(&str, u8); 28] = [
        ("zero", 0), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6),
        ("seven", 7), ("eight", 8), ("nine", 9), ("ten", 10), ("eleven", 11), ("twelve", 12),
        ("thirteen", 13), ("fourteen", 14), ("fifteen", 15), ("sixteen", 16), ("seventeen", 17),
        ("eighteen", 18), ("nineteen", 19), ("twenty", 20), ("thirty", 30), ("forty", 40),
        ("fifty", 50), ("sixty", 60), ("seventy", 70), ("eighty", 80), ("ninety", 90),
    ];
    SPELLED
        .iter()
        .find(|(spelled, _)| word.eq_ignore_ascii_case(spelled))
        .map(|(_, number)| *number)
}

/// Parses "half an hour". Returns the unit and its end.
pub(super) fn half_duration(word: &Word<'_>, rest: &Words<'_>) -> Option<(Unit, usize)> {
    if !word.is("half") {
        return None;
    }
    let mut ahead = rest.clone();
    let (article, noun) = (ahead.next()?, ahead.next()?);
    let unit = Unit::from_name(noun.text).filter(|unit| unit.dimension == Dimension::Duration)?;
    is_any(&article, &["a", "an"]).then_some((unit, noun.span.end))
}

/// Parses "a quarter of an hour", "one hundredth of a core", "three quarters of the errors". Returns the
/// value, unit and end.
pub(super) fn fraction(word: &Word<'_>, rest: &Words<'_>) -> Option<(Decimal, Unit, usize)> {
    const MANY: [&str; 10] =
        ["a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    if word.text.len() > 5 {
        return None;
    }
    let count = MANY.iter().position(|numeral| word.is(numeral))?.max(1);
    let mut ahead = rest.clone();
    let part = ahead.next().filter(|part| matches!(part.text.len(), 5..=11))?;
    let (numerator, places) = if is_any(&part, &["quarter", "quarters"]) {
        (25, 2)
    } else if is_any(&part, &["fifth", "fifths"]) {
        (2, 1)
    } else if is_any(&part, &["tenth", "tenths"]) {
        (1, 1)
    } else if is_any(&part, &["hundredth", "hundredths"]) {
        (1, 2)
    } else if is_any(&part, &["thousandth", "thousandths"]) {
        (1, 3)
    } else {
        return None;
    };
    let (preposition, article, noun) = (ahead.next()?, ahead.next()?, ahead.next()?);
    if preposition.is("of") && is_any(&article, &["the", "all", "its", "their"]) {
        let hundredths = i128::try_from(count).ok()? * numerator * if places == 2 { 1 } else { 10 };
        let value = Decimal { mantissa: hundredths, places: 0 };
        return (places < 3).then_some((value, Unit::PERCENT, part.span.end));
    }
    let unit = Unit::from_name(noun.text)
        .filter(|unit| matches!(unit.dimension, Dimension::Duration | Dimension::Cores))?;
    let mantissa = i128::try_from(count).ok()? * numerator;
    let is_fraction = preposition.is("of") && is_any(&article, &["a", "an", "one"]);
    is_fraction.then_some((Decimal { mantissa, places }, unit, noun.span.end))
}

/// Parses "doubled", "tripled", "halved", "half". Returns mantissa, places and unit.
pub(super) fn factor_word(word: &Word<'_>) -> Option<(i128, u32, Unit)> {
    if !matches!(byte_at(word.text, 0), b'd' | b'D' | b't' | b'T' | b'h' | b'H' | b'q' | b'Q')
        || word.text.len() > 10
    {
        return None;
    }
    if is_any(word, &["doubled", "doubling", "doubles", "double"]) {
        Some((2, 0, Unit::MULTIPLE))
    } else if is_any(word, &["tripled", "tripling", "triple"]) {
        Some((3, 0, Unit::MULTIPLE))
    } else if is_any(word, &["quadrupled"]) {
        Some((4, 0, Unit::MULTIPLE))
    } else if is_any(word, &["halved", "halving"]) {
        Some((5, 1, Unit::MULTIPLE))
    } else if is_any(word, &["half"]) {
        Some((50, 0, Unit::PERCENT))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_single_word_numbers() {
        for (word, number) in
            [("zero", 0), ("Seven", 7), ("nineteen", 19), ("TWENTY", 20), ("ninety", 90)]
        {
            assert_eq!(spelled(word), Some(number), "{word}");
        }
        for word in ["", "hundred", "twenty-one", "7", "once"] {
            assert_eq!(spelled(word), None, "{word}");
        }
    }
}
