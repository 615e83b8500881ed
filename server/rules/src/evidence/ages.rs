//! Ages as tools print them, counted back from when the tool was asked: `25d`, `32s ago`, `3m30s (x256 over 58m)`.

use crate::evidence::moments::{DAY, HOUR, MINUTE, SECOND};

/// How long ago: `3m30s (x256 over 58m)` is 3.5 minutes for the last and 58 minutes for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ages {
    /// The last time, and how finely it is stated.
    pub(crate) last: (i64, i64),
    /// The first time, where another is stated.
    pub(crate) first: Option<(i64, i64)>,
    /// How often.
    pub(crate) count: Option<u32>,
}

/// Reads the ages of an event or the age of a thing.
pub(crate) fn ages(text: &str) -> Option<Ages> {
    let text = text.trim();
    let (last, rest) =
        text.split_once(" (").map_or((text, None), |(last, rest)| (last, Some(rest)));
    let last = age(last)?;
    let Some(rest) = rest else { return Some(Ages { last, first: None, count: None }) };
    let (count, over) = rest.strip_suffix(')')?.split_once(" over ")?;
    let count = count.trim().strip_prefix('x')?.parse().ok()?;
    Some(Ages { last, first: Some(age(over)?), count: Some(count) })
}

/// Reads `58m`, `2d3h`, `17s ago`: how long, and how finely it is stated.
pub(crate) fn age(text: &str) -> Option<(i64, i64)> {
    let text = text.trim().trim_end_matches(" ago");
    let (mut total, mut grain, mut rest) = (0_i64, DAY, text);
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let value: i64 = rest.get(..digits)?.parse().ok().filter(|value| *value < 100_000)?;
        let after = rest.get(digits..)?;
        let (unit, length) = match after.as_bytes() {
            [b'm', b's', ..] => (SECOND / 1_000, 2),
            [b'y', ..] => (365 * DAY, 1),
            [b'd', ..] => (DAY, 1),
            [b'h', ..] => (HOUR, 1),
            [b'm', ..] => (MINUTE, 1),
            [b's', ..] => (SECOND, 1),
            _ => return None,
        };
        total = total.checked_add(value.checked_mul(unit)?)?;
        grain = unit;
        rest = after.get(length..)?;
    }
    (!text.is_empty()).then_some((total, grain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read_as_tools_print_them() {
        assert_eq!(
            ages("3m30s (x256 over 58m)"),
            Some(Ages {
                last: (210 * SECOND, SECOND),
                first: Some((58 * MINUTE, MINUTE)),
                count: Some(256)
            })
        );
        assert_eq!(age("25d"), Some((25 * DAY, DAY)));
        assert_eq!(age("32s ago"), Some((32 * SECOND, SECOND)));
        assert_eq!(age("512Mi"), None);
        assert_eq!(age("7"), None);
        assert_eq!(age("<none>"), None);
    }
}
