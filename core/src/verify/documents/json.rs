//! Iterates over JSON members as byte ranges. Does not validate.

use core::ops::Range;

use crate::escapes::{skip_space, unescape};
use crate::text::{byte_at, part};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Member {
    /// The name without quotation marks, in an object.
    pub(in super::super) name: Option<Range<usize>>,
    /// The value, including quotation marks.
    pub(in super::super) value: Range<usize>,
}

pub(in super::super) fn members(text: &str, value: &Range<usize>) -> impl Iterator<Item = Member> {
    let opening = byte_at(text, value.start);
    let is_object = opening == b'{';
    let end = value.end.saturating_sub(1);
    let mut at = if is_object || opening == b'[' { value.start + 1 } else { end };
    core::iter::from_fn(move || {
        at = skip_space(text, at, end);
        if at >= end {
            return None;
        }
        let mut name = None;
        if is_object {
            let after = string_end(text, at, end);
            name = Some(at + 1..after.saturating_sub(1).max(at + 1));
            at = skip_space(text, after, end);
            at = skip_space(text, at + usize::from(byte_at(text, at) == b':'), end);
        }
        let from = at;
        at = value_end(text, from, end).max(from + 1);
        let value = from..at;
        at = skip_space(text, at, end);
        at += usize::from(byte_at(text, at) == b',');
        Some(Member { name, value })
    })
}

/// The last member with a name, or the element at an index.
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

/// The range inside the quotation marks, if the value is a string.
pub(in super::super) fn string(text: &str, value: &Range<usize>) -> Option<Range<usize>> {
    let is_string = byte_at(text, value.start) == b'"' && value.len() >= 2;
    is_string.then(|| value.start + 1..value.end - 1)
}

/// The ranges of all strings in a value except names, without quotation marks.
pub(in super::super) fn strings(
    text: &str,
    value: &Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let end = value.end;
    let mut at = value.start;
    core::iter::from_fn(move || {
        while at < end {
            if byte_at(text, at) != b'"' {
                at += 1;
                continue;
            }
            let from = at + 1;
            at = string_end(text, at, end);
            let is_name = byte_at(text, skip_space(text, at, end)) == b':';
            if !is_name {
                return Some(from..at.saturating_sub(1).max(from));
            }
        }
        None
    })
}

/// The innermost object around an offset, scanning from the start of `scope`.
pub(in super::super) fn object_around(
    text: &str,
    scope: &Range<usize>,
    offset: usize,
) -> Option<usize> {
    const MAX_DEPTH: usize = 256;
    let mut open = Vec::new();
    let mut at = scope.start;
    while at < offset.min(scope.end) {
        match byte_at(text, at) {
            b'"' => {
                at = string_end(text, at, scope.end);
                continue;
            }
            b'{' | b'[' if open.len() < MAX_DEPTH => open.push(at),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
        at += 1;
    }
    open.pop()
}

fn string_end(text: &str, from: usize, end: usize) -> usize {
    let mut at = from + 1;
    while at < end {
        match byte_at(text, at) {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    end.max(from + 1)
}

fn value_end(text: &str, from: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = from;
    while at < end {
        match byte_at(text, at) {
            b'"' => {
                at = string_end(text, at, end);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return if depth == 1 { at + 1 } else { at },
            b'}' | b']' => depth -= 1,
            b',' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
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
    fn members_are_found_by_pointer() {
        let text = r#"{"a": [1, {"b\"c" : "x,}"} , null],"d":{}, "e": -1.50e3}"#;
        assert_eq!(at_pointer(text, "/a/0"), Some("1"));
        assert_eq!(at_pointer(text, r#"/a/1/b"c"#), Some(r#""x,}""#));
        assert_eq!(at_pointer(text, "/a/2"), Some("null"));
        assert_eq!(at_pointer(text, "/a/3"), None);
        assert_eq!(at_pointer(text, "/d"), Some("{}"));
        assert_eq!(at_pointer(text, "/e"), Some("-1.50e3"));
        assert_eq!(at_pointer(text, "/e/0"), None);
        let read: Vec<&str> =
            strings(text, &(0..text.len())).map(|span| part(text, span)).collect();
        assert_eq!(read, ["x,}"]);
    }

    #[test]
    fn finds_the_object_around_an_offset() {
        let text = r#"[{"a": "}"}, {"b": [1, 2]}]"#;
        let at = |needle: &str| object_around(text, &(0..text.len()), text.find(needle).unwrap());
        assert_eq!(at("\"a\""), Some(1));
        assert_eq!(at("\"b\""), Some(13));
        assert_eq!(at("1,"), Some(19));
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
        fn members_are_the_same_as_those_of_serde_json(value in value(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let mut open = Vec::from([(0..text.len(), &value)]);
            while let Some((span, value)) = open.pop() {
                let written: Value = serde_json::from_str(part(&text, span.clone())).unwrap();
                prop_assert_eq!(&written, value);
                match value {
                    Value::Array(elements) => {
                        prop_assert_eq!(members(&text, &span).count(), elements.len());
                        for (at, element) in elements.iter().enumerate() {
                            open.push((member(&text, &span, &at.to_string()).unwrap().value, element));
                        }
                    }
                    Value::Object(fields) => {
                        prop_assert_eq!(members(&text, &span).count(), fields.len());
                        for (name, field) in fields {
                            open.push((member(&text, &span, name).unwrap().value, field));
                        }
                    }
                    _ => {}
                }
            }
        }

        #[test]
        fn never_panics_and_always_ends(text in "[{}\\[\\]\",:\\\\ a1é]{0,40}", token in "[a0-2]{0,2}", at in 0_usize..50) {
            let whole = 0..text.len();
            let _ = members(&text, &whole).count() + strings(&text, &whole).count();
            let _ = (member(&text, &whole, &token), object_around(&text, &whole, at));
        }
    }
}
