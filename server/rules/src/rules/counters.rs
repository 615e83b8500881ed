//! Claims about a number that a tool was asked to count: `grep -c`, `wc -l`, "7 results", "(3 rows)".
//!
//! What was counted stands in the request, the number alone in the answer. The claim has to name what the request
//! asks for, word by word.

use gsar_core::evidence::EvidenceItem;
use gsar_core::text::figures::{Agreement, Dimension, agree, figures};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::phrases::tells_only;
use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::observations::first_line;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::words::{Key, evidence_keys, key, parts};

/// The most fields of an answer that is a count.
const MOST_FIELDS: u32 = 60;

/// Decides a claim about a counted number.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let [figure] = reading.figures.figures.as_slice() else { return None };
    let is_plain = figure.unit.dimension == Dimension::Count
        && figure.value.places == 0
        && reading.figures.times.is_empty()
        && !reading.has(MarkerKind::Negation)
        && !reading.has(MarkerKind::All);
    if !is_plain {
        return None;
    }
    let mut differing = None;
    for (number, item) in (0_u32..).zip(case.corpus.evidence) {
        let Some(field) = counted(case, number, item) else { continue };
        if !names_request(reading, item) {
            continue;
        }
        let stated = figures(case.corpus.value(field)).figures;
        let [stated] = stated.get(..1)? else { continue };
        match agree(figure, stated) {
            Agreement::Same => {
                let says = note::says(case, field);
                return Some(Ruling::grounded(Basis::Stated, vec![Cite::Field(field)], says));
            }
            Agreement::Different => {
                let id = &item.id;
                if differing.is_none_or(|(other, _)| id < other) {
                    differing = Some((id, field));
                }
            }
            Agreement::Incomparable => {}
        }
    }
    let (_, field) = differing?;
    Some(Ruling::contradicted(Basis::Stated, vec![Cite::Field(field)], note::says(case, field)))
}

/// The field that states the number, where the answer is one.
fn counted(case: &Case<'_, '_, '_>, number: u32, item: &EvidenceItem) -> Option<u32> {
    let root = case.corpus.object(*case.corpus.roots.get(number as usize)?)?;
    if root.fields.1 - root.fields.0 > MOST_FIELDS {
        return None;
    }
    let request = request(item);
    let asks = ["grep -c", "grep -ic", "wc -l", "| count", "count("]
        .iter()
        .any(|cue| request.contains(cue));
    (root.fields.0..root.fields.1).find(|field| {
        let value = case.corpus.value(*field).trim_matches(['(', ')']);
        let mut rest = value.split_whitespace();
        let is_number = rest.next().is_some_and(|first| {
            first.len() <= 9 && first.bytes().all(|byte| byte.is_ascii_digit())
        });
        let unit = rest.next();
        let tells = unit.is_some_and(|unit| {
            ["results", "result", "rows", "row", "matches", "match", "hits", "lines", "items"]
                .contains(&unit)
        });
        is_number && rest.next().is_none() && (tells || unit.is_none() && asks)
    })
}

/// The request as the item or its first line states it.
fn request(item: &EvidenceItem) -> String {
    let first = first_line(item.content.as_str());
    [item.tool.as_str(), item.query.as_str(), first].join(" ")
}

/// Whether the claim names what was asked for: each of its words stands in the request, at least two do, and it has
/// every word of the pattern that was searched for.
fn names_request(reading: &Reading<'_>, item: &EvidenceItem) -> bool {
    let tool = item.tool.split([' ', '(', '{']).next().unwrap_or("");
    let request = request(item).replace(tool, " ");
    let mut asked: Vec<Key> = Vec::new();
    for word in words(&request) {
        evidence_keys(word.text, |key| asked.push(key));
        asked.extend(parts(word.text).map(key));
    }
    let stands = |term: &Term<'_>| {
        asked.contains(&key(term.text)) || term.keys.iter().any(|key| asked.contains(key))
    };
    let mut found = 0;
    for term in &reading.terms {
        let telling = matches!(term.role, Role::Kind) || tells_only(term.text);
        if stands(term) {
            found += usize::from(!telling);
        } else if !telling {
            return false;
        }
    }
    let has_pattern = pattern(&request).is_none_or(|pattern| {
        words(pattern).all(|word| words(reading.text).any(|own| key(own.text) == key(word.text)))
    });
    found >= 2 && has_pattern
}

/// The pattern of a `grep -c 'pattern'`.
fn pattern(request: &str) -> Option<&str> {
    let (_, rest) = request.split_once("grep ")?;
    let at = rest.find(['\'', '"'])?;
    let mark = rest.get(at..)?.chars().next()?;
    let inner = rest.get(at + 1..)?;
    inner.get(..inner.find(mark)?)
}
