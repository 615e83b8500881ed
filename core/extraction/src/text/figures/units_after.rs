//! Parses the unit after a number: `%`, ` ms`, ` requests per second`, ` million`.

use super::{Dimension, Unit};
use crate::text::tokens::{Shape, words};
use crate::text::{byte_at, char_at, part};

/// Parses the unit after a number: `%`, ` ms`, ` requests per second`, ` req/s`. Returns the unit and its end.
pub(super) fn unit_after(text: &str, end: usize) -> Option<(Unit, usize)> {
    let gap = usize::from(matches!(char_at(text, end), Some(' ')));
    let gap_length = match char_at(text, end) {
        Some(space @ ('\u{a0}' | '\u{202f}' | '\u{2009}')) => space.len_utf8(),
        _ => gap,
    };
    let unit_start = end + gap_length;
    if byte_at(text, unit_start) == b'%' {
        return Some((Unit::PERCENT, unit_start + 1));
    }
    if part(text, unit_start..text.len()).starts_with("×") {
        return Some((Unit::MULTIPLE, unit_start + '×'.len_utf8()));
    }
    let first =
        words(part(text, unit_start..text.len())).next().filter(|word| word.span.start == 0);
    let Some(first) = first else {
        return time_after(text, unit_start)
            .and_then(|(time, end)| Some((Unit::COUNT.per(time)?, end)));
    };
    let word_end = unit_start + first.span.end;
    if first.is("cpu") {
        let next = words(part(text, word_end..text.len())).next()?;
        let unit = Unit::from_name(next.text).filter(|unit| unit.dimension == Dimension::Cores);
        return unit.map(|unit| (unit, word_end + next.span.end));
    }
    let dash_joined = first.text.split_once('-').map(|(unit, _)| unit);
    if let Some(unit) = Unit::from_name(first.text)
        .filter(|unit| unit.dimension != Dimension::Multiple || gap_length == 0)
    {
        return Some(per_time(text, unit, word_end));
    }
    if let Some((unit, text)) = dash_joined.and_then(|text| Some((Unit::from_name(text)?, text)))
        && text.len() > 1
    {
        return Some((unit, unit_start + text.len()));
    }
    let (time, end) = time_after(text, word_end)?;
    let is_countable = first.shape() == Shape::Plain && !first.is("per");
    if is_countable {
        return Some((Unit::COUNT.per(time)?, end));
    }
    None
}

pub(super) fn per_time(text: &str, unit: Unit, end: usize) -> (Unit, usize) {
    time_after(text, end)
        .and_then(|(time, end)| Some((unit.per(time)?, end)))
        .unwrap_or((unit, end))
}

/// Parses `/s`, ` per second`. Returns the time unit and its end.
fn time_after(text: &str, end: usize) -> Option<(Unit, usize)> {
    let rest = part(text, end..text.len());
    let skipped = ["/", " per ", "per ", " / "].iter().find(|lead| rest.starts_with(**lead))?.len();
    let word = words(part(rest, skipped..rest.len())).next().filter(|word| word.span.start == 0)?;
    let time = Unit::from_name(word.text).filter(|unit| unit.dimension == Dimension::Duration)?;
    Some((time, end + skipped + word.span.end))
}

/// Parses " thousand", " million", " billion". Returns the power of ten and the end.
pub(super) fn power_after(text: &str, end: usize) -> Option<(u32, usize)> {
    let rest = part(text, end..text.len()).strip_prefix(' ')?;
    let word = words(rest).next().filter(|word| word.span.start == 0)?;
    let power = match () {
        () if word.is("thousand") => 3,
        () if word.is("million") => 6,
        () if word.is("billion") => 9,
        () => return None,
    };
    Some((power, end + 1 + word.span.end))
}
