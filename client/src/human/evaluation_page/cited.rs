//! Renders a citation: the item, the position, and the quoted bytes in context.

use gsar_proto::v1;
use maud::{Markup, html};

use super::excerpt::{Excerpt, excerpt, start_of};
use super::{Contents, links, range};
use crate::human::html::{block, said};

/// The maximum size of a quote without context, in bytes.
const MAX_QUOTE: usize = 2_000;

/// Renders a citation. If the item is not available in full, its stored beginning is used.
pub(super) fn cited(
    citation: &v1::Citation,
    claims: &[v1::JudgedClaim],
    record: &v1::GetEvaluationResponse,
    contents: &Contents,
) -> Markup {
    if !citation.claim_id.is_empty() {
        let by = std::slice::from_ref(&citation.claim_id);
        return html! { p class="dim" { "By claim " (links(by, claims)) "." } };
    }
    let item = record.evidence.iter().find(|item| item.id == citation.evidence_id);
    let whole = contents.get(&citation.evidence_id).map(String::as_str);
    let text = whole.or(item.map(|item| item.head.as_str())).unwrap_or_default();
    let found = range(citation.bytes.as_ref()).and_then(|at| excerpt(text, at));
    html! {
        (place(citation, item, found.as_ref()))
        @if whole.is_none() && item.is_some_and(|item| !item.is_whole) {
            p class="dim" { "Only the beginning of the item is stored." }
        }
        @match found {
            Some(found) => pre { (block(&found.before)) mark { (block(&found.quoted)) } (block(&found.behind)) },
            None if citation.quote.is_empty() => {},
            None => {
                @if citation.bytes.is_none() { p class="dim" { (unplaced(record)) } }
                pre { (block(&start_of(&citation.quote, MAX_QUOTE))) }
            },
        }
    }
}

/// Explains why a quote is shown without context.
fn unplaced(record: &v1::GetEvaluationResponse) -> &'static str {
    let provenance = record.evaluation.as_ref().and_then(|answer| answer.provenance.as_ref());
    match provenance.is_some_and(|provenance| provenance.redacted) {
        true => "Quoted from content omitted from this page:",
        false => "Quoted; its position in the item is unknown:",
    }
}

/// The item, with the field and the line.
fn place(
    citation: &v1::Citation,
    item: Option<&v1::RecordedEvidence>,
    found: Option<&Excerpt>,
) -> Markup {
    let lane = item.map(lane).unwrap_or_default();
    let tool = item.map_or("", |item| item.tool.as_str());
    html! {
        p {
            strong { (said(&citation.evidence_id)) }
            span class="dim" {
                @for fact in [lane.as_str(), tool, citation.field_path.as_str()] {
                    @if !fact.is_empty() { " · " (said(fact)) }
                }
                @if let Some(found) = found { " · line " (found.line) }
            }
        }
    }
}

/// Formats `EVIDENCE_LANE_LLM_INFERRED` as `llm inferred`; empty if unspecified.
fn lane(item: &v1::RecordedEvidence) -> String {
    match item.lane() {
        v1::EvidenceLane::Unspecified => String::new(),
        lane => {
            lane.as_str_name().trim_start_matches("EVIDENCE_LANE_").replace('_', " ").to_lowercase()
        }
    }
}
