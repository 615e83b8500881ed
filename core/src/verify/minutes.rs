//! This module reads which minutes of the day a text mentions, in whatever notation: `14:02`, `2:02 PM`, `T14:02:31Z`,
//! seconds since 1970. It is generous: what it does not find, the text does not mention.

use alloc::collections::BTreeSet;

use memchr::memchr_iter;

use super::quotes;
use crate::text::{byte_at, part};

/// The minutes of a day.
const DAY: u16 = 1_440;

/// The minutes of the day in a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Minutes {
    of_day: BTreeSet<u16>,
    /// Whether times of several zones may stand in it.
    has_zones: bool,
}

impl Minutes {
    pub(super) fn of(text: &str) -> Self {
        let mut minutes = Self { of_day: BTreeSet::new(), has_zones: names_zone(text) };
        for colon in memchr_iter(b':', text.as_bytes()) {
            minutes.read_clock(text, colon);
        }
        minutes.read_stamps(text);
        minutes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of_day.is_empty()
    }

    pub(super) const fn has_zones(&self) -> bool {
        self.has_zones
    }

    /// Whether a minute is mentioned, one more or less; in some other zone where `zones` may differ.
    pub(super) fn mention(&self, minute: u16, zones: bool) -> bool {
        const HALF_HOUR: u16 = 30;
        let beside = [minute, (minute + 1) % DAY, (minute + DAY - 1) % DAY];
        beside.iter().any(|minute| self.of_day.contains(minute))
            || zones && self.of_day.iter().any(|other| other % HALF_HOUR == minute % HALF_HOUR)
    }

    fn read_clock(&mut self, text: &str, colon: usize) {
        let digit = |at: usize| {
            let byte = byte_at(text, at);
            byte.is_ascii_digit().then(|| u16::from(byte - b'0'))
        };
        let Some(units) = colon.checked_sub(1).and_then(digit) else { return };
        let tens = colon.checked_sub(2).and_then(digit);
        let before = colon.checked_sub(if tens.is_some() { 3 } else { 2 });
        let torn = before
            .is_some_and(|at| byte_at(text, at).is_ascii_digit() || byte_at(text, at) == b':');
        let minute = digit(colon + 1).zip(digit(colon + 2)).map(|(tens, units)| tens * 10 + units);
        let (Some(minute), false) = (minute.filter(|minute| *minute < 60), torn) else { return };
        let mut hour = tens.unwrap_or(0) * 10 + units;
        let mut end = colon + 3;
        if hour > 23 || digit(end).is_some() {
            return;
        }
        while matches!(byte_at(text, end), b':' | b'.' | b',') && digit(end + 1).is_some() {
            end += 2;
            while digit(end).is_some() {
                end += 1;
            }
        }
        let rest = part(text, end..(end + 6).min(text.len())).trim_start();
        let half = part(rest, 0..2.min(rest.len())).to_ascii_lowercase();
        if hour <= 12 && (half == "am" || half == "pm") {
            hour = hour % 12 + if half == "pm" { 12 } else { 0 };
        }
        self.has_zones |= matches!(rest.as_bytes(), [b'+' | b'-', a, b, ..] if a.is_ascii_digit() && b.is_ascii_digit());
        self.of_day.insert(hour * 60 + minute);
    }

    /// Seconds since 1970, or finer, of the years 2017 to 2033.
    fn read_stamps(&mut self, text: &str) {
        const SECONDS: usize = 10;
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let run = bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
            let is_stamp = matches!(run, 10 | 13 | 16 | 19)
                && byte_at(text, at) == b'1'
                && byte_at(text, at + 1) >= b'5';
            if is_stamp && let Ok(seconds) = part(text, at..at + SECONDS).parse::<u64>() {
                self.of_day.extend(u16::try_from(seconds / 60 % u64::from(DAY)));
            }
            at += run.max(1);
        }
    }
}

fn names_zone(text: &str) -> bool {
    const ZONES: [&str; 21] = [
        "CEST", "CET", "BST", "EST", "EDT", "PST", "PDT", "MST", "MDT", "CST", "CDT", "IST", "JST",
        "SGT", "AEST", "BRT", "EEST", "EET", "WEST", "local", "TZ",
    ];
    const REGIONS: [&str; 5] = ["Europe/", "America/", "Asia/", "Africa/", "Australia/"];
    ZONES.iter().any(|zone| quotes::find(text, zone).is_some())
        || REGIONS.iter().any(|region| text.contains(region))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> alloc::vec::Vec<u16> {
        Minutes::of(text).of_day.into_iter().collect()
    }

    #[test]
    fn every_notation_is_read() {
        for text in [
            "at 14:02",
            "2024-05-01T14:02:31.250Z",
            "2:02 PM",
            "05/01/2024 02:02:31 pm",
            "[1714572151, 3]",
            "1714572151000",
        ] {
            assert_eq!(read(text), [842], "{text}");
        }
        for text in ["10.0.0.1:5432", "took 3:75", "a::b:12", "12345678901", "1:2:3"] {
            assert!(read(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn zones_shift_by_half_hours_where_there_are_any() {
        let here = Minutes::of("14:02 UTC");
        assert!(here.mention(842, false) && here.mention(843, false) && !here.mention(844, false));
        assert!(!here.has_zones() && !here.mention(722, here.has_zones()));
        for text in ["2024-05-01T14:02:31+02:00", "14:02 CEST", "14:02:31 -0700"] {
            let shifted = Minutes::of(text);
            assert!(shifted.has_zones() && shifted.mention(722, true), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "(\\PC|[0-9:.,+ ]){0,60}") {
            let minutes = Minutes::of(&text);
            prop_assert!(minutes.of_day.iter().all(|minute| *minute < DAY));
        }
    }
}
