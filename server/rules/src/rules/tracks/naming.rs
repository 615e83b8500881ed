//! What reports call the things whose names stand in labels: a pod by its workload or by its random end.

use gsar_core::text::tokens::words;

use crate::vocabulary::words::{Key, exact, key};

/// The words under which a label may be named.
pub(super) fn label_keys(text: &str, keys: &mut Vec<Key>) {
    for word in words(text) {
        keys.push(exact(word.text));
        keys.push(key(word.text));
        for short in short_names(word.text) {
            keys.push(exact(short));
        }
    }
}

/// The random end of a generated name, and what stands before its random ends: `x7k2p` and `seatmap-api` of
/// `seatmap-api-f8d6b7c4d-x7k2p`.
fn short_names(name: &str) -> impl Iterator<Item = &str> {
    let end = name.rsplit('-').next().filter(|end| end.len() < name.len() && is_random(end));
    let mut stem = name;
    while let Some((rest, _)) = stem.rsplit_once('-').filter(|(_, last)| is_random(last)) {
        stem = rest;
    }
    let workload = (stem.len() < name.len() && end.is_some()).then_some(stem);
    end.into_iter().chain(workload)
}

/// Whether a part of a name was made up by a controller: letters and digits without a vowel, or digits only.
fn is_random(part: &str) -> bool {
    let plain = part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_word = part.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u'));
    let has_digit = part.bytes().any(|byte| byte.is_ascii_digit());
    plain && part.len() >= 5 && (has_digit || !is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_go_by_their_workload_or_their_end() {
        let names = |name| short_names(name).collect::<Vec<_>>();
        assert_eq!(names("seatmap-api-f8d6b7c4d-x7k2p"), ["x7k2p", "seatmap-api"]);
        assert_eq!(names("tariff-rebuild-29674710-vw8hd"), ["vw8hd", "tariff-rebuild"]);
        assert_eq!(names("auth-3"), [""; 0]);
        assert_eq!(names("pg-payments-0"), [""; 0]);
        assert_eq!(names("redis-b"), [""; 0]);
        assert_eq!(names("checkout-db"), [""; 0]);
    }
}
