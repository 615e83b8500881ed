//! Recognizes fragments in a report by their form: labels, addresses, section numbers.

use super::blocks::Block;
use super::rendered::Rendered;
use super::words::{has_past_verb, has_predicate};
use crate::text::part;
use crate::text::tokens::words;

pub(super) fn join_label(label: &Rendered, text: &Rendered, with_source: bool) -> Rendered {
    let mut joined = Rendered::default();
    if with_source {
        joined.append(label);
    } else {
        joined.add(label.text());
    }
    joined.add(": ");
    joined.append(text);
    joined
}

pub(super) fn without_colon(text: &Rendered) -> Rendered {
    let end = text.text().trim_end_matches([':', '：', ' ']).len();
    text.slice(0..end)
}

pub(super) fn without_remark(heading: &str) -> &str {
    let open = heading.rfind(" (").filter(|_| heading.ends_with(')'));
    open.map_or(heading, |end| part(heading, 0..end))
}

/// Returns `true` if a text is too short for a statement or has no verb.
pub(super) fn is_short_or_verbless(text: &str) -> bool {
    const MAX_SHORT: usize = 3;
    !has_predicate(text) || words(text).nth(MAX_SHORT).is_none()
}

pub(super) fn split_at_colon(text: &Rendered) -> Option<(Rendered, Rendered)> {
    let colon = text.text().find(": ")?;
    Some((text.slice(0..colon), text.slice(colon + 2..text.text().len()).trimmed()))
}

pub(super) fn is_cause(label: &str) -> bool {
    words(label).any(|word| {
        ["cause", "causes", "culprit", "trigger", "suspect"].iter().any(|name| word.is(name))
    })
}

pub(super) fn bold_start(block: &Block) -> usize {
    let (Some(span), Some(strong)) = (block.text.span(), block.strong.first()) else { return 0 };
    let starts_bold = strong.start <= span.start;
    if starts_bold { block.text.offset(strong.end) } else { 0 }
}

pub(super) fn bold_label(text: &Rendered, bold: usize) -> Option<(Rendered, Rendered)> {
    const MAX_BYTES: usize = 60;
    if bold == 0 || bold > MAX_BYTES {
        return None;
    }
    let label = text.slice(0..bold).trimmed();
    let rest = text.slice(bold..text.text().len());
    let colon_after = rest.text().trim_start().starts_with([':', '：']);
    let is_clause_label =
        label.text().ends_with('.') && starts_with_question_word(label.text()) && !rest.is_blank();
    if !label.text().ends_with([':', '：']) && !colon_after && !is_clause_label {
        return None;
    }
    let end = label.text().trim_end_matches([':', '：', '.', ' ']).len();
    let skipped = rest.text().len() - rest.text().trim_start_matches([':', '：', ' ']).len();
    Some((label.slice(0..end), rest.slice(skipped..rest.text().len()).trimmed()))
}

/// Returns `true` for a clause that is not a sentence: "What was exhausted", "How it spread".
fn starts_with_question_word(text: &str) -> bool {
    words(text).next().is_some_and(|first| {
        ["how", "what", "when", "where", "which", "who", "why"].iter().any(|word| first.is(word))
    })
}

/// Returns `true` if a short text before a colon states nothing.
pub(super) fn is_label(text: &str) -> bool {
    const MAX_WORDS: usize = 8;
    words(text).take(MAX_WORDS + 1).count() <= MAX_WORDS && !has_past_verb(text)
}

pub(super) fn is_address(text: &str) -> bool {
    let has_scheme =
        ["http://", "https://", "mailto:"].iter().any(|scheme| text.starts_with(scheme));
    has_scheme && !text.contains(char::is_whitespace)
}

/// Returns the length of a section number such as `3.` or `2.1)` at the start of a heading.
pub(super) fn section_number(heading: &str) -> usize {
    let length = heading
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b')'))
        .count();
    let number = part(heading, 0..length);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.contains(['.', ')']);
    let is_before_space = part(heading, length..heading.len()).starts_with(char::is_whitespace);
    if is_number && is_before_space { length } else { 0 }
}
