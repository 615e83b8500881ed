//! Finding the cues of a claim: an index over the tables of phrases and words.

use std::collections::HashMap;
use std::sync::LazyLock;

use gsar_core::text::tokens::Word;

use super::cue_words::WORDS;
use super::phrases::{Cue, PHRASES};
use crate::vocabulary::words::{Key, exact};

/// What begins with a word: phrases, the longest first, and what it says alone.
#[derive(Debug, Default)]
struct Entry {
    phrases: Vec<(&'static str, Cue)>,
    alone: Option<Cue>,
}

static INDEX: LazyLock<HashMap<Key, Entry>> = LazyLock::new(|| {
    let mut index: HashMap<Key, Entry> = HashMap::new();
    for (phrase, cue) in PHRASES {
        let first = phrase.split(' ').next().unwrap_or(phrase);
        index.entry(exact(first)).or_default().phrases.push((phrase, cue));
    }
    for (cue, listed) in WORDS {
        for word in listed.split_ascii_whitespace() {
            index.entry(exact(word)).or_default().alone.get_or_insert(cue);
        }
    }
    for entry in index.values_mut() {
        entry.phrases.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.split(' ').count()));
    }
    index
});

/// The cue that begins at a place of some words, and how many of them it takes.
pub(super) fn cue_at(words: &[Word<'_>]) -> Option<(Cue, usize)> {
    let first = words.first()?;
    let entry = INDEX.get(&exact(first.text));
    let starts = |phrase: &str| {
        let mut length = 0;
        for part in phrase.split(' ') {
            words.get(length).filter(|word| word.is(part))?;
            length += 1;
        }
        Some(length)
    };
    let longest = entry.and_then(|entry| {
        entry.phrases.iter().find_map(|(phrase, cue)| starts(phrase).map(|length| (*cue, length)))
    });
    longest.or_else(|| entry.and_then(|entry| entry.alone).map(|cue| (cue, 1))).or_else(|| {
        let is_fold = first.text.len() > 4 && first.text.ends_with("fold");
        is_fold.then_some((Cue::Fold, 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cue::{At, Every, Trough};
    use gsar_core::text::tokens::words;

    #[test]
    fn the_longest_phrase_counts() {
        let cue = |text| cue_at(&words(text).collect::<Vec<_>>());
        assert_eq!(cue("at its lowest point"), Some((Trough, 3)));
        assert_eq!(cue("at 14:02"), Some((At, 1)));
        assert_eq!(cue("in every single sample"), Some((Every, 4)));
        assert_eq!(cue("fivefold"), Some((Cue::Fold, 1)));
        assert_eq!(cue("ReplicaLag"), None);
    }
}
