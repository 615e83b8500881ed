//! Looking words up in a sorted table, without regard to case and without allocation.

/// Longer words are in no table.
const MAX_BYTES: usize = 32;

/// What a sorted table says of a word. Case and apostrophes do not count.
pub(super) fn lookup<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    if word.len() > MAX_BYTES {
        return None;
    }
    let mut buffer = [0u8; MAX_BYTES];
    let mut length = 0;
    let mut bytes = word.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\'' => continue,
            // The typographic apostrophe, U+2019; anything else beyond ASCII is in no table.
            0xe2 if (bytes.next(), bytes.next()) == (Some(0x80), Some(0x99)) => continue,
            byte if !byte.is_ascii() || byte == b'_' || byte == b'.' => return None,
            byte => *buffer.get_mut(length)? = byte.to_ascii_lowercase(),
        }
        length += 1;
    }
    let lowered = buffer.get(..length)?;
    let found = table.binary_search_by(|(candidate, _)| candidate.as_bytes().cmp(lowered)).ok()?;
    table.get(found).map(|(_, value)| *value)
}

/// Whether a table is sorted and free of repetition, as [`lookup`] needs it.
#[cfg(test)]
pub(super) fn misplaced<T>(table: &[(&'static str, T)]) -> Option<&'static str> {
    table.windows(2).find(|pair| pair[0].0 >= pair[1].0).map(|pair| pair[1].0)
}

/// The words of a name: `http_5xx.errorRate` is `http`, `5xx`, `error`, `Rate`.
pub(super) fn words(name: &str) -> Words<'_> {
    Words { rest: name }
}

#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let end = word_end(rest);
        let (word, rest) = rest.split_at_checked(end)?;
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// Where the first word ends: at what is no letter or digit, or where an upper-case letter begins
/// another (`readyReplicas`, `OOMKills`).
fn word_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, c)) = chars.next() {
        if !c.is_alphanumeric() {
            return at;
        }
        if let Some(before) = before
            && c.is_uppercase()
        {
            let acronym_ends =
                before.is_uppercase() && chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            if before.is_lowercase() || acronym_ends {
                return at;
            }
        }
        before = Some(c);
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn names_fall_into_words() {
        for (name, expected) in [
            ("http_5xx.errorRate", &["http", "5xx", "error", "Rate"][..]),
            ("OOMKills", &["OOM", "Kills"]),
            ("readyReplicas", &["ready", "Replicas"]),
            ("p99-latency ms", &["p99", "latency", "ms"]),
            ("PIDPressure", &["PID", "Pressure"]),
            ("", &[]),
            ("__", &[]),
            ("pods", &["pods"]),
        ] {
            assert_eq!(words(name).collect::<Vec<_>>(), expected, "{name}");
        }
    }

    #[test]
    fn case_and_apostrophes_do_not_count() {
        let table = &[("didnt", 1), ("no", 2)];
        assert_eq!(lookup(table, "Didn't"), Some(1));
        assert_eq!(lookup(table, "didn\u{2019}t"), Some(1));
        assert_eq!(lookup(table, "NO"), Some(2));
        assert_eq!(lookup(table, "nö"), None);
        assert_eq!(lookup(table, &"n".repeat(100)), None);
    }
}
