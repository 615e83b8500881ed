//! Renders the decision, the score and the safety checks, with the same wording as the terminal output.

use gsar_core::policy::Policy;
use gsar_proto::v1;
use maud::{Markup, html};

use super::{links, style_of_tier};
use crate::human::html::isolated;
use crate::human::verdict::{computed_decision, verdict};
use crate::human::{labels, safety, score as scores};

/// Renders the tier, the advice and the reasons.
pub(super) fn tier_and_reasons(answer: &v1::EvaluateResponse) -> Markup {
    let decision = computed_decision(answer);
    let tier = decision.map_or(v1::Tier::Unspecified, v1::Decision::tier);
    let has_failed = answer.outcome() == v1::Outcome::Failed;
    let style = if has_failed { "bad" } else { style_of_tier(tier) };
    let (name, advice) = verdict(answer);
    html! {
        p class={ "verdict " (style) } { strong { (labels::tier_sign(tier)) " " (name) } " " (isolated(&advice)) }
        @if let Some(decision) = decision {
            ul {
                @for reason in &decision.reasons {
                    li {
                        (isolated(&reason.sentence)) " " code { (isolated(&reason.code)) }
                        @if !reason.claim_ids.is_empty() { " (" (links(&reason.claim_ids, &answer.claims)) ")" }
                    }
                }
            }
            @if !decision.affected_specialists.is_empty() {
                p class="dim" { "Specialists: " (isolated(&decision.affected_specialists.join(", "))) }
            }
            @if !decision.not_applicable.is_empty() {
                p class="dim" { "Not checked: " (isolated(&decision.not_applicable.join(", "))) ": not applicable" }
            }
        }
    }
}

/// Renders the deciding score, its thresholds and weights, and the changes that would lead to another tier.
pub(super) fn score(answer: &v1::EvaluateResponse, policy: Option<&Policy>) -> Markup {
    let Some(score) = scores::deciding_score(answer) else {
        return html! {
            p { "There is no score" @if !answer.abstain_reason.is_empty() { ": " (isolated(&answer.abstain_reason)) } "." }
        };
    };
    let fraction = |score: &v1::Score| (score.numerator, score.denominator);
    let unguarded =
        answer.score.as_ref().filter(|unguarded| fraction(unguarded) != fraction(score));
    html! {
        p {
            "Score " strong { (labels::score(Some(score))) }
            span class="dim" {
                " = " (score.numerator) "/" (score.denominator)
                @if let Some(policy) = policy {
                    " · regenerate from " (policy.tau_regenerate) " · proceed from " (policy.tau_proceed)
                }
                @if let Some(unguarded) = unguarded { " · without the guards " (labels::score(Some(unguarded))) }
            }
        }
        @if let Some(terms) = &answer.terms { p class="dim" { (weights(terms)) } }
        @let changes = scores::changes(answer);
        @if !changes.is_empty() { ul { @for change in changes { li { (isolated(&change)) } } } }
    }
}

fn weights(terms: &v1::ScoreTerms) -> String {
    let mut parts = vec![
        ("grounded", terms.grounded),
        ("complementary", terms.complementary),
        ("ungrounded", terms.ungrounded),
        ("contradicted", terms.contradicted),
    ];
    if terms.unverified > 0.0 {
        parts.push(("unverified", terms.unverified));
    }
    let parts =
        parts.into_iter().map(|(name, weight)| format!("{name} {}", labels::weight(weight)));
    let parts = parts.collect::<Vec<_>>().join(" · ");
    format!("{parts} · a contradiction counts {} times", labels::number(terms.rho))
}

/// Renders the gate, the evidence chain, the cap, the action ladder, open points and gaps.
pub(super) fn safety(answer: &v1::EvaluateResponse) -> Markup {
    let facts = safety::facts(answer);
    let open_points = answer.verification_reasons.iter().map(|reason| reason.sentence.as_str());
    let gaps = answer.gaps.iter().map(String::as_str);
    let points: Vec<_> =
        open_points.map(|text| ("Open", text)).chain(gaps.map(|text| ("Missed", text))).collect();
    html! {
        @if !facts.is_empty() || !points.is_empty() {
            dl {
                @for (label, text, in_shadow) in &facts {
                    dt { (label) } dd { (isolated(text)) @if *in_shadow { " (in shadow)" } }
                }
                @for (label, sentence) in points { dt { (label) } dd { (isolated(sentence)) } }
            }
        }
    }
}
