//! In which part of a text a cited place stands: under the heading of another revision, in another sentence, as a part
//! of the whole that a claim speaks of.

use gsar_core::evidence::Content;
use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::{Role, Term};
use crate::verdict::decide::item_of;
use crate::verdict::ruling::{Case, Cite};
use crate::vocabulary::words::evidence_keys;

/// Whether a cited line of a text stands under the heading of another thing of the sort that the claim numbers:
/// revision 14 where the claim speaks of revision 15.
pub(crate) fn are_of_another_number(case: &Case<'_, '_, '_>, cites: &[Cite]) -> bool {
    const MOST_BYTES: usize = 4_000;
    let numbered = numbered(case.reading.text);
    let corpus = case.corpus;
    cites.iter().any(|cite| {
        let Cite::Field(field) = cite else { return false };
        let is_text =
            item_of(case, *cite).is_some_and(|item| matches!(item.content, Content::Text(_)));
        let Some(found) = corpus.field(*field).filter(|_| is_text) else { return false };
        let text = corpus.text(corpus.item_of(*field));
        let end = (found.quote.1 as usize).min(text.len());
        let mut start = end.saturating_sub(MOST_BYTES);
        while start < end && !text.is_char_boundary(start) {
            start += 1;
        }
        let before = text.get(start..end).unwrap_or("");
        numbered
            .iter()
            .any(|(sort, number)| last_number(before, sort).is_some_and(|last| last != *number))
    })
}

/// The sorts of things that a text calls by numbers: "revision 15".
fn numbered(text: &str) -> Vec<(&str, &str)> {
    let all: Vec<Word<'_>> = words(text).collect();
    let mut found = Vec::new();
    for pair in all.windows(2) {
        let [sort, number] = pair else { continue };
        let is_number = number.text.bytes().all(|byte| byte.is_ascii_digit());
        let gap = text.get(sort.span.end..number.span.start);
        let is_sort = sort.text.len() > 2 && sort.text.bytes().all(|b| b.is_ascii_alphabetic());
        if is_number && is_sort && gap.is_some_and(|gap| matches!(gap, " " | " #")) {
            found.push((sort.text, number.text));
        }
    }
    found
}

/// The number that stands last after a sort of thing.
fn last_number<'t>(text: &'t str, sort: &str) -> Option<&'t str> {
    let all: Vec<Word<'t>> = words(text).collect();
    all.windows(2).rev().find_map(|pair| {
        let [first, number] = pair else { return None };
        let gap = text.get(first.span.end..number.span.start)?;
        let follows = first.text.eq_ignore_ascii_case(sort)
            && number.text.bytes().all(|byte| byte.is_ascii_digit())
            && matches!(gap, " " | " #" | ": " | "=" | ":" | "-");
        follows.then_some(number.text)
    })
}

/// Whether a field of several sentences has the words of a claim in no single one of them.
pub(crate) fn are_scattered(case: &Case<'_, '_, '_>, cites: &[Cite]) -> bool {
    let content = case
        .reading
        .bits(|term| term.is_strict() || term.role == Role::Word && !term.span.is_empty());
    let [Cite::Field(field)] = cites else { return false };
    let value = case.corpus.value(*field);
    let told = case.marks.field(*field) & content;
    let sentences: Vec<&str> = value.split(". ").filter(|part| part.contains(' ')).collect();
    let has_all = |sentence: &&str| {
        let mut keys = Vec::new();
        for word in words(sentence) {
            evidence_keys(word.text, |key| keys.push(key));
        }
        let lacks = |term: &Term<'_>| !term.keys.iter().any(|key| keys.contains(key));
        let terms = case.reading.terms.iter().enumerate();
        !terms.filter(|(place, _)| told >> place & 1 == 1).any(|(_, term)| lacks(term))
    };
    sentences.len() > 1 && told.count_ones() > 2 && !sentences.iter().any(has_all)
}

/// Whether a cited line states a part of the whole that a claim speaks of: "17 of 24" where the claim says "all 24".
pub(crate) fn are_of_a_part(case: &Case<'_, '_, '_>, cites: &[Cite]) -> bool {
    let text = case.reading.text;
    let claimed: Vec<&str> =
        words(text).map(|word| word.text).filter(|word| is_digits(word)).collect();
    cites.iter().any(|cite| {
        let Cite::Field(field) = cite else { return false };
        let all: Vec<Word<'_>> = words(case.corpus.line(*field)).collect();
        all.windows(3).any(|three| {
            let [part, of, whole] = three else { return false };
            is_digits(part.text)
                && of.is("of")
                && part.text != whole.text
                && claimed.contains(&whole.text)
                && !claimed.contains(&part.text)
        })
    })
}

fn is_digits(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}
