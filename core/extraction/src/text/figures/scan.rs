//! Finds the numbers in a text.
//!
//! A word that starts with a digit is parsed as a time or date, an address or version, a range, or a number with a
//! unit. If it is none of these, it is a code. A word that starts with a letter and contains digits is a name.

use core::ops::Range;

use super::clock::{self, DATE_LENGTH};
use super::context::{Neighbors, Recent, can_qualify, is_any, qualifiers_before};
use super::join::{join_durations, join_ranges};
use super::number::{Number, compound_duration, number_at, with_sign};
use super::spelled::{factor_word, fraction, half_duration, spelled};
use super::units_after::{per_time, power_after, unit_after};
use super::{Code, CodeKind, Comparator, Decimal, Figure, Figures, Unit};
use crate::text::tokens::{Shape, Word, Words, words};
use crate::text::{byte_at, char_before, part};

/// Finds the figures, times and codes in a text.
#[must_use]
pub fn figures(text: &str) -> Figures {
    let mut scanner =
        Scanner { text, figures: Figures::default(), recent: [const { None }; 4], parsed_to: 0 };
    let mut rest = words(text);
    while let Some(word) = rest.next() {
        if word.span.start >= scanner.parsed_to {
            scanner.read(&word, &rest);
        }
        let [first, second, third, _] = scanner.recent;
        scanner.recent = [Some(word), first, second, third];
    }
    join_ranges(text, &mut scanner.figures);
    join_durations(text, &mut scanner.figures);
    scanner.figures
}

struct Scanner<'a> {
    text: &'a str,
    figures: Figures,
    recent: Recent<'a>,
    /// The end of the last figure. Words before it are skipped.
    parsed_to: usize,
}

impl<'a> Scanner<'a> {
    fn previous(&self) -> Option<&Word<'a>> {
        self.recent.first().and_then(Option::as_ref)
    }

    fn read(&mut self, word: &Word<'a>, rest: &Words<'a>) {
        let first = byte_at(word.text, 0);
        if !first.is_ascii_digit() {
            if first.is_ascii_alphabetic() {
                self.parse_letters(word, rest);
            }
            return;
        }
        if self.is_part_of_name(word) {
            self.push_code(word.span.clone(), CodeKind::Identifier);
        } else if char_before(self.text, word.span.start) == Some('#') {
            self.push_code(word.span.clone(), CodeKind::Issue);
        } else if !self.parse_time(word) && !self.parse_named_number(word) {
            self.parse_number(word, rest);
        }
    }

    /// Returns `true` if the digits are part of a path or a name: `/orders/42`, `@sha256:4f…`.
    fn is_part_of_name(&self, word: &Word<'_>) -> bool {
        let start = word.span.start;
        match char_before(self.text, start) {
            Some('/') => {
                let second_previous = char_before(self.text, start - 1);
                let is_fraction = second_previous.is_some_and(|c| c.is_ascii_digit())
                    && word.shape() == Shape::Number;
                !is_fraction
            }
            Some('@' | '_' | '\\') => true,
            _ => false,
        }
    }

    fn parse_letters(&mut self, word: &Word<'a>, rest: &Words<'a>) {
        if let Some(count) = repeat_count(word.text) {
            self.push_figure(
                word.span.clone(),
                Decimal { mantissa: count, places: 0 },
                Unit::COUNT,
            );
        } else if word.text.bytes().any(|byte| byte.is_ascii_digit()) {
            let bytes = word.text.as_bytes();
            let is_version = matches!(bytes, [b'v' | b'V', digit, ..] if digit.is_ascii_digit())
                && bytes.iter().skip(1).all(|byte| byte.is_ascii_digit() || *byte == b'.');
            self.push_code(
                word.span.clone(),
                if is_version { CodeKind::Version } else { CodeKind::Identifier },
            );
        } else if let Some((value, unit, end)) = fraction(word, rest) {
            self.push_figure(word.span.start..end, value, unit);
        } else if let Some((mantissa, unit)) = self.spelled(word, rest) {
            self.push_number(word.span.clone(), Decimal { mantissa, places: 0 }, unit, rest);
        } else if let Some((unit, end)) = half_duration(word, rest) {
            self.push_figure(word.span.start..end, Decimal { mantissa: 5, places: 1 }, unit);
        } else if let Some((mantissa, places, unit)) = factor_word(word) {
            self.push_figure(word.span.clone(), Decimal { mantissa, places }, unit);
        }
    }

    /// Parses "zero" to "twenty", "thirty" to "ninety", "once" and "twice" if they count something.
    fn spelled(&self, word: &Word<'_>, rest: &Words<'_>) -> Option<(i128, Option<Unit>)> {
        let initial = byte_at(word.text, 0).to_ascii_lowercase();
        if word.text.len() > 9 || !b"efnostz".contains(&initial) {
            return None;
        }
        let next = || rest.clone().next();
        if word.is("twice") {
            return Some((2, Some(times_unit(next().as_ref()))));
        }
        if word.is("once") {
            let is_count = next().is_none_or(|next| {
                is_any(&next, &["at", "in", "on", "per", "during", "between", "every"])
            });
            let is_first = self.previous().is_none();
            return (is_count && !is_first).then_some((1, Some(Unit::COUNT)));
        }
        let value = spelled(word.text)?;
        if value == 1 {
            let is_pronoun = self.previous().is_some_and(|previous| {
                is_any(
                    previous,
                    &["no", "any", "this", "that", "each", "which", "every", "the", "odd", "other"],
                )
            }) || next().is_none_or(|next| {
                is_any(
                    &next,
                    &[
                        "of", "can", "could", "should", "would", "by", "or", "more", "that",
                        "which", "another", "is", "was",
                    ],
                )
            });
            if is_pronoun {
                return None;
            }
        }
        Some((i128::from(value), None))
    }

    fn parse_time(&mut self, word: &Word<'_>) -> bool {
        let start = word.span.start;
        let rest = part(self.text, start..self.text.len());
        if let Some(date) = clock::date_at(rest) {
            let mut clock_start = DATE_LENGTH;
            if matches!(byte_at(rest, clock_start), b'T' | b't' | b' ' | b'_') {
                clock_start += 1;
            }
            let tail = part(rest, clock_start..rest.len());
            if let Some(mut time) = clock::clock_at(tail).filter(|_| clock_start > DATE_LENGTH) {
                time.span = start..start + clock_start + time.span.end;
                time.date = Some(date);
                self.parsed_to = time.span.end;
                self.figures.times.push(time);
            } else {
                self.push_code(start..start + DATE_LENGTH, CodeKind::Date);
            }
            return true;
        }
        let time =
            if word.text.contains(':') { clock::clock_at(rest) } else { clock::hour_at(rest) };
        let Some(mut time) = time else { return false };
        time.span = start..start + time.span.end;
        self.parsed_to = time.span.end;
        self.figures.times.push(time);
        true
    }

    /// Parses addresses, versions and ids: digits and separators that are not a number.
    fn parse_named_number(&mut self, word: &Word<'_>) -> bool {
        let (host, port) =
            word.text.split_once(':').map_or((word.text, None), |(host, port)| (host, Some(port)));
        let dot_count = host.bytes().filter(|byte| *byte == b'.').count();
        let is_numeric = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let kind = if is_numeric && dot_count == 3 {
            CodeKind::Address
        } else if port.is_some() {
            CodeKind::Identifier
        } else if is_numeric && dot_count >= 2
            || dot_count == 1 && byte_at(self.text, word.span.start.saturating_sub(1)) == b'/'
        {
            CodeKind::Version
        } else if is_status_family(word.text) {
            CodeKind::HttpStatus
        } else if is_ordinal(word.text) || (is_numeric && dot_count == 0 && word.text.len() > 15) {
            CodeKind::Identifier
        } else {
            return false;
        };
        self.push_code(word.span.clone(), kind);
        true
    }

    fn parse_number(&mut self, word: &Word<'a>, rest: &Words<'a>) {
        let start = word.span.start;
        let Some(number) = number_at(self.text, start) else {
            self.push_code(word.span.clone(), CodeKind::Identifier);
            return;
        };
        let suffix = part(self.text, number.end..word.span.end.max(number.end));
        if suffix.is_empty() {
            let digits = part(self.text, start..number.end);
            let neighbors = self.neighbors(number.end);
            let is_unitless =
                number.decimal.places == 0 && unit_after(self.text, number.end).is_none();
            if let Some(kind) =
                neighbors.code_kind(digits).filter(|kind| is_unitless || *kind == CodeKind::Version)
            {
                self.push_code(start..number.end, kind);
            } else {
                self.push_number(start..number.end, number.decimal, None, rest);
            }
            return;
        }
        if let Some(tail) = suffix.strip_prefix('-') {
            self.parse_hyphenated(word, &number, tail, rest);
        } else {
            self.parse_suffixed(word, &number, suffix);
        }
    }

    /// Parses `5-10ms`, `10-minute`, `3-node`, or an id such as `4711-a`.
    fn parse_hyphenated(
        &mut self,
        word: &Word<'a>,
        number: &Number,
        tail: &'a str,
        rest: &Words<'a>,
    ) {
        let tail_start = number.end + 1;
        if tail.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            let unit = Unit::from_name(tail);
            let end = if unit.is_some() { word.span.end } else { number.end };
            self.push_figure(word.span.start..end, number.decimal, unit.unwrap_or(Unit::COUNT));
            return;
        }
        let second = number_at(self.text, tail_start).filter(|second| {
            let unit = part(self.text, second.end..word.span.end.max(second.end));
            unit.is_empty() || Unit::from_name(unit).is_some()
        });
        let Some(second) = second else {
            self.push_code(word.span.clone(), CodeKind::Identifier);
            return;
        };
        let unit_text = part(self.text, second.end..word.span.end.max(second.end));
        self.push_figure(word.span.start..number.end, number.decimal, Unit::COUNT);
        match Unit::from_name(unit_text) {
            Some(unit) => self.push_figure(tail_start..word.span.end, second.decimal, unit),
            None => self.push_number(tail_start..second.end, second.decimal, None, rest),
        }
    }

    /// Parses a number with a suffix: `1.8s`, `512Mi`, `1h30m`, `5k`, `503s`, or an id.
    fn parse_suffixed(&mut self, word: &Word<'a>, number: &Number, suffix: &'a str) {
        let start = word.span.start;
        let neighbors = self.neighbors(word.span.end);
        if suffix == "s" && number.decimal.places == 0 {
            let value = u32::try_from(number.decimal.mantissa).unwrap_or(u32::MAX);
            let has_key = matches!(char_before(self.text, start), Some('=' | ':'));
            if neighbors.is_status_plural(value) && !has_key {
                self.push_code(start..number.end, CodeKind::HttpStatus);
                return;
            }
        }
        if let Some(power) = multiplier(suffix) {
            if let Some(decimal) = number.decimal.times_power(power) {
                self.push_figure(word.span.clone(), decimal, Unit::COUNT);
            }
            return;
        }
        let is_millicores = suffix == "m" && neighbors.mentions_cpu();
        let unit = if is_millicores { Some(Unit::MILLICORES) } else { Unit::from_name(suffix) };
        if let Some(unit) = unit {
            let (unit, end) = per_time(self.text, unit, word.span.end);
            self.push_figure(start..end, number.decimal, unit);
        } else if let Some(decimal) = compound_duration(word.text) {
            self.push_figure(word.span.clone(), decimal.0, decimal.1);
        } else {
            self.push_code(word.span.clone(), CodeKind::Identifier);
        }
    }

    /// Adds a number with the given unit, or with the unit after it if none is given.
    fn push_number(
        &mut self,
        span: Range<usize>,
        decimal: Decimal,
        unit: Option<Unit>,
        rest: &Words<'a>,
    ) {
        if let Some(unit) = unit {
            self.push_figure(span, decimal, unit);
            return;
        }
        let following = unit_after(self.text, span.end);
        if let Some((power, end)) = power_after(self.text, span.end) {
            if let Some(decimal) = decimal.times_power(power) {
                self.push_figure(span.start..end, decimal, Unit::COUNT);
                // "3.1 million" is rounded.
                if let Some(figure) = self.figures.figures.last_mut() {
                    figure.approximate = true;
                }
            }
        } else if let Some((unit, end)) = following {
            self.push_figure(span.start..end, decimal, unit);
        } else {
            let field_unit = self.field_before(span.start).and_then(Unit::from_field_name);
            let times = rest.clone().find(|next| next.span.start >= span.end);
            let unit = match times {
                Some(times) if times.is("times") || times.is("fold") => {
                    let next = words(part(self.text, times.span.end..self.text.len())).next();
                    if times.is("fold") { Unit::MULTIPLE } else { times_unit(next.as_ref()) }
                }
                _ => field_unit.unwrap_or(Unit::COUNT),
            };
            self.push_figure(span, decimal, unit);
        }
    }

    /// Returns the name of the field that contains a number: `"p99_ms": 1800`, `durationMs=1855`.
    fn field_before(&self, start: usize) -> Option<&'a str> {
        let field = self.previous()?;
        let between = part(self.text, field.span.end..start);
        let is_assignment = between.contains(['=', ':'])
            && between.bytes().all(|byte| matches!(byte, b'"' | b'\'' | b' ' | b'=' | b':'));
        is_assignment.then_some(field.text)
    }

    fn neighbors(&self, end: usize) -> Neighbors<'_> {
        Neighbors {
            recent: &self.recent,
            next: words(part(self.text, end..self.text.len())).next(),
        }
    }

    fn push_code(&mut self, span: Range<usize>, kind: CodeKind) {
        self.parsed_to = span.end;
        self.figures.codes.push(Code { span, kind });
    }

    fn push_figure(&mut self, span: Range<usize>, value: Decimal, unit: Unit) {
        let (span, value) = with_sign(self.text, span, value);
        let (approximate, mut comparator) = if can_qualify(self.text, span.start, self.previous()) {
            qualifiers_before(self.text, span.start, unit)
        } else {
            (false, None)
        };
        let mut end = span.end;
        if byte_at(self.text, end) == b'+' && !byte_at(self.text, end + 1).is_ascii_digit() {
            comparator = comparator.or(Some(Comparator::AtLeast));
            end += 1;
        }
        self.parsed_to = end;
        self.figures.figures.push(Figure { span, value, unit, approximate, comparator });
    }
}

fn repeat_count(word: &str) -> Option<i128> {
    word.strip_prefix('x').filter(|digits| digits.len() <= 9)?.parse().ok()
}

fn times_unit(next: Option<&Word<'_>>) -> Unit {
    if Neighbors::times_is_factor(next) { Unit::MULTIPLE } else { Unit::COUNT }
}

fn multiplier(suffix: &str) -> Option<u32> {
    match suffix {
        "k" | "K" => Some(3),
        "M" => Some(6),
        "bn" => Some(9),
        _ => None,
    }
}

fn is_status_family(word: &str) -> bool {
    matches!(word.as_bytes(), [b'1'..=b'5', b'x' | b'X', b'x' | b'X'])
}

fn is_ordinal(word: &str) -> bool {
    ["st", "nd", "rd", "th"].iter().any(|ending| {
        word.strip_suffix(ending)
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(text: &str) -> Vec<String> {
        let figures = figures(text);
        figures
            .figures
            .iter()
            .map(|f| {
                format!(
                    "{}e-{} {:?}*{}",
                    f.value.mantissa, f.value.places, f.unit.dimension, f.unit.factor
                )
            })
            .collect()
    }

    fn codes(text: &str) -> Vec<(&str, CodeKind)> {
        figures(text).codes.into_iter().map(|code| (part(text, code.span), code.kind)).collect()
    }

    fn quantities(text: &str) -> Vec<&str> {
        figures(text).figures.into_iter().map(|figure| part(text, figure.span)).collect()
    }

    #[test]
    fn finds_quantities_with_units() {
        assert_eq!(
            quantities(
                "p99 rose from 120 ms to 1.8s, CPU 97 %, memory 512Mi of 1Gi, 1,200 req/s, 5 MB/s, twice, three times, -5 °C"
            ),
            [
                "120 ms", "1.8s", "97 %", "512Mi", "1Gi", "1,200 req/s", "5 MB/s", "twice",
                "three", "-5"
            ],
        );
        assert_eq!(values("a 10-minute window"), ["10e-0 Duration*60000000000"]);
        assert_eq!(values("5-10 ms"), ["5e-0 Duration*1000000", "10e-0 Duration*1000000"]);
        assert_eq!(
            values("requests cpu 250m for 250m"),
            ["250e-0 Cores*1000000", "250e-0 Duration*60000000000"]
        );
        assert_eq!(values("2 minutes 30 seconds"), ["150e-0 Duration*1000000000"]);
        assert_eq!(
            values("{\"p99_ms\": 1800, \"ratio\": 1.2e-05}"),
            ["1800e-0 Duration*1000000", "12e-6 Count*1"]
        );
        assert_eq!(values("1.5 million of 5k"), ["1500000e-0 Count*1", "5000e-0 Count*1"]);
        assert_eq!(values("[100,200,300]"), ["100e-0 Count*1", "200e-0 Count*1", "300e-0 Count*1"]);
        assert_eq!(values("0/5 ready"), ["0e-0 Count*1", "5e-0 Count*1"]);
        assert_eq!(values("latency of .5 s"), ["5e-1 Duration*1000000000"]);
        assert_eq!(values("40 requests per second"), ["40e-0 Rate*86400"]);
    }

    #[test]
    fn codes_are_not_figures() {
        let text = "node-6 and checkout-7f9c4d-x2x1z v2.3.1 on port 8080 at 10.0.3.4:5432, incident #4711, HTTP 503, returned 503s and 5xx, exit code 137, in 2024 on 2024-05-01, p99, the 99th, 4f1c2d3e, /orders/42, version 1.29, k8s";
        assert_eq!(quantities(text), [""; 0]);
        use CodeKind::{Address, Date, ExitCode, HttpStatus, Identifier, Issue, Port, Version};
        assert_eq!(
            codes(text),
            [
                ("node-6", Identifier),
                ("checkout-7f9c4d-x2x1z", Identifier),
                ("v2.3.1", Version),
                ("8080", Port),
                ("10.0.3.4:5432", Address),
                ("4711", Issue),
                ("503", HttpStatus),
                ("503", HttpStatus),
                ("5xx", HttpStatus),
                ("137", ExitCode),
                ("2024", Date),
                ("2024-05-01", Date),
                ("p99", Identifier),
                ("99th", Identifier),
                ("4f1c2d3e", Identifier),
                ("42", Identifier),
                ("1.29", Version),
                ("k8s", Identifier),
            ],
        );
    }

    #[test]
    fn http_statuses_in_logs_are_not_figures() {
        let text = "INFO: 172.31.1.249:37648 - \"GET /metrics HTTP/1.1\" 200 OK";
        assert_eq!(quantities(text), [""; 0]);
        assert!(codes(text).contains(&("200", CodeKind::HttpStatus)));
    }

    #[test]
    fn parses_times_with_date_and_zone() {
        let text = "At 14:02, at 2024-05-01T14:02:31.250Z and on 2024-05-01 14:17 UTC; 2 p.m.";
        let times: Vec<_> = figures(text)
            .times
            .into_iter()
            .map(|t| (part(text, t.span).to_owned(), t.date.is_some(), t.offset_minutes))
            .collect();
        assert_eq!(
            times,
            [
                ("14:02".to_owned(), false, None),
                ("2024-05-01T14:02:31.250Z".to_owned(), true, Some(0)),
                ("2024-05-01 14:17 UTC".to_owned(), true, Some(0)),
                ("2 p.m".to_owned(), false, None),
            ],
        );
        assert_eq!(quantities(text), [""; 0]);
    }

    #[test]
    fn finds_approximations_and_bounds() {
        let qualifiers = |text: &str| {
            let f = figures(text).figures.remove(0);
            (f.approximate, f.comparator)
        };
        assert_eq!(qualifiers("about 97 %"), (true, None));
        assert_eq!(qualifiers("~ 5 s"), (true, None));
        assert_eq!(qualifiers("at least 3 pods"), (false, Some(Comparator::AtLeast)));
        assert_eq!(qualifiers("no more than 3 pods"), (false, Some(Comparator::AtMost)));
        assert_eq!(qualifiers("well over 90 %"), (false, Some(Comparator::Over)));
        assert_eq!(qualifiers("just under 200 ms"), (true, Some(Comparator::Under)));
        assert_eq!(qualifiers("100+ errors"), (false, Some(Comparator::AtLeast)));
        assert_eq!(qualifiers("handover 5 pods"), (false, None));
        assert_eq!(qualifiers("<unset>   28d"), (false, None));
        assert_eq!(qualifiers("> 90 %"), (false, Some(Comparator::Over)));
    }

    #[test]
    fn ignores_pronouns_and_conjunctions() {
        assert_eq!(
            quantities("Once the rollout ended, no one of the pods, one of which failed"),
            [""; 0]
        );
        assert_eq!(quantities("worker-4 is the odd one out, the other one is not"), [""; 0]);
        assert_eq!(quantities("It restarted once."), ["once"]);
        assert_eq!(quantities("one pod restarted"), ["one"]);
    }

    proptest! {
        #[test]
        fn scanning_never_panics_and_returns_valid_spans(text in "(\\PC|[0-9]{1,4}|[0-9]{1,3}(ms|s|Mi|h3m|%|xx| per s|/s|e9|e-9|,000)| |[-.:/#T×]|about |at least |2024-05-01|14:02){0,30}") {
            let figures = figures(&text);
            for span in figures.figures.iter().map(|f| &f.span)
                .chain(figures.times.iter().map(|t| &t.span))
                .chain(figures.codes.iter().map(|c| &c.span)) {
                prop_assert!(text.get(span.clone()).is_some_and(|figure_text| !figure_text.is_empty()), "{span:?} of {text:?}");
            }
            for a in &figures.figures {
                for b in &figures.figures {
                    let _ = super::super::agree(a, b);
                }
            }
        }

        #[test]
        fn figures_agree_with_themselves(number in 0_u32..1_000_000, places in 0_u32..4, unit in "(| ms| s|%| MiB| req/s| cores)") {
            let text = if places == 0 { format!("{number}{unit}") } else { format!("{number}.{:0width$}{unit}", number % 10_u32.pow(places), width = places as usize) };
            let figures = figures(&text);
            if let Some(figure) = figures.figures.first() {
                prop_assert_eq!(super::super::agree(figure, figure), super::super::Agreement::Same);
            }
        }
    }
}
