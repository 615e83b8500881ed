//! Classifies the numbers in a claim: measurements, counts, names, bounds and dates.

use gsar_core::text::figures::MONTHS;

use super::tokens::{Token, at, lower};

/// Each row lists the units of one dimension in ascending order.
const UNITS: [&[&str]; 8] = [
    &["Ki", "Mi", "Gi", "Ti"],
    &["KiB", "MiB", "GiB", "TiB"],
    &["kB", "MB", "GB", "TB"],
    &["KB", "MB", "GB", "TB"],
    &["ns", "µs", "ms", "s", "min"],
    &["milliseconds", "seconds", "minutes", "hours", "days"],
    &["millisecond", "second", "minute", "hour", "day"],
    &["millicores", "cores"],
];

const OTHER_UNITS: [&str; 12] =
    ["%", "percent", "B", "bytes", "rps", "qps", "Hz", "x", "requests/s", "/s", "sec", "h"];

/// A number after one of these words is a name.
const NAME_PREFIXES: [&str; 24] = [
    "revision", "version", "incident", "port", "id", "pid", "uid", "process", "line", "generation",
    "step", "code", "status", "exit", "error", "http", "build", "release", "ticket", "pr", "issue",
    "number", "phase", "attempt",
];

/// A number after one of these words is a bound, which other values can also satisfy.
pub(super) const BOUNDS: [&str; 18] = [
    "least", "most", "than", "over", "under", "above", "below", "within", "exceeding", "exceeded",
    "exceeds", "until", "every", "past", "beyond", "even", "reached", "reach",
];

/// Each word's index is its value.
pub(super) const NUMBER_WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// A number that is not a name, bound or date.
pub(super) struct Figure<'a> {
    pub(super) index: usize,
    pub(super) digits: &'a str,
    /// The unit directly after the digits, such as `Mi` or `%`; may be empty.
    pub(super) suffix: &'a str,
}

impl Figure<'_> {
    /// Returns the digits without thousands separators.
    pub(super) fn plain(&self) -> String {
        self.digits.replace(',', "")
    }

    pub(super) fn is_zero(&self) -> bool {
        !self.digits.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
    }
}

pub(super) fn figures<'a>(tokens: &'a [Token<'_>]) -> impl Iterator<Item = Figure<'a>> {
    tokens.iter().enumerate().filter_map(|(index, token)| {
        let digits = token.text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
        let (digits, suffix) = token.text.split_at(digits.unwrap_or(token.text.len()));
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.matches('.').count() <= 1
            && (suffix.is_empty() || is_unit(suffix));
        let figure = Figure { index, digits, suffix };
        (is_number && !is_name_or_bound(tokens, index)).then_some(figure)
    })
}

/// Returns `true` if a number is a name, a bound or part of a date.
fn is_name_or_bound(tokens: &[Token<'_>], index: usize) -> bool {
    let before = lower(tokens, index, -1);
    let is_month =
        |word: &str| MONTHS.iter().any(|month| word == *month || month.get(..3) == Some(word));
    const NEGATIONS: [&str; 7] = ["no", "not", "never", "none", "neither", "without", "nor"];
    // A value that was never reached was also never exceeded.
    let is_negated =
        tokens.iter().take(index).any(|token| NEGATIONS.contains(&token.lower.as_str()));
    let in_range = (-5..0).any(|offset| lower(tokens, index, offset) == "between");
    let is_maximum = before == "to" && lower(tokens, index, -2) == "up";
    let is_minimum = lower(tokens, index, 1) == "or" || lower(tokens, index, 2) == "or";
    NAME_PREFIXES.contains(&before)
        || BOUNDS.contains(&before)
        || [-2, -1, 1].into_iter().any(|offset| is_month(lower(tokens, index, offset)))
        || is_negated
        || in_range
        || is_maximum
        || is_minimum
}

fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|row| row.contains(&word)) || OTHER_UNITS.contains(&word)
}

pub(super) fn neighbours(unit: &str) -> impl Iterator<Item = &'static str> {
    let row = UNITS.iter().find(|row| row.contains(&unit)).copied().unwrap_or_default();
    let index = row.iter().position(|other| *other == unit);
    let step = move |offset| row.get(index?.checked_add_signed(offset)?).copied();
    [step(1), step(-1)].into_iter().flatten()
}

/// Returns the noun that a figure counts, or `None` for a measurement.
pub(super) fn counted_noun<'a>(tokens: &'a [Token<'_>], figure: &Figure<'_>) -> Option<&'a str> {
    let is_whole = figure.suffix.is_empty() && !figure.digits.contains('.');
    is_whole.then(|| noun(tokens, figure.index))?
}

/// Returns the plural noun after a number, with at most one word between them. Returns `None` for a unit or
/// a rate.
pub(super) fn noun<'a>(tokens: &'a [Token<'_>], index: usize) -> Option<&'a str> {
    const NOT_NOUNS: [&str; 5] = ["was", "is", "has", "does", "times"];
    const ROUND: [&str; 6] = ["about", "around", "almost", "nearly", "roughly", "some"];
    let (before, next) = (lower(tokens, index, -1), at(tokens, index, 1)?.text);
    let is_share = before == "of" && lower(tokens, index, -2) == "out";
    if is_unit(next) || is_share || ROUND.contains(&before) {
        return None;
    }
    let is_noun = |word: &str| {
        let plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
        plural && word.bytes().all(|byte| byte.is_ascii_lowercase()) && !NOT_NOUNS.contains(&word)
    };
    let offset = [1, 2].into_iter().find(|offset| is_noun(lower(tokens, index, *offset)))?;
    let is_rate =
        lower(tokens, index, offset + 1) == "per" || is_unit(at(tokens, index, offset)?.text);
    (!is_rate).then(|| lower(tokens, index, offset))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn digits(claim: &str) -> Vec<String> {
        figures(&tokens(claim)).map(|figure| figure.digits.to_owned()).collect()
    }

    #[test]
    fn skips_names_bounds_and_dates() {
        for claim in [
            "Revision 42 was created",
            "It took at least 5 s",
            "It lay between 666 and 705 MiB",
            "On 12 March 2026 it failed",
            "Port 5432 of 127.0.0.1 refused",
            "It took 5 s or more",
            "No pause reached 40 ms",
            "It never went past 250 ms",
        ] {
            assert_eq!(digits(claim), [""; 0]);
        }
        assert_eq!(digits("It decreased 5 % to 1,400.5 MB at 14:02"), ["5", "1,400.5"]);
    }

    #[test]
    fn counts_plural_nouns_but_not_units() {
        let counted_in = |claim: &str| {
            let tokens = tokens(claim);
            figures(&tokens).find_map(|figure| counted_noun(&tokens, &figure)).map(str::to_owned)
        };
        assert_eq!(counted_in("12 new pods").as_deref(), Some("pods"));
        for measured in [
            "157 requests per second",
            "9 minutes passed",
            "5 ms",
            "1.5 restarts",
            "about 14 tokens",
        ] {
            assert_eq!(counted_in(measured), None);
        }
    }
}
