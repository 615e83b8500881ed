//! Parses lines with a key and a value.

use core::ops::Range;

use memchr::memchr_iter;

use crate::facts::times::time_at;
use crate::text::{byte_at, find_two, part};

#[derive(Clone, Debug)]
pub(super) struct KeyLine {
    /// The key's indentation in spaces and tabs, at most [`MAX_INDENT`].
    pub(super) indent: usize,
    /// The indentation of the list dash, if any.
    pub(super) dash: Option<usize>,
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
}

pub(in crate::facts) fn is_key_line(line: &str) -> bool {
    key_line(line, 0..line.len()).is_some()
}

pub(super) fn indent(text: &str, offset: usize) -> usize {
    part(text, offset..text.len())
        .bytes()
        .take(MAX_INDENT)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// The maximum indentation in bytes. Deeper lines are treated as if they had this indentation.
const MAX_INDENT: usize = 200;

/// Parses a key and value: `key: value`, `key = value`, `some_key:value`.
pub(super) fn key_line(text: &str, line: Range<usize>) -> Option<KeyLine> {
    const MAX_BYTES: usize = 56;
    let line_text = part(text, line.clone());
    let trimmed = line_text.trim();
    let (is_entry, body) = match trimmed.strip_prefix("- ") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, trimmed),
    };
    let dash = is_entry.then(|| line_text.len() - line_text.trim_start().len());
    let start = line.start + line_text.trim_end().len() - body.len();
    let window = part(body, 0..body.floor_char_boundary(MAX_BYTES));
    let colon = find_two(window, *b": ").or_else(|| find_two(window, *b":\t")).or_else(|| {
        (window.len() == body.len() && window.ends_with(':')).then(|| window.len() - 1)
    });
    let equals_sign = equals_sign(window);
    let (end, value_offset) = match (colon, equals_sign) {
        (Some(colon), Some(equals_sign)) if equals_sign < colon => (equals_sign, equals_sign + 3),
        (Some(colon), _) => (colon, colon + 1),
        (None, Some(equals_sign)) => (equals_sign, equals_sign + 3),
        (None, None) => key_without_space(window)?,
    };
    let key = part(body, 0..end);
    if !is_key(key.trim_end()) || time_at(body).is_some() {
        return None;
    }
    let key = start..start + key.trim_end().len();
    let value = part(body, value_offset..body.len());
    let value_start = start + value_offset + value.len() - value.trim_start().len();
    let indent = start - line.start;
    Some(KeyLine { indent, dash, key, value: value_start..value_start + value.trim().len() })
}

/// Returns the position of ` = `, or of `=` between a tab and a space.
fn equals_sign(window: &str) -> Option<usize> {
    let signs = || {
        memchr_iter(b'=', window.as_bytes())
            .filter(|position| byte_at(window, position + 1) == b' ')
    };
    let sign_after = |byte: u8| {
        signs()
            .filter_map(|position| position.checked_sub(1))
            .find(|position| byte_at(window, *position) == byte)
    };
    sign_after(b' ').or_else(|| sign_after(b'\t'))
}

/// Parses a key without a space before its value: `used_memory:3`.
fn key_without_space(window: &str) -> Option<(usize, usize)> {
    let colon = window.find(':')?;
    let key = part(window, 0..colon);
    let value = part(window, colon + 1..window.len());
    let is_identifier = key.len() >= 3
        && key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit());
    (is_identifier && !value.is_empty() && !value.contains([' ', '/', ':']))
        .then_some((colon, colon + 1))
}

fn is_key(key: &str) -> bool {
    let word_count = key.bytes().filter(|byte| *byte == b' ').count() + 1;
    let first = key.split(' ').next().unwrap_or_default();
    !key.is_empty()
        && word_count <= 5
        && key.starts_with(|c: char| c.is_alphabetic() || matches!(c, '"' | '_' | '/' | '%'))
        && find_two(key, *b"  ").is_none()
        && !key.contains(['{', '}', '=', ';', ',', '|', '<', '>', '`', '!', '?'])
        && (word_count == 1 || !first.bytes().any(|byte| byte.is_ascii_digit()))
        && byte_at(key, key.len() - 1) != b'.'
}
