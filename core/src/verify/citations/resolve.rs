//! Resolves citations. This module does not check whether quotes support claims.
//!
//! | citation | effect |
//! |---|---|
//! | unknown item or claim, cycle, or quote not found | the citation is removed |
//! | unresolved pointer | the pointer is dropped |
//! | quote in exactly one other item that is neither a prior claim nor inferred | the citation is moved to that item |
//! | quote in the item but outside the cited field | the pointer is dropped |
//! | short or frequent value quoted without its field or key | the ambiguity is noted |

use core::ops::Range;

use super::super::VerifiedClaim;
use super::super::corrections::{CorrectionCode, Findings};
use super::super::evidence_set::{EvidenceSet, Sources};
use super::super::quotes::{self, QuoteLocation};
use super::references::ClaimGraph;
use crate::evidence::{Citation, EvidenceId, EvidenceItem, EvidenceKind, Lane, Target};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Source {
    /// An evidence item.
    Item {
        /// The item's index.
        position: usize,
        /// The cited item's index, if the quote was found in another item. Both items limit the type.
        cited: Option<usize>,
    },
    /// The index of another claim.
    Claim(usize),
}

/// Removes invalid citations, locates the quotes of the valid ones, and returns the targets of the valid ones.
pub(in super::super) fn check_citations(
    claims: &mut [VerifiedClaim],
    texts: &[String],
    evidence_set: &EvidenceSet<'_>,
    sources: &mut Sources<'_>,
    findings: &mut Findings,
) -> Vec<Vec<Source>> {
    let graph = ClaimGraph::new(claims);
    let mut all_targets = Vec::with_capacity(claims.len());
    for (index, claim) in claims.iter_mut().enumerate() {
        let citations = core::mem::take(&mut claim.judged.citations);
        let mut targets = Vec::with_capacity(citations.len());
        for (citation_index, mut citation) in citations.into_iter().enumerate() {
            let result = match citation.target.clone() {
                Target::Evidence { id, .. } => {
                    check_item(&mut citation, &id, evidence_set, sources)
                }
                Target::Claim(id) => graph
                    .resolve(index, &id)
                    .and_then(|source| check_claim_quote(&mut citation, source, texts)),
            };
            let sentence = |problem: &str| format!("Citation {}: {problem}.", citation_index + 1);
            match result {
                Ok(valid) => {
                    if let Some((code, problem)) = &valid.note {
                        findings.note(&claim.judged, *code, sentence(problem));
                    }
                    targets.push(valid.source);
                    claim.judged.citations.push(citation);
                }
                Err((code, problem)) => findings.note(&claim.judged, code, sentence(&problem)),
            }
        }
        all_targets.push(targets);
    }
    all_targets
}

pub(super) type CitationProblem = (CorrectionCode, String);

struct ValidCitation {
    source: Source,
    /// The correction or observation, if any.
    note: Option<CitationProblem>,
}

fn check_item(
    citation: &mut Citation,
    id: &EvidenceId,
    evidence_set: &EvidenceSet<'_>,
    sources: &mut Sources<'_>,
) -> Result<ValidCitation, CitationProblem> {
    let Some(position) = evidence_set.position(id) else {
        return Err((CorrectionCode::UnknownEvidence, format!("the evidence has no item `{id}`")));
    };
    let pointer = match &citation.target {
        Target::Evidence { field_path, .. } => field_path.clone(),
        Target::Claim(_) => String::new(),
    };
    let fields = if pointer.is_empty() { Vec::new() } else { sources.fields(position, &pointer) };
    let is_missing = !pointer.is_empty() && fields.is_empty();
    let unknown_field = || {
        let problem =
            format!("item `{id}` has no field `{pointer}` (a JSON pointer such as `/a/0/b`)");
        (CorrectionCode::UnknownField, problem)
    };
    if citation.quote.is_empty() {
        citation.bytes = None;
        return match is_missing || fields.len() > 1 {
            true => Err(unknown_field()),
            false => {
                Ok(ValidCitation { source: Source::Item { position, cited: None }, note: None })
            }
        };
    }
    let mut note = is_missing.then(unknown_field);
    let quote = truncate(&citation.quote);
    let (bytes, keeps_pointer) = match quotes::locate_in_item(citation, position, &fields, sources)
    {
        Some(QuoteLocation::Found(bytes)) => {
            let content = sources.content(position);
            if !is_missing && fields.is_empty() && quotes::is_ambiguous(&citation.quote, content) {
                let problem = format!(
                    "\"{quote}\" alone could be any value in item `{id}`; quote it with its field or key"
                );
                note = Some((CorrectionCode::QuoteAmbiguous, problem));
            }
            (bytes, !is_missing)
        }
        Some(QuoteLocation::OutsideField(bytes)) => {
            let problem = format!("\"{quote}\" does not occur in `{pointer}`");
            note = Some((CorrectionCode::QuoteOutsideField, problem));
            (bytes, false)
        }
        None => return move_citation(citation, position, evidence_set, sources),
    };
    if !keeps_pointer {
        citation.target = Target::Evidence { id: id.clone(), field_path: String::new() };
    }
    citation.bytes = Some(bytes);
    Ok(ValidCitation { source: Source::Item { position, cited: None }, note })
}

fn move_citation(
    citation: &mut Citation,
    cited: usize,
    evidence_set: &EvidenceSet<'_>,
    sources: &mut Sources<'_>,
) -> Result<ValidCitation, CitationProblem> {
    let (item, bytes) = only_other_match(&citation.quote, cited, sources)
        .ok_or_else(|| not_found("the cited item", &citation.quote))?;
    let problem = format!("\"{}\" occurs in item `{}`", truncate(&citation.quote), item.id);
    citation.target = Target::Evidence { id: item.id.clone(), field_path: String::new() };
    citation.bytes = Some(bytes);
    let position = evidence_set.position(&item.id).unwrap_or(cited);
    Ok(ValidCitation {
        source: Source::Item { position, cited: Some(cited) },
        note: Some((CorrectionCode::QuoteMoved, problem)),
    })
}

/// Returns the only other item that contains a quote, unless that item is a prior claim or inferred.
fn only_other_match<'a>(
    quote: &str,
    cited: usize,
    sources: &mut Sources<'a>,
) -> Option<(&'a EvidenceItem, Range<usize>)> {
    if quotes::is_trivial(quote) {
        return None;
    }
    let mut only_match = None;
    for position in (0..sources.len()).filter(|position| *position != cited) {
        let Some(bytes) = quotes::locate_verbatim(quote, position, sources) else { continue };
        if only_match.is_some() {
            return None;
        }
        only_match = sources.item(position).map(|item| (item, bytes));
    }
    only_match.filter(|(item, _)| {
        let is_inferred = item.lane == Lane::LlmInferred || item.kind == EvidenceKind::PriorClaim;
        !is_inferred && !quotes::is_ambiguous(quote, item.content.as_str())
    })
}

fn check_claim_quote(
    citation: &mut Citation,
    source: Source,
    texts: &[String],
) -> Result<ValidCitation, CitationProblem> {
    citation.bytes = None;
    if let (Source::Claim(claim), false) = (&source, citation.quote.is_empty()) {
        let text = texts.get(*claim).map_or("", String::as_str);
        let bytes = quotes::locate_in_text(&citation.quote, text);
        citation.bytes = Some(bytes.ok_or_else(|| not_found("the cited claim", &citation.quote))?);
    }
    Ok(ValidCitation { source, note: None })
}

fn not_found(name: &str, quote: &str) -> CitationProblem {
    let problem = format!("{name} does not contain \"{}\"", truncate(quote));
    (CorrectionCode::QuoteNotFound, problem)
}

fn truncate(quote: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 80;
    let mut truncated: String = quote.chars().take(MAX_SHOWN_CHARS).collect();
    if truncated.len() < quote.len() {
        truncated.push_str(" [cut]");
    }
    truncated
}

#[cfg(test)]
mod tests;
