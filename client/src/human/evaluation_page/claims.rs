//! Renders claims.

use gsar_proto::v1;
use maud::{Markup, html};

use super::cited::citation;
use super::{Contents, class_label, style_of, verdict_label};
use crate::human::html::isolated;
use crate::human::{claims::impact, labels};

pub(super) fn claims(
    answer: &v1::EvaluateResponse,
    record: &v1::GetEvaluationResponse,
    contents: &Contents,
) -> Markup {
    html! {
        h2 { "Claims" }
        @if answer.claims.is_empty() { p class="dim" { "The report has no claims." } }
        @for (index, claim) in answer.claims.iter().enumerate() {
            section class=(style_of(claim)) id={ "claim-" (index + 1) } {
                (claim_summary(claim, &answer.corrections))
                @for cited in &claim.citations { (citation(cited, &answer.claims, record, contents)) }
                @if claim.citations.is_empty() { p class="dim" { "No evidence cited." } }
            }
        }
    }
}

fn claim_summary(claim: &v1::JudgedClaim, corrections: &[v1::Correction]) -> Markup {
    let facts: Vec<String> = std::iter::once(labels::evidence_type(claim.r#type()).to_owned())
        .filter(|kind| !kind.is_empty())
        .chain((!claim.rules.is_empty()).then(|| format!("by {}", claim.rules.join(", "))))
        .chain(impact(claim))
        .collect();
    html! {
        h3 {
            (verdict_label(claim))
            " " strong { (isolated(&claim.id)) } " " (isolated(&claim.text))
        }
        @if !facts.is_empty() { p class="dim" { (isolated(&facts.join("; "))) } }
        @if !claim.note.is_empty() { p { (isolated(&claim.note)) } }
        (remarks(claim, corrections))
    }
}

/// Renders the claim's corrections, second look and votes.
fn remarks(claim: &v1::JudgedClaim, corrections: &[v1::Correction]) -> Markup {
    let corrections: Vec<_> =
        corrections.iter().filter(|correction| correction.claim_id == claim.id).collect();
    if corrections.is_empty() && claim.votes.is_empty() && claim.second_look.is_none() {
        return html! {};
    }
    html! {
        ul {
            @for correction in corrections {
                li { "Verification: " (labels::correction(correction)) ": " (isolated(&correction.sentence)) " " code { (isolated(&correction.code)) } }
            }
            @if let Some(look) = &claim.second_look {
                li { (isolated(&labels::second_look(look))) " (" (isolated(&look.reader)) ")" }
            }
            @for vote in &claim.votes {
                li {
                    "Vote: " (format!("{:.0} % ", vote.share * 100.0)) (isolated(&vote.judge)) " #" (u64::from(vote.sample) + 1) " "
                    (class_label(vote.class())) @if !vote.note.is_empty() { ": " (isolated(&vote.note)) }
                }
            }
        }
    }
}
