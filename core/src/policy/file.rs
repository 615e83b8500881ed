//! Parses policy files in TOML. Numbers are parsed from their literals, without floating point.

use toml::de::{DeTable, DeValue};

use super::certificate::Fields;
use super::literal::Literal;
use super::{
    DecisionRollout, InvestigationRules, Policy, PolicyProblem, PolicyProblems, PolicyValues,
    Preset, RolloutMode, SecondLook, SecondLookFailure, Undecided, UndefinedScore,
    VerificationMode, preset,
};
use crate::claim::EvidenceType;
use crate::fixed_point::Millionths;

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
    /// Parses a policy file. The preset named by `base` (default `reference`) provides unset values.
    ///
    /// # Errors
    /// Returns [`PolicyFileError`] with every problem and its line.
    pub fn from_toml(text: &str) -> Result<Self, PolicyFileError> {
        read(text, Start::Base)
    }

    /// Parses a preset's file, which must set every value.
    pub(super) fn complete_from_toml(text: &str, base: Preset) -> Result<Self, PolicyFileError> {
        read(text, Start::Values(unset_values(base)))
    }
}

enum Start {
    Values(PolicyValues),
    /// The preset named in the file.
    Base,
}

fn read(text: &str, start: Start) -> Result<Policy, PolicyFileError> {
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
    let mut values = match (start, base) {
        (Start::Values(values), _) => values,
        (_, None) => preset(Preset::Reference).values,
        (Start::Base, Some(entry)) => {
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
            values.undefined_score = literal
                .choice(&[("half", UndefinedScore::Half), ("absent", UndefinedScore::Absent)])?;
        }
        "verification" => {
            let modes = [
                ("off", VerificationMode::Off),
                ("observe", VerificationMode::Observe),
                ("enforce", VerificationMode::Enforce),
            ];
            values.verification = literal.choice(&modes)?;
        }
        "second_look" => {
            values.second_look =
                literal.choice(&SecondLook::ALL.map(|look| (look.name(), look)))?;
        }
        "second_look_failure" => {
            let choices = SecondLookFailure::ALL.map(|failure| (failure.name(), failure));
            values.second_look_failure = literal.choice(&choices)?;
        }
        "undecided" => {
            let choices = Undecided::ALL.map(|undecided| (undecided.name(), undecided));
            values.undecided = literal.choice(&choices)?;
        }
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
            let modes = DecisionRollout::ALL.map(|mode| (mode.name(), mode));
            values.rollout.decision = literal.choice(&modes)?;
        }
        _ => return Err(unknown_field()),
    }
    Ok(())
}

fn unknown_field() -> String {
    "unknown field; `gsar policy show reference` lists all fields".to_owned()
}

/// Invalid values, so that a preset file that omits a value is rejected.
fn unset_values(base: Preset) -> PolicyValues {
    use super::{Cap, Gate, Guards, Ladder, Rollout, Weights};
    let unset = Millionths::new(u32::MAX);
    PolicyValues {
        name: String::new(),
        description: String::new(),
        base,
        tau_proceed: unset,
        tau_regenerate: unset,
        rho: unset,
        ungrounded_floor: unset,
        undefined_score: UndefinedScore::Absent,
        verification: VerificationMode::Enforce,
        second_look: SecondLook::Headline,
        second_look_failure: SecondLookFailure::Abstain,
        undecided: Undecided::Bounds,
        weights: Weights::new([unset; 8]),
        guards: Guards {
            duplicates_count_once: true,
            rho_at_least_one: true,
            complementary_limit: Some(unset),
            contradiction_blocks: true,
            min_grounded: 1,
            min_coverage: Some(unset),
            synthesis_required: true,
            headline_must_be_grounded: true,
            tool_match_needs_attestation: true,
        },
        gate: Gate {
            max_turns: 0,
            wall_clock_seconds: 0,
            contested: true,
            synthetic_validates: false,
            max_identical_calls: 1,
            max_turns_without_evidence: 1,
        },
        cap: Cap { partially_grounded: unset, ungrounded: unset },
        ladder: Ladder { issue: unset, patch: unset, pull_request: unset, joins_decision: true },
        investigation: InvestigationRules {
            limits: crate::outer_loop::LoopLimits {
                max_replans: u32::MAX,
                regenerations_per_plan: u32::MAX,
                max_judge_retries: u32::MAX,
            },
            caller_verdicts: true,
        },
        rollout: Rollout {
            gate: RolloutMode::Active,
            cap: RolloutMode::Active,
            ladder: RolloutMode::Active,
            decision: DecisionRollout::Active,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::preset_file;
    use super::super::to_toml;
    use super::*;

    #[test]
    fn every_preset_loads_and_round_trips() {
        for base in Preset::ALL {
            let policy = Policy::complete_from_toml(preset_file(base), base).unwrap();
            assert_eq!(policy.name, base.name());
            let parsed = Policy::from_toml(&to_toml(&policy)).unwrap();
            assert_eq!(parsed, policy);
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
    fn name_and_rollout_do_not_change_the_digest() {
        let policy = Policy::from_toml("name = \"night\"\n[rollout]\ngate = \"shadow\"").unwrap();
        assert_eq!(policy.digest(), preset(Preset::Reference).digest());
    }

    #[test]
    fn a_second_look_changes_the_digest() {
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
