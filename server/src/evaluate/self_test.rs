//! Evaluates a built-in report, for which the tier must be PROCEED, as a self-test or to try out judges.

use std::time::{Duration, Instant};

use gsar_proto::v1;
use gsar_proto::violations::Violations;
use tonic::Status;

use super::{Engine, PolicyChoice, PolicyUse};
use crate::call::Call;

impl Engine {
    /// Runs the self-test with the first local judge in the chain, if there is one.
    ///
    /// # Errors
    /// A message that describes the failure.
    pub async fn rehearse(&self) -> Result<(), String> {
        let Some(judge) = self.judges.iter().find(|judge| judge.is_local()) else { return Ok(()) };
        let request = self_test_request(judge.name());
        let call = Call::internal(Duration::from_secs(10));
        let answer =
            self.evaluate_unrecorded(&call, request, PolicyChoice::Named(PolicyUse::Any)).await;
        let answer = answer.map_err(|status| format!("self-test: {}", status.message()))?;
        let tier = answer.decision.map(|decision| decision.tier());
        match tier {
            Some(v1::Tier::Proceed) => Ok(()),
            tier => Err(format!("self-test: expected PROCEED for a faithful report, got {tier:?}")),
        }
    }

    /// Evaluates the built-in report with the named judge, or with each judge in the chain if `name` is
    /// empty.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown judge, or DEADLINE_EXCEEDED.
    pub async fn try_judges(&self, call: &Call, name: &str) -> Result<Vec<v1::JudgeTrial>, Status> {
        let mut trials = Vec::new();
        let mut violations = Violations::default();
        let judges = self.judges("judge", name, &mut violations);
        for judge in violations.finish(judges)? {
            let start = Instant::now();
            let answer = self
                .evaluate_unrecorded(
                    call,
                    self_test_request(judge.name()),
                    PolicyChoice::Named(PolicyUse::Any),
                )
                .await?;
            let link =
                answer.provenance.and_then(|provenance| provenance.judges.into_iter().last());
            trials.push(v1::JudgeTrial {
                link,
                tier: answer.decision.map(|decision| decision.tier).unwrap_or_default(),
                duration: prost_types::Duration::try_from(start.elapsed()).ok(),
            });
        }
        Ok(trials)
    }
}

/// Builds a request whose report makes one claim, which the evidence states verbatim.
fn self_test_request(judge: &str) -> v1::EvaluateRequest {
    let content = v1::evidence_item::Content::Text("connection pool size is 20".to_owned());
    v1::EvaluateRequest {
        report: Some(v1::Report {
            synthesis: "The connection pool size is 20.".to_owned(),
            ..v1::Report::default()
        }),
        evidence: vec![v1::EvidenceItem {
            id: "rehearsal".to_owned(),
            kind: v1::EvidenceKind::ToolOutput.into(),
            lane: v1::EvidenceLane::StaticInfra.into(),
            content: Some(content),
            ..v1::EvidenceItem::default()
        }],
        policy: "reference".to_owned(),
        options: Some(v1::EvaluateOptions {
            judge: judge.to_owned(),
            explain: true,
            bypass_cache: true,
            samples: 1,
            ..v1::EvaluateOptions::default()
        }),
        ..v1::EvaluateRequest::default()
    }
}
