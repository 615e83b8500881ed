//! Splits text into sentences and recognizes proposals.
//!
//! A full stop inside a number, time, file name, URL, version, code span or common abbreviation does not end a
//! sentence. When in doubt, text is split and treated as a statement, so that no statement is hidden from the judge.

use core::ops::Range;

use super::tokens::{Word, words};
use super::{char_at, char_before, part};

/// The maximum length of a sentence in bytes. Longer text is not prose, and the cost of a sentence grows
/// faster than its length.
pub const MAX_SENTENCE: usize = 2 << 10;

/// Splits text without Markdown into trimmed sentences. Cuts sentences longer than [`MAX_SENTENCE`], at a
/// line break or whitespace if possible.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let limit = text.floor_char_boundary(start + MAX_SENTENCE);
        let mut end = sentence_end(text, start..limit);
        if end == limit && limit < text.len() {
            end = soft_break(text, start..limit);
        }
        let inner = part(text, start..end);
        let inner_start = start + inner.len() - inner.trim_start().len();
        if !inner.trim().is_empty() {
            found.push(inner_start..inner_start + inner.trim().len());
        }
        start = end;
    }
    found
}

fn soft_break(text: &str, sentence: Range<usize>) -> usize {
    let sentence_text = part(text, sentence.clone());
    let last_break =
        |is_break: fn(char) -> bool| sentence_text.rfind(is_break).filter(|offset| *offset > 0);
    let offset = last_break(|c| c == '\n').or_else(|| last_break(char::is_whitespace));
    offset.map_or(sentence.end, |offset| sentence.start + offset)
}

fn sentence_end(text: &str, block: Range<usize>) -> usize {
    let mut position = block.start;
    while position < block.end {
        let Some(character) = char_at(text, position) else { return block.end };
        let next = position + character.len_utf8();
        match character {
            '`' => position = code_end(text, position, block.end),
            '。' | '！' | '？' => return with_closers(text, next, block.end),
            '.' | '!' | '?' => {
                let end = with_closers(text, next, block.end);
                let followed_by_space =
                    end >= block.end || char_at(text, end).is_some_and(char::is_whitespace);
                let continues = || {
                    character == '.'
                        && (is_abbreviation(text, &block, position)
                            || is_pause(text, position..end, block.end))
                };
                if followed_by_space && !continues() {
                    return end;
                }
                position = next;
            }
            _ => position = next,
        }
    }
    block.end
}

/// Returns `true` for a pause: `...` before a lower-case letter.
fn is_pause(text: &str, dots: Range<usize>, limit: usize) -> bool {
    part(text, dots.clone()).starts_with("..")
        && part(text, dots.end..limit).trim_start().starts_with(char::is_lowercase)
}

/// Returns the offset after a short code span, or after the backticks if they start none.
fn code_end(text: &str, start: usize, limit: usize) -> usize {
    const MAX_BYTES: usize = 160;
    let run = part(text, start..limit).bytes().take_while(|byte| *byte == b'`').count();
    let inner = part(text, start + run..limit);
    match inner.find('`').filter(|length| *length <= MAX_BYTES) {
        Some(length) => {
            let close = start + run + length;
            close + part(text, close..limit).bytes().take_while(|byte| *byte == b'`').count()
        }
        None => start + run,
    }
}

/// Returns the offset after further terminators, closing quotes, brackets and emphasis.
fn with_closers(text: &str, mut position: usize, limit: usize) -> usize {
    while position < limit {
        match char_at(text, position) {
            Some(
                c @ ('.' | '!' | '?' | '"' | '\'' | ')' | ']' | '*' | '_' | '”' | '’' | '»' | '」'),
            ) => {
                position += c.len_utf8();
            }
            _ => break,
        }
    }
    position
}

const NEAR: usize = 160;

fn is_abbreviation(text: &str, block: &Range<usize>, dot: usize) -> bool {
    let window_start = text.ceil_char_boundary(dot.saturating_sub(NEAR)).max(block.start);
    let block = window_start..text.floor_char_boundary(dot + NEAR).clamp(dot + 1, block.end);
    let before = part(text, block.start..dot);
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || c == '.'))
        .map_or(0, |index| index + char_at(before, index).map_or(1, char::len_utf8));
    let word = part(before, start..before.len());
    let rest = part(text, dot + 1..block.end).trim_start();
    let is = |table: &[&str]| table.iter().any(|entry| word.eq_ignore_ascii_case(entry));
    let next_digit = rest.starts_with(|c: char| c.is_ascii_digit() || c == '#');
    let next_capital = rest.starts_with(char::is_uppercase);
    is(&NEVER_LAST)
        || (is(&BEFORE_NUMBERS) && next_digit)
        || (is(&SOMETIMES_LAST) && !next_capital && !rest.is_empty())
        || (char_before(before, before.len()) == Some('.') && !next_capital && !rest.is_empty())
        || ((is_initials(word) || is(&IN_NAMES))
            && !rest.is_empty()
            && (!next_capital || is_part_of_name(before, rest)))
}

/// Returns `true` for single capitals separated by full stops: `S`, `F.C`.
fn is_initials(word: &str) -> bool {
    !word.is_empty()
        && word.split('.').all(|letter| {
            let mut letters = letter.chars();
            letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
        })
}

/// Returns `true` if initials are part of a name. If there is no verb on one side, the sides are not two statements.
fn is_part_of_name(before: &str, rest: &str) -> bool {
    let has_verb = |text: &str| {
        words(text).any(|word| {
            let text = word.text;
            is_finite(text) || is_past(text) || super::tokens::ends_ignoring_case(text, "ed")
        })
    };
    let sentence = rest.find(['.', '!', '?']).and_then(|end| rest.get(..end)).unwrap_or(rest);
    let starts_sentence =
        words(sentence).next().is_some_and(|word| BEGINNINGS.iter().any(|entry| word.is(entry)));
    !starts_sentence && (!has_verb(before) || !has_verb(sentence))
}

const BEGINNINGS: [&str; 26] = [
    "a", "after", "all", "an", "and", "as", "at", "before", "but", "for", "from", "he", "i", "if",
    "in", "it", "no", "on", "she", "that", "the", "then", "these", "they", "this", "we",
];

/// Abbreviations that never end a sentence.
const NEVER_LAST: [&str; 14] = [
    "e.g", "i.e", "eg", "ie", "vs", "approx", "ca", "cf", "viz", "resp", "incl", "excl", "dr", "mr",
];
/// Abbreviations that occur only before a number.
const BEFORE_NUMBERS: [&str; 11] =
    ["no", "nr", "fig", "figs", "sec", "ch", "ver", "v", "vol", "p", "pp"];
/// Abbreviations that end a sentence only before a capital.
const SOMETIMES_LAST: [&str; 14] = [
    "etc", "al", "inc", "ltd", "co", "corp", "a.m", "p.m", "u.s", "u.k", "est", "min", "max",
    "ph.d",
];
const IN_NAMES: [&str; 5] = ["ft", "jr", "mt", "sr", "st"];

/// Returns `true` if a sentence proposes an action. `among_proposals` is `true` in a section of proposals.
pub(crate) fn is_recommendation(sentence: &str, among_proposals: bool) -> bool {
    let mut sentence_words = words(sentence);
    let Some(first) = sentence_words.next() else { return false };
    let rest = sentence_words.clone();
    let second = sentence_words.next();
    let is_report = || {
        let is_assertive =
            |word: Word<'_>| is_past(word.text) || CAUSES.iter().any(|cause| word.is(cause));
        words(sentence).any(is_assertive)
    };
    let is_imperative =
        IMPERATIVES.binary_search_by(|verb| compare_lower(verb, first.text)).is_ok();
    if is_imperative {
        let is_participle = |word: &Word<'_>| {
            super::tokens::ends_ignoring_case(word.text, "ed") || is_finite(word.text)
        };
        return !is_report()
            && (among_proposals || !rest.clone().take(4).any(|word| is_participle(&word)));
    }
    if starts_with_any(sentence, &OPENERS) {
        return !is_report();
    }
    let is_subject = |word: &Word<'_>| {
        ["we", "you", "i", "operators", "teams", "engineers"].iter().any(|s| word.is(s))
    };
    let is_modal =
        |word: &Word<'_>| ["should", "recommend", "suggest", "propose"].iter().any(|s| word.is(s));
    is_subject(&first) && second.as_ref().is_some_and(is_modal) && !is_report()
}

fn compare_lower(entry: &str, word: &str) -> core::cmp::Ordering {
    entry.bytes().cmp(word.bytes().map(|byte| byte.to_ascii_lowercase()))
}

fn starts_with_any(text: &str, openers: &[&str]) -> bool {
    openers.iter().any(|opener| {
        text.get(..opener.len()).is_some_and(|start| start.eq_ignore_ascii_case(opener))
            && !char_at(text, opener.len()).is_some_and(char::is_alphanumeric)
    })
}

/// Returns `true` for finite verbs that make a statement.
fn is_finite(word: &str) -> bool {
    [
        "is", "are", "has", "have", "had", "did", "does", "was", "were", "rose", "fell", "fired",
        "failed", "hit", "ran", "grew",
    ]
    .iter()
    .any(|verb| word.eq_ignore_ascii_case(verb))
}

fn is_past(word: &str) -> bool {
    [
        "was", "were", "had", "did", "rose", "fell", "fired", "failed", "went", "grew", "began",
        "showed",
    ]
    .iter()
    .any(|verb| word.eq_ignore_ascii_case(verb))
}

const CAUSES: [&str; 6] = ["because", "caused", "led", "triggered", "resulted", "since"];

#[rustfmt::skip]
const OPENERS: [&str; 14] = [
    "recommendation", "recommended", "next step", "next steps", "action item", "action items",
    "please", "let's", "it is recommended", "to prevent", "to avoid", "to mitigate", "suggested",
    "follow-up",
];

/// The verbs that start a proposal, sorted.
const IMPERATIVES: [&str; 69] = [
    "add", "adjust", "adopt", "alert", "apply", "ask", "audit", "avoid", "check", "collect",
    "configure", "confirm", "consider", "continue", "create", "define", "delete", "deploy",
    "disable", "document", "drain", "enable", "ensure", "escalate", "establish", "evaluate",
    "examine", "expand", "fix", "gather", "harden", "implement", "improve", "increase", "inspect",
    "install", "introduce", "investigate", "keep", "limit", "lower", "make", "migrate", "monitor",
    "move", "notify", "optimise", "optimize", "provision", "raise", "rebuild", "reduce", "remove",
    "replace", "restart", "restore", "revert", "review", "roll", "rollback", "run", "scale",
    "schedule", "set", "test", "tune", "update", "upgrade", "verify",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|span| part(text, span)).collect()
    }

    #[test]
    fn ignores_full_stops_inside_words() {
        for whole in [
            "At 2024-05-01T14:02:31.250Z p99 was 1.8 s in v2.3.1 of app.py.",
            "See https://grafana.example.com/d/abc?x=1.5&y=2 for approx. 3 panels.",
            "Errors (e.g. timeouts, i.e. no answer vs. a late one) rose.",
            "Incident No. 4711 hit checkout.service on 10.0.3.4:5432.",
            "The call `conn.close(). retry()` failed.",
            "The restart took place at 2 p.m. on Tuesday.",
            "Memory grew to 1.5 Gi ... and stayed there.",
            "Albert S. Ruddy was called at 14:02.",
            "Juventus F.C. has worn it since 1903.",
            "It names five U.S. Presidents.",
            "St. Anger is an album, and Chris Eubank Jr. was born in 1989.",
            "Jeb is former Minister George H. W. Bush's son.",
        ] {
            assert_eq!(split(whole), [whole]);
        }
    }

    #[test]
    fn splits_after_closing_marks() {
        assert_eq!(
            split("It said \"out of memory.\" checkout restarted! Then all was calm. Nothing else"),
            [
                "It said \"out of memory.\"",
                "checkout restarted!",
                "Then all was calm.",
                "Nothing else"
            ],
        );
        assert_eq!(split("池は空になった。再起動した。"), ["池は空になった。", "再起動した。"]);
        assert_eq!(split("It took 5 ms. Then it failed."), ["It took 5 ms.", "Then it failed."]);
        assert_eq!(
            split("The fault was in zone A. Pods restarted. The cause is plan B. It held."),
            ["The fault was in zone A.", "Pods restarted.", "The cause is plan B.", "It held."]
        );
    }

    #[test]
    fn sentences_with_past_verbs_are_not_proposals() {
        for hidden in [
            "Restart count was 5.",
            "Scale events caused the outage.",
            "We should note that the pool was exhausted.",
            "Update rolled out at 14:02.",
            "To prevent recurrence, the limit was doubled.",
            "Consider that payments failed because of DNS.",
        ] {
            assert!(!is_recommendation(hidden, false), "{hidden}");
        }
        assert!(is_recommendation("Increase the memory limit to 1Gi.", false));
        assert!(is_recommendation("Increase the provisioned memory.", true));
        assert!(IMPERATIVES.is_sorted());
    }

    proptest! {
        #[test]
        fn sentence_spans_are_valid(text in "(\\PC|[\n*_`.!?0-9: ]){0,120}") {
            let mut last = 0;
            for span in sentences(&text) {
                prop_assert!(span.start >= last);
                prop_assert!(!text.get(span.clone()).unwrap().trim().is_empty());
                prop_assert!(text.get(last..span.start).unwrap().trim().is_empty());
                last = span.end;
            }
            prop_assert!(text.get(last..).unwrap().trim().is_empty());
        }
    }
}
