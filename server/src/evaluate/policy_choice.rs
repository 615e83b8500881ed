//! From a name and overrides to a checked policy.

use std::sync::Arc;

use gsar_core::Policy;
use gsar_core::policy::to_toml;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::Engine;
use crate::api::errors;

/// The policy of one call.
#[derive(Clone, Debug)]
pub struct ChosenPolicy {
    /// The policy.
    pub policy: Arc<Policy>,
    /// Whether the request changed it.
    pub overridden: bool,
    /// It as a file, where that is known already.
    toml: Option<Arc<str>>,
}

impl ChosenPolicy {
    /// As named in an answer.
    #[must_use]
    pub fn applied(&self) -> v1::AppliedPolicy {
        render::applied_policy(&self.policy, self.overridden)
    }

    /// The policy as a file, overrides included.
    #[must_use]
    pub fn toml(&self) -> Arc<str> {
        self.toml.clone().unwrap_or_else(|| to_toml(&self.policy).into())
    }
}

impl Engine {
    /// The policy of that name with these overrides; an unknown name and what is wrong with the overrides is noted.
    ///
    /// # Errors
    /// FAILED_PRECONDITION where overrides are not allowed.
    pub fn choose_policy(
        &self,
        name: &str,
        overrides: Option<v1::PolicyOverrides>,
        violations: &mut Violations,
    ) -> Result<Option<ChosenPolicy>, Status> {
        let entry = match self.policies.named(name) {
            Ok(entry) => entry,
            Err(known) => {
                violations.add_unknown("policy", "policy", name, format!("known are {known}"));
                return Ok(None);
            }
        };
        let Some(overrides) = overrides else {
            let (policy, toml) = (entry.policy, Some(entry.toml));
            return Ok(Some(ChosenPolicy { policy, overridden: false, toml }));
        };
        if !self.allow_overrides {
            return Err(errors::not_allowed(
                "this server allows no policy_overrides",
                "name a policy of the server, or have policies.allow_overrides turned on",
            ));
        }
        let changed = parse::overrides(overrides, entry.policy.values().clone(), violations);
        let policy = changed.map_or(entry.policy, Arc::new);
        Ok(Some(ChosenPolicy { policy, overridden: true, toml: None }))
    }
}
