//! Interns strings for the life of the process: judgements contain `&'static str` names, which are restored when a
//! judgement is read from a store.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The maximum number of names; the code has a few dozen.
const MAX_WORDS: usize = 512;
/// The maximum number of bytes of a name.
const MAX_WORD_BYTES: usize = 64;

static WORDS: Words = Words(Mutex::new(BTreeSet::new()));

/// Returns the interned name; `None` if it is too long or there are too many.
pub(super) fn word(text: &str) -> Option<&'static str> {
    WORDS.word(text)
}

struct Words(Mutex<BTreeSet<&'static str>>);

impl Words {
    fn word(&self, text: &str) -> Option<&'static str> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(word) = known.get(text) {
            return Some(word);
        }
        if text.len() > MAX_WORD_BYTES || known.len() >= MAX_WORDS {
            return None;
        }
        let word: &'static str = text.to_owned().leak();
        known.insert(word);
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interns_a_name_once() {
        let first = word("judge").unwrap();
        assert_eq!(first, "judge");
        let again = String::from_iter(["jud", "ge"]);
        assert!(std::ptr::eq(first, word(&again).unwrap()));
    }

    #[test]
    fn the_number_and_length_of_names_are_limited() {
        let words = Words(Mutex::default());
        assert_eq!(words.word(&"x".repeat(MAX_WORD_BYTES + 1)), None);
        for number in 0..MAX_WORDS {
            assert!(words.word(&number.to_string()).is_some());
        }
        assert_eq!(words.word("one too many"), None);
        assert_eq!(words.word("7"), Some("7"));
    }
}
