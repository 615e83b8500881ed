//! This module reads figures that are put into words: ratios, factors, sums, spelled counts, units in a column's
//! head. It compares no figures.

use alloc::string::String;
use alloc::vec::Vec;

use super::quotes;
use crate::text::figures::{Dimension, Figure, Unit, spelled};
use crate::text::part;
use crate::text::tokens::{Shape, Word, words};

/// Whether a figure belongs to a ratio, a factor or a number with spaces, and is no quantity by itself: "three in
/// four", "multiplied by fifty", "48 211".
pub(super) fn is_part_of_ratio(text: &str, figure: &Figure) -> bool {
    const FACTORS: [&str; 6] = ["multiplied", "divided", "fold", "factor", "fraction", "ratio"];
    let before = part(text, 0..figure.span.start);
    let after = part(text, figure.span.end..text.len());
    let is_number = |word: &Word<'_>| word.shape() == Shape::Number || spelled(word.text).is_some();
    let mut preceding: Vec<Word<'_>> = words(before).collect();
    let last = preceding.pop();
    let joins = |word: &Word<'_>| word.is("in") || word.is("of");
    let of_ratio = last.as_ref().is_some_and(joins)
        && preceding.last().is_some_and(|word| is_number(word) || word.is("out"));
    let mut following = words(after);
    let begins_ratio = following.next().is_some_and(|word| word.is("in"))
        && following.next().is_some_and(|word| is_number(&word));
    let grouped = before.ends_with([' ', '\u{a0}', '\u{202f}'])
        && last.is_some_and(|word| {
            word.shape() == Shape::Number && word.span.end + 1 >= before.trim_end().len()
        })
        && part(text, figure.span.clone()).trim_end().len() == 3;
    let begins_grouped = part(text, figure.span.clone()).len() <= 3
        && after.trim_start().as_bytes().iter().take_while(|byte| byte.is_ascii_digit()).count()
            == 3
        && after.starts_with([' ', '\u{a0}', '\u{202f}', '\u{2009}']);
    let by_factor = words(text).any(|word| FACTORS.iter().any(|entry| word.is(entry)));
    of_ratio || begins_ratio || grouped || begins_grouped || by_factor
}

/// Whether a number begins a word that is no quantity of it: "a 16-CPU machine", "a 429-type block".
pub(super) fn begins_word(text: &str, figure: &Figure) -> bool {
    let mut after = part(text, figure.span.end..text.len()).chars();
    after.next() == Some('-') && after.next().is_some_and(char::is_alphabetic)
}

/// Whether a figure is a rate, a number in a unit of time: "4.3 points an hour", "420 MB a minute".
pub(super) fn is_rate(text: &str, figure: &Figure) -> bool {
    const TIMES: [&str; 4] = ["second", "minute", "hour", "day"];
    let after = part(text, figure.span.end..text.len());
    let next: Vec<Word<'_>> = words(after).take(4).collect();
    next.windows(2).any(|pair| match pair {
        [each, time] => {
            ["a", "an", "per", "each", "every"].iter().any(|word| each.is(word))
                && TIMES.iter().any(|word| time.is(word))
        }
        _ => false,
    })
}

/// Whether a figure is a bound by the words around it, which need not be what was measured: "past 200", "none needed
/// 400 ms", "between 5 and 6".
pub(super) fn is_loosely_put(text: &str, figure: &Figure) -> bool {
    const BOUNDS: [&str; 22] = [
        "past", "beyond", "cross", "crosses", "crossed", "pass", "passed", "exceed", "exceeded",
        "exceeds", "between", "within", "under", "below", "above", "none", "never", "no", "half",
        "almost", "nearly", "stayed",
    ];
    words(text).any(|word| {
        figure.span.start.abs_diff(word.span.start) < 40
            && BOUNDS.iter().any(|entry| word.is(entry))
    })
}

/// Whether a claim sums up, so that its figures are no single ones of the evidence.
pub(super) fn states_aggregate(text: &str) -> bool {
    const AGGREGATES: [&str; 12] = [
        "together",
        "total",
        "totals",
        "sum",
        "sums",
        "combined",
        "overall",
        "average",
        "averaged",
        "altogether",
        "cumulative",
        "mean",
    ];
    words(text).any(|word| AGGREGATES.iter().any(|entry| word.is(entry)))
}

/// Whether a spelled count of few and a quoted number of many measure different things: "four workers" and 29.
pub(super) fn is_far_from_count(text: &str, figure: &Figure, other: &Figure) -> bool {
    const MAX_COUNT: i128 = 12;
    let spelled_out = !part(text, figure.span.clone()).contains(|c: char| c.is_ascii_digit());
    let few = figure.unit == Unit::COUNT
        && figure.value.places == 0
        && figure.value.mantissa <= MAX_COUNT;
    let many = other.unit == Unit::COUNT
        && other.value.places == 0
        && other.value.mantissa > MAX_COUNT
        && other.value.mantissa >= figure.value.mantissa * 5;
    spelled_out && few && many
}

/// The units in which a bare number of the evidence may be meant: the unit often stands in a column's head.
pub(super) fn units_of(dimension: Dimension) -> impl Iterator<Item = Unit> {
    let names: &[&str] = match dimension {
        Dimension::Duration => &["ns", "us", "ms", "s", "min", "h"],
        Dimension::Bytes | Dimension::ByteRate => &["B", "KB", "MB", "GB", "KiB", "MiB", "GiB"],
        Dimension::Percent => &["%"],
        Dimension::Cores => &["cores", "millicores"],
        Dimension::Rate => &["rps"],
        Dimension::BitRate => &["kbps", "Mbps"],
        Dimension::Multiple => &["x"],
        Dimension::Count | Dimension::Bits => &[],
    };
    names.iter().filter_map(move |name| {
        let unit = Unit::named(name)?;
        if dimension == Dimension::ByteRate { unit.per(Unit::named("s")?) } else { Some(unit) }
    })
}

/// Whether a number stands with a letter behind it, as line protocols write integers: `418i`.
pub(super) fn has_suffix(text: &str, number: &str) -> bool {
    const SUFFIXES: [char; 3] = ['i', 'u', 'n'];
    SUFFIXES.iter().any(|suffix| {
        let mut suffixed = String::from(number);
        suffixed.push(*suffix);
        quotes::find(text, &suffixed).is_some()
    })
}
