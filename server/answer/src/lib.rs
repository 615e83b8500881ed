//! Parses a chat model's answer to a request to judge claims. It never adds to what the answer states.
//!
//! ```
//! use gsar_answer::{Bounds, Form, ParseMode, parse, repair_prompt};
//! use gsar_core::{Claim, ClaimId, Class};
//!
//! let claims = [Claim::new(ClaimId::new("c1")?, "checkout restarted")];
//! let text = r#"{"claims": [{"id": "c1", "class": "ungrounded", "type": "inference", "citations": [], "note": ""}],
//!     "score": 0.2, "explanation": "", "gaps": [], "contradictions": [], "abstain": null}"#;
//! let outcome = parse(text, Form::Judgement, &claims, &Bounds::default());
//! assert_eq!(repair_prompt(&outcome), None);
//! let answer = outcome?;
//! assert_eq!((answer.mode, answer.judged[0].class), (ParseMode::Structured, Class::Ungrounded));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | subject |
//! |---|---|
//! | [`json_tree`] | the JSON tree; parsing of well-formed JSON |
//! | [`lenient`] | parsing of JSON with typical model mistakes |
//! | [`documents`] | JSON between reasoning, code fences and prose |
//! | [`envelope`], [`convert`], [`claim_entry`], [`judge_score`] | conversion from JSON to verdicts |
//! | [`parsed`], [`error`], [`fix`] | result types |
//! | [`repair_prompt()`] | the repair prompt |
//!
//! Rules:
//!
//! - A text that ends early yields [`ParseError::Truncated`].
//! - An ambiguous entry is lost together with its claim, even if another entry judges that claim.
//! - A claim with several verdicts gets the strictest class: contradicted, ungrounded, complementary, grounded.
//! - JSON with errors outside single entries, or followed by more JSON syntax, yields
//!   [`ParseError::Malformed`].
//! - If there are several complete answers, the last one is used, and claims with differing verdicts are lost.
//! - Class and type names are compared ignoring case, and with spaces and hyphens treated as underscores. A
//!   claim with an unknown class is lost; an unknown type is replaced with inference.
//! - The work is linear in the text length. The crate does no I/O and reads no clock.

mod answer_form;
mod bounds;
mod claim_entry;
mod convert;
mod documents;
mod envelope;
mod error;
mod fix;
mod json_tree;
mod judge_score;
mod lenient;
mod parsed;
mod repair_prompt;

pub use answer_form::{Form, Labels};
pub use bounds::Bounds;
pub use error::{Location, ParseError};
pub use fix::Fix;
pub use parsed::{LossReason, LostEntry, ParseMode, ParsedAnswer};
pub use repair_prompt::repair_prompt;

use std::collections::HashSet;

use gsar_core::{Claim, JudgedClaim};

use bounds::Meter;
use convert::{ClaimState, Draft, Expected};
use envelope::AnswerFinder;
use fix::Fixes;
use json_tree::Node;
use lenient::Lenient;

/// Parses an answer of the given form. `expected` lists the claims in the request, which must have unique
/// ids.
///
/// A second look's verdicts are mapped to classes: shown to grounded, not shown to ungrounded, refuted to
/// contradicted. The `words` field becomes the note.
///
/// # Errors
/// Returns [`ParseError`] if the answer as a whole is unusable.
pub fn parse(
    text: &str,
    form: Form,
    expected: &[Claim],
    bounds: &Bounds,
) -> Result<ParsedAnswer, ParseError> {
    parse_metered(text, form, expected, bounds, &Meter::new(text, bounds))
}

fn parse_metered(
    text: &str,
    form: Form,
    expected: &[Claim],
    bounds: &Bounds,
    meter: &Meter,
) -> Result<ParsedAnswer, ParseError> {
    if text.len() > bounds.bytes {
        return Err(ParseError::TooLong { bytes: text.len(), allowed: bounds.bytes });
    }
    let mut fixes = Fixes::default();
    let unmarked = text.trim_start_matches('\u{feff}');
    if unmarked.len() < text.len() {
        fixes.add(Fix::ByteOrderMark);
    }
    let json = unmarked.trim();
    if json.is_empty() {
        return Err(ParseError::Empty);
    }
    let expected = Expected::new(form, expected);
    let mut finder = AnswerFinder { expected: &expected, bounds, meter, drafts: Vec::new() };
    find_in_value(json, fixes, &mut finder)?;
    let drafts = std::mem::take(&mut finder.drafts);
    last_draft(drafts, &expected).map(|draft| build_answer(draft, &expected))
}

fn find_in_value(
    json: &str,
    mut fixes: Fixes,
    finder: &mut AnswerFinder<'_>,
) -> Result<(), ParseError> {
    match Node::parse_strict(json, finder.meter) {
        Some(Node::Text(text)) => {
            fixes.add(Fix::Escaped);
            finder.find_in_text(&text.value, &fixes, 0)
        }
        Some(node) => finder.find_in_value(&node, &fixes, 0),
        None => {
            finder.meter.reset();
            match escaped(json) {
                Some(escaped) => {
                    fixes.add(Fix::Escaped);
                    let inner = Lenient::new(escaped, finder.meter).unescaped();
                    finder.find_in_text(&inner, &fixes, 0)
                }
                None => finder.find_in_text(json, &fixes, 0),
            }
        }
    }
}

/// Returns the JSON in a text if all quotation marks, except a pair around the whole, are escaped.
fn escaped(text: &str) -> Option<&str> {
    let json = text.get(text.find('{')?..)?;
    let inner = json.strip_suffix('"').filter(|inner| !inner.ends_with('\\')).unwrap_or(json);
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '\\' | 'n' | 'r' | 't');
    let starts_escaped = inner.get(1..)?.trim_start_matches(is_blank).starts_with('"');
    let mut previous = ' ';
    let all_escaped =
        inner.chars().all(|c| std::mem::replace(&mut previous, c) == '\\' || c != '"');
    (starts_escaped && all_escaped).then_some(inner)
}

/// Returns the last complete answer. Claims with differing verdicts in earlier answers are lost.
fn last_draft(mut drafts: Vec<Draft>, expected: &Expected<'_>) -> Result<Draft, ParseError> {
    let mut last = drafts.pop().ok_or(ParseError::NoClaims)?;
    for earlier in &drafts {
        last.fixes.add(Fix::SeveralAnswers);
        last.compare(earlier, expected);
    }
    Ok(last)
}

fn build_answer(draft: Draft, expected: &Expected<'_>) -> ParsedAnswer {
    let mut judged = Vec::with_capacity(expected.claims.len());
    let mut missing = Vec::new();
    for (claim, state) in expected.claims.iter().zip(draft.claims) {
        match state {
            ClaimState::Lost => {}
            ClaimState::Missing => missing.push(claim.id.clone()),
            ClaimState::Judged(verdict) => {
                judged.push(JudgedClaim {
                    role: verdict.role,
                    citations: verdict.citations,
                    note: verdict.note,
                    ..JudgedClaim::new(claim.clone(), verdict.class, verdict.evidence_type)
                });
            }
        }
    }
    let mut unique_ids = HashSet::new();
    let mut invented = draft.invented;
    invented.retain(|id| unique_ids.insert(id.clone()));
    let mode = if draft.fixes.0.is_empty() {
        ParseMode::Structured
    } else {
        ParseMode::Salvaged(draft.fixes.0)
    };
    ParsedAnswer {
        mode,
        judged,
        lost: draft.lost,
        missing,
        invented,
        score: draft.score,
        explanation: draft.explanation,
        gaps: draft.gaps,
        contradictions: draft.contradictions,
        abstained: draft.abstained,
    }
}

#[cfg(test)]
mod tests;
