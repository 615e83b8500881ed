//! Resolves the policy of a line without a server.

use std::sync::Arc;

use gsar_core::policy::{Policy, PolicyProblem, Preset};
use gsar_core::preset;

use super::line::{Line, LineError, Overrides};

/// The presets, and the default for lines without a policy.
#[derive(Debug)]
pub struct Policies {
    presets: Vec<Arc<Policy>>,
    default: String,
}

/// The policy of a line.
#[derive(Debug)]
pub enum ResolvedPolicy {
    /// A preset with the line's overrides.
    Known(Arc<Policy>),
    /// The name of a policy that is not a preset.
    Unknown(String),
}

impl Policies {
    /// Loads the presets. `default` is the policy for lines without one.
    #[must_use]
    pub fn new(default: impl Into<String>) -> Self {
        Self {
            presets: Preset::ALL.map(|base| Arc::new(preset(base))).into(),
            default: default.into(),
        }
    }

    /// Returns the name of the policy of a line.
    #[must_use]
    pub fn name_for<'n>(&'n self, line: &'n Line<'_>) -> &'n str {
        line.policy.as_deref().unwrap_or(&self.default)
    }

    /// Resolves the policy of a line. Fails if the overrides are inconsistent.
    pub fn resolve(&self, line: &Line<'_>) -> Result<ResolvedPolicy, LineError> {
        let name = self.name_for(line);
        match self.presets.iter().find(|policy| policy.name == name) {
            None => Ok(ResolvedPolicy::Unknown(name.to_owned())),
            Some(policy) if line.overrides.is_empty() => {
                Ok(ResolvedPolicy::Known(Arc::clone(policy)))
            }
            Some(policy) => overridden(policy, &line.overrides)
                .map(|policy| ResolvedPolicy::Known(Arc::new(policy))),
        }
    }
}

pub(super) fn unknown_policy(name: &str) -> LineError {
    LineError(format!("policy: unknown policy `{name}`; see `gsar policy list`"))
}

fn overridden(policy: &Policy, overrides: &Overrides) -> Result<Policy, LineError> {
    let mut values = policy.values().clone();
    values.rho = overrides.rho.unwrap_or(values.rho);
    values.tau_proceed = overrides.tau_proceed.unwrap_or(values.tau_proceed);
    values.tau_regenerate = overrides.tau_regenerate.unwrap_or(values.tau_regenerate);
    for (evidence_type, weight) in &overrides.weights {
        values.weights.set(*evidence_type, *weight);
    }
    Policy::new(values).map_err(|invalid| {
        let problems: Vec<String> = invalid.problems.iter().map(PolicyProblem::to_string).collect();
        LineError(problems.join("; "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_replace_single_values() {
        let policies = Policies::new("reference");
        let line = Line::parse(r#"{"policy":"paper","rho":2,"weights":{"domain":0.1}}"#).unwrap();
        let ResolvedPolicy::Known(policy) = policies.resolve(&line).unwrap() else {
            panic!("paper is a preset");
        };
        let paper = preset(Preset::Paper);
        assert_eq!(policy.rho.to_string(), "2");
        assert_eq!(policy.weights.get(gsar_core::EvidenceType::Domain).to_string(), "0.1");
        assert_eq!(policy.tau_proceed, paper.tau_proceed);
        assert_ne!(policy.digest(), paper.digest());
    }

    #[test]
    fn reports_all_inconsistent_overrides() {
        let policies = Policies::new("reference");
        let line = Line::parse(r#"{"rho":11,"tau_regenerate":0.9}"#).unwrap();
        let error = policies.resolve(&line).unwrap_err().to_string();
        assert!(error.contains("tau_regenerate: 0.9 is not below tau_proceed 0.8"), "{error}");
        assert!(error.contains("rho: `11` is out of range; expected 0 to 10"), "{error}");
    }

    #[test]
    fn lines_without_a_policy_use_the_default() {
        let policies = Policies::new("night-shift");
        let line = Line::parse("{}").unwrap();
        assert!(
            matches!(policies.resolve(&line), Ok(ResolvedPolicy::Unknown(name)) if name == "night-shift")
        );
        let line = Line::parse(r#"{"policy":"paper"}"#).unwrap();
        assert!(matches!(policies.resolve(&line), Ok(ResolvedPolicy::Known(_))));
    }
}
