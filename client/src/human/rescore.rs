//! Formats rescored evaluations.

use std::collections::BTreeMap;

use gsar_client::text::one_line;
use gsar_proto::v1;

use super::labels;
use super::page::{BOLD, DIM, count, padded, styled};

/// Formats the recorded and the new decision on one line.
pub(crate) fn rescored(answer: &v1::RescoreResponse) -> String {
    let before = answer.before.clone().unwrap_or_default();
    let after = answer.decision.as_ref().map_or(v1::Tier::Unspecified, v1::Decision::tier);
    let format_decision = |tier, score: Option<&v1::Score>| {
        let (name, style) = labels::tier(tier);
        let score = score.map(|score| labels::score(Some(score))).unwrap_or_default();
        format!("{} {}", styled(style, &padded(name, 10)), padded(&score, 5))
    };
    let arrow = if answer.changed { styled(BOLD, "→") } else { styled(DIM, "=") };
    format!(
        "{} {arrow} {}  {}\n",
        format_decision(before.tier(), before.score.as_ref()),
        format_decision(after, answer.score.as_ref()),
        styled(DIM, &one_line(&answer.evaluation_id)),
    )
}

/// Formats the policy fields without effect, each with the reason.
pub(crate) fn not_rescored(answers: &[v1::RescoreResponse]) -> String {
    let mut fields: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for field in answers.iter().flat_map(|answer| &answer.not_rescored) {
        *fields.entry((&field.field, &field.reason)).or_default() += 1;
    }
    let line = |((field, reason), times): ((&str, &str), u64)| {
        let scope = match answers.len() {
            1 => String::new(),
            _ => format!(" in {}", count(times, "evaluation")),
        };
        format!("{} had no effect{scope}: {}\n", one_line(field), one_line(reason))
    };
    fields.into_iter().map(line).collect()
}

/// Formats the number of evaluations with a new decision.
pub(crate) fn rescore_summary(answers: &[v1::RescoreResponse]) -> String {
    let changed = answers.iter().filter(|answer| answer.changed).count();
    let policy = answers.iter().find_map(|answer| answer.policy.as_ref());
    let policy_text =
        policy.map(|policy| format!(" under {}", one_line(&policy.name))).unwrap_or_default();
    format!("{changed} of {} decided differently{policy_text}\n", answers.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: &str, after: v1::Tier, changed: bool) -> v1::RescoreResponse {
        let score = |numerator| Some(v1::Score { value: 0.0, numerator, denominator: 4 });
        v1::RescoreResponse {
            evaluation_id: id.to_owned(),
            before: Some(v1::RecordedDecision {
                tier: v1::Tier::Proceed.into(),
                score: score(3),
                ..Default::default()
            }),
            score: score(if changed { 1 } else { 3 }),
            decision: Some(v1::Decision { tier: after.into(), ..Default::default() }),
            policy: Some(v1::AppliedPolicy { name: "strict".to_owned(), ..Default::default() }),
            not_rescored: vec![v1::NotRescored {
                field: "gate".to_owned(),
                reason: "no inputs\nare recorded".to_owned(),
            }],
            changed,
            ..Default::default()
        }
    }

    #[test]
    fn formats_changes_and_ineffective_fields() {
        let answers =
            [answer("first", v1::Tier::Replan, true), answer("second", v1::Tier::Proceed, false)];
        let text: String = answers.iter().map(rescored).collect();
        let text = text + &not_rescored(&answers) + &rescore_summary(&answers);
        insta::assert_snapshot!(anstream::adapter::strip_str(&text));
        assert!(not_rescored(&answers[..1]).starts_with("gate had no effect: "));
    }
}
