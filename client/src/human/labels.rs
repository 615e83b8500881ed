//! Labels, signs and styles of enumerations, and number formats.

use anstyle::{AnsiColor, Style};
use gsar_client::text::one_line;
use gsar_core::EvidenceType;
use gsar_core::fixed_point::Fraction;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

use super::page::{BAD, GOOD, NEUTRAL, WARNING};

/// Returns the sign, the label and the style of a class.
pub(crate) fn class(class: v1::ClaimClass) -> (&'static str, &'static str, Style) {
    match class {
        v1::ClaimClass::Grounded => ("✓", "grounded", GOOD),
        v1::ClaimClass::Ungrounded => ("?", "ungrounded", WARNING),
        v1::ClaimClass::Contradicted => ("✗", "contradicted", BAD),
        v1::ClaimClass::Complementary => ("~", "complementary", NEUTRAL),
        v1::ClaimClass::Unspecified => ("·", "no verdict", Style::new()),
    }
}

/// Returns the sign, the label and the style of a claim.
pub(crate) fn verdict(claim: &v1::JudgedClaim) -> (&'static str, &'static str, Style) {
    match claim.undecided {
        Some(_) => ("–", "undecided", Style::new()),
        None => class(claim.class()),
    }
}

pub(crate) fn evidence_type(evidence_type: v1::EvidenceType) -> &'static str {
    EvidenceType::from_number(evidence_type.into()).map_or("", EvidenceType::name)
}

/// Returns the label of a role, which is empty for an observation.
pub(crate) fn role(role: v1::ClaimRole) -> &'static str {
    match role {
        v1::ClaimRole::RootCause => "root cause",
        v1::ClaimRole::Impact => "impact",
        v1::ClaimRole::RemedyDone => "remedy",
        v1::ClaimRole::Proposal => "proposal",
        v1::ClaimRole::Observation | v1::ClaimRole::Unspecified => "",
    }
}

pub(crate) fn second_look(look: &v1::SecondLook) -> String {
    let verdict = match look.verdict() {
        v1::SecondLookVerdict::Shown => "shown",
        v1::SecondLookVerdict::NotShown => "not shown",
        v1::SecondLookVerdict::Refuted => "refuted",
        v1::SecondLookVerdict::Unspecified => "returned no verdict",
    };
    let quote = one_line(&look.words);
    let quote = if quote.is_empty() { String::new() } else { format!(": {quote}") };
    format!("second look {verdict}{quote}")
}

const MAX_ANSWER_CHARS: usize = 120;

/// Explains why a judge returned no verdict.
pub(crate) fn missing_verdict(link: &v1::JudgeLink) -> Option<String> {
    let code = if link.code.is_empty() { String::new() } else { format!(" ({})", link.code) };
    let has_no_verdict = matches!(link.result.as_str(), "failed" | "abstained");
    has_no_verdict.then(|| format!("{} {}{code}: {}", link.judge, link.result, link.detail))
}

/// Returns the start of a failed judge's last answer, if it was unreadable.
pub(crate) fn unreadable_answer(link: &v1::JudgeLink) -> Option<String> {
    let call = link.calls.iter().rfind(|call| call.rung == "unreadable")?;
    let answer = one_line(&call.answer);
    let mut excerpt: String = answer.chars().take(MAX_ANSWER_CHARS).collect();
    if excerpt.len() < answer.len() {
        excerpt.push('…');
    }
    (link.result == "failed").then(|| format!("the answer begins with: {excerpt}"))
}

/// Returns a suffix for the outcome of a correction, which is empty if the correction was applied.
fn outcome(correction: &v1::Correction) -> &'static str {
    match correction.outcome() {
        v1::CorrectionOutcome::Corrected => "",
        v1::CorrectionOutcome::Noted | v1::CorrectionOutcome::Unspecified => {
            " (noted, not applied)"
        }
    }
}

/// Formats the change of class or type by a correction, and its outcome unless the correction was applied.
pub(super) fn correction(correction: &v1::Correction) -> String {
    let (_, before, _) = class(correction.class_before());
    let (_, after, _) = class(correction.class_after());
    let outcome = outcome(correction);
    let types = (correction.type_before(), correction.type_after());
    if before == after && types.0 == types.1 {
        format!("{before}{outcome}")
    } else if before == after {
        let (before, after) = types;
        format!("{} → {}{outcome}", evidence_type(before), evidence_type(after))
    } else {
        format!("{before} → {after}{outcome}")
    }
}

pub(super) fn tier_sign(tier: v1::Tier) -> &'static str {
    match tier {
        v1::Tier::Proceed => "▶",
        v1::Tier::Regenerate => "↻",
        v1::Tier::Replan => "⟲",
        v1::Tier::Abstain => "∅",
        v1::Tier::Unspecified => "·",
    }
}

/// Returns the label and the style of a tier.
pub(crate) fn tier(tier: v1::Tier) -> (&'static str, Style) {
    match tier {
        v1::Tier::Proceed => ("proceed", GOOD),
        v1::Tier::Regenerate => ("regenerate", WARNING),
        v1::Tier::Replan => ("replan", BAD),
        v1::Tier::Abstain => ("abstain", AnsiColor::Magenta.on_default()),
        v1::Tier::Unspecified => ("no decision", BAD),
    }
}

pub(super) fn strength(strength: v1::GroundingStrength) -> &'static str {
    match strength {
        v1::GroundingStrength::Grounded => "grounded",
        v1::GroundingStrength::PartiallyGrounded => "partially grounded",
        v1::GroundingStrength::Ungrounded => "ungrounded",
        v1::GroundingStrength::Unspecified => "of unknown strength",
    }
}

pub(super) fn action(action: v1::Action) -> &'static str {
    match action {
        v1::Action::Notify => "notify",
        v1::Action::Issue => "issue",
        v1::Action::Patch => "patch",
        v1::Action::PullRequest => "pull request",
        v1::Action::Unspecified => "none",
    }
}

pub(super) fn fraction(score: &v1::Score) -> Option<Fraction> {
    Fraction::new(score.numerator.into(), score.denominator.into())
}

/// Formats a score, truncated to three decimal places.
pub(crate) fn score(score: Option<&v1::Score>) -> String {
    score.and_then(fraction).map_or_else(|| "none".to_owned(), Fraction::to_decimal)
}

/// Formats a weight with two to six decimal places.
pub(super) fn weight(weight: f64) -> String {
    let mut text = format!("{weight:.6}");
    while text.ends_with('0')
        && !text.ends_with(".00")
        && text.find('.').is_some_and(|dot| text.len() > dot + 3)
    {
        text.pop();
    }
    text
}

/// Formats a number with up to six decimal places.
pub(super) fn number(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats an instant in UTC, to the second.
pub(super) fn instant(timestamp: &prost_types::Timestamp) -> String {
    let instant = jiff::Timestamp::new(timestamp.seconds, 0);
    instant.map_or_else(|_| "an unknown time".to_owned(), |instant| instant.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_two_to_six_decimal_places() {
        let formatted = [0.0, 5.8, 0.123_456, 1_800_000.0, 0.605].map(weight);
        assert_eq!(formatted, ["0.00", "5.80", "0.123456", "1800000.00", "0.605"]);
        assert_eq!([0.5, 1.0, 10.0, 0.123_456].map(number), ["0.5", "1", "10", "0.123456"]);
    }

    #[test]
    fn scores_are_never_rounded_up() {
        let just_below = v1::Score { value: 0.8, numerator: 7_999_999, denominator: 10_000_000 };
        assert_eq!(score(Some(&just_below)), "0.799");
        assert_eq!(score(None), "none");
    }
}
