//! Prints evaluations for a terminal, each with the policy that was applied.

use std::collections::HashMap;

use gsar_client::Client;
use gsar_core::policy::Policy;
use gsar_core::preset;
use gsar_proto::v1;

use super::print;
use crate::failure::Failure;
use crate::human::{Scene, View, evaluation};

pub(super) struct AnswerPrinter<'c> {
    client: &'c Client,
    policies: HashMap<String, Option<Policy>>,
    is_first: bool,
    is_recorded: bool,
}

impl<'c> AnswerPrinter<'c> {
    pub(super) fn new(client: &'c Client, is_recorded: bool) -> Self {
        Self { client, policies: HashMap::new(), is_first: true, is_recorded }
    }

    pub(super) async fn print(
        &mut self,
        answer: &v1::EvaluateResponse,
        request: &v1::EvaluateRequest,
        view: &View,
    ) -> Result<(), Failure> {
        let policy = self.policy(answer).await;
        let scene = Scene {
            report: request.report.as_ref(),
            evidence: &request.evidence,
            policy: policy.as_ref(),
            is_recorded: self.is_recorded,
        };
        let separator = if std::mem::take(&mut self.is_first) { "" } else { "\n\n" };
        print(&format!("{separator}{}", evaluation(answer, &scene, view)))
    }

    /// Returns the policy that was applied, or `None` if it has changed since.
    async fn policy(&mut self, answer: &v1::EvaluateResponse) -> Option<Policy> {
        let applied_policy = answer.provenance.as_ref()?.policy.as_ref()?;
        let is_applied = |policy: &Policy| policy.digest().to_string() == applied_policy.digest;
        if let Some(preset) =
            gsar_core::Preset::from_name(&applied_policy.name).map(preset).filter(is_applied)
        {
            return Some(preset);
        }
        if applied_policy.overridden {
            return None;
        }
        if !self.policies.contains_key(&applied_policy.name) {
            let answer = self.client.policy(&applied_policy.name).await.ok();
            let policy = answer.and_then(|answer| Policy::from_toml(&answer.toml).ok());
            self.policies.insert(applied_policy.name.clone(), policy);
        }
        self.policies.get(&applied_policy.name).cloned().flatten().filter(is_applied)
    }
}
