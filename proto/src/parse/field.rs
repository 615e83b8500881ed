//! Parses single fields: ids, texts, enumerations, decimals and byte ranges.

use core::fmt::{self, Write};
use core::ops::Range;

use gsar_core::fixed_point::Millionths;
use gsar_core::{ClaimId, IdError};

use super::path::Path;
use crate::enums::Enumeration;
use crate::v1;
use crate::violations::Violations;

/// Returns the value of a required field, or adds a violation.
pub fn required<T>(
    field: &'static str,
    value: Option<T>,
    violations: &mut Violations,
) -> Option<T> {
    present(Path::root(field), value, violations)
}

/// Parses an optional name of at most 256 bytes.
pub fn name(field: &'static str, value: String, violations: &mut Violations) -> Option<String> {
    short_text(Path::root(field), value, violations)
}

pub(super) fn present<T>(
    path: Path<'_>,
    value: Option<T>,
    violations: &mut Violations,
) -> Option<T> {
    if value.is_none() {
        violations.add(path, "is missing; it is required");
    }
    value
}

/// Parses an id of 1 to 256 bytes, checked by the constructor of its type.
pub(super) fn id<T>(
    path: Path<'_>,
    value: String,
    new: impl FnOnce(String) -> Result<T, IdError>,
    violations: &mut Violations,
) -> Option<T> {
    violations.note(path, new(value))
}

/// Parses a text of at most 256 bytes without U+0000, which PostgreSQL cannot store. The text may be empty.
pub(super) fn short_text(
    path: Path<'_>,
    value: String,
    violations: &mut Violations,
) -> Option<String> {
    storable_text(path, value, ClaimId::MAX_BYTES, violations)
}

/// Parses a text of at most `max` bytes without U+0000, which PostgreSQL cannot store. The text may be empty.
pub(super) fn storable_text(
    path: Path<'_>,
    value: String,
    max: usize,
    violations: &mut Violations,
) -> Option<String> {
    if value.contains('\0') {
        violations.add(path, "contains the character U+0000; remove it");
        return None;
    }
    text(path, value, max, violations)
}

/// Parses a text of at most `max` bytes. The text may be empty.
pub(super) fn text(
    path: Path<'_>,
    value: String,
    max: usize,
    violations: &mut Violations,
) -> Option<String> {
    let length = value.len();
    if length > max {
        violations
            .add(path, format_args!("has {length} bytes; at most {max} are allowed: shorten it"));
        return None;
    }
    Some(value)
}

/// Parses a text of at most `max` bytes that is not blank.
pub(super) fn statement(
    path: Path<'_>,
    value: String,
    max: usize,
    violations: &mut Violations,
) -> Option<String> {
    if value.trim().is_empty() {
        violations.add(path, "is empty; it is required");
        return None;
    }
    text(path, value, max, violations)
}

/// Parses an enumeration. Rejects unspecified and unknown numbers.
pub(super) fn enumeration<T: Enumeration>(
    path: Path<'_>,
    number: i32,
    violations: &mut Violations,
) -> Option<T> {
    let value = T::from_number(number);
    if value.is_none() {
        let allowed = Allowed::<T>(core::marker::PhantomData);
        match number {
            0 => violations.add(path, format_args!("is unspecified; give one of {allowed}")),
            _ => violations.add(path, format_args!("{number} is unknown; give one of {allowed}")),
        }
    }
    value
}

/// Parses an optional enumeration. The inner `None` means unspecified. Rejects unknown numbers.
pub(super) fn optional_enumeration<T: Enumeration>(
    path: Path<'_>,
    number: i32,
    violations: &mut Violations,
) -> Option<Option<T>> {
    match number {
        0 => Some(None),
        number => enumeration(path, number, violations).map(Some),
    }
}

/// Parses an optional value. The inner `None` means that it is absent.
pub(super) fn optional<T, U>(
    value: Option<T>,
    read: impl FnOnce(T) -> Option<U>,
) -> Option<Option<U>> {
    match value {
        None => Some(None),
        Some(value) => read(value).map(Some),
    }
}

struct Allowed<T>(core::marker::PhantomData<T>);

impl<T: Enumeration> fmt::Display for Allowed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, value) in T::ALL.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{} ({})", value.wire_name(), value.number())?;
        }
        Ok(())
    }
}

/// Parses a decimal from 0 to `max` with at most six places.
pub(super) fn decimal(
    path: Path<'_>,
    value: f64,
    max: Millionths,
    violations: &mut Violations,
) -> Option<Millionths> {
    match Millionths::from_f64(value) {
        Ok(decimal) if decimal <= max => return Some(decimal),
        Ok(_) => {
            violations.add(path, format_args!("{value:?} is above {max}; give 0 to {max}"));
        }
        Err(error) => violations.add(
            path,
            format_args!("{value:?} {error}; give 0 to {max} with at most six decimal places"),
        ),
    }
    None
}

/// Parses a half-open byte range.
pub(super) fn byte_range(
    path: Path<'_>,
    range: v1::ByteRange,
    violations: &mut Violations,
) -> Option<Range<usize>> {
    let v1::ByteRange { start, end } = range;
    if start > end {
        violations.add(
            path,
            format_args!("starts at {start}, after its end at {end}; swap start and end"),
        );
        return None;
    }
    match (usize::try_from(start), usize::try_from(end)) {
        (Ok(start), Ok(end)) => Some(start..end),
        _ => {
            violations.add(path, format_args!("ends at {end}, which is out of range"));
            None
        }
    }
}

/// Displays a caller's text in a message: control characters are escaped, and long texts are truncated.
pub(super) struct Excerpt<'a>(pub(super) &'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(40) {
            write!(f, "{}", character.escape_debug())?;
        }
        if characters.next().is_some() {
            f.write_char('…')?;
        }
        Ok(())
    }
}
