//! Instants as evidence and claims write them: with the day, to the fraction of a second.
//!
//! | written | by |
//! |---|---|
//! | `2026-03-12T14:07:52.123Z`, `2026-03-12 14:07:52,123` | JSON, logs |
//! | `Thu, 12 Mar 2026 14:07:52 +0000`, `12 March 2026, 14:07` | HTTP, `kubectl describe`, prose |
//! | `12/Mar/2026:14:07:52 +0000` | access logs |
//! | `Mar 12 14:07:52`, `I0312 14:07:52.123456` | syslog, klog: no year |
//!
//! Nothing here knows what happened at an instant.

use std::ops::Range;

use gsar_core::text::figures::{Date, MONTHS};

/// One second in microseconds.
pub(crate) const SECOND: i64 = 1_000_000;
/// One minute in microseconds.
pub(crate) const MINUTE: i64 = 60 * SECOND;
/// One hour in microseconds.
pub(crate) const HOUR: i64 = 60 * MINUTE;
/// One day in microseconds.
pub(crate) const DAY: i64 = 24 * HOUR;

/// A calendar day as far as it is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Day {
    pub(crate) year: Option<u16>,
    pub(crate) month: u8,
    pub(crate) day: u8,
}

impl Day {
    /// The date, in that year where none is stated.
    pub(crate) fn date(self, year: u16) -> Date {
        Date { year: self.year.unwrap_or(year), month: self.month, day: self.day }
    }
}

/// A time of day, with its day where it is stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Its bytes, day and zone included.
    pub(crate) span: Range<usize>,
    /// Microseconds since midnight.
    pub(crate) of_day: i64,
    /// How finely it is stated, in microseconds.
    pub(crate) grain: i64,
    /// The day.
    pub(crate) day: Option<Day>,
    /// Minutes east of UTC.
    pub(crate) offset: Option<i32>,
}

impl Moment {
    /// Microseconds since the epoch, or since midnight where the day or its year is not stated.
    pub(crate) fn micros(&self) -> i64 {
        let stated = self.day.and_then(|day| Some((day, day.year?)));
        stated.map_or(self.of_day, |(day, year)| {
            let offset = i64::from(self.offset.unwrap_or(0)) * MINUTE;
            day.date(year).days() * DAY + self.of_day - offset
        })
    }
}

/// The instants of a text, at most that many.
pub(crate) fn moments(text: &str, most: usize) -> Vec<Moment> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(colon) = memchr::memchr(b':', bytes.get(from..).unwrap_or(&[])) {
        let colon = from + colon;
        from = colon + 1;
        if let Some(moment) = moment_around(text, colon) {
            from = moment.span.end.max(from);
            found.push(moment);
            if found.len() >= most {
                break;
            }
        }
    }
    found
}

/// The instant whose hour ends at a colon.
fn moment_around(text: &str, colon: usize) -> Option<Moment> {
    let start = (1..=2).rev().find_map(|length| {
        let start = colon.checked_sub(length)?;
        let digits = number(text, start..colon)?;
        let free = !byte(text, start.wrapping_sub(1)).is_ascii_digit();
        (free && digits < 24).then_some(start)
    })?;
    let hour = number(text, start..colon)?;
    let minute = number(text, colon + 1..colon + 3).filter(|minute| *minute < 60)?;
    let mut end = colon + 3;
    let (mut second, mut grain, mut fraction) = (0, MINUTE, 0);
    if byte(text, end) == b':'
        && let Some(seconds) = number(text, end + 1..end + 3).filter(|second| *second <= 60)
    {
        (second, grain) = (seconds, SECOND);
        end += 3;
        if matches!(byte(text, end), b'.' | b',') && byte(text, end + 1).is_ascii_digit() {
            let digits = text.bytes().skip(end + 1).take_while(u8::is_ascii_digit).count();
            for place in 1..=digits {
                if place <= 6 {
                    let digit = i64::from(byte(text, end + place) - b'0');
                    grain /= 10;
                    fraction += digit * grain;
                }
            }
            end += 1 + digits;
        }
    }
    let goes_on = byte(text, end) == b':' && byte(text, end + 1).is_ascii_digit();
    if byte(text, end).is_ascii_digit() || goes_on {
        return None;
    }
    let before = text.get(..start)?;
    let (day, mut first) = day_before(before).map_or((None, start), |(day, at)| (Some(day), at));
    if day.is_none() && is_inside_word(before) {
        return None;
    }
    let (hour, end_of_half) = half_day(text, hour, end);
    let (offset, mut last) = zone_at(text, end_of_half);
    let mut day = day;
    if let Some(known) = day.as_mut()
        && known.year.is_none()
        && let Some(year) = text.get(last + 1..last + 5).and_then(year_of)
        && byte(text, last) == b' '
    {
        known.year = Some(year);
        last += 5;
    }
    if day.is_none() {
        let after = text.get(last..).unwrap_or("");
        let lead = after.len() - after.trim_start_matches([' ', ',']).len();
        let lead = lead + if after.get(lead..)?.starts_with("on ") { 3 } else { 0 };
        if lead > 0
            && let Some((read, length)) = after.get(lead..).and_then(day_at)
        {
            day = Some(read);
            last += lead + length;
        }
    }
    first = first.min(start);
    let of_day = i64::from(hour) * HOUR + i64::from(minute) * MINUTE;
    Some(Moment {
        span: first..last,
        of_day: of_day + i64::from(second) * SECOND + fraction,
        grain,
        day,
        offset,
    })
}

/// Digits and a colon inside a name or an address are no time.
fn is_inside_word(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '-' | '_'))
        && !before.ends_with('T')
}

/// The day that ends just before a time of day, and where it starts.
fn day_before(before: &str) -> Option<(Day, usize)> {
    let bare = before.strip_suffix(['T', 't', '_', ':']).unwrap_or(before);
    let bare = bare.trim_end_matches([' ', ',']);
    let bare = bare.strip_suffix(" at").unwrap_or(bare).trim_end_matches(',');
    let gap = before.len() - bare.len();
    if gap == 0 || gap > 5 {
        return None;
    }
    let starts = [10, 11, 12, 5, 6, 7, 17, 18, 16, 15, 14, 13, 9, 8];
    starts.into_iter().find_map(|length| {
        let start = bare.len().checked_sub(length)?;
        let free = !byte(bare, start.wrapping_sub(1)).is_ascii_alphanumeric();
        let (day, read) = day_at(bare.get(start..)?)?;
        (free && read == length).then_some((day, start))
    })
}

/// The day at the start of a text, and its length.
pub(crate) fn day_at(text: &str) -> Option<(Day, usize)> {
    let first = byte(text, 0);
    if first.is_ascii_digit() {
        let separator = byte(text, 4);
        if matches!(separator, b'-' | b'/') && byte(text, 7) == separator {
            let year = text.get(..4).and_then(year_of)?;
            return day(Some(year), number(text, 5..7)?, number(text, 8..10)?, 10);
        }
        let digits = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
        let of_month = number(text, 0..digits)?;
        let mut at = digits;
        if matches!(text.get(at..at + 2), Some("st" | "nd" | "rd" | "th")) {
            at += 2;
        }
        if text.get(at..)?.starts_with(" of ") {
            at += 3;
        }
        let separator = byte(text, at);
        if !matches!(separator, b' ' | b'/' | b'-') {
            return None;
        }
        let (month, length) = month_at(text.get(at + 1..)?)?;
        let end = at + 1 + length;
        let (year, end) = year_after(text, end);
        return day(year, u32::from(month), of_month, end);
    }
    if matches!(first, b'I' | b'W' | b'E' | b'F') && byte(text, 5) == 0 {
        return day(None, number(text, 1..3)?, number(text, 3..5)?, 5);
    }
    let (month, length) = month_at(text)?;
    let mut at = length;
    while byte(text, at) == b' ' && at < length + 2 {
        at += 1;
    }
    let digits = text.bytes().skip(at).take(3).take_while(u8::is_ascii_digit).count();
    let of_month = number(text, at..at + digits)?;
    if at == length || matches!(byte(text, at + digits), b':') {
        return None;
    }
    let (year, end) = year_after(text, at + digits);
    day(year, u32::from(month), of_month, end)
}

fn year_after(text: &str, at: usize) -> (Option<u16>, usize) {
    let gap = match text.get(at..).unwrap_or("") {
        rest if rest.starts_with(", ") => 2,
        rest if rest.starts_with([' ', '/', '-']) => 1,
        _ => return (None, at),
    };
    let year = text.get(at + gap..at + gap + 4).and_then(year_of);
    let ends = !byte(text, at + gap + 4).is_ascii_alphanumeric();
    match year.filter(|_| ends) {
        Some(year) => (Some(year), at + gap + 4),
        None => (None, at),
    }
}

fn year_of(text: &str) -> Option<u16> {
    let year = number(text, 0..4).filter(|_| text.len() >= 4)?;
    u16::try_from(year).ok().filter(|year| (1970..=2200).contains(year))
}

fn day(year: Option<u16>, month: u32, of_month: u32, length: usize) -> Option<(Day, usize)> {
    let (month, day) = (u8::try_from(month).ok()?, u8::try_from(of_month).ok()?);
    ((1..=12).contains(&month) && (1..=31).contains(&day))
        .then_some((Day { year, month, day }, length))
}

/// The month whose name starts a text, and the length of the name.
fn month_at(text: &str) -> Option<(u8, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let written = text.get(..length).filter(|_| length >= 3)?;
    let starts = byte(written, 0).is_ascii_uppercase();
    let month = MONTHS.iter().position(|month| {
        written.eq_ignore_ascii_case(month)
            || length <= 4
                && month.get(..3).is_some_and(|short| {
                    written.eq_ignore_ascii_case(short)
                        || written.eq_ignore_ascii_case("sept") && short == "sep"
                })
    })?;
    Some((u8::try_from(month + 1).ok()?, length)).filter(|_| starts)
}

/// `2:02 pm`.
fn half_day(text: &str, hour: u32, end: usize) -> (u32, usize) {
    let start = end + usize::from(byte(text, end) == b' ');
    let mark = text.get(start..start + 2).unwrap_or("");
    let ends = !byte(text, start + 2).is_ascii_alphanumeric();
    if !ends || !(1..=12).contains(&hour) {
        (hour, end)
    } else if mark.eq_ignore_ascii_case("am") {
        (hour % 12, start + 2)
    } else if mark.eq_ignore_ascii_case("pm") {
        (hour % 12 + 12, start + 2)
    } else {
        (hour, end)
    }
}

/// The zone after a time: minutes east of UTC, and where it ends.
fn zone_at(text: &str, at: usize) -> (Option<i32>, usize) {
    const ZONES: [(&str, i32); 13] = [
        ("Z", 0),
        ("UTC", 0),
        ("GMT", 0),
        ("CEST", 120),
        ("CET", 60),
        ("EST", -300),
        ("EDT", -240),
        ("CST", -360),
        ("CDT", -300),
        ("PST", -480),
        ("PDT", -420),
        ("JST", 540),
        ("BST", 60),
    ];
    let start = at
        + text.get(at..).map_or(0, |rest| rest.len() - rest.trim_start_matches([' ', '(']).len());
    if start > at + 2 {
        return (None, at);
    }
    for (zone, offset) in ZONES {
        let end = start + zone.len();
        if text.get(start..end) == Some(zone) && !byte(text, end).is_ascii_alphanumeric() {
            return (Some(offset), end);
        }
    }
    let sign = match byte(text, start) {
        b'+' => 1,
        b'-' if start == at => -1,
        b'-' if byte(text, start + 1).is_ascii_digit() => -1,
        _ => return (None, at),
    };
    let Some(hours) = number(text, start + 1..start + 3).filter(|hours| *hours <= 14) else {
        return (None, at);
    };
    let colon = usize::from(byte(text, start + 3) == b':');
    let from = start + 3 + colon;
    let Some(minutes) = number(text, from..from + 2).filter(|minutes| *minutes < 60) else {
        return (None, at);
    };
    if byte(text, from + 2).is_ascii_digit() {
        return (None, at);
    }
    (i32::try_from(hours * 60 + minutes).ok().map(|offset| sign * offset), from + 2)
}

fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

fn number(text: &str, span: Range<usize>) -> Option<u32> {
    let digits = text.get(span).filter(|digits| !digits.is_empty() && digits.len() < 9)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<(String, i64, i64, Option<i32>)> {
        let found = moments(text, 1).into_iter().next()?;
        let day = found.day.map_or_else(String::new, |day| {
            format!("{}-{}-{}", day.year.unwrap_or(0), day.month, day.day)
        });
        Some((day, found.of_day / SECOND, found.grain, found.offset))
    }

    #[test]
    fn every_way_to_write_one_instant() {
        let at = 14 * 3_600 + 7 * 60 + 52;
        let full = "2026-3-12".to_owned();
        for (text, grain, offset) in [
            ("2026-03-12T14:07:52.123Z INFO", 1_000, Some(0)),
            ("2026-03-12 14:07:52,123 - INFO", 1_000, None),
            ("Thu, 12 Mar 2026 14:07:52 +0000", SECOND, Some(0)),
            ("[12/Mar/2026:14:07:52 +0100] GET", SECOND, Some(60)),
            ("Thu Mar 12 14:07:52 UTC 2026", SECOND, Some(0)),
            ("2026-03-12 14:07:52 +0200 CEST", SECOND, Some(120)),
            ("2026/03/12 14:07:52 [error]", SECOND, None),
            ("at 14:07:52 UTC on 12 March 2026", SECOND, Some(0)),
            ("on March 12, 2026 at 14:07:52", SECOND, None),
        ] {
            assert_eq!(read(text), Some((full.clone(), at, grain, offset)), "{text}");
        }
        let no_year = "0-3-12".to_owned();
        assert_eq!(read("Mar 12 14:07:52 wk-1 kubelet"), Some((no_year.clone(), at, SECOND, None)));
        assert_eq!(read("I0312 14:07:52.123456   1 main.go:4"), Some((no_year, at, 1, None)));
        assert_eq!(read("at 14:07"), Some((String::new(), at - 52, MINUTE, None)));
        assert_eq!(read("at 2:07 pm"), Some((String::new(), at - 52, MINUTE, None)));
        for none in ["10.0.3.4:5432", "image:12", "a ratio of 25:61", "host:14:02:03:11"] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "(\\PC|[0-9]{1,2}:[0-9]{1,2}|:|Mar |12 |/|2026|-| ){0,30}") {
            for moment in moments(&text, 9) {
                prop_assert!(text.get(moment.span).is_some());
            }
            let _ = day_at(&text);
        }
    }
}
