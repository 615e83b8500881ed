//! Lengths of time as reports put them: "half a minute", "about 21 minutes", "just under half an hour".
//!
//! A length is a range of what may be meant, wide enough for how it is stated, and a wider one outside of
//! which it is wrong. Microseconds throughout.

use std::ops::Range;

use gsar_core::text::figures::spelled;
use gsar_core::text::tokens::{Word, words};

use crate::claim::qualifiers::{Qualified, qualification};
use crate::evidence::moments::{DAY, HOUR, MINUTE, SECOND};

/// A length of time that a claim states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Length {
    /// Its bytes, with the words that qualify it.
    pub(crate) span: Range<usize>,
    /// What is stated, without its qualification.
    pub(crate) nominal: i64,
    /// The least and the greatest length that the statement fits.
    pub(crate) fits: (i64, i64),
    /// Lengths outside of this are certainly others.
    pub(crate) allows: (i64, i64),
    /// Whether a bound is stated and no value: "within four minutes".
    pub(crate) is_bound: bool,
}

impl Length {
    /// Whether a length that is measured to within a grain is this one: `None` for too close to tell.
    pub(crate) fn is(&self, measured: i64, grain: i64) -> Option<bool> {
        let inside = |(low, high): (i64, i64), slack: i64| {
            low.saturating_sub(slack) <= measured && measured <= high.saturating_add(slack)
        };
        if inside(self.fits, grain) {
            Some(true)
        } else if inside(self.allows, grain) {
            None
        } else {
            Some(false)
        }
    }
}

/// The lengths of time of a claim, in order.
pub(crate) fn lengths(text: &str) -> Vec<Length> {
    let all: Vec<Word<'_>> = words(text).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let Some((measure, next)) = joined(text, &all, at) else {
            at += 1;
            continue;
        };
        let (qualified, start) = qualification(text, &all, at);
        let end =
            next.checked_sub(1).and_then(|last| all.get(last)).map_or(0, |word| word.span.end);
        let or_so = all.get(next).is_some_and(|word| word.is("or"))
            && all.get(next + 1).is_some_and(|word| word.is("so"));
        let qualified = if or_so { Qualified::About } else { qualified };
        found.push(length(measure, qualified, start..end));
        at = next;
    }
    found
}

/// A number of some unit.
#[derive(Clone, Copy)]
struct Measure {
    total: i64,
    /// Half of the last digit stated.
    rounding: i64,
    vague: bool,
}

fn length(measure: Measure, qualified: Qualified, span: Range<usize>) -> Length {
    const FOREVER: i64 = i64::MAX / 4;
    let Measure { total, rounding, vague } = measure;
    let tenth = total / 10;
    let wide = if vague { total * 2 / 3 } else { rounding.max(total * 15 / 100) };
    let around = |by: i64| (total - by, total + by);
    let step = (rounding * 2).max(1);
    let (fits, allows) = match qualified {
        Qualified::Exactly => ((total, total), (total, total)),
        Qualified::Plainly if vague => (around(wide), around(total)),
        Qualified::Plainly => (around(rounding), around(step.max(tenth / 2))),
        Qualified::About => (around(wide), around(wide.max(step) + tenth)),
        Qualified::JustUnder => {
            ((total - (total / 5).max(rounding), total), (total - total / 3, total + tenth / 5))
        }
        Qualified::JustOver => {
            ((total, total + (total / 5).max(rounding)), (total - tenth / 5, total + total / 2))
        }
        Qualified::AtLeast => ((total, FOREVER), (total, FOREVER)),
        Qualified::AtMost => ((0, total), (0, total)),
    };
    // "One minute" is not a second, however roughly it is stated.
    let allows =
        if qualified == Qualified::AtMost { allows } else { (allows.0.max(total / 2), allows.1) };
    let is_bound = matches!(qualified, Qualified::AtLeast | Qualified::AtMost);
    Length { span, nominal: total, fits, allows, is_bound }
}

/// "five minutes and nine seconds", "1 h 30 min".
fn joined(text: &str, all: &[Word<'_>], at: usize) -> Option<(Measure, usize)> {
    let (mut measure, mut next) = single(text, all, at)?;
    while !measure.vague {
        let linked = usize::from(all.get(next).is_some_and(|word| word.is("and")));
        let Some((more, after)) = single(text, all, next + linked) else { break };
        let touches = all.get(next.saturating_sub(1)).zip(all.get(next + linked)).is_some_and(
            |(last, first)| {
                let between = text.get(last.span.end..first.span.start).unwrap_or(",");
                !between.contains([',', ';', '.', '('])
            },
        );
        if more.total >= measure.total || more.vague || !touches {
            break;
        }
        measure = Measure { total: measure.total + more.total, ..more };
        next = after;
    }
    Some((measure, next))
}

/// One number of one unit.
fn single(text: &str, all: &[Word<'_>], at: usize) -> Option<(Measure, usize)> {
    let is = |place: usize, wanted: &str| all.get(place).is_some_and(|word| word.is(wanted));
    let unit = |place: usize| all.get(place).and_then(|word| unit(word.text));
    let measure = |numerator: i64, denominator: i64, unit: i64, rounding: i64, vague: bool| {
        let total = unit.checked_mul(numerator)?.checked_div(denominator)?;
        (total < 40_000 * DAY).then_some(Measure { total, rounding, vague })
    };
    let article = |place: usize| is(place, "a") || is(place, "an");
    if is(at, "half") && article(at + 1) {
        let unit = unit(at + 2)?;
        return Some((measure(1, 2, unit, unit / 20, false)?, at + 3));
    }
    // "A good half hour", "a half hour".
    let half = at + usize::from(article(at));
    if is(half, "half")
        && let Some(unit) = unit(half + 1)
    {
        return Some((measure(1, 2, unit, unit / 20, false)?, half + 2));
    }
    let parts = match () {
        () if article(at) && is(at + 1, "quarter") && is(at + 2, "of") => Some((1, 4, at + 3)),
        () if is(at, "quarter") && is(at + 1, "of") => Some((1, 4, at + 2)),
        () if is(at, "three") && is(at + 1, "quarters") && is(at + 2, "of") => Some((3, 4, at + 3)),
        () if article(at) && is(at + 1, "third") && is(at + 2, "of") => Some((1, 3, at + 3)),
        () if article(at) && is(at + 1, "tenth") && is(at + 2, "of") => Some((1, 10, at + 3)),
        () if article(at) && is(at + 1, "fifth") && is(at + 2, "of") => Some((1, 5, at + 3)),
        () => None,
    };
    if let Some((numerator, denominator, place)) = parts {
        let place = if article(place) { place + 1 } else { place };
        let unit = unit(place)?;
        let rounding = unit * numerator / denominator / 10;
        return Some((measure(numerator, denominator, unit, rounding, false)?, place + 1));
    }
    let vague = match () {
        () if article(at) && is(at + 1, "couple") && is(at + 2, "of") => Some((2, at + 3)),
        () if article(at) && is(at + 1, "few") => Some((4, at + 2)),
        () if is(at, "several") => Some((6, at + 1)),
        () => None,
    };
    if let Some((count, place)) = vague {
        let unit = unit(place)?;
        return Some((measure(count, 1, unit, unit, true)?, place + 1));
    }
    let half_after = |place: usize| {
        is(place, "and") && article(place + 1) && is(place + 2, "half") && !is(place + 3, "of")
    };
    if article(at) || is(at, "one") && unit(at + 1).is_some() {
        let unit = unit(at + 1)?;
        return if half_after(at + 2) {
            Some((measure(3, 2, unit, unit / 10, false)?, at + 5))
        } else {
            Some((measure(1, 1, unit, unit / 2, false)?, at + 2))
        };
    }
    let (number, next) = number(all, at)?;
    if half_after(next) {
        let unit = unit(next + 3)?;
        return Some((measure(number.0 * 2 + 1, 2, unit, unit / 4, false)?, next + 4));
    }
    let place = if number.2 { next - 1 } else { next };
    let (unit, after) = if number.2 {
        let written = all.get(place)?;
        let tail =
            written.text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        (self::unit(tail)?, place + 1)
    } else {
        let gap = all.get(next.checked_sub(1)?).zip(all.get(next)).map(|(number, unit)| {
            text.get(number.span.end..unit.span.start).unwrap_or(",").trim().is_empty()
        });
        (gap.filter(|gap| *gap).and_then(|_| unit(next))?, next + 1)
    };
    Some((measure(number.0, number.1, unit, unit / number.1 / 2, false)?, after))
}

/// A number in digits or words: numerator, denominator, whether its unit is part of its last word; and the word
/// after it.
fn number(all: &[Word<'_>], at: usize) -> Option<((i64, i64, bool), usize)> {
    let small = |text: &str| spelled(text).filter(|number| *number < 20).map(i64::from);
    let tens = |text: &str| spelled(text).filter(|number| *number >= 20).map(i64::from);
    let word = all.get(at)?;
    if let Some(value) = small(word.text) {
        return Some(((value, 1, false), at + 1));
    }
    if let Some(value) = tens(word.text) {
        let ones =
            all.get(at + 1).and_then(|next| small(next.text)).filter(|ones| (1..=9).contains(ones));
        return Some(
            ones.map_or(((value, 1, false), at + 1), |ones| ((value + ones, 1, false), at + 2)),
        );
    }
    if let Some((first, last)) = word.text.split_once('-')
        && let (Some(first), Some(last)) = (tens(first), small(last))
    {
        return Some(((first + last, 1, false), at + 1));
    }
    let digits =
        word.text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (written, tail) = word.text.split_at_checked(digits)?;
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    if whole.is_empty() || whole.len() > 9 || fraction.len() > 6 || fraction.contains('.') {
        return None;
    }
    let denominator = 10_i64.pow(u32::try_from(fraction.len()).ok()?);
    let mut numerator: i64 = whole.parse().ok()?;
    if !fraction.is_empty() {
        numerator = numerator * denominator + fraction.parse::<i64>().ok()?;
    }
    Some(((numerator, denominator, !tail.is_empty()), at + 1))
}

/// A unit of time in microseconds.
fn unit(word: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 12] = [
        ("microsecond", 1),
        ("millisecond", SECOND / 1_000),
        ("ms", SECOND / 1_000),
        ("second", SECOND),
        ("sec", SECOND),
        ("minute", MINUTE),
        ("min", MINUTE),
        ("hour", HOUR),
        ("hr", HOUR),
        ("day", DAY),
        ("week", 7 * DAY),
        ("fortnight", 14 * DAY),
    ];
    let lower = word.trim_end_matches('.');
    match lower {
        "s" => return Some(SECOND),
        "m" => return Some(MINUTE),
        "h" => return Some(HOUR),
        "d" => return Some(DAY),
        _ => {}
    }
    let single = lower.strip_suffix(['s', 'S']).filter(|stem| stem.len() > 1).unwrap_or(lower);
    UNITS.iter().find_map(|(name, unit)| {
        (lower.eq_ignore_ascii_case(name) || single.eq_ignore_ascii_case(name)).then_some(*unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nominal(text: &str) -> Vec<i64> {
        lengths(text).into_iter().map(|length| length.nominal / (SECOND / 10)).collect()
    }

    #[test]
    fn lengths_in_words_and_digits() {
        for (text, tenths) in [
            ("half a minute after", 300),
            ("a quarter of an hour", 9_000),
            ("an hour and a half", 54_000),
            ("four and a half minutes", 2_700),
            ("five minutes and nine seconds", 3_090),
            ("forty-five seconds", 450),
            ("a tenth of a second", 1),
            ("2.8 hours", 100_800),
            ("26 s later", 260),
            ("97s earlier", 970),
            ("a 10-minute window", 6_000),
            ("thirty one minutes", 18_600),
            ("one week before", 6_048_000),
            ("1 h 30 min", 54_000),
        ] {
            assert_eq!(nominal(text), [tenths], "{text}");
        }
        assert_eq!(nominal("within the second in which it starts, the minute"), [0; 0]);
        assert_eq!(nominal("took 4 s, and 5 minutes later"), [40, 3_000]);
    }

    #[test]
    fn qualifications_widen_and_bound() {
        let is = |text: &str, seconds: i64| lengths(text)[0].is(seconds * SECOND, SECOND);
        assert_eq!(is("about 21 minutes", 21 * 60 + 9), Some(true));
        assert_eq!(is("about 21 minutes", 30 * 60), Some(false));
        assert_eq!(is("almost half an hour", 1_799), Some(true));
        assert_eq!(is("just under half an hour", 1_850), Some(false));
        assert_eq!(is("a bit over five minutes", 312), Some(true));
        assert_eq!(is("less than four minutes", 225), Some(true));
        assert_eq!(is("less than four minutes", 250), Some(false));
        assert_eq!(is("exactly ten minutes", 600), Some(true));
        assert_eq!(is("exactly ten minutes", 610), Some(false));
        assert_eq!(is("26 s", 26), Some(true));
        assert_eq!(is("26 s", 30), Some(false));
        assert_eq!(is("twelve minutes", 12), Some(false));
        assert_eq!(is("57 minutes", 56 * 60 + 47), Some(true));
        assert_eq!(is("four minutes or so", 260), Some(true));
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "(\\PC|[0-9.]{1,9}|half |a |quarter |of |an |and |minutes |s |-| ){0,30}") {
            for length in lengths(&text) {
                prop_assert!(text.get(length.span.clone()).is_some());
                prop_assert!(length.fits.0 <= length.fits.1);
            }
        }
    }
}
