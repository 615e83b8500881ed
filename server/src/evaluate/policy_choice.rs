//! Selects the policy for a request and checks that the caller may use it.

use std::sync::Arc;

use gsar_core::Policy;
use gsar_core::policy::to_toml;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::Engine;
use crate::config::AllowOverrides;
use crate::errors;
use crate::identity::Right;
use crate::policies::Entry;

/// The policy for one call.
#[derive(Clone, Debug)]
pub struct ChosenPolicy {
    /// The policy.
    pub policy: Arc<Policy>,
    /// `true` if the request overrides policy values.
    pub is_overridden: bool,
    /// `true` if the caller may not decide with this policy.
    pub is_hypothetical: bool,
    toml: Option<Arc<str>>,
}

impl ChosenPolicy {
    fn from_entry(entry: Entry) -> Self {
        let toml = Some(entry.toml);
        Self { policy: entry.policy, is_overridden: false, is_hypothetical: false, toml }
    }

    /// Parses a recorded policy from its [`ChosenPolicy::toml`].
    ///
    /// # Errors
    /// The parse error.
    pub(crate) fn from_toml(toml: &str, is_overridden: bool) -> Result<Self, String> {
        let policy = Policy::from_toml(toml).map_err(|error| error.to_string())?;
        let toml = Some(toml.into());
        Ok(Self { policy: Arc::new(policy), is_overridden, is_hypothetical: false, toml })
    }

    fn with_overrides(policy: Policy) -> Self {
        Self { policy: Arc::new(policy), is_overridden: true, is_hypothetical: false, toml: None }
    }

    /// Renders the policy for an answer.
    #[must_use]
    pub fn applied(&self) -> v1::AppliedPolicy {
        render::applied_policy(&self.policy, self.is_overridden)
    }

    /// Renders the policy. The rendered certificate states whether it covers the judge that decided.
    pub(crate) fn applied_to(&self, judges: &[v1::JudgeLink]) -> v1::AppliedPolicy {
        let deciding_link = judges.iter().rev().find(|link| link.result == "judged");
        let judge = deciding_link.map_or("", |link| link.judge.as_str());
        let calls = deciding_link.into_iter().flat_map(|link| &link.calls);
        let prompts = calls.map(|call| call.prompt.as_str());
        let certificate = self.policy.certificate();
        v1::AppliedPolicy {
            certificate: certificate.map(|found| render::certificate(found, judge, prompts)),
            ..self.applied()
        }
    }

    /// Returns the policy as TOML, including overrides.
    #[must_use]
    pub fn toml(&self) -> Arc<str> {
        self.toml.clone().unwrap_or_else(|| to_toml(&self.policy).into())
    }
}

/// The purpose for which a call uses a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyUse {
    /// To decide. The policy must be at least as strict as the default, or be allowed by name.
    Decide,
    /// To show a hypothetical decision, or to test the server. Any policy is allowed.
    Any,
}

#[derive(Clone, Debug)]
pub(crate) enum PolicyChoice {
    Named(PolicyUse),
    /// Use this policy, regardless of the request.
    Pinned(ChosenPolicy),
}

impl Engine {
    /// Returns the named policy with these overrides. An unknown name and invalid overrides are added to
    /// `violations`.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if the caller may not decide with this policy. The error lists every looser field.
    pub fn choose_policy(
        &self,
        name: &str,
        overrides: Option<v1::PolicyOverrides>,
        policy_use: PolicyUse,
        violations: &mut Violations,
    ) -> Result<Option<ChosenPolicy>, Status> {
        let entry = match self.policies.find(name) {
            Ok(entry) => entry,
            Err(known_names) => {
                violations.add_unknown(
                    "policy",
                    "policy",
                    name,
                    format!("expected one of {known_names}"),
                );
                return Ok(None);
            }
        };
        let base = Arc::clone(&entry.policy);
        let chosen = match overrides {
            None => ChosenPolicy::from_entry(entry),
            Some(overrides) => {
                let values = base.values().clone();
                let Some(policy) = parse::overrides(overrides, values, violations) else {
                    return Ok(None);
                };
                ChosenPolicy::with_overrides(policy)
            }
        };
        match (self.check_allowed(&base, &chosen), policy_use) {
            (Ok(()), _) => Ok(Some(chosen)),
            (Err(_), PolicyUse::Any) => Ok(Some(ChosenPolicy { is_hypothetical: true, ..chosen })),
            (Err(status), PolicyUse::Decide) => Err(status),
        }
    }

    fn check_allowed(&self, base: &Policy, chosen: &ChosenPolicy) -> Result<(), Status> {
        let policy = &chosen.policy;
        let overrides = self.policies.allow_overrides();
        if chosen.is_overridden && overrides == AllowOverrides::None {
            return Err(errors::not_allowed(
                "this server does not allow policy_overrides",
                "name one of the server's policies, or set policies.allow_overrides to \"stricter\"",
            ));
        }
        if chosen.is_overridden && !self.principal.may(Right::Override) {
            return Err(errors::no_right(self.principal.name(), Right::Override));
        }
        let default = self.policies.find("").map_err(|known_names| {
            errors::unknown(
                "policy",
                &self.policies.default_name(),
                &format!("expected one of {known_names}"),
            )
        })?;
        let default = default.policy;
        let check_strict = |policy: &Policy| policy.at_least_as_strict_as(&default);
        let is_allowed = self.policies.is_allowed(&base.name);
        let is_permitted = match (chosen.is_overridden, overrides) {
            (false, _) => is_allowed || check_strict(policy).is_ok(),
            (true, AllowOverrides::Any) => is_allowed || check_strict(base).is_ok(),
            (true, _) => is_allowed && policy.at_least_as_strict_as(base).is_ok(),
        };
        if is_permitted {
            return Ok(());
        }
        check_strict(policy).map_err(|looser_fields| {
            let fix = match (chosen.is_overridden, is_allowed || check_strict(base).is_ok()) {
                (true, true) => {
                    "use stricter values, or set policies.allow_overrides to \"any\"".to_owned()
                }
                _ => format!("name another policy, or add `{}` to policies.allowed", base.name),
            };
            let suffix = if chosen.is_overridden { " with these policy_overrides" } else { "" };
            let subject = format!(
                "policy `{}`{suffix} is looser than the default `{}`",
                base.name, default.name
            );
            errors::looser_policy(&subject, &looser_fields, &fix)
        })
    }
}
