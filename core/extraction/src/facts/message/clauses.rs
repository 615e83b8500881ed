//! Splits a message where another subject begins. When in doubt, does not split.

use core::ops::Range;

use crate::facts::text::{trim, truncate};
use crate::text::part;

/// Splits a text into clauses.
///
/// `;` always splits. `,`, `and`, `while`, `whereas`, `but` and a full stop split only before a new subject
/// with its own verb, or with a value in the same form as the first subject's.
pub(super) fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (offset, separator) in separators(text) {
        if offset < start {
            continue;
        }
        let is_boundary = separator == Separator::Always || {
            let left = part(text, start..offset);
            let right = part(text, offset + separator.len()..text.len());
            begins_new_subject(left, right)
        };
        if is_boundary {
            push(text, start..offset, &mut found);
            start = offset + separator.len();
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let range = trim(text, range);
    let clause = part(text, range.clone());
    let range = range.end - without_conjunction(clause).len()..range.end;
    if part(text, range.clone()).bytes().any(|byte| byte.is_ascii_alphanumeric())
        || !range.is_empty() && found.is_empty()
    {
        found.push(range);
    }
}

fn without_conjunction(clause: &str) -> &str {
    const WORDS: [&str; 4] = ["and ", "but ", "while ", "whereas "];
    WORDS.iter().find_map(|word| clause.strip_prefix(word)).unwrap_or(clause)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `; `
    Always,
    /// `, ` or `. `
    Mark,
    /// A word between spaces, with its length.
    Word(usize),
}

impl Separator {
    fn len(self) -> usize {
        match self {
            Self::Always => 1,
            Self::Mark => 2,
            Self::Word(length) => length + 2,
        }
    }
}

fn separators(text: &str) -> Vec<(usize, Separator)> {
    const WORDS: [&str; 5] = ["and", "while", "whereas", "but", "then"];
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut quote = None;
    for (offset, byte) in bytes.iter().copied().enumerate() {
        if byte.is_ascii_alphanumeric() {
            continue;
        }
        if let Some(opening_quote) = quote {
            quote = quote.filter(|_| opening_quote != byte);
            continue;
        }
        let next = bytes.get(offset + 1).copied().unwrap_or(b' ');
        match byte {
            b'"' | b'`' => quote = Some(byte),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            b';' if next.is_ascii_whitespace() => found.push((offset, Separator::Always)),
            b',' | b'.' if next == b' ' => found.push((offset, Separator::Mark)),
            b' ' if matches!(next, b'a' | b'w' | b'b' | b't') => {
                let rest = part(text, offset + 1..text.len());
                let is_word = |word: &&&str| {
                    rest.strip_prefix(**word).is_some_and(|rest| rest.starts_with(' '))
                };
                found.extend(
                    WORDS.iter().find(is_word).map(|word| (offset, Separator::Word(word.len()))),
                );
            }
            _ => {}
        }
    }
    // Ignore an unclosed quote.
    if quote.is_some() && found.is_empty() {
        let semicolons = text.match_indices("; ");
        return semicolons.map(|(offset, _)| (offset, Separator::Always)).collect();
    }
    found
}

fn begins_new_subject(left: &str, right: &str) -> bool {
    let right = without_conjunction(right.trim_start());
    let words = first_words(right);
    let subject_index = words
        .iter()
        .position(|word| !matches!(*word, "the" | "a" | "an" | "its" | "both" | "also"));
    let Some((subject, rest)) =
        subject_index.and_then(|index| words.get(index..)).and_then(<[&str]>::split_first)
    else {
        return false;
    };
    if !can_be_subject(subject) {
        return false;
    }
    let left_words = first_words(left);
    let head = truncate(left, MAX_HEAD);
    let left_has_verb = head.split_whitespace().skip(1).any(is_verb) || head.contains('=');
    let has_own_verb = rest
        .iter()
        .take(3)
        .position(|word| is_verb(word))
        .is_some_and(|index| rest.iter().take(index).all(|word| can_be_subject(word)));
    if has_own_verb && left_has_verb {
        return true;
    }
    // "worker was deployed to eu-west and api to us-east"
    if let [preposition, object, ..] = rest
        && is_preposition(preposition)
        && !is_preposition(object)
        && last_words(left).iter().rev().skip(1).any(|word| word == preposition)
        && left_has_verb
    {
        return true;
    }
    // "cart-svc 8 ms, stock-svc 12 s"
    let has_value = |name: &str, rest: &[&str]| {
        is_name(name) && rest.iter().take(2).any(|value| starts_with_digit(value))
    };
    let left_has_value = left_words.split_first().is_some_and(|(name, rest)| has_value(name, rest));
    left_has_value && has_value(subject, rest)
}

const MAX_EDGE_WORDS: usize = 6;

/// The maximum distance, in bytes, of the verb from the start of a statement.
const MAX_HEAD: usize = 240;

fn first_words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace()).filter(|word| !word.is_empty());
    let mut found = Vec::with_capacity(MAX_EDGE_WORDS);
    for word in words.take(MAX_EDGE_WORDS) {
        let bare = word.trim_matches(['"', '\'', '`', '(', ')', ',', ':', '.', ';']);
        found.push(bare);
        if word.ends_with([',', ';']) || (word.ends_with('.') && word.len() > 1) {
            break;
        }
    }
    found
}

fn last_words(text: &str) -> Vec<&str> {
    let words = text.rsplit(|c: char| c.is_whitespace()).filter(|word| !word.is_empty());
    let mut found: Vec<&str> = words.take(MAX_EDGE_WORDS).collect();
    found.reverse();
    found
}

/// Returns `true` if a word can be a subject, that is, if it is not a verb, preposition or connective.
fn can_be_subject(word: &str) -> bool {
    const NEVER: [&str; 44] = [
        "which", "who", "that", "because", "since", "when", "after", "before", "until", "so",
        "but", "or", "and", "then", "if", "as", "than", "not", "no", "only", "still", "again",
        "now", "more", "less", "just", "even", "it", "they", "he", "she", "this", "these", "those",
        "its", "their", "there", "due", "including", "where", "whose", "while", "though",
        "although",
    ];
    let starts_as_word = word.starts_with(|c: char| c.is_alphanumeric() || c == '/');
    let is_number =
        word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'%' | b':'));
    let is_participle = word.ends_with("ing") && !is_name(word);
    starts_as_word
        && !is_number
        && !is_participle
        && !is_verb(word)
        && !is_preposition(word)
        && !NEVER.iter().any(|never| never.eq_ignore_ascii_case(word))
}

fn is_verb(word: &str) -> bool {
    const VERBS: [&str; 44] = [
        "is", "are", "was", "were", "has", "had", "have", "did", "does", "do", "will", "went",
        "ran", "rose", "fell", "took", "got", "became", "remains", "stays", "stayed", "shows",
        "uses", "runs", "sees", "gets", "lost", "sent", "hit", "grew", "dropped", "kept", "held",
        "came", "saw", "made", "returns", "reports", "answers", "fails", "cannot", "could", "can",
        "left",
    ];
    let is_past_form = word.len() >= 5
        && word.ends_with("ed")
        && word.bytes().all(|byte| byte.is_ascii_lowercase());
    is_past_form || VERBS.contains(&word)
}

fn is_preposition(word: &str) -> bool {
    const PREPOSITIONS: [&str; 18] = [
        "to", "at", "in", "on", "from", "with", "for", "by", "of", "over", "under", "above",
        "below", "into", "after", "before", "via", "per",
    ];
    PREPOSITIONS.contains(&word)
}

/// Returns `true` if a word looks like a resource name: `cart-svc`, `web01`, `db.primary`.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic())
        && word.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | '/'))
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_text(text: &str) -> Vec<&str> {
        clauses(text).into_iter().map(|range| part(text, range)).collect()
    }

    #[test]
    fn splits_where_another_subject_begins() {
        for (text, expected) in [
            (
                "cart-svc answered in 8 ms; stock-svc timed out after 12 s",
                &["cart-svc answered in 8 ms", "stock-svc timed out after 12 s"][..],
            ),
            (
                "worker was deployed to eu-west and api to us-east",
                &["worker was deployed to eu-west", "api to us-east"],
            ),
            (
                "cart-1 is ready, stock-2 is pending, and web-3 was evicted",
                &["cart-1 is ready", "stock-2 is pending", "web-3 was evicted"],
            ),
            ("cart-svc 8 ms, stock-svc 12 s", &["cart-svc 8 ms", "stock-svc 12 s"]),
            (
                "disk usage was 80% while memory stayed at 40%",
                &["disk usage was 80%", "memory stayed at 40%"],
            ),
        ] {
            assert_eq!(split_text(text), expected, "{text}");
        }
    }

    #[test]
    fn does_not_split_a_single_statement() {
        for text in [
            "member oc-3 in group settler has failed, removing it from the group",
            "worker failed and was restarted",
            "upstream timed out (110: a; b) while reading response header from upstream",
            "pool exhausted after 30 s, which blocked checkout and search",
            "avg 401, throttled 0, iterator age max 220",
            "Stopped target Network and Sockets.",
            "said \"a failed; b failed\" twice",
            "",
        ] {
            assert!(split_text(text).len() <= 1, "{text}: {:?}", split_text(text));
        }
    }
}
