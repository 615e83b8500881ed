//! Parses clock times: a time of day, with the date and the zone if they are stated.

use core::ops::Range;

use crate::text::{byte_at, part};

/// The English months in lower case. The first three letters are the abbreviations.
pub const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
];

/// A calendar day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The year, 1 to 9999.
    pub year: u16,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, 1 to 31.
    pub day: u8,
}

impl Date {
    /// Returns the days since 1970-01-01 in the proleptic Gregorian calendar.
    #[must_use]
    pub fn days(self) -> i64 {
        // Years start in March, so the leap day is the last day of the year.
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = i64::from(self.year) - i64::from(month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
            - 719_468
    }
}

/// A time of day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockTime {
    /// The byte range, including date and zone.
    pub span: Range<usize>,
    /// Seconds since midnight, 0 to 86,399.
    pub seconds_of_day: u32,
    /// The precision in seconds: 3600, 60 or 1.
    pub grain: u32,
    /// The date, if stated.
    pub date: Option<Date>,
    /// The offset from UTC in minutes, if stated.
    pub offset_minutes: Option<i32>,
}

impl ClockTime {
    /// Returns the Unix time in seconds if the date is stated. Assumes UTC if the zone is not stated.
    #[must_use]
    pub fn seconds(&self) -> Option<i64> {
        let offset = i64::from(self.offset_minutes.unwrap_or(0)) * 60;
        self.date.map(|date| date.days() * 86_400 + i64::from(self.seconds_of_day) - offset)
    }
}

/// Parses `2024-05-01` at the start of a text.
pub(crate) fn date_at(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let separator = bytes.get(4).copied().filter(|byte| matches!(byte, b'-' | b'/'))?;
    if bytes.get(7) != Some(&separator) || byte_at(text, 10).is_ascii_digit() {
        return None;
    }
    let date = Date {
        year: u16::try_from(digits(text, 0..4)?).ok()?,
        month: u8::try_from(digits(text, 5..7)?).ok()?,
        day: u8::try_from(digits(text, 8..10)?).ok()?,
    };
    ((1..=12).contains(&date.month) && (1..=31).contains(&date.day) && date.year > 0)
        .then_some(date)
}

pub(crate) const DATE_LENGTH: usize = 10;

/// Parses `14:02`, `14:02:31` or `14:02:31.250` with an optional zone at the start of a text. `span` starts at 0.
pub(crate) fn clock_at(text: &str) -> Option<ClockTime> {
    let hour_digits = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
    if !(1..=2).contains(&hour_digits) || byte_at(text, hour_digits) != b':' {
        return None;
    }
    let hour = digits(text, 0..hour_digits)?;
    let minute = digits(text, hour_digits + 1..hour_digits + 3)?;
    let mut end = hour_digits + 3;
    let (mut second, mut grain) = (0, 60);
    if byte_at(text, end) == b':' && byte_at(text, end + 1).is_ascii_digit() {
        second = digits(text, end + 1..end + 3)?;
        grain = 1;
        end += 3;
        if matches!(byte_at(text, end), b'.' | b',') && byte_at(text, end + 1).is_ascii_digit() {
            end +=
                1 + part(text, end + 1..text.len()).bytes().take_while(u8::is_ascii_digit).count();
        }
    }
    if byte_at(text, end).is_ascii_digit() || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let (hour, after_meridiem) = with_meridiem(text, hour, end);
    let (offset_minutes, end) = zone_at(text, after_meridiem);
    let seconds_of_day = (hour * 3_600 + minute * 60 + second) % 86_400;
    Some(ClockTime { span: 0..end, seconds_of_day, grain, date: None, offset_minutes })
}

/// Parses `2 pm` at the start of a text.
pub(super) fn hour_at(text: &str) -> Option<ClockTime> {
    let count = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let hour = digits(text, 0..count).filter(|hour| (1..=12).contains(hour))?;
    let (hour_of_day, end) = with_meridiem(text, hour, count);
    if end == count {
        return None;
    }
    let (offset_minutes, end) = zone_at(text, end);
    Some(ClockTime {
        span: 0..end,
        seconds_of_day: hour_of_day * 3_600,
        grain: 3_600,
        date: None,
        offset_minutes,
    })
}

fn with_meridiem(text: &str, hour: u32, end: usize) -> (u32, usize) {
    let start = end + usize::from(byte_at(text, end) == b' ');
    let find_mark = |candidates: [&'static str; 2]| {
        candidates.into_iter().find(|mark| {
            text.get(start..start + mark.len())
                .is_some_and(|candidate| candidate.eq_ignore_ascii_case(mark))
                && !byte_at(text, start + mark.len()).is_ascii_alphanumeric()
        })
    };
    if hour > 12 || hour == 0 {
        (hour, end)
    } else if let Some(mark) = find_mark(["am", "a.m"]) {
        (hour % 12, start + mark.len())
    } else if let Some(mark) = find_mark(["pm", "p.m"]) {
        (hour % 12 + 12, start + mark.len())
    } else {
        (hour, end)
    }
}

/// Parses `Z`, `UTC`, `GMT` or `+02:00` after a time. Returns the UTC offset in minutes and the end.
fn zone_at(text: &str, offset: usize) -> (Option<i32>, usize) {
    if byte_at(text, offset) == b'Z' && !byte_at(text, offset + 1).is_ascii_alphanumeric() {
        return (Some(0), offset + 1);
    }
    let start = offset + usize::from(byte_at(text, offset) == b' ');
    for zone in ["UTC", "GMT", "Z"] {
        let is_whole_word = !byte_at(text, start + zone.len()).is_ascii_alphanumeric();
        if text.get(start..start + zone.len()) == Some(zone) && is_whole_word {
            return (Some(0), start + zone.len());
        }
    }
    let sign = match byte_at(text, start) {
        b'+' => 1,
        b'-' => -1,
        _ => return (None, offset),
    };
    let Some(hours) = digits(text, start + 1..start + 3) else { return (None, offset) };
    let colon_length = usize::from(byte_at(text, start + 3) == b':');
    let minutes_start = start + 3 + colon_length;
    let (minutes, end) = match digits(text, minutes_start..minutes_start + 2) {
        Some(minutes) => (minutes, minutes_start + 2),
        None => return (None, offset),
    };
    if hours > 14 || minutes > 59 || byte_at(text, end).is_ascii_digit() {
        return (None, offset);
    }
    let offset_minutes = i32::try_from(hours * 60 + minutes).unwrap_or(0);
    (Some(sign * offset_minutes), end)
}

fn digits(text: &str, span: Range<usize>) -> Option<u32> {
    let digit_text = text.get(span)?;
    if digit_text.is_empty() || !digit_text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digit_text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_the_epoch() {
        let days = |year, month, day| Date { year, month, day }.days();
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(2000, 3, 1), 11_017);
        assert_eq!(days(2024, 2, 29) + 1, days(2024, 3, 1));
        assert_eq!(days(1969, 12, 31), -1);
    }

    #[test]
    fn parses_times_of_day_with_zones() {
        let parse = |text| {
            clock_at(text).map(|t| (t.seconds_of_day, t.grain, t.offset_minutes, t.span.end))
        };
        assert_eq!(parse("14:02"), Some((50_520, 60, None, 5)));
        assert_eq!(parse("14:02:31.250Z"), Some((50_551, 1, Some(0), 13)));
        assert_eq!(parse("14:02:31+02:00"), Some((50_551, 1, Some(120), 14)));
        assert_eq!(parse("14:02:31 +0200"), Some((50_551, 1, Some(120), 14)));
        assert_eq!(parse("14:02 - 14:17"), Some((50_520, 60, None, 5)));
        assert_eq!(parse("2:02 pm UTC"), Some((50_520, 60, Some(0), 11)));
        assert_eq!(parse("25:02"), None);
        assert_eq!(parse("14:72"), None);
        assert_eq!(parse("14:2"), None);
        assert_eq!(hour_at("2 p.m.").map(|t| t.seconds_of_day), Some(50_400));
        assert_eq!(hour_at("2 pods"), None);
    }
}
