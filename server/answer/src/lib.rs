//! This crate reads what a chat model answered when it was asked to judge claims, and accepts nothing that the answer
//! does not state.
//!
//! ```
//! use gsar_answer::{Bounds, Form, Rung, read, repair_prompt};
//! use gsar_core::{Claim, ClaimId, Class};
//!
//! let claims = [Claim { id: ClaimId::new("c1")?, text: "checkout restarted".into(), span: None }];
//! let text = r#"{"claims": [{"id": "c1", "class": "ungrounded", "type": "inference", "citations": [], "note": ""}],
//!     "score": 0.2, "explanation": "", "gaps": [], "contradictions": [], "abstain": null}"#;
//! let outcome = read(text, Form::Judgement, &claims, &Bounds::default());
//! assert_eq!(repair_prompt(&outcome), None);
//! let reading = outcome?;
//! assert_eq!((reading.rung, reading.judged[0].class), (Rung::Structured, Class::Ungrounded));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | subject |
//! |---|---|
//! | [`node`] | the tree of an answer; answers that are JSON as asked for |
//! | [`lenient`] | JSON as models write it, never completed |
//! | [`documents`] | the JSON among reasoning, fences and prose |
//! | [`envelope`], [`draft`], [`entry`], [`score`] | what the JSON says of each claim |
//! | [`reading`], [`unreadable`], [`fix`] | what comes of it |
//! | [`repair`] | what to say to the model in the repair turn |
//!
//! The rules:
//!
//! - A text that ends early is [`Unreadable::Truncated`], whatever it holds before.
//! - An entry that can be read in two ways is lost, and with it its claim, whatever another entry says of it.
//! - A claim judged twice has its strictest class: contradicted, ungrounded, complementary, grounded.
//! - A text whose JSON breaks outside of single entries, or that goes on like JSON after it, is [`Unreadable::Malformed`].
//! - Of several complete answers the last counts, and claims on which they differ are lost. They are never merged.
//! - Names of classes and types are exact but for case, blanks and hyphens. An unknown class loses the claim; an unknown
//!   type is inference, with a correction.
//! - The work is bounded by the length of the text. Nothing here does I/O or looks at a clock.

mod bounds;
mod documents;
mod draft;
mod entry;
mod envelope;
mod fix;
mod form;
mod lenient;
mod node;
mod reading;
mod repair;
mod score;
mod unreadable;

pub use bounds::{Bounds, Usage};
pub use fix::Fix;
pub use form::{Form, Labels};
pub use reading::{Correction, CorrectionKind, Loss, Lost, Reading, Rung};
pub use repair::repair_prompt;
pub use unreadable::{Place, Unreadable};

use std::collections::HashSet;

use gsar_core::{Claim, JudgedClaim};

use bounds::Meter;
use draft::{Draft, Expected, Said};
use envelope::Seeker;
use fix::Fixes;
use lenient::Lenient;
use node::Node;

/// Reads an answer of a form. `expected` are the claims that were asked about; their ids are unique.
///
/// A second look is read into the same types: a statement that is shown is grounded, one that is not shown ungrounded, a
/// refuted one contradicted; the words that decided are its note.
///
/// # Errors
/// [`Unreadable`] when nothing can be taken from the answer as a whole. Nothing is believed then.
pub fn read(
    text: &str,
    form: Form,
    expected: &[Claim],
    bounds: &Bounds,
) -> Result<Reading, Unreadable> {
    read_metered(text, form, expected, bounds, &Meter::new(text, bounds))
}

fn read_metered(
    text: &str,
    form: Form,
    expected: &[Claim],
    bounds: &Bounds,
    meter: &Meter,
) -> Result<Reading, Unreadable> {
    if text.len() > bounds.bytes {
        return Err(Unreadable::TooLong { bytes: text.len(), allowed: bounds.bytes });
    }
    let mut fixes = Fixes::default();
    let unmarked = text.trim_start_matches('\u{feff}');
    if unmarked.len() < text.len() {
        fixes.add(Fix::ByteOrderMark);
    }
    let json = unmarked.trim();
    if json.is_empty() {
        return Err(Unreadable::Empty);
    }
    let expected = Expected::new(form, expected);
    let mut seeker = Seeker { expected: &expected, bounds, meter, drafts: Vec::new() };
    seek(json, fixes, &mut seeker)?;
    let drafts = std::mem::take(&mut seeker.drafts);
    last_of(drafts, &expected).map(|draft| settled(draft, &expected, meter.usage(text.len())))
}

/// Climbs the ladder: the whole text as JSON, as a JSON string, as JSON among other words.
fn seek(json: &str, mut fixes: Fixes, seeker: &mut Seeker<'_>) -> Result<(), Unreadable> {
    match Node::structured(json, seeker.meter) {
        Some(Node::Text(text)) => {
            fixes.add(Fix::Escaped);
            seeker.seek_text(&text.words, &fixes, 0)
        }
        Some(node) => seeker.seek(&node, &fixes, 0),
        None => {
            seeker.meter.begin_anew();
            match escaped(json) {
                Some(escaped) => {
                    fixes.add(Fix::Escaped);
                    let inner = Lenient::new(escaped, seeker.meter).unescaped();
                    seeker.seek_text(&inner, &fixes, 0)
                }
                None => seeker.seek_text(json, &fixes, 0),
            }
        }
    }
}

/// The part of a text that is JSON with a backslash before each quotation mark, but for one around the whole of it. With
/// any other quotation mark the backslashes belong to strings, and taking them away would let those end early.
fn escaped(text: &str) -> Option<&str> {
    let json = text.get(text.find('{')?..)?;
    let inner = json.strip_suffix('"').filter(|inner| !inner.ends_with('\\')).unwrap_or(json);
    let is_blank =
        |character: char| character.is_whitespace() || matches!(character, '\\' | 'n' | 'r' | 't');
    let begins_escaped = inner.get(1..)?.trim_start_matches(is_blank).starts_with('"');
    let mut before = ' ';
    let all_escaped = inner
        .chars()
        .all(|character| std::mem::replace(&mut before, character) == '\\' || character != '"');
    (begins_escaped && all_escaped).then_some(inner)
}

/// The last complete answer, without the claims on which earlier ones differ.
fn last_of(mut drafts: Vec<Draft>, expected: &Expected<'_>) -> Result<Draft, Unreadable> {
    let mut last = drafts.pop().ok_or(Unreadable::NoClaims)?;
    for earlier in &drafts {
        last.fixes.add(Fix::SeveralAnswers);
        last.compare(earlier, expected);
    }
    Ok(last)
}

/// What an answer says of each expected claim, in their order.
fn settled(draft: Draft, expected: &Expected<'_>, usage: Usage) -> Reading {
    let mut judged = Vec::with_capacity(expected.claims.len());
    let mut missing = Vec::new();
    let mut corrections = Vec::new();
    for (claim, said) in expected.claims.iter().zip(draft.said) {
        match said {
            Said::Lost => {}
            Said::Nothing => missing.push(claim.id.clone()),
            Said::ClaimVerdict(verdict) => {
                let of_claim = |kind| Correction { claim: Some(claim.id.clone()), kind };
                corrections.extend(verdict.corrections.into_iter().map(of_claim));
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
    let mut seen = HashSet::new();
    let mut invented = draft.invented;
    invented.retain(|id| seen.insert(id.clone()));
    let rung =
        if draft.fixes.0.is_empty() { Rung::Structured } else { Rung::Salvaged(draft.fixes.0) };
    Reading {
        rung,
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
