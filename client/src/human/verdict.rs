//! Formats the decision on one line.

use anstyle::{Effects, Style};
use gsar_client::text::{one_line, truncate_end, width};
use gsar_proto::v1;

use super::claims::ids_of;
use super::labels;
use super::page::{BAD, Page, listed, styled};

const MAX_NAMED: usize = 3;

pub(super) fn write_line(page: &mut Page, answer: &v1::EvaluateResponse) {
    let has_failed = answer.outcome() == v1::Outcome::Failed;
    let (_, style) = labels::tier(tier(answer));
    let style = if has_failed { BAD } else { style };
    let (name, advice) = verdict(answer);
    let room = page.columns().saturating_sub(width(&name) + 3);
    let name = styled(bold(style), &name);
    page.add_line(&format!("{name}   {}", truncate_end(&advice, room)));
}

/// Returns the decision in capitals, and the advice on one line.
pub(crate) fn verdict(answer: &v1::EvaluateResponse) -> (String, String) {
    let tier = tier(answer);
    let has_failed = answer.outcome() == v1::Outcome::Failed;
    let advice = if has_failed { failure(answer) } else { advice(answer, tier) };
    let name = if has_failed { "failed" } else { labels::tier(tier).0 };
    match answer.decision.as_ref().is_some_and(|decision| decision.in_shadow) {
        true => {
            let advice = format!("not enforced; {name} was decided: {advice}");
            ("SHADOW".to_owned(), one_line(&advice))
        }
        false => (name.to_uppercase(), one_line(&advice)),
    }
}

fn tier(answer: &v1::EvaluateResponse) -> v1::Tier {
    computed_decision(answer).map_or(v1::Tier::Unspecified, v1::Decision::tier)
}

/// Returns the computed decision, even if it is not enforced.
pub(crate) fn computed_decision(answer: &v1::EvaluateResponse) -> Option<&v1::Decision> {
    let shadow_decision = answer.shadow.as_ref().and_then(|shadow| shadow.decision.as_ref());
    shadow_decision.or(answer.decision.as_ref())
}

fn bold(style: Style) -> Style {
    style | Effects::BOLD
}

fn advice(answer: &v1::EvaluateResponse, tier: v1::Tier) -> String {
    let contradicted = ids_of(&answer.claims, v1::ClaimClass::Contradicted, MAX_NAMED);
    let ungrounded = ids_of(&answer.claims, v1::ClaimClass::Ungrounded, MAX_NAMED);
    match tier {
        v1::Tier::Proceed => format!("the report may be sent{}", distance(answer)),
        v1::Tier::Regenerate => {
            let mut steps = Vec::new();
            if !contradicted.is_empty() {
                steps.push(format!("correct {contradicted}"));
            }
            if !ungrounded.is_empty() {
                steps.push(format!("ground or drop {ungrounded}"));
            }
            if steps.is_empty() {
                steps.push("rewrite it from the same evidence".to_owned());
            }
            format!("{}{}", steps.join(", "), distance(answer))
        }
        v1::Tier::Replan => {
            let decided_claims = answer.claims.iter().filter(|claim| claim.undecided.is_none());
            let unsupported = decided_claims.filter(|claim| {
                matches!(claim.class(), v1::ClaimClass::Ungrounded | v1::ClaimClass::Contradicted)
            });
            match (unsupported.count(), answer.claims.len()) {
                (0, _) => "investigate again".to_owned(),
                (count, all) => format!(
                    "investigate again: the evidence does not support {count} of {all} claims"
                ),
            }
        }
        v1::Tier::Abstain => match (undecided_advice(answer), main_sentence(answer)) {
            (Some(undecided), _) => undecided,
            (None, Some(reason)) if has_judge_failed(answer) => reason,
            (None, Some(reason)) => format!("gather more evidence first: {reason}"),
            (None, None) => "no decision is possible; gather more evidence first".to_owned(),
        },
        v1::Tier::Unspecified => "the server returned an unknown decision".to_owned(),
    }
}

/// Names the undecided claims that determine the tier, and the possible tiers.
fn undecided_advice(answer: &v1::EvaluateResponse) -> Option<String> {
    let decision = computed_decision(answer)?;
    let reason = decision.reasons.first().filter(|reason| reason.code == "JUDGE_UNDECIDED")?;
    let ids = listed(reason.claim_ids.iter().map(String::as_str), MAX_NAMED);
    let tier = |outcome: &Option<v1::HypotheticalOutcome>| {
        outcome.as_ref().map_or("nothing", |outcome| labels::tier(outcome.tier()).0)
    };
    let bounds = decision.bounds.as_ref()?;
    let (worst, best) = (tier(&bounds.worst), tier(&bounds.best));
    Some(format!("{ids} undecided; the decision is between {worst} and {best}"))
}

fn failure(answer: &v1::EvaluateResponse) -> String {
    main_sentence(answer).unwrap_or_else(|| "the judge failed".to_owned())
}

/// Returns `true` if a judge or the second look failed, so that more evidence would not help.
fn has_judge_failed(answer: &v1::EvaluateResponse) -> bool {
    main_reason(answer).is_some_and(|reason| {
        reason.code.starts_with("JUDGE_") || reason.code.starts_with("SECOND_LOOK")
    })
}

fn main_sentence(answer: &v1::EvaluateResponse) -> Option<String> {
    Some(main_reason(answer)?.sentence.clone())
}

/// Returns the most important reason: a missing second look, otherwise the first reason.
fn main_reason(answer: &v1::EvaluateResponse) -> Option<&v1::Reason> {
    let reasons = &computed_decision(answer)?.reasons;
    let second_look = reasons.iter().find(|reason| reason.code.starts_with("SECOND_LOOK"));
    second_look.or_else(|| reasons.first())
}

/// Formats the number of claims to the next decision, if the answer includes it.
fn distance(answer: &v1::EvaluateResponse) -> String {
    let margins = computed_decision(answer).and_then(|decision| decision.margins.as_ref());
    let better = margins.and_then(|margins| margins.better.as_ref());
    let worse = margins.and_then(|margins| margins.worse.as_ref());
    let Some(margin) = better.or(worse) else { return String::new() };
    let (tier, _) = labels::tier(margin.tier());
    match margin.claims {
        1 => format!("; one claim away from {tier}"),
        claims => format!("; {claims} claims away from {tier}"),
    }
}
