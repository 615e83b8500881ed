//! Extracts the search terms of a text: identifiers as written, their parts, and word stems.
//!
//! | written | terms |
//! |---|---|
//! | `checkout-7f9c` | `checkout-7f9c`, `checkout`, `7f9c` |
//! | `p99=1.8s` | `p99`, `1.8s`, `1.8` |
//! | `10.0.3.4:5432` | `10.0.3.4:5432`, `10.0.3.4`, `5432` |
//! | `CrashLoopBackOff` | `crashloopbackoff`, `crash`, `loop`, `back`, `off` |
//! | `restarted`, `restarts` | `restart` |
//!
//! Terms are lower-case and consist of letters, digits and `._-:/@%+`.

use rust_stemmers::{Algorithm, Stemmer};

/// The maximum size in bytes of a term. Longer identifiers can be found only by their parts.
const MAX_WORD_BYTES: usize = 96;

const SEPARATORS: [char; 8] = ['.', '_', '-', ':', '/', '@', '%', '+'];

const COMMON: [&str; 48] = [
    "a", "after", "all", "also", "an", "and", "are", "as", "at", "be", "been", "before", "but",
    "by", "did", "does", "each", "for", "from", "had", "has", "have", "in", "into", "is", "it",
    "its", "no", "not", "of", "on", "or", "so", "than", "that", "the", "their", "then", "there",
    "these", "this", "to", "was", "were", "which", "while", "with", "would",
];

/// Returns the terms of a text in order, including repetitions.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut terms_found = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || SEPARATORS.contains(&c))) {
        let word = word.trim_matches(|c: char| c != '%' && SEPARATORS.contains(&c));
        if word.contains(char::is_alphanumeric) {
            add_word(word, &stemmer, &mut terms_found);
        }
    }
    terms_found
}

fn add_word(word: &str, stemmer: &Stemmer, terms_found: &mut Vec<String>) {
    let lower = word.to_lowercase();
    if is_number(&lower) {
        add_number(&lower, terms_found);
        return;
    }
    let parts: Vec<&str> =
        word.split(SEPARATORS).flat_map(camel_case_words).filter(|part| !part.is_empty()).collect();
    if let [_] = parts.as_slice() {
        add_part(&lower, stemmer, terms_found);
        return;
    }
    if lower.len() <= MAX_WORD_BYTES {
        terms_found.push(lower.clone());
    }
    if let Some((address, port)) = lower.rsplit_once(':')
        && is_number(address)
    {
        terms_found.push(address.to_owned());
        terms_found.push(port.to_owned());
        return;
    }
    for part in parts {
        add_part(&part.to_lowercase(), stemmer, terms_found);
    }
}

fn add_part(part: &str, stemmer: &Stemmer, terms_found: &mut Vec<String>) {
    if part.len() > MAX_WORD_BYTES || COMMON.contains(&part) {
        return;
    }
    let is_word = part.bytes().all(|byte| byte.is_ascii_lowercase());
    terms_found.push(if is_word { stemmer.stem(part).into_owned() } else { part.to_owned() });
}

/// Returns `true` for numbers such as `1.8s`, `10.0.3.4` and `42`: a leading digit, and no separators except
/// dots.
fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
        && word.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '%')
        && (word.contains('.')
            || word.bytes().take_while(u8::is_ascii_digit).count() + 3 >= word.len())
}

fn add_number(word: &str, terms_found: &mut Vec<String>) {
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    if word.len() <= MAX_WORD_BYTES {
        terms_found.push(word.to_owned());
        if digits != word {
            terms_found.push(digits.to_owned());
        }
    }
}

fn camel_case_words(word: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let characters: Vec<(usize, char)> = word.char_indices().collect();
    for window in characters.windows(3) {
        if let [(_, previous), (position, current), (_, next)] = window {
            let is_word_start = previous.is_lowercase() && current.is_uppercase();
            let ends_capitals =
                previous.is_uppercase() && current.is_uppercase() && next.is_lowercase();
            if is_word_start || ends_capitals {
                starts.push(*position);
            }
        }
    }
    starts.push(word.len());
    starts.windows(2).filter_map(|range| word.get(*range.first()?..*range.last()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn extracts_identifiers_and_their_parts() {
        let joined_terms = |text: &str| terms(text).join(" ");
        assert_eq!(joined_terms("checkout-7f9c"), "checkout-7f9c checkout 7f9c");
        assert_eq!(joined_terms("p99=1.8s"), "p99 1.8s 1.8");
        assert_eq!(joined_terms("10.0.3.4:5432"), "10.0.3.4:5432 10.0.3.4 5432");
        assert_eq!(joined_terms("CrashLoopBackOff"), "crashloopbackoff crash loop back off");
        assert_eq!(joined_terms("HTTPServer returned 503."), "httpserver http server return 503");
        assert_eq!(joined_terms("The pods restarted"), "pod restart");
        assert_eq!(joined_terms("/var/log/app.log"), "var/log/app.log var log app log");
        assert_eq!(joined_terms("cpu: 97.5%"), "cpu 97.5% 97.5");
        assert_eq!(joined_terms("heap_mib"), "heap_mib heap mib");
        assert_eq!(joined_terms(""), "");
    }

    proptest! {
        #[test]
        fn terms_consist_of_allowed_characters(text in "(\\PC|[a-zA-Z0-9._:/@%+-]){0,60}") {
            for term in terms(&text) {
                prop_assert!(!term.is_empty());
                prop_assert!(term.chars().all(|c| c.is_alphanumeric() || SEPARATORS.contains(&c)
                    || !c.is_ascii()), "{term}");
            }
        }
    }
}
