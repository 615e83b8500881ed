//! Certificates, which bound the risk of wrong reports under a policy (docs/CALIBRATION.md, "Certificates").

use core::fmt::Write as _;

use super::literal::Literal;
use super::{Policy, PolicyProblem};
use crate::fixed_point::Millionths;

/// A bound on the share of wrong reports among those that proceed under a policy and a judge (Angelopoulos
/// et al. 2021, Learn then Test).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The maximum share of wrong reports among those that proceed, strictly between 0 and 1.
    pub risk: Millionths,
    /// The confidence level, strictly between 0 and 1.
    pub confidence: Millionths,
    /// The judge, such as `local/1`.
    pub judge: String,
    /// The BLAKE3 digests of the judge's prompt templates, in hexadecimal.
    pub prompts: Vec<String>,
    /// The number of graded reports.
    pub rows: u32,
    /// The number of graded reports that proceeded.
    pub proceeds: u32,
    /// The number of reports that proceeded and were wrong.
    pub wrong: u32,
    /// The SHA-256 digest of the graded reports and verdicts, in hexadecimal.
    pub data: String,
    /// The certified policy's digest.
    pub policy: String,
}

impl Certificate {
    /// Explains why the certificate does not cover a judge. Returns `None` if it covers the judge.
    #[must_use]
    pub fn mismatch<'a>(
        &self,
        judge: &str,
        prompts: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        if judge.is_empty() {
            return Some("no judge decided".to_owned());
        }
        if judge != self.judge {
            return Some(format!("it was issued for judge {}; {judge} decided", self.judge));
        }
        let is_uncertified =
            |prompt: &&str| !self.prompts.iter().any(|certified| certified == prompt);
        let prompt = prompts.into_iter().find(is_uncertified)?;
        Some(format!("it was not issued for the prompt {prompt}"))
    }

    pub(super) fn to_toml(&self) -> String {
        let mut text = String::from("\n[certificate]\n");
        let prompts = self.prompts.join(" ");
        for (key, value) in [
            ("risk", self.risk.to_string()),
            ("confidence", self.confidence.to_string()),
            ("judge", quote(&self.judge)),
            ("prompts", quote(&prompts)),
            ("rows", self.rows.to_string()),
            ("proceeds", self.proceeds.to_string()),
            ("wrong", self.wrong.to_string()),
            ("data", quote(&self.data)),
            ("policy", quote(&self.policy)),
        ] {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{key} = {value}");
        }
        text
    }

    pub(super) fn problems(&self, policy: &Policy) -> Vec<PolicyProblem> {
        let mut problems = Vec::new();
        let mut problem = |field: &str, message: String| {
            let field = format!("certificate.{field}");
            problems.push(PolicyProblem { field, message, line: None });
        };
        for (field, value) in [("risk", self.risk), ("confidence", self.confidence)] {
            if value == Millionths::ZERO || value >= Millionths::ONE {
                problem(
                    field,
                    format!("`{value}` is out of range; expected more than 0 and less than 1"),
                );
            }
        }
        for (field, value, max, max_field) in [
            ("proceeds", self.proceeds, self.rows, "rows"),
            ("wrong", self.wrong, self.proceeds, "proceeds"),
        ] {
            if value > max {
                problem(
                    field,
                    format!(
                        "`{value}` is out of range; expected 0 to {max}, the value of {max_field}"
                    ),
                );
            }
        }
        let digest = policy.digest().to_string();
        if self.policy != digest {
            problem(
                "policy",
                format!(
                    "the certificate was issued for policy {}, but this is policy {digest}; restore its values, certify again (gsar-calibrate certify) or remove the table",
                    self.policy
                ),
            );
        }
        problems
    }
}

/// Formats a TOML string. Certificates contain only names and digests, so only `\` and `"` need escaping.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[derive(Debug, Default)]
pub(super) struct Fields {
    risk: Option<Millionths>,
    confidence: Option<Millionths>,
    judge: Option<String>,
    prompts: Option<String>,
    rows: Option<u32>,
    proceeds: Option<u32>,
    wrong: Option<u32>,
    data: Option<String>,
    policy: Option<String>,
}

impl Fields {
    pub(super) fn assign(&mut self, field: &str, literal: &Literal) -> Result<(), String> {
        match field {
            "risk" => self.risk = Some(literal.decimal()?),
            "confidence" => self.confidence = Some(literal.decimal()?),
            "judge" => self.judge = Some(literal.text()?),
            "prompts" => self.prompts = Some(literal.text()?),
            "rows" => self.rows = Some(literal.count()?),
            "proceeds" => self.proceeds = Some(literal.count()?),
            "wrong" => self.wrong = Some(literal.count()?),
            "data" => self.data = Some(literal.text()?),
            "policy" => self.policy = Some(literal.text()?),
            _ => return Err("unknown certificate field".to_owned()),
        }
        Ok(())
    }

    pub(super) fn complete(self) -> Result<Certificate, PolicyProblem> {
        let missing = |field: &str| PolicyProblem {
            field: format!("certificate.{field}"),
            message: "is missing; a certificate is written by `gsar-calibrate certify`".to_owned(),
            line: None,
        };
        let prompts = self.prompts.ok_or_else(|| missing("prompts"))?;
        Ok(Certificate {
            risk: self.risk.ok_or_else(|| missing("risk"))?,
            confidence: self.confidence.ok_or_else(|| missing("confidence"))?,
            judge: self.judge.ok_or_else(|| missing("judge"))?,
            prompts: prompts.split_whitespace().map(ToOwned::to_owned).collect(),
            rows: self.rows.ok_or_else(|| missing("rows"))?,
            proceeds: self.proceeds.ok_or_else(|| missing("proceeds"))?,
            wrong: self.wrong.ok_or_else(|| missing("wrong"))?,
            data: self.data.ok_or_else(|| missing("data"))?,
            policy: self.policy.ok_or_else(|| missing("policy"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{PolicyFileError, Preset, preset, to_toml};

    fn certificate(policy: &Policy) -> Certificate {
        Certificate {
            risk: Millionths::new(50_000),
            confidence: Millionths::new(950_000),
            judge: "openai:m".to_owned(),
            prompts: vec!["aa".to_owned(), "bb".to_owned()],
            rows: 90,
            proceeds: 60,
            wrong: 0,
            data: "cc".to_owned(),
            policy: policy.digest().to_string(),
        }
    }

    fn problems(text: &str) -> Vec<String> {
        match Policy::from_toml(text) {
            Err(PolicyFileError::Problems(error)) => {
                error.problems.iter().map(|problem| problem.to_string()).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_certificate_round_trips_only_with_its_policy() {
        let policy = preset(Preset::Reference);
        let certified = policy.clone().with_certificate(certificate(&policy)).unwrap();
        assert_eq!(certified.digest(), policy.digest());
        let text = to_toml(&certified);
        assert_eq!(Policy::from_toml(&text).unwrap(), certified);
        let changed = problems(&text.replace("tau_proceed = 0.8", "tau_proceed = 0.79"));
        assert!(changed[0].starts_with("certificate.policy: the certificate was issued for"));
        let strict = preset(Preset::Strict);
        assert!(strict.with_certificate(certificate(&policy)).is_err());
    }

    #[test]
    fn rejects_invalid_certificates() {
        let policy = preset(Preset::Reference);
        let text = to_toml(&policy.clone().with_certificate(certificate(&policy)).unwrap());
        for (from, to, expected) in [
            ("risk = 0.05", "risk = 1", "certificate.risk: `1` is out of range"),
            (
                "proceeds = 60",
                "proceeds = 91",
                "certificate.proceeds: `91` is out of range; expected 0 to 90",
            ),
            (
                "wrong = 0",
                "wrong = 61",
                "certificate.wrong: `61` is out of range; expected 0 to 60",
            ),
            ("wrong = 0\n", "", "certificate.wrong: is missing"),
            ("wrong = 0", "wrong = \"no\"", "certificate.wrong: invalid value `no`"),
            ("data = \"cc\"", "date = \"cc\"", "certificate.date: unknown certificate field"),
        ] {
            let problems = problems(&text.replace(from, to));
            assert!(problems[0].starts_with(expected), "{problems:?}");
        }
    }

    #[test]
    fn a_certificate_covers_its_judge_and_prompts() {
        let certificate = certificate(&preset(Preset::Reference));
        assert_eq!(certificate.mismatch("openai:m", ["aa", "bb", "aa"]), None);
        let mismatch =
            |judge, prompts: &[&str]| certificate.mismatch(judge, prompts.iter().copied()).unwrap();
        assert_eq!(mismatch("", &[]), "no judge decided");
        assert_eq!(mismatch("rules/2", &[]), "it was issued for judge openai:m; rules/2 decided");
        assert_eq!(mismatch("openai:m", &["aa", "dd"]), "it was not issued for the prompt dd");
    }
}
