//! This module holds policies: every number and switch of a decision, checked once.
//!
//! A [`Policy`] cannot hold contradictory values: [`Policy::new`] reports all problems of a
//! [`PolicyValues`] at once. Files are read by [`Policy::from_toml`]; the presets are files too.

mod certificate;
mod check;
mod file;
mod literal;
mod presets;
mod retired;
mod strictness;
mod values;
mod write;

use core::fmt;
use core::ops::Deref;

pub use certificate::Certificate;
pub use file::PolicyFileError;
pub use presets::{Preset, instead_of, preset, preset_file};
pub use strictness::LooserField;
pub use values::{
    Cap, DecisionRollout, Gate, Guards, InvestigationRules, Ladder, PolicyValues, Rollout,
    RolloutMode, SecondLook, SecondLookFailure, Undecided, UndefinedScore, VerificationMode,
    Weights,
};
pub use write::to_toml;

/// A checked policy. Reads like its [`PolicyValues`]; cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    values: PolicyValues,
    warnings: Vec<PolicyProblem>,
    retired_keys: Vec<PolicyProblem>,
    digest: PolicyDigest,
    certificate: Option<Certificate>,
}

impl Policy {
    /// Checks the values.
    ///
    /// # Errors
    /// Every problem at once, each with its field, what was given, what is allowed and the fix.
    pub fn new(values: PolicyValues) -> Result<Self, PolicyProblems> {
        let (problems, warnings) = check::check(&values);
        if !problems.is_empty() {
            return Err(PolicyProblems { policy: values.name, problems });
        }
        let digest = PolicyDigest::of(&values);
        let retired_keys = Vec::new();
        Ok(Self { values, warnings, retired_keys, digest, certificate: None })
    }

    /// What is allowed but unwise.
    #[must_use]
    pub fn warnings(&self) -> &[PolicyProblem] {
        &self.warnings
    }

    /// What stands in the file that it was read from and does nothing any more, each with its line.
    #[must_use]
    pub fn retired_keys(&self) -> &[PolicyProblem] {
        &self.retired_keys
    }

    /// BLAKE3 of every value that can change a decision: name, description and rollout left out.
    #[must_use]
    pub fn digest(&self) -> &PolicyDigest {
        &self.digest
    }

    /// What was shown of the risk of proceeding by it; `None` where nothing was.
    #[must_use]
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// The same policy with a certificate.
    ///
    /// # Errors
    /// Every problem of the certificate: numbers that cannot be, and values that it was not shown for.
    pub fn with_certificate(mut self, certificate: Certificate) -> Result<Self, PolicyProblems> {
        let problems = certificate.problems(&self);
        if !problems.is_empty() {
            return Err(PolicyProblems { policy: self.values.name, problems });
        }
        self.certificate = Some(certificate);
        Ok(self)
    }

    /// The values, to derive another policy from.
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

/// Identifies the deciding values of a policy: the BLAKE3 hash of them as written in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PolicyDigest([u8; 32]);

impl PolicyDigest {
    fn of(values: &PolicyValues) -> Self {
        Self(*blake3::hash(write::deciding_values(values).as_bytes()).as_bytes())
    }
}

impl fmt::Display for PolicyDigest {
    /// Sixty-four hexadecimal digits, or as many as the precision says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = blake3::Hash::from_bytes(self.0).to_hex();
        f.pad(hex.as_str())
    }
}

impl fmt::Debug for PolicyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One thing that is wrong with a policy, or unwise in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyProblem {
    /// The field, as written in a file: `weights.domain`.
    pub field: String,
    /// What was given, what is allowed and the fix, in one sentence.
    pub message: String,
    /// The line of the file, from 1, where the value stands in one.
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

/// Everything that is wrong with a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyProblems {
    /// The policy's name.
    pub policy: String,
    /// At least one.
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
