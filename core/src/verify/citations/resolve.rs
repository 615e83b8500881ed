//! This module resolves citations: what is found decides. It says nothing about whether a quote bears a claim out.
//!
//! | the citation | effect |
//! |---|---|
//! | of an unknown item, claim or circle; its quote stands nowhere | taken away |
//! | its pointer leads nowhere | the pointer is dropped, the quote decides |
//! | its quote stands in exactly one other item, which is neither a prior claim nor inferred | of that item, noted |
//! | its quote stands in the item but not in the cited field | the pointer is dropped, the quote decides |
//! | quotes a short or frequent value without its field or key | noted |

use core::ops::Range;

use super::super::VerifiedClaim;
use super::super::corrections::{CorrectionCode, Findings};
use super::super::evidence_set::{EvidenceSet, Sources};
use super::super::quotes::{self, Place};
use super::references::ClaimGraph;
use crate::evidence::{Citation, EvidenceId, EvidenceItem, EvidenceKind, Lane, Target};

/// What a valid citation points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Source {
    /// An item.
    Item {
        /// Its place in the evidence, from 0.
        position: usize,
        /// The place of the item that the judge named, where the quote stood in another: no type is above what it
        /// allows.
        named: Option<usize>,
    },
    /// Another claim, by its place among the verified ones.
    Claim(usize),
}

/// Keeps the citations that resolve and whose quote is found, fills in where the quotes stand, and returns
/// what each kept citation points at. `texts` holds the words of all claims where any cites another.
///
/// What is found decides: a pointer that leads nowhere or beside the quote is dropped, and a quote that stands in
/// exactly one other item moves there.
pub(in super::super) fn check_citations(
    claims: &mut [VerifiedClaim],
    texts: &[String],
    evidence_set: &EvidenceSet<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) -> Vec<Vec<Source>> {
    let graph = ClaimGraph::of(claims);
    let mut kept = Vec::with_capacity(claims.len());
    for (place, claim) in claims.iter_mut().enumerate() {
        let citations = core::mem::take(&mut claim.judged.citations);
        let mut points_at = Vec::with_capacity(citations.len());
        for (number, mut citation) in citations.into_iter().enumerate() {
            let checked = match citation.target.clone() {
                Target::Evidence { id, .. } => {
                    check_item(&mut citation, &id, evidence_set, sources)
                }
                Target::Claim(id) => graph
                    .resolve(place, &id)
                    .and_then(|source| check_claim_quote(&mut citation, source, texts)),
            };
            let sentence = |what: &str| format!("Citation {}: {what}.", number + 1);
            match checked {
                Ok(checked) => {
                    if let Some((code, what)) = &checked.note {
                        findings.note(&claim.judged, *code, sentence(what));
                    }
                    points_at.push(checked.source);
                    claim.judged.citations.push(citation);
                }
                Err((code, what)) => findings.note(&claim.judged, code, sentence(&what)),
            }
        }
        kept.push(points_at);
    }
    kept
}

/// What is wrong with a citation.
pub(super) type Refusal = (CorrectionCode, String);

/// A citation that holds.
struct Checked {
    source: Source,
    /// What was put right in it, or is to be known of it.
    note: Option<Refusal>,
}

fn check_item(
    citation: &mut Citation,
    id: &EvidenceId,
    evidence_set: &EvidenceSet<'_>,
    sources: &mut Sources<'_>,
) -> Result<Checked, Refusal> {
    let Some(position) = evidence_set.position(id) else {
        return Err((CorrectionCode::UnknownEvidence, format!("the evidence has no item `{id}`")));
    };
    let pointer = match &citation.target {
        Target::Evidence { field_path, .. } => field_path.clone(),
        Target::Claim(_) => String::new(),
    };
    let fields = if pointer.is_empty() { Vec::new() } else { sources.fields(position, &pointer) };
    let missing = !pointer.is_empty() && fields.is_empty();
    let unknown = || {
        let what =
            format!("item `{id}` has no field `{pointer}` (a JSON pointer such as `/a/0/b`)");
        (CorrectionCode::UnknownField, what)
    };
    if citation.quote.is_empty() {
        citation.bytes = None;
        return match missing || fields.len() > 1 {
            true => Err(unknown()),
            false => Ok(Checked { source: Source::Item { position, named: None }, note: None }),
        };
    }
    let mut note = missing.then(unknown);
    let quote = shortened(&citation.quote);
    let (bytes, keeps_pointer) = match quotes::locate_in_item(citation, position, &fields, sources)
    {
        Some(Place::At(bytes)) => {
            let content = sources.content(position);
            if !missing && fields.is_empty() && quotes::is_ambiguous(&citation.quote, content) {
                let what = format!(
                    "\"{quote}\" alone may be any value of item `{id}`; quote it with its field or key"
                );
                note = Some((CorrectionCode::QuoteAmbiguous, what));
            }
            (bytes, !missing)
        }
        Some(Place::OutsideField(bytes)) => {
            let what = format!("\"{quote}\" does not stand in `{pointer}`");
            note = Some((CorrectionCode::QuoteOutsideField, what));
            (bytes, false)
        }
        None => return moved(citation, position, evidence_set, sources),
    };
    if !keeps_pointer {
        citation.target = Target::Evidence { id: id.clone(), field_path: String::new() };
    }
    citation.bytes = Some(bytes);
    Ok(Checked { source: Source::Item { position, named: None }, note })
}

/// Moves a citation to the one other item in which its quote stands.
fn moved(
    citation: &mut Citation,
    named: usize,
    evidence_set: &EvidenceSet<'_>,
    sources: &mut Sources<'_>,
) -> Result<Checked, Refusal> {
    let (there, bytes) = only_other_place(&citation.quote, named, sources)
        .ok_or_else(|| not_found("the cited item", &citation.quote))?;
    let what = format!("\"{}\" stands in item `{}`", shortened(&citation.quote), there.id);
    citation.target = Target::Evidence { id: there.id.clone(), field_path: String::new() };
    citation.bytes = Some(bytes);
    let position = evidence_set.position(&there.id).unwrap_or(named);
    Ok(Checked {
        source: Source::Item { position, named: Some(named) },
        note: Some((CorrectionCode::QuoteMoved, what)),
    })
}

/// The one other item in which a quote stands word by word, unless it is a prior claim or inferred.
fn only_other_place<'a>(
    quote: &str,
    named: usize,
    sources: &mut Sources<'a>,
) -> Option<(&'a EvidenceItem, Range<usize>)> {
    if quotes::says_nothing(quote) {
        return None;
    }
    let mut only = None;
    for position in (0..sources.len()).filter(|position| *position != named) {
        let Some(place) = quotes::locate_verbatim(quote, position, sources) else { continue };
        if only.is_some() {
            return None;
        }
        only = sources.item(position).map(|item| (item, place));
    }
    only.filter(|(item, _)| {
        let inferred = item.lane == Lane::LlmInferred || item.kind == EvidenceKind::PriorClaim;
        !inferred && !quotes::is_ambiguous(quote, item.content.as_str())
    })
}

fn check_claim_quote(
    citation: &mut Citation,
    source: Source,
    texts: &[String],
) -> Result<Checked, Refusal> {
    citation.bytes = None;
    if let (Source::Claim(claim), false) = (&source, citation.quote.is_empty()) {
        let text = texts.get(*claim).map_or("", String::as_str);
        let place = quotes::locate_in_text(&citation.quote, text);
        citation.bytes = Some(place.ok_or_else(|| not_found("the cited claim", &citation.quote))?);
    }
    Ok(Checked { source, note: None })
}

fn not_found(name: &str, quote: &str) -> Refusal {
    let what = format!("{name} does not contain \"{}\"", shortened(quote));
    (CorrectionCode::QuoteNotFound, what)
}

fn shortened(quote: &str) -> String {
    const MAX_SHOWN_BYTES: usize = 80;
    let mut short: String = quote.chars().take(MAX_SHOWN_BYTES).collect();
    if short.len() < quote.len() {
        short.push_str(" [cut]");
    }
    short
}

#[cfg(test)]
mod tests;
