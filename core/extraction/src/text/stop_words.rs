//! English stop words.

/// Returns `true` if a word carries no content. Negations, quantifiers and comparisons are not stop words.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    let mut lower = [0; MAX_PACKED_BYTES];
    let Some(start) = lower.get_mut(..word.len()) else { return false };
    start.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    match word.len() {
        0 => true,
        1 => lower.first().is_some_and(u8::is_ascii_alphabetic),
        _ => PACKED_STOP_WORDS.binary_search(&u64::from_be_bytes(lower)).is_ok(),
    }
}

const MAX_PACKED_BYTES: usize = 8;

/// The stop words packed into integers for fast lookup.
static PACKED_STOP_WORDS: [u64; STOP_WORDS.len()] = packed_stop_words();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, when an invalid index fails the build"
)]
const fn packed_stop_words() -> [u64; STOP_WORDS.len()] {
    let mut packed = [0; STOP_WORDS.len()];
    let mut entry = 0;
    while entry < packed.len() {
        let mut bytes = [0; MAX_PACKED_BYTES];
        let mut index = 0;
        while index < STOP_WORDS[entry].len() {
            bytes[index] = STOP_WORDS[entry][index];
            index += 1;
        }
        packed[entry] = u64::from_be_bytes(bytes);
        entry += 1;
    }
    packed
}

/// The stop words, sorted.
const STOP_WORDS: [&[u8]; 75] = [
    b"about", b"after", b"also", b"am", b"an", b"and", b"are", b"as", b"at", b"be", b"because",
    b"been", b"before", b"being", b"but", b"by", b"can", b"did", b"do", b"does", b"during", b"for",
    b"from", b"had", b"has", b"have", b"having", b"he", b"her", b"here", b"his", b"if", b"in",
    b"into", b"is", b"it", b"its", b"itself", b"ll", b"me", b"my", b"of", b"on", b"or", b"our",
    b"re", b"she", b"so", b"such", b"than", b"that", b"the", b"their", b"them", b"then", b"there",
    b"these", b"they", b"this", b"those", b"through", b"to", b"too", b"under", b"us", b"ve",
    b"was", b"we", b"were", b"when", b"where", b"which", b"while", b"who", b"with",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::content_words;

    #[test]
    fn negations_are_not_stop_words() {
        assert!(PACKED_STOP_WORDS.is_sorted());
        assert!(["a", "US", "Through", "itself"].into_iter().all(is_stop_word));
        assert!(!["1", "through1", "throughout", "no"].into_iter().any(is_stop_word));
        let content: Vec<_> =
            content_words("The pods did not restart without 3 errors").map(|w| w.text).collect();
        assert_eq!(content, ["pods", "not", "restart", "without", "errors"]);
    }
}
