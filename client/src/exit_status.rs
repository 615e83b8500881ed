//! Exit statuses.

use std::process::ExitCode;

use gsar_proto::v1;

/// An exit status, ordered by severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// 0: success; the report may be sent.
    Proceed,
    /// 10: rewrite the report from the same evidence.
    Regenerate,
    /// 11: investigate again.
    Replan,
    /// 12: no decision is possible.
    Abstain,
    /// 1: an error occurred, or a judge failed.
    Error,
    /// 2: invalid usage or configuration, or unreadable input.
    Usage,
    /// 129, 130 or 143: terminated by a signal.
    Interrupted(u8),
}

impl Status {
    /// Returns the status for an evaluation. A shadow decision is a success, even if its judge failed.
    pub(crate) fn from_evaluation(evaluation: &v1::EvaluateResponse) -> Self {
        if evaluation.decision.as_ref().is_some_and(|decision| decision.in_shadow) {
            return Self::Proceed;
        }
        if evaluation.outcome() == v1::Outcome::Failed {
            return Self::Error;
        }
        let tier = evaluation.decision.as_ref().map_or(v1::Tier::Unspecified, v1::Decision::tier);
        match tier {
            v1::Tier::Proceed => Self::Proceed,
            v1::Tier::Regenerate => Self::Regenerate,
            v1::Tier::Replan => Self::Replan,
            v1::Tier::Abstain => Self::Abstain,
            v1::Tier::Unspecified => Self::Error,
        }
    }

    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Proceed => 0,
            Self::Regenerate => 10,
            Self::Replan => 11,
            Self::Abstain => 12,
            Self::Error => 1,
            Self::Usage => 2,
            Self::Interrupted(code) => code,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(outcome: v1::Outcome, tier: v1::Tier) -> Status {
        Status::from_evaluation(&v1::EvaluateResponse {
            outcome: outcome.into(),
            decision: Some(v1::Decision { tier: tier.into(), ..Default::default() }),
            ..Default::default()
        })
    }

    #[test]
    fn maps_tiers_and_failures() {
        assert_eq!(status(v1::Outcome::Scored, v1::Tier::Proceed), Status::Proceed);
        assert_eq!(status(v1::Outcome::Scored, v1::Tier::Regenerate), Status::Regenerate);
        assert_eq!(status(v1::Outcome::Scored, v1::Tier::Replan), Status::Replan);
        assert_eq!(status(v1::Outcome::Abstained, v1::Tier::Abstain), Status::Abstain);
        assert_eq!(status(v1::Outcome::Failed, v1::Tier::Abstain), Status::Error);
        assert_eq!(Status::from_evaluation(&v1::EvaluateResponse::default()), Status::Error);
    }

    #[test]
    fn shadow_decision_is_a_success() {
        let decision =
            v1::Decision { tier: v1::Tier::Proceed.into(), in_shadow: true, ..Default::default() };
        for outcome in [v1::Outcome::Scored, v1::Outcome::Failed] {
            let evaluation = v1::EvaluateResponse {
                outcome: outcome.into(),
                decision: Some(decision.clone()),
                ..Default::default()
            };
            assert_eq!(Status::from_evaluation(&evaluation), Status::Proceed);
        }
    }

    #[test]
    fn statuses_are_ordered_by_severity() {
        let ascending =
            [Status::Proceed, Status::Regenerate, Status::Replan, Status::Abstain, Status::Error];
        assert!(ascending.is_sorted());
        assert_eq!(ascending.into_iter().max(), Some(Status::Error));
    }
}
