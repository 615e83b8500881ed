//! The figures and times that a field states, with what it calls them.

use gsar_core::text::figures::{
    Agreement, ClockTime, Code, CodeKind, Date, Dimension, Figure, Unit, agree, agree_times,
    figures,
};
use gsar_core::time::Timestamp;

use crate::evidence::listing;
use crate::evidence::observations::{Corpus, Series};

/// A figure of the evidence.
#[derive(Clone, Debug)]
pub(crate) struct Value<'e> {
    /// The figure, in the unit that its key or its text states.
    pub(crate) figure: Figure,
    /// Its own key: the field's, or that of a `key=value` pair in a line.
    pub(crate) key: Option<&'e str>,
    /// Whether it is a statistic of a series that the line sums up, which no attribute but the series' own has.
    pub(crate) is_statistic: bool,
}

/// How a claim's figure compares with one of the evidence. A single digit stands for less than core's rounding
/// allows, on either side: "1Gi" is not 512Mi, nor "2 s" 1.5 s.
pub(crate) fn compare(claim: &Figure, evidence: &Figure) -> Agreement {
    let agreement = agree(claim, evidence);
    let is_measured = !matches!(claim.unit.dimension, Dimension::Count | Dimension::Percent);
    let is_exact =
        !claim.approximate && claim.comparator.is_none() && evidence.comparator.is_none();
    let may_differ = agreement == Agreement::Same
        || agreement == Agreement::Incomparable && claim.unit.dimension == evidence.unit.dimension;
    if may_differ && is_measured && is_exact && are_far_apart(claim, evidence) == Some(true) {
        return Agreement::Different;
    }
    agreement
}

/// Whether two figures of one dimension differ by more than a fifth.
fn are_far_apart(a: &Figure, b: &Figure) -> Option<bool> {
    let places = a.value.places.max(b.value.places);
    let scaled = |figure: &Figure| {
        let shift = 10_i128.checked_pow(places - figure.value.places)?;
        figure
            .value
            .mantissa
            .checked_mul(shift)?
            .checked_mul(i128::from(figure.unit.factor))?
            .checked_abs()
    };
    let (a, b) = (scaled(a)?, scaled(b)?);
    Some(a.abs_diff(b).checked_mul(5)? > a.unsigned_abs().max(b.unsigned_abs()))
}

/// The figures of a field.
pub(crate) fn values<'e>(corpus: &Corpus<'e>, field: u32) -> Vec<Value<'e>> {
    let text = corpus.value(field);
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let name = corpus.name(field);
    let mut found = Vec::new();
    let unit = unit_stated(text);
    let row = name.is_empty().then(|| listing::columns(text)).flatten();
    let mut read = figures(text);
    for (order, figure) in std::mem::take(&mut read.figures).into_iter().enumerate() {
        let pair = key_before(text, figure.span.start);
        let key = pair
            .or_else(|| listing::counted(text, &figure))
            .or_else(|| (order == 0 && !name.is_empty()).then_some(name))
            .or_else(|| listing::column(row.as_ref(), name, order, &figure));
        let mut figure = in_unit_of(figure, key, text);
        let is_statistic = unit.is_some() && key.is_some_and(|key| SUMMARY_KEYS.contains(&key));
        if let Some(unit) = unit.filter(|_| is_statistic && figure.unit == Unit::COUNT) {
            figure.unit = unit;
        }
        if let Some(unit) = corpus.unit(field).filter(|_| figure.unit == Unit::COUNT) {
            figure.unit = unit;
        }
        found.push(Value { figure, key, is_statistic });
    }
    found.extend(exit_codes(text, &read.codes));
    found
}

/// The exit codes that a text states, as numbers.
fn exit_codes<'e>(text: &str, codes: &[Code]) -> impl Iterator<Item = Value<'e>> {
    codes.iter().filter(|code| code.kind == CodeKind::ExitCode).filter_map(|code| {
        let digits = text.get(code.span.clone())?;
        let figure = figures(digits).figures.into_iter().next()?;
        let figure = Figure { span: code.span.clone(), ..figure };
        Some(Value { figure, key: Some("exit code"), is_statistic: false })
    })
}

/// The keys of a series summed up in one line, whose unit the line states once.
const SUMMARY_KEYS: [&str; 10] =
    ["first", "last", "min", "max", "avg", "mean", "median", "sum", "p95", "p99"];

/// The unit that a line states for all its figures: `unit=Bytes/Second`.
fn unit_stated(text: &str) -> Option<Unit> {
    let at = text.find("unit=")?;
    unit_called(text.get(at + 5..)?.split(' ').next()?)
}

/// The unit of a name as metrics tools write it: `Seconds`, `Bytes/Second`, `Count`.
fn unit_called(name: &str) -> Option<Unit> {
    match name.split_once('/') {
        Some((unit, time)) => {
            let unit = if unit.eq_ignore_ascii_case("count") {
                Some(Unit::COUNT)
            } else {
                Unit::named(unit)
            };
            unit?.per(Unit::named(time)?)
        }
        None if name.eq_ignore_ascii_case("percent") => Some(Unit::PERCENT),
        None if name.eq_ignore_ascii_case("count") => Some(Unit::COUNT),
        None => Unit::named(name),
    }
}

/// The unit that the record of a series states in a field of its own: `"Unit": "Seconds"`.
fn unit_beside(corpus: &Corpus<'_>, series: &Series) -> Option<Unit> {
    const MOST: usize = 24;
    let record = corpus.object(corpus.record(series.object))?;
    (record.fields.0..record.fields.1)
        .take(MOST)
        .find(|field| matches!(corpus.name(*field), "unit" | "Unit" | "units"))
        .and_then(|field| unit_called(corpus.value(field)))
}

/// The key of a `key=value` or `"key": value` pair whose value starts at an offset.
fn key_before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?.trim_end_matches(['"', '\'', '\\']);
    let (before, is_colon) = match before.strip_suffix('=') {
        Some(before) => (before, false),
        None => (before.strip_suffix(':')?, true),
    };
    let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let start = before.rfind(|c: char| !is_key(c)).map_or(0, |at| {
        at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    before
        .get(start..)
        .filter(|key| !key.is_empty() && !key.bytes().all(|byte| byte.is_ascii_digit()))
        // `prod-db:3333` is a host with its port.
        .filter(|key| !is_colon || !key.contains(['-', '.']))
}

/// A figure without a unit takes that of its key: `rss_mib=446`.
fn in_unit_of(figure: Figure, key: Option<&str>, text: &str) -> Figure {
    let Some(key) = key else { return figure };
    let is_cpu = key.to_ascii_lowercase().contains("cpu");
    let written = text.get(figure.span.clone()).unwrap_or("");
    if is_cpu && written.ends_with('m') {
        return Figure { unit: Unit::MILLICORES, ..figure };
    }
    if figure.unit == Unit::COUNT
        && !is_range(text)
        && let Some(unit) = Unit::of_field(key)
    {
        return Figure { unit, ..figure };
    }
    figure
}

/// Whether a text is two whole numbers joined by a hyphen: a class of a histogram or the hours of a day.
fn is_range(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-').is_some_and(|(low, high)| digits(low) && digits(high))
}

/// How a claim's figure compares with a sample, whose unit may stand in the metric's name or query only.
pub(crate) fn agree_with_sample(claim: &Figure, sample: &Figure, unit: Option<Unit>) -> Agreement {
    if let Some(unit) = unit.filter(|unit| unit.dimension == claim.unit.dimension) {
        return compare(claim, &Figure { unit, ..sample.clone() });
    }
    let plain = compare(claim, sample);
    if plain != Agreement::Incomparable || unit.is_some() {
        return plain;
    }
    // The metric's name says nothing: the claim's own unit may be the right one, but proves no difference.
    let same_unit = compare(claim, &Figure { unit: claim.unit, ..sample.clone() });
    if same_unit == Agreement::Same { same_unit } else { Agreement::Incomparable }
}

/// The unit that a series is in, as far as its labels or the query say.
pub(crate) fn unit_of_series(corpus: &Corpus<'_>, series: &Series) -> Option<Unit> {
    if let Some(unit) = unit_beside(corpus, series) {
        return Some(unit);
    }
    let object = corpus.object(series.object)?;
    let item = corpus.item(object.item)?;
    let texts = [item.tool.as_str(), item.query.as_str()];
    let second = Unit::named("s")?;
    if texts
        .iter()
        .any(|text| text.contains("100 *") || text.contains("* 100") || text.contains("*100"))
    {
        return Some(Unit::PERCENT);
    }
    let is_rate = texts.iter().any(|text| text.contains("rate("));
    let named = texts
        .iter()
        .flat_map(|text| gsar_core::text::tokens::words(text))
        .filter(|word| word.text.contains('_'))
        .find_map(|word| {
            Unit::of_field(word.text.trim_end_matches("_total").trim_end_matches("_sum"))
        });
    match named {
        Some(unit) if is_rate => unit.per(second),
        Some(unit) => Some(unit),
        None if is_rate => Unit::COUNT.per(second),
        None => None,
    }
}

/// The times that a field states.
pub(crate) fn times(corpus: &Corpus<'_>, field: u32) -> Vec<ClockTime> {
    let mut found = Vec::new();
    if let Some(micros) = corpus.field(field).and_then(|field| field.micros) {
        found.push(clock(micros));
    }
    let text = corpus.value(field);
    let looks_like_time = text
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [b':', digit] if digit.is_ascii_digit()));
    if looks_like_time {
        let text = text.get(..LONGEST_TIMED.min(text.len())).unwrap_or(text);
        found.extend(
            figures(text)
                .times
                .into_iter()
                .map(|time| if time.date.is_some() { time } else { with_date(time, text) }),
        );
    }
    found
}

/// Adds the date and zone of `Thu, 12 Mar 2026 14:07:52 +0000`, as HTTP and `kubectl describe` write them.
fn with_date(time: ClockTime, text: &str) -> ClockTime {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let before = text.get(..time.span.start).unwrap_or("").trim_end();
    let mut parts = before.rsplit(' ');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let read = || {
        let month = MONTHS.iter().position(|name| Some(*name) == month)?;
        Some(Date {
            year: year?.parse().ok().filter(|year| (1..=9999).contains(year))?,
            month: u8::try_from(month + 1).ok()?,
            day: day?.parse().ok().filter(|day| (1..=31).contains(day))?,
        })
    };
    let date = read();
    let zone = text.get(time.span.end..).and_then(|rest| zone(rest.trim_start()));
    ClockTime {
        offset_minutes: time.offset_minutes.or(zone.filter(|_| date.is_some())),
        date,
        ..time
    }
}

/// The minutes east of UTC of `+0200` at the start of a text.
fn zone(text: &str) -> Option<i32> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes): (i32, i32) =
        (text.get(1..3)?.parse().ok()?, text.get(3..5)?.parse().ok()?);
    Some(sign * (hours * 60 + minutes))
}

/// Times further into a value are not looked for.
const LONGEST_TIMED: usize = 400;

/// An instant as a clock time in UTC.
pub(crate) fn clock(micros: i64) -> ClockTime {
    let seconds = micros.div_euclid(1_000_000);
    let of_day = u32::try_from(seconds.rem_euclid(86_400)).unwrap_or(0);
    ClockTime {
        span: 0..0,
        seconds_of_day: of_day,
        grain: 1,
        date: date(seconds.div_euclid(86_400)),
        offset_minutes: Some(0),
    }
}

/// The calendar day of a number of days since the epoch.
fn date(days: i64) -> Option<Date> {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Some(Date {
        year: u16::try_from(year).ok()?,
        month: u8::try_from(month).ok()?,
        day: u8::try_from(day).ok()?,
    })
}

/// Whether a claim's time is that of the evidence.
pub(crate) fn same_time(claim: &ClockTime, evidence: &ClockTime) -> bool {
    agree_times(claim, evidence) == Agreement::Same
}

/// Whether a claim's time is certainly not that of the evidence. A claim without a date is taken to speak of
/// the day of the incident, and of no other.
pub(crate) fn other_time(claim: &ClockTime, evidence: &ClockTime, day: Option<Date>) -> bool {
    let dated = ClockTime {
        date: claim.date.or_else(|| evidence.date.filter(|date| Some(*date) == day)),
        offset_minutes: claim.offset_minutes.or(evidence.offset_minutes),
        ..claim.clone()
    };
    agree_times(&dated, evidence) == Agreement::Different
}

/// The moment of a claim's time on the day of the incident, in microseconds since the epoch.
pub(crate) fn moment(time: &ClockTime, day: Option<Date>) -> Option<i64> {
    let dated = ClockTime { date: time.date.or(day), ..time.clone() };
    dated.seconds()?.checked_mul(1_000_000)
}

/// The calendar day of an instant.
pub(crate) fn day_of(instant: Timestamp) -> Option<Date> {
    date(instant.as_micros().div_euclid(86_400_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_instant_becomes_a_clock_time() {
        let time = clock(1_773_324_240_000_000);
        assert_eq!(
            (time.seconds_of_day, time.date),
            (14 * 3600 + 4 * 60, Some(Date { year: 2026, month: 3, day: 12 }))
        );
    }

    #[test]
    fn pairs_in_a_line_have_keys() {
        let line = "msg=\"stats\" rss_mib=446 took=8.27s \"p\":3";
        assert_eq!(key_before(line, line.find("446").unwrap()), Some("rss_mib"));
        assert_eq!(key_before(line, line.find("8.27").unwrap()), Some("took"));
        assert_eq!(key_before("took 5 s", 5), None);
    }

    proptest! {
        #[test]
        fn days_go_there_and_back(days in -600_000_i64..2_000_000) {
            if let Some(date) = date(days) {
                prop_assert_eq!(date.days(), days);
            }
        }
    }
}
