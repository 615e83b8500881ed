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

pub(super) fn indent(text: &str, at: usize) -> usize {
    part(text, at..text.len())
        .bytes()
        .take(MAX_INDENT)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// The maximum indentation in bytes; deeper lines are treated as this deep.
const MAX_INDENT: usize = 200;

/// Parses a key and value: `key: value`, `key = value`, `some_key:value`.
pub(super) fn key_line(text: &str, line: Range<usize>) -> Option<KeyLine> {
    const MAX_BYTES: usize = 56;
    let written = part(text, line.clone());
    let trimmed = written.trim();
    let (is_entry, body) = match trimmed.strip_prefix("- ") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, trimmed),
    };
    let dash = is_entry.then(|| written.len() - written.trim_start().len());
    let start = line.start + written.trim_end().len() - body.len();
    let near = part(body, 0..body.floor_char_boundary(MAX_BYTES));
    let colon = find_two(near, *b": ")
        .or_else(|| find_two(near, *b":\t"))
        .or_else(|| (near.len() == body.len() && near.ends_with(':')).then(|| near.len() - 1));
    let equals_sign = equals_sign(near);
    let (end, after) = match (colon, equals_sign) {
        (Some(colon), Some(equals_sign)) if equals_sign < colon => (equals_sign, equals_sign + 3),
        (Some(colon), _) => (colon, colon + 1),
        (None, Some(equals_sign)) => (equals_sign, equals_sign + 3),
        (None, None) => key_without_space(near)?,
    };
    let key = part(body, 0..end);
    if !is_key(key.trim_end()) || time_at(body).is_some() {
        return None;
    }
    let key = start..start + key.trim_end().len();
    let value = part(body, after..body.len());
    let from = start + after + value.len() - value.trim_start().len();
    let indent = start - line.start;
    Some(KeyLine { indent, dash, key, value: from..from + value.trim().len() })
}

/// Returns the position of ` = `, or of `=` between a tab and a space.
fn equals_sign(near: &str) -> Option<usize> {
    let signs = || memchr_iter(b'=', near.as_bytes()).filter(|at| byte_at(near, at + 1) == b' ');
    let after = |byte: u8| {
        signs().filter_map(|at| at.checked_sub(1)).find(|before| byte_at(near, *before) == byte)
    };
    after(b' ').or_else(|| after(b'\t'))
}

/// Parses a key without a space before its value: `used_memory:3`.
fn key_without_space(near: &str) -> Option<(usize, usize)> {
    let colon = near.find(':')?;
    let key = part(near, 0..colon);
    let value = part(near, colon + 1..near.len());
    let is_identifier = key.len() >= 3
        && key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit());
    (is_identifier && !value.is_empty() && !value.contains([' ', '/', ':']))
        .then_some((colon, colon + 1))
}

fn is_key(key: &str) -> bool {
    let words = key.bytes().filter(|byte| *byte == b' ').count() + 1;
    let first = key.split(' ').next().unwrap_or_default();
    !key.is_empty()
        && words <= 5
        && key.starts_with(|c: char| c.is_alphabetic() || matches!(c, '"' | '_' | '/' | '%'))
        && find_two(key, *b"  ").is_none()
        && !key.contains(['{', '}', '=', ';', ',', '|', '<', '>', '`', '!', '?'])
        && (words == 1 || !first.bytes().any(|byte| byte.is_ascii_digit()))
        && byte_at(key, key.len() - 1) != b'.'
}
