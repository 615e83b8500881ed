//! Serves `gsar.v1.PolicyService`.

use gsar_core::Policy;
use gsar_core::policy::{PolicyFileError, PolicyProblem, Preset, preset_file};
use gsar_proto::v1::policy_service_server::PolicyService;
use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};
use tonic::{Request, Response, Status};

use super::services::{Engines, call};
use crate::compute_pool::compute_briefly;
use crate::errors;
use crate::policies::{Entry, PolicyStore};

const MAX_TOML: usize = 64 << 10;

pub(super) struct Policies(pub(super) Engines);

fn summary(policies: &PolicyStore, entry: &Entry) -> v1::PolicySummary {
    let origin = entry.file.as_ref().map_or("preset".to_owned(), |file| file.display().to_string());
    let is_default = entry.policy.name == policies.default_name();
    render::policy_summary(&entry.policy, origin, is_default)
}

#[tonic::async_trait]
impl PolicyService for Policies {
    async fn list_policies(
        &self,
        request: Request<v1::ListPoliciesRequest>,
    ) -> Result<Response<v1::ListPoliciesResponse>, Status> {
        let engine = self.0.for_request(&request)?;
        let policies = engine.policies().all();
        let policies = policies.values().map(|entry| summary(engine.policies(), entry)).collect();
        Ok(Response::new(v1::ListPoliciesResponse { policies }))
    }

    async fn get_policy(
        &self,
        request: Request<v1::GetPolicyRequest>,
    ) -> Result<Response<v1::GetPolicyResponse>, Status> {
        let engine = self.0.for_request(&request)?;
        let name = request.into_inner().name;
        let entry = engine.policies().find(&name).map_err(|known_names| {
            errors::unknown("policy", &name, &format!("expected one of {known_names}"))
        })?;
        let base = Preset::from_name(&entry.policy.name).filter(|_| entry.file.is_none());
        let toml =
            base.map_or_else(|| (*entry.toml).to_owned(), |base| preset_file(base).to_owned());
        Ok(Response::new(v1::GetPolicyResponse {
            policy: Some(summary(engine.policies(), &entry)),
            toml,
        }))
    }

    async fn check_policy(
        &self,
        request: Request<v1::CheckPolicyRequest>,
    ) -> Result<Response<v1::CheckPolicyResponse>, Status> {
        let problems = |problems: Vec<PolicyProblem>| {
            problems.into_iter().map(render::policy_problem).collect()
        };
        let call = call(request.extensions())?;
        let toml = request.into_inner().toml;
        let mut violations = Violations::default();
        if toml.len() > MAX_TOML {
            let description = format!(
                "has {} bytes; at most {MAX_TOML} are allowed; `gsar policy show reference` prints every field in fewer bytes",
                toml.len()
            );
            violations.add("toml", description);
        }
        violations.finish(Some(()))?;
        let policy = compute_briefly(&call, toml.len(), move || Policy::from_toml(&toml)).await;
        let answer = match policy {
            Ok(policy) => v1::CheckPolicyResponse {
                warnings: problems(policy.warnings().to_vec()),
                policy: Some(render::policy_summary(&policy, "request".to_owned(), false)),
                ..v1::CheckPolicyResponse::default()
            },
            Err(PolicyFileError::Problems(error)) => v1::CheckPolicyResponse {
                problems: problems(error.problems),
                ..v1::CheckPolicyResponse::default()
            },
            Err(PolicyFileError::Syntax { line, message }) => v1::CheckPolicyResponse {
                problems: problems(vec![PolicyProblem {
                    field: String::new(),
                    message,
                    line: Some(line),
                }]),
                ..v1::CheckPolicyResponse::default()
            },
        };
        Ok(Response::new(answer))
    }
}
