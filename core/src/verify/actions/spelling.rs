//! Finds names in other spellings, in which case, separators and affixes may differ.

use crate::text::byte_at;

/// The minimum size, in bytes, of a name with a digit that may match the end of a word, since people abbreviate ids.
const MIN_SUFFIX: usize = 8;

/// Returns `true` if a text contains a name. For example, `WORKER_7-x2x1z` contains `worker-7`, but `worker-70` does
/// not.
#[must_use]
pub fn contains_name(text: &str, name: &str) -> bool {
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    let bytes = text.as_bytes();
    let Some(first) = name.bytes().next() else { return false };
    let is_short_number = name.len() < 3 && name.bytes().all(|byte| byte.is_ascii_digit());
    let may_be_suffix = name.len() >= MIN_SUFFIX && name.bytes().any(|byte| byte.is_ascii_digit());
    let matches_at = |start: usize| {
        let is_version = start > 0 && byte_at(text, start - 1).eq_ignore_ascii_case(&b'v');
        (is_version || !is_short_number)
            && byte_at(text, start).eq_ignore_ascii_case(&first)
            && match_end(bytes, start, name)
                .is_some_and(|end| (may_be_suffix || may_begin(text, start)) && may_end(text, end))
    };
    (0..bytes.len()).any(matches_at)
}

fn match_end(text: &[u8], start: usize, name: &str) -> Option<usize> {
    let mut position = start;
    let mut expected = name.bytes().filter(|byte| !is_separator(*byte));
    let mut next = expected.next()?;
    loop {
        let byte = *text.get(position)?;
        if byte.eq_ignore_ascii_case(&next) {
            position += 1;
            match expected.next() {
                Some(byte) => next = byte,
                None => return Some(position),
            }
        } else if is_separator(byte) && position > start && !is_separator(*text.get(position - 1)?)
        {
            position += 1;
        } else {
            return None;
        }
    }
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'-' | b'_' | b'=' | b':' | b'/')
}

/// Returns `true` after a separator, at a camel-case boundary, or between a letter and a digit.
fn may_begin(text: &str, position: usize) -> bool {
    let Some(before) = position.checked_sub(1).map(|before| byte_at(text, before)) else {
        return true;
    };
    let is_fraction = before == b'.'
        && byte_at(text, position).is_ascii_digit()
        && position.checked_sub(2).is_some_and(|digit| byte_at(text, digit).is_ascii_digit());
    !is_fraction && is_boundary(before, byte_at(text, position))
}

/// Returns `true` if a name can end here. A name that ends in a letter continues if a hyphen and a letter
/// follow.
fn may_end(text: &str, position: usize) -> bool {
    let (last, after) = (byte_at(text, position - 1), byte_at(text, position));
    let continues_after_hyphen = after == b'-'
        && !last.is_ascii_digit()
        && byte_at(text, position + 1).is_ascii_alphabetic();
    let is_fraction =
        after == b'.' && last.is_ascii_digit() && byte_at(text, position + 1).is_ascii_digit();
    !continues_after_hyphen && !is_fraction && is_boundary(last, after)
}

const fn is_boundary(before: u8, after: u8) -> bool {
    let are_letters = before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
    let is_camel_case = before.is_ascii_lowercase() && after.is_ascii_uppercase();
    let are_digits = before.is_ascii_digit() && after.is_ascii_digit();
    (!are_letters || is_camel_case) && !are_digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_a_name_in_its_spellings() {
        for (text, name) in [
            ("worker-7-x2x1z is ready", "worker-7"),
            ("up{node=\"WORKER_7\"}", "worker-7"),
            ("aes256gcm16-modp2048", "MODP-2048"),
            ("errors_5xx: 8140", "5xx"),
            ("consecutive5xxErrors: 5", "5xx"),
            ("minute;put_403;get_404", "404"),
            ("haproxy (2.4.24-0ubuntu0.22.04.1)", "2.4.24"),
            ("00000003000018F9000000E2", "18F9000000E2"),
            ("ts,cpu_pct_orders-cl-1,cpu_pct_orders-cl-2", "orders-cl-1"),
        ] {
            assert!(contains_name(text, name), "{name} in {text}");
        }
        for (text, name) in [
            ("worker-70 is ready", "worker-7"),
            ("homework-7", "work-7"),
            ("checkout-db-backup", "checkout-db"),
            ("10.0.0.12", "10.0.0.1"),
            ("build 2.4.24.1", "2.4.24"),
            ("id 15031", "503"),
            ("v2.3.1", "1"),
        ] {
            assert!(!contains_name(text, name), "{name} in {text}");
        }
    }

    proptest! {
        #[test]
        fn accepts_any_text(text in "(\\PC|[a-c0-2._-]){0,40}", name in "(\\PC|[a-c0-2._-]){0,8}") {
            let _ = contains_name(&text, &name);
        }
    }
}
