//! This module tells whether a figure may follow from the numbers of what is cited: rounded, in another unit, or as a
//! sum, mean, difference, ratio or share of quoted ones. Times, dates and the digits of names are no numbers here.
//! Exact arithmetic in billionths; where that overflows, the figure counts as one that may follow.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::text::figures::{ClockTime, CodeKind, Decimal, Dimension, Figure, Unit, figures};
use crate::text::part;

/// How many parts of one a number is counted in.
const PARTS: i128 = 1_000_000_000;
/// The most numbers that are read of a text.
const MAX_NUMBERS: usize = 8_192;
/// The largest number that is read, in billionths: what is made of a few thousands of them stays within 128 bits.
const MAX_NUMBER: i128 = 10_i128.pow(30);
/// The most numbers of an item that is short enough to be meant as a whole, and its most bytes.
const MAX_SHORT: usize = 8;
const MAX_SHORT_BYTES: usize = 1_024;
/// The most quoted numbers of which pairs are taken.
const MAX_OPERANDS: usize = 24;
/// The most quoted numbers, and times, of which rates are taken.
const MAX_RATED: usize = 8;
/// What a figure that is called approximate, or a bound, may be off, in thousandths.
const LOOSE: i128 = 60;

/// What a number may have to be multiplied with for a figure of a dimension.
const fn factors(dimension: Dimension) -> &'static [i128] {
    match dimension {
        Dimension::Duration => &[1, 1_000, 1_000_000, PARTS, 60, 3_600, 86_400, 24],
        Dimension::Bytes | Dimension::ByteRate | Dimension::Bits | Dimension::BitRate => {
            &[1, 8, 1_000, 1_000_000, PARTS, 1_000 * PARTS, 1 << 10, 1 << 20, 1 << 30, 1 << 40]
        }
        Dimension::Percent => &[1, 100],
        Dimension::Cores => &[1, 100, 1_000],
        Dimension::Rate => &[1, 60, 1_000],
        Dimension::Multiple => &[1],
        Dimension::Count => &[1, 1_000, 1_000_000, PARTS],
    }
}

/// The gaps between the two kinds of bytes.
const GAPS: [(i128, i128); 2] = [(1_048_576, 1_000_000), (1_073_741_824, 1_000_000_000)];

/// The numbers of what is cited, in billionths.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Those of the quotes.
    quoted: Vec<i128>,
    /// Sums over the lines of a quote, of numbers in one place.
    sums: Vec<i128>,
    /// Their times, and where it states any those of the claim.
    moments: Vec<Moment>,
    /// Those of the cited items.
    items: Vec<i128>,
    /// Those of them that may be quantities, of items that are short.
    short: Vec<i128>,
    has_long_items: bool,
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
struct Moment {
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

/// What lies between any two times, in nanoseconds.
fn spans(moments: &[Moment]) -> Vec<i128> {
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

/// Every number of a text.
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

/// A figure with what it may be off: one of its last digit that says something, more where it is only about so.
#[derive(Clone, Copy)]
struct Wanted {
    value: i128,
    off: i128,
    under: i128,
    dimension: Dimension,
}

impl Wanted {
    fn of(figure: &Figure, is_loose: bool) -> Option<Self> {
        let value = in_parts(figure.value)?;
        let mut step = 10_i128.checked_pow(9_u32.checked_sub(figure.value.places)?)?;
        while figure.value.places == 0 && value > 0 && (value / step) % 10 == 0 {
            step *= 10;
        }
        let is_loose = is_loose || figure.approximate || figure.comparator.is_some();
        let loose = if is_loose { value / 1_000 * LOOSE } else { 0 };
        let (off, under) = (step.max(loose), (step / 2).max(loose));
        Some(Self { value, off, under, dimension: figure.unit.dimension })
    }

    /// Whether it is a number, rounded to the nearest or down.
    fn is(&self, number: i128) -> bool {
        let gap = number.saturating_sub(self.value);
        (-self.under..=self.off).contains(&gap)
    }

    /// Whether it is a number in some unit of its dimension.
    fn is_scaled(&self, number: i128) -> bool {
        number > 0
            && (factors(self.dimension).iter().any(|factor| {
                number.checked_mul(*factor).is_none_or(|more| self.is(more))
                    || self.is_divided(number, *factor)
            }) || GAPS.iter().any(|(more, less)| {
                self.dimension == Dimension::Bytes
                    && (number
                        .checked_mul(*more)
                        .is_none_or(|number| self.is_divided(number, *less))
                        || number
                            .checked_mul(*less)
                            .is_none_or(|number| self.is_divided(number, *more)))
            }))
    }

    /// Whether it is a length of time between two of the times.
    fn lasts_one_of(&self, moments: &[Moment], unit: Unit) -> bool {
        // Units of time are counted in nanoseconds.
        let nanoseconds =
            |parts: i128| parts.checked_mul(i128::from(unit.factor)).map(|count| count / PARTS);
        let Some((value, off)) = nanoseconds(self.value).zip(nanoseconds(self.off)) else {
            return true;
        };
        unit.dimension == Dimension::Duration
            && spans(moments)
                .iter()
                .any(|span| value.abs_diff(*span) <= off.unsigned_abs().max(PARTS.unsigned_abs()))
    }

    fn is_divided(&self, number: i128, by: i128) -> bool {
        by != 0 && self.is(number / by)
    }

    /// Whether it is `a / b`, as a factor or in per cent, or the share by which they differ.
    fn is_ratio(&self, a: i128, b: i128) -> bool {
        let share = |of: i128| of.checked_mul(PARTS).map(|of| of / b);
        let is = |of: i128| match self.dimension {
            Dimension::Percent => share(of).is_none_or(|share| self.is(share.saturating_mul(100))),
            Dimension::Count | Dimension::Multiple => {
                share(of).is_none_or(|share| self.is(share) || self.is(share.saturating_mul(100)))
            }
            // A rate: the share is in any unit of its dimension.
            _ => share(of).is_none_or(|share| self.is_scaled(share)),
        };
        b > 0 && (is(a) || (a != b && is((a - b).abs())))
    }
}

/// Whether a figure may follow from quoted numbers, or stand rounded or in another unit among the item's. One that is
/// loose may be off a few in a hundred.
pub(super) fn may_follow(figure: &Figure, is_loose: bool, numbers: &Numbers) -> bool {
    let Some(wanted) = Wanted::of(figure, is_loose) else { return true };
    let Numbers { quoted, sums, moments, items, short, has_long_items } = numbers;
    if wanted.value == 0
        || wanted.lasts_one_of(moments, figure.unit)
        || quoted.iter().chain(sums).any(|number| wanted.is_scaled(*number))
        || items.iter().any(|number| wanted.is(*number))
    {
        return true;
    }
    let operands = quoted.get(..quoted.len().min(MAX_OPERANDS)).unwrap_or_default();
    let is_short = !has_long_items && short.len() <= MAX_SHORT;
    let short = if is_short { short.as_slice() } else { &[] };
    let total: i128 = operands.iter().sum();
    let count = i128::try_from(operands.len().max(1)).unwrap_or(1);
    let shares = || sums.iter().take(MAX_OPERANDS).chain(operands);
    wanted.is(total)
        || wanted.is(total / count)
        || operands.iter().any(|a| wanted.is(a + a - total))
        || operands.iter().enumerate().any(|(at, a)| {
            operands.iter().enumerate().any(|(other, b)| {
                at != other && (wanted.is_scaled(a + b) || wanted.is_scaled((a - b).abs()))
            })
        })
        || shares().any(|a| shares().chain(short).any(|b| wanted.is_ratio(*a, *b)))
}

/// Whether a figure is the difference of two quoted numbers, or one of two digits or more the sum of two or of all.
pub(super) fn combines(figure: &Figure, quoted: &[i128]) -> bool {
    let Some(value) = in_parts(figure.value) else { return true };
    let tolerance = match significant(figure.value) {
        0..=1 => 60,
        2 => 20,
        _ => 3,
    };
    let near = |number: i128| value > 0 && is_near(value, number, tolerance);
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
    let parts = value.mantissa.checked_abs()?.checked_mul(10_i128.checked_pow(exponent)?);
    parts.filter(|parts| *parts <= MAX_NUMBER)
}

/// Whether two numbers differ by at most a tolerance in thousandths.
fn is_near(value: i128, number: i128, tolerance: i128) -> bool {
    let (Some(gap), Some(allowed)) = (
        value.abs_diff(number).checked_mul(1_000),
        number.unsigned_abs().checked_mul(tolerance.unsigned_abs()),
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
        let mut read = Numbers::of_quotes([quote].into_iter());
        read.add_item(item, ["", ""]);
        may_follow(&figures(claim).figures[0], false, &read)
    }

    #[test]
    fn rounded_converted_and_computed_figures_follow() {
        for (claim, quote) in [
            ("about 38 points", "from 99.2 % to 61.3 %"),
            ("434 MB of memory", "414Mi"),
            ("1,080.96 ms", "1080960237"),
            ("some 104 thousand", "104411"),
            ("35 % failed", "142 of 407"),
            ("243 more", "412 then 655"),
            ("13.1 GiB", "14063512655.0"),
            ("3.1 times", "12 to 37.2"),
            ("12,733 members", "20:50,presence,25104,12733"),
            (
                "117 timeouts",
                "RouteEta,18390,37,9\nRouteEta,18602,41,8\nRouteEta,18475,39,7\nBatchEta,377,22,1",
            ),
            ("27 % too high", "motor,YDC-02,1190.00,1511.40"),
            ("4.4 cores", "stg-pool-03   4410m"),
            ("178 times", "1074400892.0\n6005672.0"),
            ("87 % fewer", "150\n20"),
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
            ("49.7 % of hits", "17:55  99.4\n18:05  24.6"),
            ("20480 MB in use", "1847MB / 2048MB"),
            ("31,004.80 spent", "Budgeted: $2,300.00  ACTUAL (2025-01-19): $3,100.48"),
            ("560 times longer", "1066789345.0\n382800.0"),
            ("5.5 % worn", "2025-01-19T20:48:12Z worn on r14-c4 node-7"),
        ] {
            assert!(!follows(claim, quote, ""), "{claim} from {quote}");
        }
    }

    #[test]
    fn a_rate_follows_from_two_numbers_and_two_times() {
        let follows = |claim: &str| {
            let quote = "2025-05-16T20:00:00Z,wal,7.4\n2025-05-17T12:00:00Z,wal,76.6";
            let mut read = Numbers::of_quotes(quote.lines());
            assert!(read.add_rates());
            may_follow(&figures(claim).figures[0], false, &read)
        };
        assert!(follows("some 4.3 points an hour"));
        assert!(!follows("some 6.2 points an hour"));
    }

    #[test]
    fn a_length_of_time_follows_from_two_times() {
        let follows = |claim: &str, quote: &str| {
            let read = Numbers::of_quotes([quote].into_iter());
            may_follow(&figures(claim).figures[0], false, &read)
        };
        let quote = "08:04:18 failover started\n08:04:58 failover completed";
        assert!(follows("The failover took 40 seconds", quote));
        assert!(!follows("The failover took 8 seconds", quote));
        assert!(follows(
            "9 minutes and 28 seconds",
            "at 1773325040417348000\nat 1773325608417348000"
        ));
        assert!(follows("86 seconds", "09:06:02 reconfigured\n2024-02-20T16:07:28Z closed"));
        assert!(follows("18 min later", "23:58:40 down\n00:16:50 up"));
        assert!(!follows("18 min later", "01:58:40 down\n02:01:50 up"));
    }

    proptest! {
        #[test]
        fn a_number_follows_from_itself(whole in 1_i64..1_000_000, text in "[a-z ,.0-9]{0,20}") {
            let figure = &figures(&alloc::format!("{whole} pods")).figures[0];
            let mut read = Numbers::of_quotes([&*alloc::format!("{whole}")].into_iter());
            read.add_item(&text, ["", ""]);
            prop_assert!(may_follow(figure, false, &read));
        }

        #[test]
        fn nothing_panics(claim in "[0-9.,]{1,40} (ms|pods|% an hour)", text in "([0-9]{1,38}[.,_e :Z-]?){0,8}") {
            for figure in &figures(&claim).figures {
                let mut read = Numbers::of_quotes([&*text].into_iter());
                read.add_times(&figures("14:02 and 14:09").times);
                read.add_rates();
                read.add_item(&text, ["", ""]);
                let _ = (may_follow(figure, false, &read), is_specific(figure.value));
            }
        }
    }
}
