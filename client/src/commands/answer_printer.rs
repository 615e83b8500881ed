//! Prints evaluations to the terminal, along with the policy applied to each.

use std::collections::HashMap;

use gsar_client::Client;
use gsar_core::policy::Policy;
use gsar_core::preset;
use gsar_proto::v1;

use super::print;
use crate::failure::Failure;
use crate::human::{ReportContext, View, evaluation};

pub(super) struct AnswerPrinter<'c> {
    client: &'c Client,
    policies: HashMap<String, Option<Policy>>,
    is_first_answer: bool,
    answers_are_recorded: bool,
}

impl<'c> AnswerPrinter<'c> {
    pub(super) fn new(client: &'c Client, answers_are_recorded: bool) -> Self {
        Self { client, policies: HashMap::new(), is_first_answer: true, answers_are_recorded }
    }

    pub(super) async fn print(
        &mut self,
        answer: &v1::EvaluateResponse,
        request: &v1::EvaluateRequest,
        view: &View,
    ) -> Result<(), Failure> {
        let policy = self.policy(answer).await;
        let context = ReportContext {
            report: request.report.as_ref(),
            evidence: &request.evidence,
            policy: policy.as_ref(),
            is_recorded: self.answers_are_recorded,
        };
        let separator = if std::mem::take(&mut self.is_first_answer) { "" } else { "\n\n" };
        print(&format!("{separator}{}", evaluation(answer, &context, view)))
    }

    /// Returns the policy that was applied, or `None` if it was overridden or has changed since then.
    async fn policy(&mut self, answer: &v1::EvaluateResponse) -> Option<Policy> {
        let applied_policy = answer.provenance.as_ref()?.policy.as_ref()?;
        let matches_applied_digest =
            |policy: &Policy| policy.digest().to_string() == applied_policy.digest;
        if let Some(preset) = gsar_core::Preset::from_name(&applied_policy.name)
            .map(preset)
            .filter(matches_applied_digest)
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
        self.policies.get(&applied_policy.name).cloned().flatten().filter(matches_applied_digest)
    }
}
