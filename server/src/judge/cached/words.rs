//! This module interns words for the life of the process: judgements hold static words, and one that is read from
//! disk gets the same ones back.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The most words; the code has some dozens.
const MAX_WORDS: usize = 512;
/// The most bytes of a word.
const MAX_WORD_BYTES: usize = 64;

static WORDS: Words = Words(Mutex::new(BTreeSet::new()));

/// The word for good; `None` for one that is too long, or one too many.
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
    fn a_word_is_made_once() {
        let first = word("judge").unwrap();
        assert_eq!(first, "judge");
        let again = String::from_iter(["jud", "ge"]);
        assert!(std::ptr::eq(first, word(&again).unwrap()));
    }

    #[test]
    fn they_are_bounded_and_what_is_known_stays_known() {
        let words = Words(Mutex::default());
        assert_eq!(words.word(&"x".repeat(MAX_WORD_BYTES + 1)), None);
        for number in 0..MAX_WORDS {
            assert!(words.word(&number.to_string()).is_some());
        }
        assert_eq!(words.word("one too many"), None);
        assert_eq!(words.word("7"), Some("7"));
    }
}
