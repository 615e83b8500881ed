//! This module reads the numbers and times of what is cited, of which figures are made. Times, dates and the digits of
//! names are no numbers here. It compares nothing.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::text::figures::{ClockTime, CodeKind, Dimension, figures};
use crate::text::part;

/// How many parts of one a number is counted in: billionths.
pub(super) const PARTS: i128 = 1_000_000_000;
/// The most numbers that are read of a text.
const MAX_NUMBERS: usize = 8_192;
/// The largest number that is read, in billionths: what is made of a few thousands of them stays within 128 bits.
pub(super) const MAX_NUMBER: i128 = 10_i128.pow(30);
/// The most numbers of an item that is short enough to be meant as a whole.
pub(super) const MAX_SHORT: usize = 8;
/// The most bytes of such an item.
const MAX_SHORT_BYTES: usize = 1_024;
/// The most quoted numbers of which pairs are taken.
pub(super) const MAX_OPERANDS: usize = 24;
/// The most quoted numbers, and times, of which rates are taken.
const MAX_RATED: usize = 8;
/// The numbers of what is cited, in billionths.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Those of the quotes, in billionths.
    pub(super) quoted: Vec<i128>,
    /// Sums over the lines of a quote, of numbers in one place, in billionths.
    pub(super) sums: Vec<i128>,
    /// Their times, and where it states any those of the claim.
    pub(super) moments: Vec<Moment>,
    /// Those of the cited items, in billionths.
    pub(super) items: Vec<i128>,
    /// Those of them that may be quantities, of items that are short, in billionths.
    pub(super) short: Vec<i128>,
    pub(super) has_long_items: bool,
}

impl Numbers {
    /// Reads quotes.
    pub(super) fn of_quotes<'q>(quotes: impl Iterator<Item = &'q str>) -> Self {
        let mut lines: Vec<(&str, Vec<i128>)> = Vec::new();
        let mut moments = Vec::new();
        for line in quotes.flat_map(str::lines) {
            let name = line.trim().split([' ', ',', '\t', '|']).next().unwrap_or_default();
            let read = quantities(line, &mut moments);
            lines.push((name, read));
        }
        let sums = sums(&lines);
        let quoted = lines.into_iter().flat_map(|(_, numbers)| numbers).collect();
        Self { quoted, sums, moments, ..Self::default() }
    }

    /// Adds times that the claim itself states, but for those that are quoted.
    pub(super) fn add_times(&mut self, times: &[ClockTime]) {
        const MINUTE: i128 = 60 * PARTS;
        let is_quoted = |time: &Moment| {
            spans_with(time, &self.moments).into_iter().flatten().any(|span| span < MINUTE)
        };
        let stated = times.iter().map(Moment::from).filter(|time| !is_quoted(time));
        let stated: Vec<Moment> = stated.collect();
        self.moments.extend(stated);
    }

    /// Adds by how much quoted numbers differ in a second, a minute, an hour and a day, over the time between two quoted
    /// times; whether there are any.
    pub(super) fn add_rates(&mut self) -> bool {
        let operands: Vec<i128> = self.quoted.iter().copied().take(MAX_RATED).collect();
        let times = self.moments.get(..self.moments.len().min(MAX_RATED)).unwrap_or_default();
        let spans = spans(times);
        for (at, a) in operands.iter().enumerate() {
            for b in operands.iter().skip(at + 1) {
                for seconds in spans.iter().map(|span| span / PARTS).filter(|s| *s > 0) {
                    let Some(gap) = (a - b).abs().checked_mul(3_600) else { continue };
                    let an_hour = gap / seconds;
                    self.sums.extend([an_hour, an_hour / 60, an_hour / 3_600, an_hour * 24]);
                }
            }
        }
        !spans.is_empty()
    }

    /// Adds those of a cited item and of what was asked for it.
    pub(super) fn add_item(&mut self, content: &str, asked: [&str; 2]) {
        self.items.extend(asked.into_iter().chain([content]).flat_map(numbers));
        match content.len() <= MAX_SHORT_BYTES {
            true => self.short.extend(quantities(content, &mut Vec::new())),
            false => self.has_long_items = true,
        }
    }

    /// Whether there is nothing of which a figure of that dimension could be made.
    pub(super) fn are_none_for(&self, dimension: Dimension) -> bool {
        let has_times = dimension == Dimension::Duration && self.moments.len() > 1;
        self.quoted.is_empty() && !has_times
    }
}

/// For each place from the left and from the right, the sum over all lines, and over those that begin alike.
fn sums(lines: &[(&str, Vec<i128>)]) -> Vec<i128> {
    let mut by_place: BTreeMap<(&str, bool, usize), (i128, usize)> = BTreeMap::new();
    for (name, numbers) in lines {
        let from_left = numbers.iter().enumerate().map(|(at, number)| (false, at, number));
        let from_right = numbers.iter().rev().enumerate().map(|(at, number)| (true, at, number));
        for (side, at, number) in from_left.chain(from_right) {
            for name in ["", name] {
                let (sum, count) = by_place.entry((name, side, at)).or_default();
                *sum = sum.saturating_add(*number);
                *count += 1;
            }
        }
    }
    let several = by_place.into_values().filter(|(_, count)| *count > 1);
    several.flat_map(|(sum, count)| [sum, sum / i128::try_from(count).unwrap_or(1)]).collect()
}

/// A time: nanoseconds since 1970 where its day is stated, else since midnight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    nanoseconds: i128,
    is_dated: bool,
    has_zone: bool,
}

impl From<&ClockTime> for Moment {
    fn from(time: &ClockTime) -> Self {
        let seconds = time.seconds().unwrap_or_else(|| i64::from(time.seconds_of_day));
        Self {
            nanoseconds: i128::from(seconds) * PARTS,
            is_dated: time.date.is_some(),
            has_zone: time.offset_minutes.is_some(),
        }
    }
}

/// The durations between any two times, in nanoseconds.
pub(super) fn spans(moments: &[Moment]) -> Vec<i128> {
    let moments = moments.get(..moments.len().min(MAX_OPERANDS)).unwrap_or_default();
    let later = |at: usize| moments.get(at + 1..).unwrap_or_default();
    let pairs = moments.iter().enumerate().flat_map(|(at, time)| spans_with(time, later(at)));
    pairs.flatten().collect()
}

/// What lies between a time and each of others, as their days and zones allow.
fn spans_with(time: &Moment, others: &[Moment]) -> Vec<Vec<i128>> {
    const HOUR: i128 = 3_600 * PARTS;
    const DAY: i128 = 24 * HOUR;
    let between = |other: &Moment| {
        let apart = (time.nanoseconds - other.nanoseconds).abs();
        let mut spans = match time.is_dated && other.is_dated {
            true => alloc::vec![apart],
            false => alloc::vec![apart % DAY, DAY - apart % DAY],
        };
        // Clocks of two zones, one of which is not stated.
        if time.has_zone != other.has_zone {
            spans.extend([apart % HOUR, HOUR - apart % HOUR]);
        }
        spans
    };
    others.iter().map(between).collect()
}

/// The numbers of a text that may be quantities: not those of times, dates, versions, addresses and names. Its times are
/// added to `moments`.
fn quantities(text: &str, moments: &mut Vec<Moment>) -> Vec<i128> {
    let read = figures(text);
    let names = read.codes.iter().filter(|code| is_name(code.kind, part(text, code.span.clone())));
    let mut apart: Vec<Range<usize>> = names.map(|code| code.span.clone()).collect();
    apart.extend(read.times.iter().map(|time| time.span.clone()));
    moments.extend(read.times.iter().map(Moment::from));
    let mut found = Vec::new();
    scan(text, |span, number| {
        if let Some(nanoseconds) = since_1970(number) {
            moments.push(Moment { nanoseconds, is_dated: true, has_zone: true });
        } else if !apart.iter().any(|other| other.start <= span.start && span.end <= other.end) {
            found.push(number);
        }
    });
    found
}

/// A name that does not begin with its number: `418i` and `38G` are quantities.
fn is_name(kind: CodeKind, written: &str) -> bool {
    match kind {
        CodeKind::Date | CodeKind::Version | CodeKind::Address => true,
        CodeKind::Identifier => !written.starts_with(|c: char| c.is_ascii_digit()),
        CodeKind::Port | CodeKind::HttpStatus | CodeKind::Issue | CodeKind::ExitCode => false,
    }
}

/// The nanoseconds since 1970 of a number that counts seconds, or thousandths of them and less, to about now.
fn since_1970(number: i128) -> Option<i128> {
    const NOW: Range<i128> = 1_400_000_000 * PARTS..1_900_000_000 * PARTS;
    [1, 1_000, 1_000_000, PARTS].map(|by| number / by).into_iter().find(|at| NOW.contains(at))
}

/// Every number of a text, in billionths.
pub(super) fn numbers(text: &str) -> Vec<i128> {
    let mut found = Vec::new();
    scan(text, |_, number| found.push(number));
    found
}

/// Reads numbers with their places; a comma between digits is read both ways.
fn scan(text: &str, mut each: impl FnMut(Range<usize>, i128)) {
    let bytes = text.as_bytes();
    let (mut at, mut count) = (0, 0);
    while at < bytes.len() && count < MAX_NUMBERS {
        if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
            continue;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'_'))
        {
            at += 1;
        }
        let whole = part(text, start..at);
        let grouped = whole.split([',', '_']).skip(1).all(|group| group.len() == 3);
        let fraction_from = at;
        if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            at += 1;
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        }
        let fraction = part(text, fraction_from..at).trim_start_matches('.');
        let single = whole.rsplit([',', '_']).next().unwrap_or(whole);
        let mut add = |digits: &str, fraction: &str| {
            if let Some(number) = number(digits, fraction) {
                each(start..at, number);
                count += 1;
            }
        };
        add(single, fraction);
        if single.len() < whole.len() {
            whole.split([',', '_']).for_each(|digits| add(digits, ""));
            if grouped {
                let digits: alloc::string::String =
                    whole.chars().filter(char::is_ascii_digit).collect();
                add(&digits, fraction);
            }
        }
    }
}

fn number(whole: &str, fraction: &str) -> Option<i128> {
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let digits = part(fraction, 0..fraction.len().min(9));
    let exponent = u32::try_from(9 - digits.len()).ok()?;
    let fraction: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let number = whole
        .checked_mul(PARTS)?
        .checked_add(fraction.checked_mul(10_i128.checked_pow(exponent)?)?);
    number.filter(|number| *number <= MAX_NUMBER)
}
