//! Parses times in the formats of common tools.

use crate::text::figures::{ClockTime, Date, MONTHS, clock_at, date_at};
use crate::text::{byte_at, part};

/// Parses the time at the start of a text. Rejects a date without a time of day.
pub(super) fn time_at(text: &str) -> Option<ClockTime> {
    match text.as_bytes() {
        [b'0'..=b'9', ..] => numeric_date(text)
            .or_else(|| day_first(text))
            .or_else(|| clock_at(text).filter(|time| time.span.end > 4)),
        [b'I' | b'W' | b'E' | b'F', b'0'..=b'9', ..] => klog(text),
        [b'A'..=b'Z', b'a'..=b'z', b'a'..=b'z', ..] => month_first(text),
        _ => None,
    }
}

/// Parses a text that consists only of a time, which can also be a number of units since the epoch.
pub(super) fn whole_time(text: &str) -> Option<ClockTime> {
    if text.len() > 48 || text.len() < 5 {
        return None;
    }
    let time = time_at(text).or_else(|| epoch(text))?;
    let rest = part(text, time.span.end..text.len()).trim();
    let is_abbreviation = rest.len() <= 5 && rest.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_region = rest.len() <= 20
        && rest.contains('/')
        && rest.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'_'));
    (is_abbreviation || is_region).then_some(time)
}

/// Parses seconds, milliseconds, microseconds or nanoseconds since 1970, up to the year 2049.
pub(super) fn epoch(text: &str) -> Option<ClockTime> {
    const SECONDS: core::ops::Range<i64> = 1_000_000_000..2_500_000_000;
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_numeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_numeric(integer) || !is_numeric(fraction) {
        return None;
    }
    let divisor = match integer.len() {
        10 => 1,
        13 => 1_000,
        16 => 1_000_000,
        19 => 1_000_000_000,
        _ => return None,
    };
    let seconds = integer.parse::<i64>().ok()? / divisor;
    if !SECONDS.contains(&seconds) {
        return None;
    }
    let seconds_of_day = u32::try_from(seconds % 86_400).ok()?;
    Some(ClockTime {
        span: 0..text.len(),
        seconds_of_day,
        grain: 1,
        date: Some(civil(seconds / 86_400)?),
        offset_minutes: Some(0),
    })
}

/// Returns the date `days` after 1970-01-01.
fn civil(days: i64) -> Option<Date> {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Some(Date {
        year: u16::try_from(year).ok()?,
        month: u8::try_from(month).ok()?,
        day: u8::try_from(day).ok()?,
    })
}

/// Parses `2024-03-12T14:01:02.5Z`, `2024/03/12 14:01:02`, `2024.03.12 14:01:02`.
fn numeric_date(text: &str) -> Option<ClockTime> {
    let date = match byte_at(text, 4) {
        b'-' | b'/' => date_at(text)?,
        b'.' if byte_at(text, 7) == b'.' => {
            new_date(number(text, 0, 4)?, number(text, 5, 2)?, number(text, 8, 2)?)?
        }
        _ => return None,
    };
    clock_from(text, 10, Some(date))
}

/// Parses `12/Mar/2024:14:01:02 +0000`, `12 Mar 2024 14:01:02`, `12-Mar-2024 …`, `12.03.2024 14:01:02`,
/// `03/12/2024 14:01:02`.
fn day_first(text: &str) -> Option<ClockTime> {
    let day_length = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let separator = byte_at(text, day_length);
    if !(1..=2).contains(&day_length) || !matches!(separator, b'/' | b' ' | b'-' | b'.') {
        return None;
    }
    let day = number(text, 0, day_length)?;
    let second_start = day_length + 1;
    if let Some((month, length)) = month_at(part(text, second_start..text.len())) {
        let year_start = second_start + length + 1;
        if byte_at(text, second_start + length) != separator {
            return None;
        }
        let date = new_date(number(text, year_start, 4)?, month, day)?;
        return clock_from(text, year_start + 4, Some(date));
    }
    // The order of day and month is known only for dates with dots.
    let is_numeric =
        byte_at(text, second_start + 2) == separator && number(text, second_start, 2).is_some();
    let year = number(text, second_start + 3, 4).filter(|_| is_numeric)?;
    let date = match separator {
        b'.' => Some(new_date(year, number(text, second_start, 2)?, day)?),
        b'/' => None,
        _ => return None,
    };
    clock_from(text, second_start + 7, date)
}

/// Parses `Mar 12 14:01:02`, `Tue Mar 12 14:01:02 2024`, `Mar 12, 2024 @ 14:01:02`.
fn month_first(text: &str) -> Option<ClockTime> {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let mut month_start = 0;
    if DAYS.contains(&part(text, 0..3)) {
        month_start = 3 + usize::from(byte_at(text, 3) == b',') + 1;
        if byte_at(text, month_start).is_ascii_digit() {
            return shifted(day_first(part(text, month_start..text.len()))?, month_start);
        }
    }
    let (month, length) = month_at(part(text, month_start..text.len()))?;
    let mut day_start = month_start + length;
    while byte_at(text, day_start) == b' ' && day_start < month_start + length + 2 {
        day_start += 1;
    }
    let day_length =
        part(text, day_start..text.len()).bytes().take_while(u8::is_ascii_digit).count();
    if day_start == month_start + length || !(1..=2).contains(&day_length) {
        return None;
    }
    let day = number(text, day_start, day_length)?;
    let mut clock_start = day_start + day_length;
    let mut year = None;
    if byte_at(text, clock_start) == b',' {
        clock_start += 1;
    }
    if let Some(number_found) =
        number(text, clock_start + 1, 4).filter(|_| byte_at(text, clock_start + 5) == b' ')
    {
        year = Some(number_found);
        clock_start += 5;
        if byte_at(text, clock_start + 1) == b'@' {
            clock_start += 2;
        }
    }
    let date = year.and_then(|year| new_date(year, month, day));
    let mut time = clock_from(text, clock_start, date)?;
    let rest = part(text, time.span.end..text.len());
    let zone_length = rest
        .strip_prefix(' ')
        .map_or(0, |rest| rest.bytes().take(5).take_while(u8::is_ascii_uppercase).count());
    let zone_end = time.span.end + if zone_length > 0 { zone_length + 1 } else { 0 };
    if date.is_none()
        && let Some(year) = number(text, zone_end + 1, 4)
    {
        let is_whole_number = !byte_at(text, zone_end + 5).is_ascii_alphanumeric();
        if byte_at(text, zone_end) == b' ' && is_whole_number && (1970..2100).contains(&year) {
            time.date = new_date(year, month, day);
            time.span.end = zone_end + 5;
        }
    }
    Some(time)
}

fn klog(text: &str) -> Option<ClockTime> {
    number(text, 1, 4)?;
    (byte_at(text, 5) == b' ').then_some(())?;
    clock_from(text, 5, None)
}

fn clock_from(text: &str, offset: usize, date: Option<Date>) -> Option<ClockTime> {
    let has_separator = matches!(byte_at(text, offset), b' ' | b'T' | b't' | b':' | b'_' | b',');
    let mut start = offset + usize::from(has_separator);
    if has_separator && byte_at(text, start) == b' ' {
        start += 1;
    }
    if !has_separator {
        return None;
    }
    let time = clock_at(part(text, start..text.len()))?;
    Some(ClockTime { span: 0..start + time.span.end, date, ..time })
}

fn shifted(time: ClockTime, distance: usize) -> Option<ClockTime> {
    Some(ClockTime { span: 0..time.span.end + distance, ..time })
}

fn month_at(text: &str) -> Option<(u32, usize)> {
    let length = text.bytes().take(10).take_while(u8::is_ascii_alphabetic).count();
    let word = part(text, 0..length);
    // Fast path: most words do not start with the initial of a month.
    let first = byte_at(word, 0).to_ascii_uppercase();
    if length < 3 || !b"JFMASOND".contains(&first) {
        return None;
    }
    let month_index = MONTHS.iter().position(|name| {
        part(name, 0..3).eq_ignore_ascii_case(word) || name.eq_ignore_ascii_case(word)
    })?;
    Some((u32::try_from(month_index).ok()? + 1, length))
}

fn new_date(year: u32, month: u32, day: u32) -> Option<Date> {
    let date = Date {
        year: u16::try_from(year).ok()?,
        month: u8::try_from(month).ok()?,
        day: u8::try_from(day).ok()?,
    };
    let is_valid = (1..=12).contains(&date.month) && (1..=31).contains(&date.day) && date.year > 0;
    is_valid.then_some(date)
}

fn number(text: &str, offset: usize, count: usize) -> Option<u32> {
    let digits_text = text.get(offset..offset + count)?;
    let has_more_digits = byte_at(text, offset + count).is_ascii_digit();
    (!has_more_digits
        && !digits_text.is_empty()
        && digits_text.bytes().all(|byte| byte.is_ascii_digit()))
    .then(|| digits_text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    type ParsedTime = (u32, Option<(u16, u8, u8)>, Option<i32>, usize);

    fn read(text: &str) -> Option<ParsedTime> {
        time_at(text).map(|time| {
            let date = time.date.map(|date| (date.year, date.month, date.day));
            (time.seconds_of_day, date, time.offset_minutes, time.span.end)
        })
    }

    #[test]
    fn parses_the_time_formats_of_common_tools() {
        let day = Some((2024, 3, 12));
        for (text, date, offset, end) in [
            ("2024-03-12T14:01:02.25Z x", day, Some(0), 23),
            ("2024/03/12 14:01:02 [notice]", day, None, 19),
            ("2024.03.12 14:01:02 x", day, None, 19),
            ("12/Mar/2024:14:01:02 +0100] x", day, Some(60), 26),
            ("12 Mar 2024 14:01:02 x", day, None, 20),
            ("12.03.2024 14:01:02", day, None, 19),
            ("03/12/2024 02:01:02 PM", None, None, 22),
            ("Mar 12 14:01:02 host", None, None, 15),
            ("Tue Mar 12 14:01:02 2024", day, None, 24),
            ("Tue, 12 Mar 2024 14:01:02 +0000", day, Some(0), 31),
            ("Mar 12, 2024 @ 14:01:02.118", day, None, 27),
            ("I0312 14:01:02.118220  1 x.go", None, None, 21),
            ("14:01:02 x", None, None, 8),
        ] {
            assert_eq!(read(text), Some((50_462, date, offset, end)), "{text}");
        }
        assert_eq!(read("Mar  2 14:01:02 host").map(|time| time.3), Some(15));
        for text in ["2024-03-12", "12 pods", "March", "1.2.3.4 x", "Error 12", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn parses_times_since_the_epoch() {
        let seconds = epoch("1737506400").unwrap();
        assert_eq!(seconds.seconds(), Some(1_737_506_400));
        assert_eq!(epoch("1737506400118").unwrap().seconds(), Some(1_737_506_400));
        assert_eq!(epoch("1737506400.118").unwrap().seconds(), Some(1_737_506_400));
        assert_eq!(epoch("3010022117"), None);
        assert_eq!(epoch("312"), None);
        assert!(whole_time("2024-03-12 14:01:02 Europe/Lisbon").is_some());
        assert!(whole_time("14:01:02 CEST").is_some());
        assert!(whole_time("14:01:02 was restarted 3 times").is_none());
    }
}
