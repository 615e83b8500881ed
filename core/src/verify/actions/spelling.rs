//! This module tells whether a name stands in a text in a spelling of its own: in another case, with other signs between
//! its parts, or as a part of a longer name. It judges nothing.

use crate::text::byte_at;

/// The shortest name with a digit, in bytes, that may be the end of a longer one, as people cut ids.
const LONG: usize = 8;

/// Whether a text holds a name: `worker-7` in `worker-7-x2x1z`, `WORKER_7` and `worker7`, `5xx` in `errors_5xx`, and no
/// `worker-7` in `worker-70`.
#[must_use]
pub fn holds_spelled(text: &str, name: &str) -> bool {
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    let bytes = text.as_bytes();
    let Some(first) = name.bytes().next() else { return false };
    let short_number = name.len() < 3 && name.bytes().all(|byte| byte.is_ascii_digit());
    let long = name.len() >= LONG && name.bytes().any(|byte| byte.is_ascii_digit());
    let stands_at = |start: usize| {
        let marked = start > 0 && byte_at(text, start - 1).eq_ignore_ascii_case(&b'v');
        (marked || !short_number)
            && byte_at(text, start).eq_ignore_ascii_case(&first)
            && end_of_spelling(bytes, start, name)
                .is_some_and(|end| (long || begins(text, start)) && ends(text, end))
    };
    (0..bytes.len()).any(stands_at)
}

/// Where a name that begins at `start` ends; signs between its parts may be others or none.
fn end_of_spelling(text: &[u8], start: usize, name: &str) -> Option<usize> {
    let mut at = start;
    let mut wanted = name.bytes().filter(|byte| !is_joint(*byte));
    let mut next = wanted.next()?;
    loop {
        let byte = *text.get(at)?;
        if byte.eq_ignore_ascii_case(&next) {
            at += 1;
            match wanted.next() {
                Some(byte) => next = byte,
                None => return Some(at),
            }
        } else if is_joint(byte) && at > start && !is_joint(*text.get(at - 1)?) {
            at += 1;
        } else {
            return None;
        }
    }
}

const fn is_joint(byte: u8) -> bool {
    matches!(byte, b'-' | b'_' | b'=' | b':' | b'/')
}

/// Whether a name may begin there: behind a sign, at a capital behind a small letter, between letter and digit.
fn begins(text: &str, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| byte_at(text, before)) else { return true };
    let fraction = before == b'.'
        && byte_at(text, at).is_ascii_digit()
        && at.checked_sub(2).is_some_and(|digit| byte_at(text, digit).is_ascii_digit());
    !fraction && parts(before, byte_at(text, at))
}

/// Whether a name may end there; a name of letters goes on behind a hyphen.
fn ends(text: &str, at: usize) -> bool {
    let (last, after) = (byte_at(text, at - 1), byte_at(text, at));
    let goes_on =
        after == b'-' && !last.is_ascii_digit() && byte_at(text, at + 1).is_ascii_alphabetic();
    let fraction = after == b'.' && last.is_ascii_digit() && byte_at(text, at + 1).is_ascii_digit();
    !goes_on && !fraction && parts(last, after)
}

/// Whether two neighbouring bytes belong to different words.
const fn parts(before: u8, after: u8) -> bool {
    let letters = before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
    let humps = before.is_ascii_lowercase() && after.is_ascii_uppercase();
    let digits = before.is_ascii_digit() && after.is_ascii_digit();
    (!letters || humps) && !digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_found_in_its_spellings() {
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
            assert!(holds_spelled(text, name), "{name} in {text}");
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
            assert!(!holds_spelled(text, name), "{name} in {text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|[a-c0-2._-]){0,40}", name in "(\\PC|[a-c0-2._-]){0,8}") {
            let _ = holds_spelled(&text, &name);
        }
    }
}
