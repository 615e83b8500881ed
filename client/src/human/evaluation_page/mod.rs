//! Renders a recorded evaluation as a standalone HTML page for tickets and emails, without scripts or external
//! resources.

mod cited;
mod claims;
mod decision;
mod excerpt;
mod origin;
mod report;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use gsar_core::policy::Policy;
use gsar_proto::v1;
use maud::{Markup, html};

use super::html::{document, isolated};
use super::labels;
use super::verdict::verdict;

/// The full content of evidence items, by id.
pub(crate) type Contents = BTreeMap<String, String>;

const STYLE: &str = include_str!("page.css");

pub(crate) fn evaluation_page(record: &v1::GetEvaluationResponse, contents: &Contents) -> String {
    let answer = record.evaluation.clone().unwrap_or_default();
    let report = record.report.clone().unwrap_or_default();
    let name = match report.id.is_empty() {
        true => answer.evaluation_id.as_str(),
        false => report.id.as_str(),
    };
    let policy = Policy::from_toml(&record.policy_toml).ok();
    let body = html! {
        h1 { (isolated(name)) }
        (decision::tier_and_reasons(&answer))
        (decision::score(&answer, policy.as_ref()))
        (decision::safety(&answer))
        (report::report(&report, &answer))
        (claims::claims(&answer, record, contents))
        (origin::grades(&record.grades))
        (origin::origin(&answer, &record.policy_toml))
    };
    document(&format!("{name}: {}", verdict(&answer).0), STYLE, &body)
}

fn class_label(class: v1::ClaimClass) -> Markup {
    let (sign, name, _) = labels::class(class);
    html! { span class={ "word " (style_of_class(class)) } { (sign) " " (name) } }
}

/// Renders the class of a claim, or `undecided`.
fn verdict_label(claim: &v1::JudgedClaim) -> Markup {
    let (sign, name, _) = labels::verdict(claim);
    html! { span class={ "word " (style_of(claim)) } { (sign) " " (name) } }
}

/// Returns the CSS class for a claim.
fn style_of(claim: &v1::JudgedClaim) -> &'static str {
    match claim.undecided {
        Some(_) => "plain",
        None => style_of_class(claim.class()),
    }
}

/// Returns the CSS class for a claim class.
fn style_of_class(class: v1::ClaimClass) -> &'static str {
    match class {
        v1::ClaimClass::Grounded => "good",
        v1::ClaimClass::Contradicted => "bad",
        v1::ClaimClass::Ungrounded => "doubtful",
        v1::ClaimClass::Complementary | v1::ClaimClass::Unspecified => "plain",
    }
}

fn tier_label(tier: v1::Tier) -> Markup {
    html! { span class={ "word " (style_of_tier(tier)) } { (labels::tier_sign(tier)) " " (labels::tier(tier).0) } }
}

/// Returns the CSS class for a tier.
fn style_of_tier(tier: v1::Tier) -> &'static str {
    match tier {
        v1::Tier::Proceed => "good",
        v1::Tier::Regenerate => "doubtful",
        v1::Tier::Replan => "bad",
        v1::Tier::Abstain | v1::Tier::Unspecified => "plain",
    }
}

/// Links claim ids to their sections. Unknown ids become plain text.
fn links(ids: &[String], claims: &[v1::JudgedClaim]) -> Markup {
    let index = |id: &String| claims.iter().position(|claim| claim.id == *id);
    html! {
        @for (number, id) in ids.iter().enumerate() {
            @if number > 0 { ", " }
            @match index(id) {
                Some(index) => a href=(anchor(index)) { (isolated(id)) },
                None => (isolated(id)),
            }
        }
    }
}

/// Returns the anchor of the claim at an index. Ids are untrusted, so they are not used.
fn anchor(index: usize) -> String {
    format!("#claim-{}", index + 1)
}

/// Converts a byte range to indices. Returns `None` if it is absent or empty.
fn range(bytes: Option<&v1::ByteRange>) -> Option<Range<usize>> {
    let v1::ByteRange { start, end } = bytes?;
    let (start, end) = (usize::try_from(*start).ok()?, usize::try_from(*end).ok()?);
    (start < end).then_some(start..end)
}
