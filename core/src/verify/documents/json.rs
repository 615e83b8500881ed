//! Iterates over JSON members as byte ranges, without validating the JSON.

use core::ops::Range;

use crate::escapes::{skip_space, unescape};
use crate::text::{byte_at, part};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Member {
    /// The name without quotation marks, if the member is in an object.
    pub(in super::super) name: Option<Range<usize>>,
    /// The value, including quotation marks.
    pub(in super::super) value: Range<usize>,
}

pub(in super::super) fn members(text: &str, value: &Range<usize>) -> impl Iterator<Item = Member> {
    let opening = byte_at(text, value.start);
    let is_object = opening == b'{';
    let end = value.end.saturating_sub(1);
    let mut position = if is_object || opening == b'[' { value.start + 1 } else { end };
    core::iter::from_fn(move || {
        position = skip_space(text, position, end);
        if position >= end {
            return None;
        }
        let mut name = None;
        if is_object {
            let name_end = string_end(text, position, end);
            name = Some(position + 1..name_end.saturating_sub(1).max(position + 1));
            position = skip_space(text, name_end, end);
            position =
                skip_space(text, position + usize::from(byte_at(text, position) == b':'), end);
        }
        let value_start = position;
        position = value_end(text, value_start, end).max(value_start + 1);
        let value = value_start..position;
        position = skip_space(text, position, end);
        position += usize::from(byte_at(text, position) == b',');
        Some(Member { name, value })
    })
}

/// Returns the last member with a name, or the element at an index.
pub(in super::super) fn member(text: &str, value: &Range<usize>, token: &str) -> Option<Member> {
    match byte_at(text, value.start) {
        b'{' => members(text, value).filter(|member| is_named(text, member, token)).last(),
        b'[' => {
            let is_index = token == "0" || !token.starts_with(['0', '+']);
            members(text, value).nth(token.parse::<usize>().ok().filter(|_| is_index)?)
        }
        _ => None,
    }
}

fn is_named(text: &str, member: &Member, token: &str) -> bool {
    let Some(name) = &member.name else { return false };
    let raw = part(text, name.clone());
    if raw.contains('\\') { unescape(text, name.clone()).text == token } else { raw == token }
}

/// Returns the range inside the quotation marks, if the value is a string.
pub(in super::super) fn string(text: &str, value: &Range<usize>) -> Option<Range<usize>> {
    let is_string = byte_at(text, value.start) == b'"' && value.len() >= 2;
    is_string.then(|| value.start + 1..value.end - 1)
}

/// Returns the ranges of all strings in a value except for names, without quotation marks.
pub(in super::super) fn strings(
    text: &str,
    value: &Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let end = value.end;
    let mut position = value.start;
    core::iter::from_fn(move || {
        while position < end {
            if byte_at(text, position) != b'"' {
                position += 1;
                continue;
            }
            let string_start = position + 1;
            position = string_end(text, position, end);
            let is_name = byte_at(text, skip_space(text, position, end)) == b':';
            if !is_name {
                return Some(string_start..position.saturating_sub(1).max(string_start));
            }
        }
        None
    })
}

/// Returns the start of the innermost object or array around an offset, scanning from the start of `scope`.
pub(in super::super) fn object_around(
    text: &str,
    scope: &Range<usize>,
    offset: usize,
) -> Option<usize> {
    const MAX_DEPTH: usize = 256;
    let mut open_brackets = Vec::new();
    let mut position = scope.start;
    while position < offset.min(scope.end) {
        match byte_at(text, position) {
            b'"' => {
                position = string_end(text, position, scope.end);
                continue;
            }
            b'{' | b'[' if open_brackets.len() < MAX_DEPTH => open_brackets.push(position),
            b'}' | b']' => drop(open_brackets.pop()),
            _ => {}
        }
        position += 1;
    }
    open_brackets.pop()
}

fn string_end(text: &str, start: usize, end: usize) -> usize {
    let mut position = start + 1;
    while position < end {
        match byte_at(text, position) {
            b'"' => return position + 1,
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
    end.max(start + 1)
}

fn value_end(text: &str, start: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    let mut position = start;
    while position < end {
        match byte_at(text, position) {
            b'"' => {
                position = string_end(text, position, end);
                if depth == 0 {
                    return position;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return if depth == 1 { position + 1 } else { position },
            b'}' | b']' => depth -= 1,
            b',' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return position,
            _ => {}
        }
        position += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn at_pointer<'t>(text: &'t str, pointer: &str) -> Option<&'t str> {
        let mut value = 0..text.len();
        for token in pointer.split('/').skip(1) {
            value = member(text, &value, token)?.value;
        }
        Some(part(text, value))
    }

    #[test]
    fn finds_members_by_pointer() {
        let text = r#"{"a": [1, {"b\"c" : "x,}"} , null],"d":{}, "e": -1.50e3}"#;
        assert_eq!(at_pointer(text, "/a/0"), Some("1"));
        assert_eq!(at_pointer(text, r#"/a/1/b"c"#), Some(r#""x,}""#));
        assert_eq!(at_pointer(text, "/a/2"), Some("null"));
        assert_eq!(at_pointer(text, "/a/3"), None);
        assert_eq!(at_pointer(text, "/d"), Some("{}"));
        assert_eq!(at_pointer(text, "/e"), Some("-1.50e3"));
        assert_eq!(at_pointer(text, "/e/0"), None);
        let string_values: Vec<&str> =
            strings(text, &(0..text.len())).map(|span| part(text, span)).collect();
        assert_eq!(string_values, ["x,}"]);
    }

    #[test]
    fn finds_the_object_around_an_offset() {
        let text = r#"[{"a": "}"}, {"b": [1, 2]}]"#;
        let object_start =
            |needle: &str| object_around(text, &(0..text.len()), text.find(needle).unwrap());
        assert_eq!(object_start("\"a\""), Some(1));
        assert_eq!(object_start("\"b\""), Some(13));
        assert_eq!(object_start("1,"), Some(19));
        assert_eq!(object_around("plain", &(0..5), 3), None);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\{}\\[\\],: \n]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c0-2\"]{0,2}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn finds_the_same_members_as_serde_json(value in value(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let mut pending = Vec::from([(0..text.len(), &value)]);
            while let Some((span, value)) = pending.pop() {
                let parsed: Value = serde_json::from_str(part(&text, span.clone())).unwrap();
                prop_assert_eq!(&parsed, value);
                match value {
                    Value::Array(elements) => {
                        prop_assert_eq!(members(&text, &span).count(), elements.len());
                        for (index, element) in elements.iter().enumerate() {
                            pending.push((member(&text, &span, &index.to_string()).unwrap().value, element));
                        }
                    }
                    Value::Object(fields) => {
                        prop_assert_eq!(members(&text, &span).count(), fields.len());
                        for (name, field) in fields {
                            pending.push((member(&text, &span, name).unwrap().value, field));
                        }
                    }
                    _ => {}
                }
            }
        }

        #[test]
        fn accepts_any_text(text in "[{}\\[\\]\",:\\\\ a1é]{0,40}", token in "[a0-2]{0,2}", position in 0_usize..50) {
            let span = 0..text.len();
            let _ = members(&text, &span).count() + strings(&text, &span).count();
            let _ = (member(&text, &span, &token), object_around(&text, &span, position));
        }
    }
}
