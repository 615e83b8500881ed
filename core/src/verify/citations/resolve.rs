//! Resolves citations. Does not check whether a quote supports its claim.
//!
//! | the citation | effect |
//! |---|---|
//! | to an unknown item, claim or cycle; its quote occurs nowhere | removed |
//! | its pointer does not resolve | the pointer is dropped, the quote decides |
//! | its quote occurs in exactly one other item, which is neither a prior claim nor inferred | moved to that item, noted |
//! | its quote occurs in the item but not in the cited field | the pointer is dropped, the quote decides |
//! | it quotes a short or frequent value without its field or key | noted |

use core::ops::Range;

use super::super::VerifiedClaim;
use super::super::corrections::{CorrectionCode, Findings};
use super::super::evidence_set::{EvidenceSet, Sources};
use super::super::quotes::{self, QuoteLocation};
use super::references::ClaimGraph;
use crate::evidence::{Citation, EvidenceId, EvidenceItem, EvidenceKind, Lane, Target};

/// The target of a valid citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Source {
    /// An evidence item.
    Item {
        /// The index of the item in the evidence.
        position: usize,
        /// The index of the item that the judge cited, if the quote was found in another: its type is an upper limit too.
        cited: Option<usize>,
    },
    /// Another claim, by its index among the verified ones.
    Claim(usize),
}

/// Retains the citations that resolve and whose quote is found, sets the location of each quote, and returns the target of
/// each retained citation. `texts` contains the texts of all claims if any claim cites another.
///
/// The quote decides: a pointer that does not resolve or does not contain the quote is dropped, and a citation whose quote
/// occurs in exactly one other item is moved there.
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
        for (number, mut citation) in citations.into_iter().enumerate() {
            let checked = match citation.target.clone() {
                Target::Evidence { id, .. } => {
                    check_item(&mut citation, &id, evidence_set, sources)
                }
                Target::Claim(id) => graph
                    .resolve(index, &id)
                    .and_then(|source| check_claim_quote(&mut citation, source, texts)),
            };
            let sentence = |problem: &str| format!("Citation {}: {problem}.", number + 1);
            match checked {
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

/// The problem of a citation.
pub(super) type CitationProblem = (CorrectionCode, String);

/// A valid citation.
struct ValidCitation {
    source: Source,
    /// What was corrected in it, or is worth noting.
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
                    "\"{quote}\" alone may be any value of item `{id}`; quote it with its field or key"
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

/// Moves a citation to the only other item that contains its quote.
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

/// Returns the only other item that contains a quote verbatim, unless it is a prior claim or inferred.
fn only_other_match<'a>(
    quote: &str,
    cited: usize,
    sources: &mut Sources<'a>,
) -> Option<(&'a EvidenceItem, Range<usize>)> {
    if quotes::is_trivial(quote) {
        return None;
    }
    let mut only = None;
    for position in (0..sources.len()).filter(|position| *position != cited) {
        let Some(bytes) = quotes::locate_verbatim(quote, position, sources) else { continue };
        if only.is_some() {
            return None;
        }
        only = sources.item(position).map(|item| (item, bytes));
    }
    only.filter(|(item, _)| {
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
    const MAX_SHOWN_BYTES: usize = 80;
    let mut short: String = quote.chars().take(MAX_SHOWN_BYTES).collect();
    if short.len() < quote.len() {
        short.push_str(" [cut]");
    }
    short
}

#[cfg(test)]
mod tests;
