//! Interprets the words around a number: bounds, approximations, HTTP statuses, ports.

use super::{CodeKind, Comparator, Dimension, MONTHS, Unit};
use crate::text::tokens::{Word, ends_ignoring_case};
use crate::text::{byte_at, part};

/// Fast check for a sign or word before a number that can qualify it.
pub(super) fn can_qualify(text: &str, start: usize, previous: Option<&Word<'_>>) -> bool {
    const LAST: [&str; 27] = [
        "about", "around", "roughly", "approximately", "approx", "nearly", "almost", "circa", "ca",
        "to", "just", "some", "least", "than", "of", "most", "within", "over", "above",
        "exceeding", "exceeded", "exceeds", "under", "below", "well", "only", "even",
    ];
    let before = part(text, 0..start);
    let last = before.trim_end().bytes().next_back().unwrap_or(0);
    let is_sign = !last.is_ascii() || matches!(last, b'~' | b'<' | b'>' | b'=');
    is_sign || previous.is_some_and(|word| word.span.end + 3 >= start && is_any(word, &LAST))
}

/// Returns whether the words before a number mark it as approximate, and the bound that they state. A bound is
/// approximate if the value is close to it: "just over 5", but not "within about 5".
pub(super) fn qualifiers_before(
    text: &str,
    start: usize,
    unit: Unit,
) -> (bool, Option<Comparator>) {
    const REACH: usize = 40;
    let (mut approximate, mut comparator) = (false, None);
    let mut window_start = start.saturating_sub(REACH);
    while !text.is_char_boundary(window_start) {
        window_start += 1;
    }
    let mut preceding = part(text, window_start..start);
    loop {
        if let Some(rest) = strip_any(preceding, &APPROXIMATE) {
            approximate = true;
            preceding = rest;
        } else if let Some((rest, bound)) = BOUNDS
            .iter()
            .find_map(|(phrases, bound)| strip_any(preceding, phrases).map(|rest| (rest, *bound)))
        {
            comparator.get_or_insert(bound);
            approximate = false;
            preceding = rest;
        } else {
            break;
        }
    }
    // "over 5 minutes" can mean "in the course of" as well as "more than".
    if comparator == Some(Comparator::Over) && unit.dimension == Dimension::Duration {
        comparator = Some(Comparator::AtLeast);
    }
    (approximate, comparator)
}

fn strip_any<'a>(text: &'a str, endings: &[&str]) -> Option<&'a str> {
    let bare = text.trim_end();
    endings.iter().find_map(|ending| {
        if !ends_ignoring_case(bare, ending) {
            return None;
        }
        let rest = part(bare, 0..bare.len() - ending.len());
        let is_word = byte_at(ending, 0).is_ascii_alphabetic();
        // A sign applies only to the next number; the end of `<none>` is not a sign.
        let is_separate = if is_word {
            !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-')
        } else {
            text.len() - bare.len() <= 1
                && !rest.ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '=')
        };
        is_separate.then_some(rest)
    })
}

const APPROXIMATE: [&str; 18] = [
    "~", "≈", "about", "around", "roughly", "approximately", "approx.", "approx", "nearly",
    "almost", "circa", "ca.", "close to", "just", "slightly", "a little", "a bit", "some",
];

const BOUNDS: [(&[&str], Comparator); 4] = [
    (
        &["at least", "no fewer than", "no less than", "not less than", "minimum of", "≥", ">="],
        Comparator::AtLeast,
    ),
    (
        &["at most", "no more than", "not more than", "up to", "maximum of", "within", "≤", "<="],
        Comparator::AtMost,
    ),
    (
        &[
            "more than", "greater than", "higher than", "longer than", "over", "above",
            "exceeding", "exceeded", "exceeds", ">",
        ],
        Comparator::Over,
    ),
    (
        &["less than", "fewer than", "lower than", "shorter than", "under", "below", "<"],
        Comparator::Under,
    ),
];

pub(super) type Recent<'a> = [Option<Word<'a>>; 4];

/// The words before and after a number.
pub(super) struct Neighbors<'a> {
    pub(super) recent: &'a Recent<'a>,
    pub(super) next: Option<Word<'a>>,
}

impl Neighbors<'_> {
    fn previous(&self) -> Option<&Word<'_>> {
        self.recent.first().and_then(Option::as_ref)
    }

    fn previous_is(&self, table: &[&str]) -> bool {
        self.previous().is_some_and(|word| is_any(word, table))
    }

    fn next_is(&self, table: &[&str]) -> bool {
        self.next.as_ref().is_some_and(|word| is_any(word, table))
    }

    /// Returns `true` if the nearest preceding word, skipping those in `between`, is in a table. In "the
    /// status code was 503" that word is "status".
    fn follows_any(&self, table: &[&str], between: &[&str]) -> bool {
        let mut words = self.recent.iter().flatten();
        words.find(|word| !is_any(word, between)).is_some_and(|word| is_any(word, table))
    }

    /// Returns the kind of code, if the neighbors show that a bare whole number is a code.
    pub(super) fn code_kind(&self, digits: &str) -> Option<CodeKind> {
        const EXIT: [&str; 6] = ["exit", "exited", "exits", "exiting", "exitcode", "exit_code"];
        const AFTER_EXIT: [&str; 8] = ["code", "status", "with", "of", "was", "is", "a", "the"];
        let value: u32 = digits.parse().unwrap_or(u32::MAX);
        if self.follows_any(&EXIT, &AFTER_EXIT) {
            return Some(CodeKind::ExitCode);
        }
        if digits.len() > 1 && digits.starts_with('0') {
            return Some(CodeKind::Identifier);
        }
        if self.previous_is(&["port", "ports"]) {
            return Some(CodeKind::Port);
        }
        if self.previous_is(&["version", "ver", "release"]) {
            return Some(CodeKind::Version);
        }
        if self.previous_is(&["no", "issue", "incident", "ticket", "pr", "bug"]) && digits.len() > 1
        {
            return Some(CodeKind::Issue);
        }
        if digits.len() > 1 && self.is_reference() {
            return Some(CodeKind::Issue);
        }
        if self.previous_is(&[
            "pid", "uid", "id", "line", "lines", "signal", "errno", "shard", "partition",
            "revision", "generation",
        ]) {
            return Some(CodeKind::Identifier);
        }
        if self.is_http_status(value) {
            return Some(CodeKind::HttpStatus);
        }
        let is_year = digits.len() == 4 && (1970..=2099).contains(&value);
        if is_year
            && (self.previous_is(&["in", "since", "of", "until", "year"])
                || self.previous().is_some_and(is_month))
        {
            return Some(CodeKind::Date);
        }
        let is_day = (1..=31).contains(&value);
        if is_day
            && (self.previous().is_some_and(is_month) || self.next.as_ref().is_some_and(is_month))
        {
            return Some(CodeKind::Date);
        }
        None
    }

    /// Returns `true` if the number identifies a thing: "Pull request 318", "alert 2217", "build 5120".
    fn is_reference(&self) -> bool {
        let second_previous = self.recent.get(1).and_then(Option::as_ref);
        let is_change_request = self.previous_is(&["request"])
            && second_previous.is_some_and(|word| is_any(word, &["pull", "merge", "change"]));
        let is_not_count =
            || self.cannot_count_next() || self.next_is(&["was", "is", "had", "has", "were"]);
        is_change_request
            || self.previous_is(&["alert", "build", "pipeline", "mr"]) && is_not_count()
    }

    fn is_http_status(&self, value: u32) -> bool {
        const NAMING: [&str; 12] = [
            "http", "status", "statuscode", "status_code", "code", "codes", "1.1", "2.0",
            "http_status", "response_code", "statuses", "http_code",
        ];
        const RETURNING: [&str; 9] = [
            "returned", "returning", "returns", "return", "responded", "answered", "with", "got",
            "receiving",
        ];
        const COUNTED: [&str; 7] =
            ["error", "errors", "response", "responses", "status", "statuses", "codes"];
        (100..600).contains(&value)
            && (self.follows_any(&NAMING, &["was", "is", "of", "a", "the"])
                || (is_known_error(value)
                    && (self.previous_is(&RETURNING) && self.cannot_count_next()
                        || self.next_is(&COUNTED))))
    }

    /// Returns `true` if the number cannot count the next word.
    fn cannot_count_next(&self) -> bool {
        self.next.as_ref().is_none_or(|word| {
            is_any(
                word,
                &[
                    "error", "errors", "response", "responses", "at", "for", "from", "in", "on",
                    "and", "or", "to", "while", "during", "after", "when", "because", "since",
                    "until", "between", "with", "service",
                ],
            )
        })
    }

    /// Returns `true` if `503s` means responses, not seconds.
    pub(super) fn is_status_plural(&self, value: u32) -> bool {
        let timed = [
            "took", "takes", "take", "after", "for", "within", "in", "every", "lasted", "last",
            "past", "timeout", "duration", "uptime", "age", "over", "about",
        ];
        is_known_error(value) && !self.previous_is(&timed)
    }

    /// Returns `true` if `250m` means millicores, not minutes.
    pub(super) fn mentions_cpu(&self) -> bool {
        let cpu = [
            "cpu", "cpus", "core", "cores", "vcpu", "millicores", "request", "requests", "limit",
            "limits",
        ];
        self.previous_is(&cpu)
            || self.next_is(&["cpu", "cpus", "core", "cores"])
            || self
                .recent
                .iter()
                .flatten()
                .take(2)
                .any(|word| is_any(word, &["cpu", "cpus", "core", "cores"]))
    }

    /// Returns `true` if "3 times" is a factor, not a count: "3 times higher".
    pub(super) fn times_is_factor(after_times: Option<&Word<'_>>) -> bool {
        after_times.is_some_and(|word| {
            is_any(
                word,
                &[
                    "higher", "more", "faster", "slower", "larger", "greater", "lower", "longer",
                    "the", "as", "its", "normal", "baseline",
                ],
            )
        })
    }
}

fn is_known_error(value: u32) -> bool {
    matches!(value, 400..=431 | 451 | 499..=511)
}

pub(super) fn is_any(word: &Word<'_>, table: &[&str]) -> bool {
    table.iter().any(|entry| word.is(entry))
}

fn is_month(word: &Word<'_>) -> bool {
    let is_named =
        |month: &&str| word.is(month) || month.get(..3).is_some_and(|short| word.is(short));
    word.text.starts_with(char::is_uppercase) && (word.is("sept") || MONTHS.iter().any(is_named))
}
