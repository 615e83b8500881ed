//! Renders citations.

use gsar_proto::v1;
use maud::{Markup, html};

use super::excerpt::{Excerpt, excerpt, start_of};
use super::{Contents, links, range};
use crate::human::html::{block, isolated};

/// The maximum length of a quote without context, in bytes.
const MAX_QUOTE_WITHOUT_CONTEXT: usize = 2_000;

/// Renders the cited item and the quote in its context. If the item is not available in full, uses its beginning.
pub(super) fn citation(
    citation: &v1::Citation,
    claims: &[v1::JudgedClaim],
    record: &v1::GetEvaluationResponse,
    contents: &Contents,
) -> Markup {
    if !citation.claim_id.is_empty() {
        let claim_ids = std::slice::from_ref(&citation.claim_id);
        return html! { p class="dim" { "By claim " (links(claim_ids, claims)) "." } };
    }
    let item = record.evidence.iter().find(|item| item.id == citation.evidence_id);
    let full_content = contents.get(&citation.evidence_id).map(String::as_str);
    let text = full_content.or(item.map(|item| item.head.as_str())).unwrap_or_default();
    let context = range(citation.bytes.as_ref()).and_then(|bytes| excerpt(text, bytes));
    html! {
        (location(citation, item, context.as_ref()))
        @if full_content.is_none() && item.is_some_and(|item| !item.is_whole) {
            p class="dim" { "Only the beginning of the item is stored." }
        }
        @match context {
            Some(context) => pre { (block(&context.before)) mark { (block(&context.quote)) } (block(&context.after)) },
            None if citation.quote.is_empty() => {},
            None => {
                @if citation.bytes.is_none() { p class="dim" { (context_missing(record)) } }
                pre { (block(&start_of(&citation.quote, MAX_QUOTE_WITHOUT_CONTEXT))) }
            },
        }
    }
}

/// Explains why a quote has no context.
fn context_missing(record: &v1::GetEvaluationResponse) -> &'static str {
    let provenance = record.evaluation.as_ref().and_then(|answer| answer.provenance.as_ref());
    match provenance.is_some_and(|provenance| provenance.redacted) {
        true => "Quoted from content omitted from this page:",
        false => "Quoted; its position in the item is unknown:",
    }
}

fn location(
    citation: &v1::Citation,
    item: Option<&v1::RecordedEvidence>,
    context: Option<&Excerpt>,
) -> Markup {
    let lane = item.map(lane).unwrap_or_default();
    let tool = item.map_or("", |item| item.tool.as_str());
    html! {
        p {
            strong { (isolated(&citation.evidence_id)) }
            span class="dim" {
                @for fact in [lane.as_str(), tool, citation.field_path.as_str()] {
                    @if !fact.is_empty() { " · " (isolated(fact)) }
                }
                @if let Some(context) = context { " · line " (context.line) }
            }
        }
    }
}

/// Formats `EVIDENCE_LANE_LLM_INFERRED` as `llm inferred`.
fn lane(item: &v1::RecordedEvidence) -> String {
    match item.lane() {
        v1::EvidenceLane::Unspecified => String::new(),
        lane => {
            lane.as_str_name().trim_start_matches("EVIDENCE_LANE_").replace('_', " ").to_lowercase()
        }
    }
}
