//! Interns names that judgements contain as `&'static str`.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The maximum number of interned names. The code uses a few dozen.
const MAX_NAMES: usize = 512;
const MAX_NAME_BYTES: usize = 64;

static NAMES: Interner = Interner(Mutex::new(BTreeSet::new()));

/// Returns the interned name, or `None` if a limit is exceeded.
pub(super) fn intern(text: &str) -> Option<&'static str> {
    NAMES.intern(text)
}

struct Interner(Mutex<BTreeSet<&'static str>>);

impl Interner {
    fn intern(&self, text: &str) -> Option<&'static str> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = names.get(text) {
            return Some(name);
        }
        if text.len() > MAX_NAME_BYTES || names.len() >= MAX_NAMES {
            return None;
        }
        let name: &'static str = text.to_owned().leak();
        names.insert(name);
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interns_a_name_once() {
        let first = intern("judge").unwrap();
        assert_eq!(first, "judge");
        let copy = String::from_iter(["jud", "ge"]);
        assert!(std::ptr::eq(first, intern(&copy).unwrap()));
    }

    #[test]
    fn the_number_and_length_of_names_are_limited() {
        let names = Interner(Mutex::default());
        assert_eq!(names.intern(&"x".repeat(MAX_NAME_BYTES + 1)), None);
        for number in 0..MAX_NAMES {
            assert!(names.intern(&number.to_string()).is_some());
        }
        assert_eq!(names.intern("one too many"), None);
        assert_eq!(names.intern("7"), Some("7"));
    }
}
