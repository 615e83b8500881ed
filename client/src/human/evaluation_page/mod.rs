//! Renders a recorded evaluation as a standalone HTML page for tickets and emails, without scripts or external
//! resources. All untrusted text is escaped.

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

use super::html::{document, said};
use super::labels;
use super::verdict::verdict;

/// The evidence items whose full content is available, by id.
pub(crate) type Contents = BTreeMap<String, String>;

const STYLE: &str = include_str!("page.css");

/// Renders the page of an evaluation.
pub(crate) fn evaluation_page(record: &v1::GetEvaluationResponse, contents: &Contents) -> String {
    let answer = record.evaluation.clone().unwrap_or_default();
    let reported = record.report.clone().unwrap_or_default();
    let name = match reported.id.is_empty() {
        true => answer.evaluation_id.as_str(),
        false => reported.id.as_str(),
    };
    let policy = Policy::from_record(&record.policy_toml).ok();
    let body = html! {
        h1 { (said(name)) }
        (decision::verdict_of(&answer))
        (decision::score(&answer, policy.as_ref()))
        (decision::safety(&answer))
        (report::report(&reported, &answer))
        (claims::claims(&answer, record, contents))
        (origin::grades(&record.grades))
        (origin::origin(&answer, &record.policy_toml))
    };
    document(&format!("{name}: {}", verdict(&answer).0), STYLE, &body)
}

/// Renders a class, with its sign.
fn class_of(class: v1::ClaimClass) -> Markup {
    let (sign, word, _) = labels::class(class);
    html! { span class={ "word " (style_of_class(class)) } { (sign) " " (word) } }
}

/// Renders the class of a claim, or that it is undecided.
fn verdict_on(claim: &v1::JudgedClaim) -> Markup {
    let (sign, word, _) = labels::verdict(claim);
    html! { span class={ "word " (style_of(claim)) } { (sign) " " (word) } }
}

/// The CSS class of a claim.
fn style_of(claim: &v1::JudgedClaim) -> &'static str {
    match claim.undecided {
        Some(_) => "plain",
        None => style_of_class(claim.class()),
    }
}

/// The CSS class of a class of claims.
fn style_of_class(class: v1::ClaimClass) -> &'static str {
    match class {
        v1::ClaimClass::Grounded => "good",
        v1::ClaimClass::Contradicted => "bad",
        v1::ClaimClass::Ungrounded => "doubtful",
        v1::ClaimClass::Complementary | v1::ClaimClass::Unspecified => "plain",
    }
}

/// Renders a tier, with its sign.
fn tier_of(tier: v1::Tier) -> Markup {
    html! { span class={ "word " (style_of_tier(tier)) } { (labels::tier_sign(tier)) " " (labels::tier(tier).0) } }
}

/// The CSS class of a tier.
fn style_of_tier(tier: v1::Tier) -> &'static str {
    match tier {
        v1::Tier::Proceed => "good",
        v1::Tier::Regenerate => "doubtful",
        v1::Tier::Replan => "bad",
        v1::Tier::Abstain | v1::Tier::Unspecified => "plain",
    }
}

/// Links the ids of claims to their sections; unknown ids are plain text.
fn links(ids: &[String], claims: &[v1::JudgedClaim]) -> Markup {
    let place = |id: &String| claims.iter().position(|claim| claim.id == *id);
    html! {
        @for (number, id) in ids.iter().enumerate() {
            @if number > 0 { ", " }
            @match place(id) {
                Some(place) => a href=(target(place)) { (said(id)) },
                None => (said(id)),
            }
        }
    }
}

/// The anchor of a claim. It uses the index, since ids are untrusted.
fn target(place: usize) -> String {
    format!("#claim-{}", place + 1)
}

/// Converts a byte range to indices; `None` if it is missing or empty.
fn range(of: Option<&v1::ByteRange>) -> Option<Range<usize>> {
    let v1::ByteRange { start, end } = of?;
    let (start, end) = (usize::try_from(*start).ok()?, usize::try_from(*end).ok()?);
    (start < end).then_some(start..end)
}
