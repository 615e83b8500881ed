//! Parses a chat model's answer to a request to judge claims. Never adds to what the answer states.
//!
//! ```
//! use gsar_answer::{Bounds, Form, ParseMode, parse, repair_prompt};
//! use gsar_core::{Claim, ClaimId, Class};
//!
//! let claims = [Claim { id: ClaimId::new("c1")?, text: "checkout restarted".into(), span: None }];
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
//! | [`repair_prompt`] | the repair prompt |
//!
//! Rules:
//!
//! - A text that ends early is [`ParseError::Truncated`].
//! - An ambiguous entry is lost together with its claim, even if another entry judges that claim.
//! - A claim with several verdicts gets the strictest class: contradicted, ungrounded, complementary, grounded.
//! - JSON with errors outside single entries, or followed by more JSON syntax, is [`ParseError::Malformed`].
//! - If there are several complete answers, the last one is used, and claims with differing verdicts are lost.
//! - Class and type names are compared without case, spaces and hyphens. An unknown class loses its
//!   claim; an unknown type is replaced with inference and reported as a correction.
//! - The work is linear in the text length. Does no I/O and reads no clock.

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
pub use bounds::{Bounds, Usage};
pub use error::{Location, ParseError};
pub use fix::Fix;
pub use parsed::{Correction, CorrectionKind, LossReason, LostEntry, ParseMode, ParsedAnswer};
pub use repair_prompt::repair_prompt;

use std::collections::HashSet;

use gsar_core::{Claim, JudgedClaim};

use bounds::Meter;
use convert::{ClaimState, Draft, Expected};
use envelope::AnswerFinder;
use fix::Fixes;
use json_tree::Node;
use lenient::Lenient;

/// Parses an answer of the given form. `expected` are the claims in the request, with unique ids.
///
/// A second look's verdicts are mapped to classes: shown to grounded, not shown to ungrounded, refuted to
/// contradicted. The words become the note.
///
/// # Errors
/// [`ParseError`] if the answer as a whole is unusable.
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
    last_draft(drafts, &expected)
        .map(|draft| build_answer(draft, &expected, meter.usage(text.len())))
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

fn build_answer(draft: Draft, expected: &Expected<'_>, usage: Usage) -> ParsedAnswer {
    let mut judged = Vec::with_capacity(expected.claims.len());
    let mut missing = Vec::new();
    let mut corrections = Vec::new();
    for (claim, state) in expected.claims.iter().zip(draft.claims) {
        match state {
            ClaimState::Lost => {}
            ClaimState::Missing => missing.push(claim.id.clone()),
            ClaimState::Judged(verdict) => {
                let correction = |kind| Correction { claim: Some(claim.id.clone()), kind };
                corrections.extend(verdict.corrections.into_iter().map(correction));
                judged.push(JudgedClaim {
                    claim: claim.clone(),
                    class: verdict.class,
                    evidence_type: verdict.evidence_type,
                    role: verdict.role,
                    citations: verdict.citations,
                    note: verdict.note,
                    rules: Vec::new(),
                    undecided: None,
                });
            }
        }
    }
    corrections.extend(draft.corrections);
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
        corrections,
        score: draft.score,
        explanation: draft.explanation,
        gaps: draft.gaps,
        contradictions: draft.contradictions,
        abstained: draft.abstained,
        usage,
    }
}

#[cfg(test)]
mod tests;
