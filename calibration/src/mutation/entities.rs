//! Replaces names with similar names from the evidence.

use std::collections::BTreeSet;

use super::evidence::Surroundings;
use super::opposites::is_state;
use super::tokens::{Token, replace_span};

const MIN_BYTES: usize = 4;

const MIN_KEY: usize = 3;

const MAX_REPLACEMENTS: usize = 6;

const MIN_TERM: usize = 4;

/// Replaces a name with another name from the evidence, unless the claim could also be true of the other name.
pub(super) fn entities(claim: &str, tokens: &[Token<'_>], evidence: &Surroundings) -> Vec<String> {
    let mut texts = Vec::new();
    for token in tokens.iter().filter(|token| is_name(token.text)) {
        let Some(keys) = evidence.names().get(token.text) else { continue };
        let terms = terms(tokens, token.text);
        let terms_near = evidence.max_terms_near(token.text, &terms).unwrap_or(0);
        let others = evidence.names().iter().filter(|(other, other_keys)| {
            is_name(other)
                && are_similar(token.text, keys, other, other_keys)
                && !tokens.iter().any(|token| token.text == other.as_str())
                && evidence.max_terms_near(other, &terms).is_some_and(|near| near < terms_near)
        });
        for (other, _) in others.take(MAX_REPLACEMENTS) {
            texts.push(replace_span(claim, token.span.clone(), other));
        }
    }
    texts
}

pub(super) fn terms(tokens: &[Token<'_>], without: &str) -> Vec<String> {
    let is_term = |token: &&Token<'_>| {
        token.text != without
            && (token.text.len() >= MIN_TERM || token.text.bytes().any(|b| b.is_ascii_digit()))
    };
    tokens.iter().filter(is_term).map(|token| token.lower.clone()).collect()
}

/// Returns `true` if a word has a digit, hyphen, underscore, dot or inner capital, and is not a state.
fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_mark = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.');
    bytes.len() >= MIN_BYTES
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(|byte| is_mark(byte) || byte.is_ascii_alphabetic())
        && (bytes.iter().any(is_mark) || is_camel_case(text))
        && !is_state(text)
}

fn is_camel_case(text: &str) -> bool {
    let inner_capital = text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    inner_capital && text.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Returns `true` if two names have the same structure and share a prefix or key.
fn are_similar(
    name: &str,
    keys: &BTreeSet<String>,
    other: &str,
    other_keys: &BTreeSet<String>,
) -> bool {
    let parts = |name: &str| name.split(['-', '_', '.']).map(has_digit).collect::<Vec<_>>();
    let marks = |name: &str| name.matches(['_', '.']).collect::<String>();
    let is_specific = |key: &&String| key.len() >= MIN_KEY && *key != "name" && !has_digit(key);
    let share_key = keys.intersection(other_keys).any(|key| is_specific(&key));
    let similar_length = name.len() <= 2 * other.len() && other.len() <= 2 * name.len();
    let same_structure = if name.contains('_') {
        is_upper(name) == is_upper(other) && other.contains('_')
    } else {
        is_camel_case(name) == is_camel_case(other)
            && marks(name) == marks(other)
            && parts(name) == parts(other)
    };
    let same_prefix = match (name.split_once('-'), other.split_once('-')) {
        (Some((name, _)), Some((other, _))) => name == other,
        (None, None) if name.contains('_') => {
            name.split('_').any(|part| other.split('_').any(|other| other == part))
        }
        _ => false,
    };
    name != other && similar_length && same_structure && (same_prefix || share_key)
}

fn has_digit(part: &str) -> bool {
    part.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_upper(name: &str) -> bool {
    !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    const EVIDENCE: &str = r#"{"labels": {"alertname": "NodeHighCpu", "node": "wk-eu1-04", "cpu": "93.4"}}
{"labels": {"alertname": "DiskFull", "node": "wk-eu1-02", "cpu": "41.2"}}
deployment checkout-api sets DB_HOST but reads PAYMENTS_DB_HOST, says SuccessfulCreate
"#;

    fn replace_in(claim: &str) -> Vec<String> {
        entities(claim, &tokens(claim), &Surroundings::new([EVIDENCE]))
    }

    #[test]
    fn replaces_names_with_similar_names() {
        assert_eq!(replace_in("CPU of wk-eu1-04 was 93.4 %"), ["CPU of wk-eu1-02 was 93.4 %"]);
        assert_eq!(
            replace_in("Alert NodeHighCpu fired at 93.4 %"),
            ["Alert DiskFull fired at 93.4 %"],
            "an event reason is not an alert"
        );
    }

    #[test]
    fn keeps_unknown_and_ambiguous_names() {
        assert_eq!(replace_in("CPU of wk-eu1-09 was 93.4 %"), [""; 0]);
        assert_eq!(replace_in("The node wk-eu1-04 has a cpu"), [""; 0]);
        assert_eq!(replace_in("The variable DB_HOST replaced PAYMENTS_DB_HOST"), [""; 0]);
    }

    #[test]
    fn states_and_plain_words_are_not_names() {
        for word in ["OOMKilled", "CrashLoopBackOff", "memory", "512Mi", "pod"] {
            assert!(!is_name(word), "{word}");
        }
        for name in ["wk-eu1-04", "DB_HOST", "NodeHighCpu", "checkout-api", "db.svc"] {
            assert!(is_name(name), "{name}");
        }
    }
}
