//! Words as keys: the form in which a claim and evidence are compared.
//!
//! A key is a hash of a word without case and inflection, so that `restarted`, `Restarts` and the first
//! half of `restartCount` are one key. A name (anything with a digit, hyphen, dot or underscore) is its own
//! key and is never cut down: `checkout` is not `checkout-db`. Equal keys of different words are possible in
//! principle (64 bits) and never decide anything by themselves.

use gsar_core::text::tokens::entity_root;

/// A word without case and inflection.
pub(crate) type Key = u64;

const LONGEST_STEM: usize = 24;

/// The key of a word: stemmed for plain words, exact for names.
pub(crate) fn key(word: &str) -> Key {
    let bytes = word.as_bytes();
    if bytes.len() > LONGEST_STEM || !bytes.iter().all(u8::is_ascii_alphabetic) {
        return exact(word);
    }
    let mut lower = [0_u8; LONGEST_STEM];
    for (slot, byte) in lower.iter_mut().zip(bytes) {
        *slot = byte.to_ascii_lowercase();
    }
    let length = stem(&mut lower, bytes.len());
    if let Some(ending) = lower.get_mut(length..) {
        ending.fill(0);
    }
    hash(&lower)
}

/// The key of a name as it is written, case aside.
pub(crate) fn exact(name: &str) -> Key {
    if name.is_ascii() {
        return hash_lower(name.as_bytes());
    }
    let lower: String = name.chars().flat_map(char::to_lowercase).collect();
    hash_lower(lower.as_bytes())
}

const SEED: Key = 0xcbf2_9ce4_8422_2325;

fn mix(state: Key, eight: [u8; 8]) -> Key {
    (state ^ u64::from_le_bytes(eight)).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29)
}

/// The hash of a word in a buffer that is zero beyond it.
fn hash(buffer: &[u8; LONGEST_STEM]) -> Key {
    let (eights, _) = buffer.as_chunks::<8>();
    eights.iter().fold(SEED, |state, eight| mix(state, *eight))
}

fn hash_lower(bytes: &[u8]) -> Key {
    bytes.chunks(8).fold(!SEED, |state, chunk| {
        let mut eight = [0; 8];
        for (slot, byte) in eight.iter_mut().zip(chunk) {
            *slot = byte.to_ascii_lowercase();
        }
        mix(state, eight)
    })
}

/// Takes the inflection off a lower-case ASCII word in place; returns what is left of its length.
fn stem(word: &mut [u8; LONGEST_STEM], length: usize) -> usize {
    const SHORTEST: usize = 3;
    let ends = |word: &[u8; LONGEST_STEM], length: usize, ending: &[u8]| {
        length >= ending.len() + SHORTEST
            && word.get(length - ending.len()..length).is_some_and(|tail| tail == ending)
    };
    let mut length = length;
    if ends(word, length, b"ies") || ends(word, length, b"ied") {
        length -= 3;
        if let Some(slot) = word.get_mut(length) {
            *slot = b'y';
        }
        return length + 1;
    }
    if ends(word, length, b"s")
        && !ends(word, length, b"ss")
        && !ends(word, length, b"us")
        && !ends(word, length, b"is")
    {
        length -= 1;
    }
    if ends(word, length, b"ing") {
        length -= 3;
    } else if ends(word, length, b"ed") {
        length -= 2;
    }
    if ends(word, length, b"e") {
        length -= 1;
    }
    // `stopp` of `stopped` is `stop`, and then `kill` must be `kil`.
    let last_two = word.get(length.saturating_sub(2)..length).unwrap_or_default();
    if let [a, b] = last_two
        && a == b
        && length > SHORTEST
    {
        length -= 1;
    }
    length
}

/// The key under which a part of a hyphenated name stands: it may recall the name, it never is the name.
pub(crate) fn soft(part: &str) -> Key {
    soft_key(key(part))
}

/// The key under which a part of a hyphenated name stands, from the key of the part.
pub(crate) fn soft_key(key: Key) -> Key {
    key ^ 0x5bd1_e995_0000_51f7
}

/// Hands over every key under which a word of the evidence is to be found: the word itself; the workload of
/// a pod's name; the parts of `restartCount` and `mem_limit`; softly, the parts of a hyphenated name but its first.
pub(crate) fn evidence_keys(word: &str, mut found: impl FnMut(Key)) {
    let bytes = word.as_bytes();
    found(key(word));
    let mut separators = false;
    let mut hyphens = false;
    let mut inner_capital = false;
    let mut previous_small = false;
    let mut capitals = 0_usize;
    for byte in bytes {
        let capital = byte.is_ascii_uppercase();
        inner_capital |= capital && previous_small;
        previous_small = byte.is_ascii_lowercase();
        capitals += usize::from(capital);
        separators |= *byte == b'_';
        hyphens |= matches!(byte, b'-' | b'.');
    }
    inner_capital |=
        capitals > 1 && capitals < bytes.len() && bytes.iter().any(u8::is_ascii_lowercase);
    // A commit is called by the beginning of its hash.
    if bytes.len() == 40 && bytes.iter().all(u8::is_ascii_hexdigit) {
        for length in [7, 8, 10, 12] {
            word.get(..length).into_iter().for_each(|short| found(exact(short)));
        }
    }
    // `3000:31171` are two ports.
    if let Some((one, other)) = word.split_once(':')
        && one.len() > 2
        && other.len() > 2
        && one.bytes().chain(other.bytes()).all(|byte| byte.is_ascii_digit())
    {
        found(exact(one));
        found(exact(other));
    }
    if hyphens {
        let root = entity_root(word);
        if root.len() != word.len() {
            found(exact(root));
        }
        let mut joined = String::new();
        for (order, part) in parts(word).enumerate() {
            if order > 0 {
                found(soft(part));
            }
            joined.push_str(part);
        }
        found(key(&joined));
        short_names(word, &mut found);
        if let Some(unit) = unit_of_systemd(word) {
            found(exact(unit));
        }
        // An exception is named with its package or without.
        if let Some((_, last)) = word.rsplit_once('.')
            && (last.ends_with("Error") || last.ends_with("Exception"))
        {
            found(soft(last));
        }
    } else if separators || inner_capital {
        for part in parts(word) {
            found(key(part));
        }
    } else if is_hash(word) {
        for length in SHORTEST_HASH..=LONGEST_SHORT_HASH {
            found(exact(word.get(..length).unwrap_or(word)));
        }
    }
}

/// How much of a commit's or image's hash is written at least, and at most where it is written short.
const SHORTEST_HASH: usize = 7;
const LONGEST_SHORT_HASH: usize = 12;

/// Whether a word is a whole hash, which a report writes short: that of a commit or an image.
fn is_hash(word: &str) -> bool {
    matches!(word.len(), 40 | 64)
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// The shorter names by which a report calls what a tool writes out: the host of a domain name, the table of a schema,
/// the last two parts of a path in code.
fn short_names(word: &str, found: &mut impl FnMut(Key)) {
    let Some((before, last)) = word.rsplit_once('.') else { return };
    let is_name = |part: &str| {
        part.len() > 3
            && part.bytes().any(|byte| byte.is_ascii_alphabetic())
            && part.bytes().any(|byte| matches!(byte, b'-' | b'_') || byte.is_ascii_uppercase())
    };
    let first = before.split('.').next().unwrap_or("");
    if first.len() > 3 && first.contains('-') && before.len() > first.len() {
        found(exact(first));
    }
    if is_name(last) && !last.contains('-') {
        found(exact(last));
    }
    if let Some((start, _)) = before.rmatch_indices('.').next().filter(|_| is_name(before)) {
        word.get(start + 1..).into_iter().for_each(|two| found(exact(two)));
    }
}

/// The name of a unit without its sort: `chrony-wait` of `chrony-wait.service`.
fn unit_of_systemd(word: &str) -> Option<&str> {
    const SORTS: [&str; 7] = ["service", "timer", "socket", "mount", "target", "slice", "scope"];
    let (name, sort) = word.rsplit_once('.')?;
    (SORTS.contains(&sort) && !name.is_empty()).then_some(name)
}

/// The parts of a compound word: at hyphens, dots, underscores and inner capitals. A word without any has
/// no parts. `OOMKilled` has `OOM` and `Killed`.
pub(crate) fn parts(word: &str) -> Parts<'_> {
    Parts { rest: word, whole: word.len() }
}

/// Iterator over the parts of a compound word.
pub(crate) struct Parts<'a> {
    rest: &'a str,
    whole: usize,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start_matches(['-', '.', '_', '/', ':']);
        if rest.is_empty() {
            return None;
        }
        let end = end_of_part(rest.as_bytes());
        let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.rest = after;
        (part.len() < self.whole).then_some(part)
    }
}

fn end_of_part(bytes: &[u8]) -> usize {
    let mut previous = 0_u8;
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(byte, b'-' | b'.' | b'_' | b'/' | b':') {
            return at;
        }
        let next_is_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let starts_word = byte.is_ascii_uppercase()
            && (previous.is_ascii_lowercase() || previous.is_ascii_uppercase() && next_is_small);
        if at > 0 && starts_word {
            return at;
        }
        previous = *byte;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_found_by_their_beginning() {
        let mut keys = Vec::new();
        evidence_keys("7be20c4d19f5a3087c62eb41f0d9a875316ce2fb", |key| keys.push(key));
        assert!(keys.contains(&exact("7be20c4")) && keys.contains(&exact("7be20c4d19f5")));
        assert!(!keys.contains(&exact("7be20c")) && !keys.contains(&exact("19f5a30")));
    }
    use proptest::prelude::*;

    #[test]
    fn inflections_share_a_key() {
        for group in [
            ["restart", "restarted", "Restarts", "restarting"],
            ["kill", "killed", "Killing", "kills"],
            ["raise", "raised", "raises", "raising"],
            ["stop", "stopped", "stops", "stopping"],
            ["retry", "retries", "retried", "Retry"],
            ["process", "processes", "processed", "processing"],
        ] {
            for word in group {
                assert_eq!(key(word), key(group[0]), "{word}");
            }
        }
    }

    #[test]
    fn different_words_do_not() {
        for (a, b) in
            [("ready", "read"), ("status", "state"), ("checkout", "check"), ("limit", "time")]
        {
            assert_ne!(key(a), key(b), "{a} {b}");
        }
        assert_ne!(key("checkout"), key("checkout-db"));
        assert_eq!(key("checkout-DB"), exact("checkout-db"));
        assert_eq!(exact("ÄNDERUNG"), exact("änderung"));
    }

    #[test]
    fn compounds_fall_into_parts() {
        let all = |word| parts(word).collect::<Vec<_>>();
        assert_eq!(all("OOMKilled"), ["OOM", "Killed"]);
        assert_eq!(all("CrashLoopBackOff"), ["Crash", "Loop", "Back", "Off"]);
        assert_eq!(all("restartCount"), ["restart", "Count"]);
        assert_eq!(all("node_cpu_busy_percent"), ["node", "cpu", "busy", "percent"]);
        assert_eq!(all("catalog-cache-warmup"), ["catalog", "cache", "warmup"]);
        assert!(all("memory").is_empty() && all("SLO").is_empty() && all("--").is_empty());
    }

    proptest! {
        #[test]
        fn keys_never_panic(word in "\\PC{0,40}") {
            let _ = (key(&word), exact(&word), parts(&word).count());
        }
    }
}
