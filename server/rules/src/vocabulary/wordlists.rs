//! Lists of words, looked up without regard to case.

use crate::vocabulary::words::{Key, exact};

/// A list of words.
#[derive(Debug)]
pub(crate) struct WordList {
    /// Sorted.
    keys: Vec<Key>,
}

impl WordList {
    /// The words of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut keys: Vec<Key> = text.split_ascii_whitespace().map(exact).collect();
        keys.sort_unstable();
        Self { keys }
    }

    /// Whether a word is in the list.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.keys.binary_search(&exact(word)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case() {
        let list = WordList::of("listed shown\n  returned");
        assert!(list.has("Listed") && list.has("returned"));
        assert!(!list.has("list") && !list.has(""));
    }
}
