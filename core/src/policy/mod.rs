//! Policies, which contain all numbers and switches that determine a decision.

mod certificate;
mod check;
mod file;
mod literal;
mod presets;
mod strictness;
mod values;
mod write;

use core::fmt;
use core::ops::Deref;

pub use certificate::Certificate;
pub use file::PolicyFileError;
pub use presets::{Preset, preset, preset_file};
pub use strictness::LooserField;
pub use values::{
    Cap, DecisionRollout, Gate, Guards, InvestigationRules, Ladder, PolicyValues, Rollout,
    RolloutMode, SecondLook, SecondLookFailure, Undecided, UndefinedScore, VerificationMode,
    Weights,
};
pub use write::to_toml;

/// A validated policy. Dereferences to its [`PolicyValues`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    values: PolicyValues,
    warnings: Vec<PolicyProblem>,
    digest: PolicyDigest,
    certificate: Option<Certificate>,
}

impl Policy {
    /// Validates the values.
    ///
    /// # Errors
    /// Returns [`PolicyProblems`] with every invalid value.
    pub fn new(values: PolicyValues) -> Result<Self, PolicyProblems> {
        let (problems, warnings) = check::check(&values);
        if !problems.is_empty() {
            return Err(PolicyProblems { policy: values.name, problems });
        }
        let digest = PolicyDigest::new(&values);
        Ok(Self { values, warnings, digest, certificate: None })
    }

    /// The warnings about valid but inadvisable values.
    #[must_use]
    pub fn warnings(&self) -> &[PolicyProblem] {
        &self.warnings
    }

    /// The BLAKE3 digest of all values that affect a decision.
    #[must_use]
    pub fn digest(&self) -> &PolicyDigest {
        &self.digest
    }

    /// The certificate that bounds this policy's risk, if any.
    #[must_use]
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// Adds a certificate that was issued for this policy.
    pub fn with_certificate(mut self, certificate: Certificate) -> Result<Self, PolicyProblems> {
        let problems = certificate.problems(&self);
        if !problems.is_empty() {
            return Err(PolicyProblems { policy: self.values.name, problems });
        }
        self.certificate = Some(certificate);
        Ok(self)
    }

    /// The policy's values.
    #[must_use]
    pub fn values(&self) -> &PolicyValues {
        &self.values
    }
}

impl Deref for Policy {
    type Target = PolicyValues;

    fn deref(&self) -> &PolicyValues {
        &self.values
    }
}

/// The BLAKE3 digest of the values that affect a decision.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PolicyDigest(Box<str>);

impl PolicyDigest {
    fn new(values: &PolicyValues) -> Self {
        let hash = blake3::hash(write::deciding_values(values).as_bytes());
        Self(hash.to_hex().as_str().into())
    }

    /// The digest as 64 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PolicyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for PolicyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A problem or warning about a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyProblem {
    /// The field as written in a file, such as `weights.domain`.
    pub field: String,
    /// The problem and how to fix it.
    pub message: String,
    /// The line of the value in the file, starting at 1, if known.
    pub line: Option<usize>,
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)?;
        match self.line {
            Some(line) => write!(f, " (line {line})"),
            None => Ok(()),
        }
    }
}

/// All problems in a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyProblems {
    /// The policy's name.
    pub policy: String,
    /// The problems; at least one.
    pub problems: Vec<PolicyProblem>,
}

impl fmt::Display for PolicyProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "policy `{}`: {count} problem{plural}", self.policy)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl core::error::Error for PolicyProblems {}
