//! Extracts presuppositions from questions and proposals: "Restore the primary that lost 4 TB" presupposes
//! that the primary lost 4 TB.

use std::ops::Range;

use super::kind::PRESUPPOSITION_PREFIX;
use super::rendered::Rendered;
use super::words::{has_past_form, has_predicate};
use crate::text::part;
use crate::text::tokens::{Shape, Word, is_stop_word, words};

const RELATIVE: [&str; 5] = ["that", "which", "who", "whose", "where"];

/// Words that start a presupposed clause.
const SUBORDINATING: [&str; 15] = [
    "after", "although", "as", "because", "given", "how", "now", "seeing", "since", "though",
    "until", "when", "whereas", "while", "why",
];

/// Subordinating words that presuppose even a clause in the present tense. In contrast, "when space runs out" may be
/// only a fear.
const ASSERTING: [&str; 9] =
    ["although", "because", "given", "how", "seeing", "since", "though", "whereas", "why"];

/// Verbs followed by a "that" clause that states a demand, not a fact.
const DEMANDING: [&str; 12] = [
    "assert", "check", "confirm", "demand", "ensure", "guarantee", "propose", "recommend",
    "require", "so", "suggest", "verify",
];

const AUXILIARIES: [&str; 22] = [
    "are", "aren't", "can", "could", "did", "didn't", "do", "does", "doesn't", "had", "has",
    "hasn't", "have", "is", "isn't", "should", "was", "wasn't", "were", "weren't", "will", "would",
];

const PREPOSITIONS: [&str; 20] = [
    "after", "against", "at", "before", "between", "by", "during", "for", "from", "in", "into",
    "of", "on", "over", "since", "through", "to", "under", "until", "with",
];

const DETERMINERS: [&str; 20] = [
    "a", "all", "an", "any", "both", "each", "every", "its", "my", "no", "our", "some", "that",
    "the", "their", "these", "this", "those", "two", "your",
];

pub(super) fn question_presuppositions(question: &Rendered) -> Vec<Rendered> {
    let text = question.text();
    let mut found = Vec::new();
    if let Some(range) = before_tag_question(text) {
        found.push(question.slice(range).trimmed());
    } else if let Some(presupposition) = wh_question_presupposition(question) {
        found.push(presupposition);
    }
    found.extend(clauses(question));
    found
}

pub(super) fn proposal_presuppositions(proposal: &Rendered) -> Vec<Rendered> {
    clauses(proposal)
}

/// Returns the range before a tag question: ", did it not?".
fn before_tag_question(text: &str) -> Option<Range<usize>> {
    const MAX_WORDS: usize = 4;
    let comma = text.rfind([',', '–', '—', ';'])?;
    let tag_text = part(text, comma..text.len());
    let mut tag = words(tag_text);
    let first = tag.next()?;
    let starts_tag = AUXILIARIES.iter().any(|verb| first.is(verb))
        || ["correct", "no", "not", "ok", "okay", "right", "yes", "huh", "eh", "or"]
            .iter()
            .any(|word| first.is(word));
    let is_short = tag.count() < MAX_WORDS;
    let statement = part(text, 0..comma);
    (starts_tag && is_short && words(statement).count() > 1).then_some(0..comma)
}

/// "Why did X happen?" presupposes that the answer to "did X happen?" is yes.
fn wh_question_presupposition(question: &Rendered) -> Option<Rendered> {
    let text = question.text();
    let mut question_words = words(text);
    let first = question_words.next()?;
    let is_wh_question = ["how", "since", "what", "when", "where", "which", "who", "whose", "why"]
        .iter()
        .any(|word| first.is(word));
    if !is_wh_question {
        return None;
    }
    let auxiliary =
        words(text).skip(1).take(5).find(|word| AUXILIARIES.iter().any(|verb| word.is(verb)));
    let rest_from = auxiliary.as_ref().map_or(first.span.end, |word| word.span.start);
    let rest = part(text, rest_from..text.len());
    let content_word_count = words(rest).filter(|word| !is_stop_word(word.text)).count();
    let asks_for_subject = ["what", "which", "who"].iter().any(|word| first.is(word));
    if let Some(auxiliary) = auxiliary {
        let is_form_of_be = ["are", "is", "was", "were"].iter().any(|verb| auxiliary.is(verb));
        if content_word_count < 2
            || asks_for_subject
                && is_form_of_be
                && !has_past_form(part(text, auxiliary.span.end..text.len()))
        {
            return None;
        }
        let mut presupposition = Rendered::default();
        presupposition.add(PRESUPPOSITION_PREFIX);
        presupposition.append(&question.slice(rest_from..text.len()).trimmed());
        presupposition.add("” is yes");
        return Some(presupposition);
    }
    if !asks_for_subject || !has_predicate(rest) {
        return None;
    }
    let mut presupposition = Rendered::default();
    presupposition.add(if first.is("who") { "Someone" } else { "Something" });
    presupposition.append(&question.slice(rest_from..text.trim_end_matches('?').len()));
    Some(presupposition)
}

/// Returns the relative clauses, clauses of time and cause, and participle phrases in a sentence.
fn clauses(sentence: &Rendered) -> Vec<Rendered> {
    let text = sentence.text();
    let sentence_words: Vec<Word<'_>> = words(text).collect();
    let mut found: Vec<Rendered> = Vec::new();
    // The end of the last clause. A participle before this offset is that clause's verb.
    let mut clause_end = 0;
    for (index, word) in sentence_words.iter().enumerate().skip(1) {
        let Some(previous) = index.checked_sub(1).and_then(|before| sentence_words.get(before))
        else {
            continue;
        };
        let is = |list: &[&str]| list.iter().any(|entry| word.is(entry));
        let clause_start = word.span.end;
        let clause = clause_start..find_clause_end(text, clause_start);
        let clause_text = part(text, clause.clone());
        if is(&RELATIVE) && has_predicate(clause_text) {
            let demands = DEMANDING.iter().any(|verb| previous.is(verb));
            let embedded = word.is("that") && introduces_fact(previous);
            if demands && !has_past_form(clause_text) {
                continue;
            }
            let mut presupposition = Rendered::default();
            if !embedded && !demands {
                presupposition.append(
                    &sentence.slice(noun_phrase_start(&sentence_words, index)..previous.span.end),
                );
                presupposition.add(if word.is("whose") { "'s" } else { "" });
            }
            clause_end = clause.end;
            presupposition.append(&sentence.slice(clause));
            found.push(presupposition.trimmed());
        } else if is(&SUBORDINATING)
            && (has_past_form(clause_text) || is(&ASSERTING) && has_predicate(clause_text))
        {
            clause_end = clause.end;
            found.push(sentence.slice(clause).trimmed());
        } else if is_participle(word)
            && word.span.start >= clause_end
            && sentence_words
                .get(index + 1)
                .is_some_and(|next| PREPOSITIONS.iter().any(|entry| next.is(entry)))
            && !is_stop_word(previous.text)
            && index > 1
        {
            let mut presupposition =
                sentence.slice(noun_phrase_start(&sentence_words, index)..previous.span.end);
            presupposition.add(" was ");
            presupposition.append(&sentence.slice(word.span.start..clause.end));
            found.push(presupposition.trimmed());
        }
    }
    found
}

/// Returns `true` for a verb followed by a "that" clause that states a fact.
fn introduces_fact(word: &Word<'_>) -> bool {
    [
        "consider", "document", "explain", "know", "known", "mention", "note", "noted", "notice",
        "noticed", "record", "remember", "report", "say", "see", "seen", "show", "state", "tell",
        "true", "write",
    ]
    .iter()
    .any(|verb| word.is(verb))
}

fn is_participle(word: &Word<'_>) -> bool {
    const IRREGULAR: [&str; 14] = [
        "broken", "built", "cut", "frozen", "given", "held", "lost", "made", "overwritten", "seen",
        "shown", "stolen", "taken", "written",
    ];
    IRREGULAR.iter().any(|form| word.is(form))
        || word.text.len() > 4 && word.text.ends_with("ed") && word.shape() == Shape::Plain
}

/// Returns the start of the noun phrase before a word: at its determiner, or after a preposition.
fn noun_phrase_start(sentence_words: &[Word<'_>], word_index: usize) -> usize {
    let mut start = None;
    for word in sentence_words.iter().take(word_index).skip(1).rev() {
        if PREPOSITIONS.iter().any(|entry| word.is(entry)) {
            break;
        }
        start = Some(word.span.start);
        if DETERMINERS.iter().any(|entry| word.is(entry)) {
            break;
        }
    }
    start.unwrap_or_else(|| {
        word_index
            .checked_sub(1)
            .and_then(|index| sentence_words.get(index))
            .map_or(0, |word| word.span.start)
    })
}

fn find_clause_end(text: &str, start: usize) -> usize {
    let rest = part(text, start..text.len());
    let skipped = rest.len() - rest.trim_start_matches([',', ' ']).len();
    let inner = part(rest, skipped..rest.len());
    let end = inner.find([';', '?']).unwrap_or(inner.len());
    let end = inner.find(", ").map_or(end, |comma| comma.min(end));
    let inner = part(inner, 0..end);
    start + skipped + inner.trim_end_matches(['.', '!', ' ', ')']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> Rendered {
        let mut rendered_text = Rendered::default();
        rendered_text.push_verbatim(text, 0..text.len());
        rendered_text
    }

    fn texts(found: Vec<Rendered>) -> Vec<String> {
        found.into_iter().map(|text| text.text().to_owned()).collect()
    }

    #[test]
    fn finds_presuppositions_in_proposals() {
        for (proposal, expected) in [
            ("Restore the primary that lost 4 TB.", "the primary lost 4 TB"),
            (
                "Move traffic away from the primary, which crashed at 14:02.",
                "the primary crashed at 14:02",
            ),
            ("Raise the limit because the pods were killed.", "the pods were killed"),
            ("Replace the disk corrupted at 14:02.", "the disk was corrupted at 14:02"),
            ("Note that payments-db lost 4 TB", "payments-db lost 4 TB"),
        ] {
            assert_eq!(
                texts(proposal_presuppositions(&rendered(proposal))),
                [expected],
                "{proposal}"
            );
        }
        for other in [
            "Add an alert on free space.",
            "Ensure that the alert fires.",
            "Raise the limit to 2Gi by 3 May.",
        ] {
            assert!(proposal_presuppositions(&rendered(other)).is_empty(), "{other}");
        }
    }

    #[test]
    fn finds_presuppositions_in_questions() {
        for (question, expected) in [
            ("Payments-db lost 4 TB, did it not?", "Payments-db lost 4 TB"),
            ("The pool was exhausted, right?", "The pool was exhausted"),
            ("Why did payments-db lose 4 TB?", "The answer to “did payments-db lose 4 TB?” is yes"),
            ("Who restarted the pods at 14:02?", "Someone restarted the pods at 14:02"),
            ("Did anyone notice that payments-db lost 4 TB?", "payments-db lost 4 TB"),
            ("Does anyone know why the queue drained at 14:05?", "the queue drained at 14:05"),
        ] {
            assert_eq!(
                texts(question_presuppositions(&rendered(question))),
                [expected],
                "{question}"
            );
        }
        for other in ["What is the root cause?", "Was the limit too low?", "Who owns the pool?"] {
            assert!(question_presuppositions(&rendered(other)).len() < 2, "{other}");
        }
    }
}
