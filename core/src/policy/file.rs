//! Parses policy files in TOML. Numbers are parsed exactly from their literals, without floating point.

use std::collections::BTreeSet;

use toml::de::{DeTable, DeValue};

use super::certificate::Fields;
use super::literal::Literal;
use super::write::to_toml;
use super::{
    DecisionRollout, Policy, PolicyProblem, PolicyProblems, PolicyValues, Preset, SecondLook,
    SecondLookFailure, Undecided, UndefinedScore, VerificationMode, preset,
};
use crate::claim::EvidenceType;

/// An invalid policy file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyFileError {
    /// The file is not valid TOML.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line, starting at 1.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// The file is not a valid policy.
    #[error(transparent)]
    Problems(#[from] PolicyProblems),
}

impl Policy {
    /// Parses a policy file. Values that the file does not set are taken from the preset named by `base` (default
    /// `reference`).
    ///
    /// # Errors
    /// Returns [`PolicyFileError`], which lists every problem with its line.
    pub fn from_toml(text: &str) -> Result<Self, PolicyFileError> {
        read(text, None)
    }

    /// Parses a preset's file, which must set every value that [`to_toml`] writes.
    pub(super) fn complete_from_toml(text: &str, base: Preset) -> Result<Self, PolicyFileError> {
        let policy = read(text, Some(PolicyValues { base, ..PolicyValues::default() }))?;
        let missing = &fields(&to_toml(&policy)) - &fields(text);
        let problems: Vec<PolicyProblem> = missing
            .into_iter()
            .map(|field| PolicyProblem {
                field,
                message: "a preset must set this value".to_owned(),
                line: None,
            })
            .collect();
        match problems.is_empty() {
            true => Ok(policy),
            false => Err(PolicyProblems { policy: policy.name.clone(), problems }.into()),
        }
    }
}

/// Returns the fields that a policy file sets, except `base`.
fn fields(text: &str) -> BTreeSet<String> {
    let mut entries = Vec::new();
    if let Ok(document) = DeTable::parse(text) {
        flatten(document.get_ref(), "", &mut entries);
    }
    entries.into_iter().map(|entry| entry.field).filter(|field| field != "base").collect()
}

/// Reads a file on top of initial values. By default, these are the values of the preset that the file names.
fn read(text: &str, initial_values: Option<PolicyValues>) -> Result<Policy, PolicyFileError> {
    let line_ends: Vec<usize> = text.match_indices('\n').map(|(index, _)| index).collect();
    let line_at = |offset: usize| 1 + line_ends.partition_point(|end| *end < offset);
    let document = DeTable::parse(text).map_err(|error| PolicyFileError::Syntax {
        line: error.span().map_or(1, |span| line_at(span.start)),
        message: error.message().to_owned(),
    })?;
    let mut entries = Vec::new();
    flatten(document.get_ref(), "", &mut entries);

    let mut problems = Vec::new();
    let base = entries.iter().find(|entry| entry.field == "base");
    let mut values = match (initial_values, base) {
        (Some(values), _) => values,
        (None, None) => preset(Preset::Reference).values,
        (None, Some(entry)) => {
            let base = entry.literal.as_text().and_then(Preset::from_name);
            if base.is_none() {
                let preset_name = entry.literal.as_str();
                let message = format!(
                    "unknown preset `{preset_name}`; expected one of paper, reference, strict"
                );
                problems.push(entry.problem(message, &line_at));
            }
            preset(base.unwrap_or(Preset::Reference)).values
        }
    };
    let mut certificate = None;
    for entry in entries.iter().filter(|entry| entry.field != "base") {
        let result = match entry.field.strip_prefix("certificate.") {
            Some(field) => {
                certificate.get_or_insert_with(Fields::default).assign(field, &entry.literal)
            }
            None => assign(&mut values, &entry.field, &entry.literal),
        };
        if let Err(message) = result {
            problems.push(entry.problem(message, &line_at));
        }
    }
    let name = values.name.clone();
    let policy = Policy::new(values).and_then(|policy| match certificate {
        Some(fields) if problems.is_empty() => {
            let certificate = fields.complete();
            let certificate = certificate.map_err(|problem| PolicyProblems {
                policy: name.clone(),
                problems: vec![problem],
            });
            certificate.and_then(|certificate| policy.with_certificate(certificate))
        }
        _ => Ok(policy),
    });
    match policy {
        Ok(policy) if problems.is_empty() => Ok(policy),
        Ok(_) => Err(PolicyProblems { policy: name, problems }.into()),
        Err(mut error) => {
            for problem in &mut error.problems {
                let entry = entries.iter().find(|entry| entry.field == problem.field);
                problem.line = entry.map(|entry| line_at(entry.offset));
            }
            problems.append(&mut error.problems);
            Err(PolicyProblems { policy: name, problems }.into())
        }
    }
}

struct Entry {
    field: String,
    literal: Literal,
    offset: usize,
}

impl Entry {
    fn problem(&self, message: String, line_at: &impl Fn(usize) -> usize) -> PolicyProblem {
        PolicyProblem { field: self.field.clone(), message, line: Some(line_at(self.offset)) }
    }
}

fn flatten(table: &DeTable<'_>, prefix: &str, entries: &mut Vec<Entry>) {
    for (key, value) in table {
        let field = format!("{prefix}{}", key.get_ref());
        let literal = match value.get_ref() {
            DeValue::Table(inner) => {
                flatten(inner, &format!("{field}."), entries);
                continue;
            }
            DeValue::Float(number) => Literal::Number(number.as_str().to_owned()),
            DeValue::Integer(number) if number.radix() == 10 => {
                Literal::Number(number.as_str().to_owned())
            }
            DeValue::String(text) => Literal::Text(text.clone().into_owned()),
            DeValue::Boolean(switch) => Literal::Switch(*switch),
            _ => Literal::Other,
        };
        entries.push(Entry { field, literal, offset: key.span().start });
    }
}

fn assign(values: &mut PolicyValues, field: &str, literal: &Literal) -> Result<(), String> {
    if let Some(name) = field.strip_prefix("weights.") {
        let evidence_type = EvidenceType::from_name(name).ok_or_else(unknown_field)?;
        values.weights.set(evidence_type, literal.decimal()?);
        return Ok(());
    }
    let guards = &mut values.guards;
    match field {
        "name" => values.name = literal.text()?,
        "description" => values.description = literal.text()?,
        "tau_proceed" => values.tau_proceed = literal.decimal()?,
        "tau_regenerate" => values.tau_regenerate = literal.decimal()?,
        "rho" => values.rho = literal.decimal()?,
        "ungrounded_floor" => values.ungrounded_floor = literal.decimal()?,
        "undefined_score" => {
            values.undefined_score = literal.choice(UndefinedScore::ALL, UndefinedScore::name)?;
        }
        "verification" => {
            values.verification = literal.choice(VerificationMode::ALL, VerificationMode::name)?;
        }
        "second_look" => values.second_look = literal.choice(SecondLook::ALL, SecondLook::name)?,
        "second_look_failure" => {
            values.second_look_failure =
                literal.choice(SecondLookFailure::ALL, SecondLookFailure::name)?;
        }
        "undecided" => values.undecided = literal.choice(Undecided::ALL, Undecided::name)?,
        "guards.duplicates_count_once" => guards.duplicates_count_once = literal.switch()?,
        "guards.rho_at_least_one" => guards.rho_at_least_one = literal.switch()?,
        "guards.complementary_limit" => guards.complementary_limit = literal.limit()?,
        "guards.contradiction_blocks" => guards.contradiction_blocks = literal.switch()?,
        "guards.min_grounded" => guards.min_grounded = literal.count()?,
        "guards.min_coverage" => guards.min_coverage = literal.limit()?,
        "guards.synthesis_required" => guards.synthesis_required = literal.switch()?,
        "guards.headline_must_be_grounded" => {
            guards.headline_must_be_grounded = literal.switch()?;
        }
        "guards.tool_match_needs_attestation" => {
            guards.tool_match_needs_attestation = literal.switch()?;
        }
        "gate.max_turns" => values.gate.max_turns = literal.count()?,
        "gate.wall_clock_seconds" => values.gate.wall_clock_seconds = literal.count()?,
        "gate.contested" => values.gate.contested = literal.switch()?,
        "gate.synthetic_validates" => values.gate.synthetic_validates = literal.switch()?,
        "gate.max_identical_calls" => values.gate.max_identical_calls = literal.count()?,
        "gate.max_turns_without_evidence" => {
            values.gate.max_turns_without_evidence = literal.count()?;
        }
        "cap.partially_grounded" => values.cap.partially_grounded = literal.decimal()?,
        "cap.ungrounded" => values.cap.ungrounded = literal.decimal()?,
        "ladder.issue" => values.ladder.issue = literal.decimal()?,
        "ladder.patch" => values.ladder.patch = literal.decimal()?,
        "ladder.pull_request" => values.ladder.pull_request = literal.decimal()?,
        "ladder.joins_decision" => values.ladder.joins_decision = literal.switch()?,
        "investigation.max_replans" => {
            values.investigation.limits.max_replans = literal.count()?;
        }
        "investigation.regenerations_per_plan" => {
            values.investigation.limits.regenerations_per_plan = literal.count()?;
        }
        "investigation.max_judge_retries" => {
            values.investigation.limits.max_judge_retries = literal.count()?;
        }
        "investigation.caller_verdicts" => {
            values.investigation.caller_verdicts = literal.switch()?;
        }
        "rollout.gate" => values.rollout.gate = literal.rollout()?,
        "rollout.cap" => values.rollout.cap = literal.rollout()?,
        "rollout.ladder" => values.rollout.ladder = literal.rollout()?,
        "rollout.decision" => {
            values.rollout.decision =
                literal.choice(DecisionRollout::ALL, DecisionRollout::name)?;
        }
        _ => return Err(unknown_field()),
    }
    Ok(())
}

fn unknown_field() -> String {
    "unknown field; `gsar policy show reference` lists all fields".to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::preset_file;
    use super::super::to_toml;
    use super::*;
    use crate::fixed_point::Millionths;
    #[test]
    fn every_preset_is_complete_and_round_trips() {
        for base in Preset::ALL {
            let policy = Policy::complete_from_toml(preset_file(base), base).unwrap();
            assert_eq!(policy.name, base.name());
            assert_eq!(fields(preset_file(base)), fields(&to_toml(&policy)));
            let parsed = Policy::from_toml(&to_toml(&policy)).unwrap();
            assert_eq!(parsed, policy);
        }
    }

    #[test]
    fn a_preset_must_set_every_value() {
        for line in preset_file(Preset::Strict).lines() {
            let Some((field, _)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) else {
                continue;
            };
            if field == "base" {
                continue;
            }
            let text = preset_file(Preset::Strict).replacen(&format!("{line}\n"), "", 1);
            let error = Policy::complete_from_toml(&text, Preset::Strict).unwrap_err();
            assert!(error.to_string().contains(field), "{line}: {error}");
        }
    }

    #[test]
    fn a_file_overrides_its_base() {
        let policy = Policy::from_toml("name = \"night\"\nbase = \"strict\"\nrho = 3").unwrap();
        assert_eq!(policy.rho, Millionths::new(3_000_000));
        assert_eq!(policy.ungrounded_floor, preset(Preset::Strict).ungrounded_floor);
        assert_ne!(policy.digest(), preset(Preset::Strict).digest());
    }

    #[test]
    fn the_name_and_the_rollout_do_not_change_the_digest() {
        let policy = Policy::from_toml("name = \"night\"\n[rollout]\ngate = \"shadow\"").unwrap();
        assert_eq!(policy.digest(), preset(Preset::Reference).digest());
    }

    #[test]
    fn the_second_look_settings_change_the_digest() {
        let text = "name = \"night\"\nsecond_look = \"headline\"\nsecond_look_failure = \"note\"\n[guards]\nheadline_must_be_grounded = false";
        let policy = Policy::from_toml(text).unwrap();
        assert_eq!(policy.second_look, SecondLook::Headline);
        assert_eq!(policy.second_look_failure, SecondLookFailure::Note);
        assert!(!policy.guards.headline_must_be_grounded);
        assert_ne!(policy.digest(), preset(Preset::Reference).digest());
        assert!(Policy::from_toml("name = \"night\"\nsecond_look = \"some\"").is_err());
    }

    #[test]
    fn all_problems_are_reported_with_their_lines() {
        let text = "name = \"night shift\"\ntau_regenerate = 0.85\nrho = 0.1234567\n[weights]\ndomain = 0\ndomian = 1\n";
        let Err(PolicyFileError::Problems(error)) = Policy::from_toml(text) else {
            panic!("the file must be rejected");
        };
        let mut lines: Vec<_> = error.problems.iter().map(|p| (p.field.as_str(), p.line)).collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                ("name", Some(1)),
                ("rho", Some(3)),
                ("tau_regenerate", Some(2)),
                ("weights.domain", Some(5)),
                ("weights.domian", Some(6)),
            ]
        );
    }

    #[test]
    fn invalid_toml_is_reported_with_its_line() {
        let Err(PolicyFileError::Syntax { line, .. }) = Policy::from_toml("rho = 1\n= 2") else {
            panic!("the file must be rejected");
        };
        assert_eq!(line, 2);
    }
}
