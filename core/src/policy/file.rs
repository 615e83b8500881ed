//! This module reads policy files in TOML, and names the line of everything that is wrong.
//!
//! Numbers are read from their literals, so `0.1234567` is refused and nothing passes through a double.

use toml::de::{DeTable, DeValue};

use super::certificate::Fields;
use super::literal::{Literal, choice, count, decimal, limit, rollout, switch, text};
use super::retired::retired;
use super::{
    DecisionRollout, InvestigationRules, Policy, PolicyProblem, PolicyProblems, PolicyValues,
    Preset, RolloutMode, SecondLook, SecondLookFailure, Undecided, UndefinedScore,
    VerificationMode, instead_of, preset,
};
use crate::claim::EvidenceType;
use crate::fixed::Millionths;

/// Why a policy file gives no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyFileError {
    /// Not TOML.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// TOML, but no policy.
    #[error(transparent)]
    Problems(#[from] PolicyProblems),
}

impl Policy {
    /// Reads a policy file. Its `base` (default `reference`) gives every value that it does not set. Keys of earlier
    /// versions that do nothing any more are read past ([`Policy::retired_keys`]).
    ///
    /// # Errors
    /// [`PolicyFileError`] with every problem and its line.
    pub fn from_toml(text: &str) -> Result<Self, PolicyFileError> {
        read(text, Start::Base)
    }

    /// Reads a policy from the text in a record, which gives every value it knew. Its base may be one that was removed.
    ///
    /// # Errors
    /// [`PolicyFileError`] with every problem and its line.
    pub fn from_record(text: &str) -> Result<Self, PolicyFileError> {
        read(text, Start::AnyBase)
    }

    /// Reads a preset's own file; a test checks that it leaves no value to the fallback.
    pub(super) fn complete_from_toml(text: &str, base: Preset) -> Result<Self, PolicyFileError> {
        read(text, Start::Values(blank(base)))
    }
}

/// Where the values come from that a file does not set.
enum Start {
    /// From these.
    Values(PolicyValues),
    /// From the preset that the file names.
    Base,
    /// From the preset that the file names, or from `reference` if there is no such preset.
    AnyBase,
}

fn read(text: &str, start: Start) -> Result<Policy, PolicyFileError> {
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line_at = |offset: usize| 1 + ends.partition_point(|end| *end < offset);
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
        (start, Some(entry)) => {
            let name = entry.literal.as_text().unwrap_or_default();
            let base = Preset::from_name(name);
            if base.is_none() && matches!(start, Start::Base) {
                let message = instead_of(name).map_or_else(
                    || "is not one of paper, reference, strict".to_owned(),
                    |instead| format!("is no longer known: {instead}"),
                );
                problems.push(entry.problem(&message, &line_at));
            }
            preset(base.unwrap_or(Preset::Reference)).values
        }
    };
    let mut certificate = None;
    let mut retired_keys = Vec::new();
    for entry in entries.iter().filter(|entry| entry.field != "base") {
        if let Some(message) = retired(&entry.field) {
            let field = entry.field.clone();
            let line = Some(line_at(entry.offset));
            retired_keys.push(PolicyProblem { field, message: message.to_owned(), line });
            continue;
        }
        let assigned = match entry.field.strip_prefix("certificate.") {
            Some(field) => {
                certificate.get_or_insert_with(Fields::default).assign(field, &entry.literal)
            }
            None => assign(&mut values, &entry.field, &entry.literal),
        };
        if let Err(message) = assigned {
            problems.push(entry.problem(&message, &line_at));
        }
    }
    let name = values.name.clone();
    let policy = Policy::new(values).and_then(|policy| match certificate {
        Some(fields) if problems.is_empty() => {
            let complete = fields.complete();
            let complete = complete.map_err(|problem| PolicyProblems {
                policy: name.clone(),
                problems: vec![problem],
            });
            complete.and_then(|certificate| {
                // A certificate of an earlier version was shown for what that version checked.
                if !retired_keys.is_empty() && certificate.policy != policy.digest().to_string() {
                    retired_keys.push(outdated_certificate());
                    return Ok(policy);
                }
                policy.with_certificate(certificate)
            })
        }
        _ => Ok(policy),
    });
    match policy {
        Ok(mut policy) if problems.is_empty() => {
            policy.retired_keys = retired_keys;
            Ok(policy)
        }
        Ok(_) => Err(PolicyProblems { policy: name, problems }.into()),
        Err(mut found) => {
            for problem in &mut found.problems {
                let entry = entries.iter().find(|entry| entry.field == problem.field);
                problem.line = entry.map(|entry| line_at(entry.offset));
            }
            problems.append(&mut found.problems);
            Err(PolicyProblems { policy: name, problems }.into())
        }
    }
}

fn outdated_certificate() -> PolicyProblem {
    let message = "was shown for checks that are no longer made, and covers nothing; certify anew \
                   (gsar-calibrate certify) or remove the table";
    PolicyProblem { field: "certificate".to_owned(), message: message.to_owned(), line: None }
}

struct Entry {
    field: String,
    literal: Literal,
    offset: usize,
}

impl Entry {
    fn problem(&self, message: &str, line_at: &impl Fn(usize) -> usize) -> PolicyProblem {
        PolicyProblem {
            field: self.field.clone(),
            message: format!("`{}` {message}", self.literal.shown()),
            line: Some(line_at(self.offset)),
        }
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
        values.weights.set(evidence_type, decimal(literal)?);
        return Ok(());
    }
    let guards = &mut values.guards;
    match field {
        "name" => values.name = text(literal)?,
        "description" => values.description = text(literal)?,
        "tau_proceed" => values.tau_proceed = decimal(literal)?,
        "tau_regenerate" => values.tau_regenerate = decimal(literal)?,
        "rho" => values.rho = decimal(literal)?,
        "ungrounded_floor" => values.ungrounded_floor = decimal(literal)?,
        "undefined_score" => {
            values.undefined_score = choice(
                literal,
                &[("half", UndefinedScore::Half), ("absent", UndefinedScore::Absent)],
            )?;
        }
        "verification" => {
            let modes = [
                ("off", VerificationMode::Off),
                ("observe", VerificationMode::Observe),
                ("enforce", VerificationMode::Enforce),
            ];
            values.verification = choice(literal, &modes)?;
        }
        "second_look" => {
            values.second_look = choice(literal, &SecondLook::ALL.map(|look| (look.name(), look)))?;
        }
        "second_look_failure" => {
            let choices = SecondLookFailure::ALL.map(|failure| (failure.name(), failure));
            values.second_look_failure = choice(literal, &choices)?;
        }
        "undecided" => {
            let choices = Undecided::ALL.map(|undecided| (undecided.name(), undecided));
            values.undecided = choice(literal, &choices)?;
        }
        "guards.duplicates_count_once" => guards.duplicates_count_once = switch(literal)?,
        "guards.rho_at_least_one" => guards.rho_at_least_one = switch(literal)?,
        "guards.complementary_limit" => guards.complementary_limit = limit(literal)?,
        "guards.contradiction_blocks" => guards.contradiction_blocks = switch(literal)?,
        "guards.min_grounded" => guards.min_grounded = count(literal)?,
        "guards.min_coverage" => guards.min_coverage = limit(literal)?,
        "guards.synthesis_required" => guards.synthesis_required = switch(literal)?,
        "guards.headline_must_be_grounded" => {
            guards.headline_must_be_grounded = switch(literal)?;
        }
        "guards.tool_match_needs_attestation" => {
            guards.tool_match_needs_attestation = switch(literal)?;
        }
        "gate.max_turns" => values.gate.max_turns = count(literal)?,
        "gate.wall_clock_seconds" => values.gate.wall_clock_seconds = count(literal)?,
        "gate.contested" => values.gate.contested = switch(literal)?,
        "gate.synthetic_validates" => values.gate.synthetic_validates = switch(literal)?,
        "gate.max_identical_calls" => values.gate.max_identical_calls = count(literal)?,
        "gate.max_turns_without_evidence" => {
            values.gate.max_turns_without_evidence = count(literal)?;
        }
        "cap.partially_grounded" => values.cap.partially_grounded = decimal(literal)?,
        "cap.ungrounded" => values.cap.ungrounded = decimal(literal)?,
        "ladder.issue" => values.ladder.issue = decimal(literal)?,
        "ladder.patch" => values.ladder.patch = decimal(literal)?,
        "ladder.pull_request" => values.ladder.pull_request = decimal(literal)?,
        "ladder.joins_decision" => values.ladder.joins_decision = switch(literal)?,
        "investigation.max_replans" => {
            values.investigation.limits.max_replans = count(literal)?;
        }
        "investigation.regenerations_per_plan" => {
            values.investigation.limits.regenerations_per_plan = count(literal)?;
        }
        "investigation.max_judge_retries" => {
            values.investigation.limits.max_judge_retries = count(literal)?;
        }
        "investigation.caller_verdicts" => {
            values.investigation.caller_verdicts = switch(literal)?;
        }
        "rollout.gate" => values.rollout.gate = rollout(literal)?,
        "rollout.cap" => values.rollout.cap = rollout(literal)?,
        "rollout.ladder" => values.rollout.ladder = rollout(literal)?,
        "rollout.decision" => {
            let modes = DecisionRollout::ALL.map(|mode| (mode.name(), mode));
            values.rollout.decision = choice(literal, &modes)?;
        }
        _ => return Err(unknown_field()),
    }
    Ok(())
}

fn unknown_field() -> String {
    "belongs to no field of a policy; `gsar policy show reference` lists them all".to_owned()
}

/// Values no preset has, so that a preset file which forgets one fails its check.
fn blank(base: Preset) -> PolicyValues {
    use super::{Cap, Gate, Guards, Ladder, Rollout, Weights};
    let nothing = Millionths::new(u32::MAX);
    PolicyValues {
        name: String::new(),
        description: String::new(),
        base,
        tau_proceed: nothing,
        tau_regenerate: nothing,
        rho: nothing,
        ungrounded_floor: nothing,
        undefined_score: UndefinedScore::Absent,
        verification: VerificationMode::Enforce,
        second_look: SecondLook::Headline,
        second_look_failure: SecondLookFailure::Abstain,
        undecided: Undecided::Bounds,
        weights: Weights::new([nothing; 8]),
        guards: Guards {
            duplicates_count_once: true,
            rho_at_least_one: true,
            complementary_limit: Some(nothing),
            contradiction_blocks: true,
            min_grounded: 1,
            min_coverage: Some(nothing),
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
        cap: Cap { partially_grounded: nothing, ungrounded: nothing },
        ladder: Ladder {
            issue: nothing,
            patch: nothing,
            pull_request: nothing,
            joins_decision: true,
        },
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
    fn every_preset_loads_and_survives_its_own_text() {
        for base in Preset::ALL {
            let policy = Policy::complete_from_toml(preset_file(base), base).unwrap();
            assert_eq!(policy.name, base.name());
            let again = Policy::from_toml(&to_toml(&policy)).unwrap();
            assert_eq!(again, policy);
        }
    }

    #[test]
    fn a_removed_base_is_refused_with_the_way_out_and_read_in_a_record() {
        let of_local = to_toml(&preset(Preset::Reference)).replace("reference", "local");
        let error = Policy::from_toml(&of_local).unwrap_err().to_string();
        assert!(error.contains("use `reference`"), "{error}");
        let recorded = Policy::from_record(&of_local).unwrap();
        assert_eq!((recorded.name.as_str(), recorded.base), ("local", Preset::Reference));
    }

    #[test]
    fn a_file_overrides_its_base_and_keeps_the_rest() {
        let policy = Policy::from_toml("name = \"night\"\nbase = \"strict\"\nrho = 3").unwrap();
        assert_eq!(policy.rho, Millionths::new(3_000_000));
        assert_eq!(policy.ungrounded_floor, preset(Preset::Strict).ungrounded_floor);
        assert_ne!(policy.digest(), preset(Preset::Strict).digest());
    }

    #[test]
    fn name_and_rollout_leave_the_digest_alone() {
        let policy = Policy::from_toml("name = \"night\"\n[rollout]\ngate = \"shadow\"").unwrap();
        assert_eq!(policy.digest(), preset(Preset::Reference).digest());
    }

    #[test]
    fn keys_of_earlier_versions_are_warned_of_and_do_nothing() {
        let text = "name = \"night\"\n[findings]\nfigures = \"ask\"\n[guards]\nabsence_needs_search = true\n";
        let policy = Policy::from_toml(text).unwrap();
        let warned: Vec<_> = policy
            .retired_keys()
            .iter()
            .map(|warning| (warning.field.as_str(), warning.line))
            .collect();
        assert_eq!(
            warned,
            [("findings.figures", Some(3)), ("guards.absence_needs_search", Some(5))]
        );
        assert_eq!(policy.digest(), preset(Preset::Reference).digest());
        let written = to_toml(&policy);
        assert!(!written.contains("findings") && !written.contains("absence"), "{written}");
        assert!(Policy::from_toml("name = \"night\"\n[findings]\nfigure = \"ask\"").is_err());
    }

    #[test]
    fn a_second_look_is_read_and_changes_the_digest() {
        let text = "name = \"night\"\nsecond_look = \"headline\"\nsecond_look_failure = \"note\"\n[guards]\nheadline_must_be_grounded = false";
        let policy = Policy::from_toml(text).unwrap();
        assert_eq!(policy.second_look, SecondLook::Headline);
        assert_eq!(policy.second_look_failure, SecondLookFailure::Note);
        assert!(!policy.guards.headline_must_be_grounded);
        assert_ne!(policy.digest(), preset(Preset::Reference).digest());
        assert!(Policy::from_toml("name = \"night\"\nsecond_look = \"some\"").is_err());
    }

    #[test]
    fn all_problems_come_at_once_with_their_lines() {
        let text = "name = \"night shift\"\ntau_regenerate = 0.85\nrho = 0.1234567\n[weights]\ndomain = 0\ndomian = 1\n";
        let Err(PolicyFileError::Problems(found)) = Policy::from_toml(text) else {
            panic!("the file must be refused");
        };
        let mut lines: Vec<_> = found.problems.iter().map(|p| (p.field.as_str(), p.line)).collect();
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
    fn text_that_is_not_toml_names_its_line() {
        let Err(PolicyFileError::Syntax { line, .. }) = Policy::from_toml("rho = 1\n= 2") else {
            panic!("the file must be refused");
        };
        assert_eq!(line, 2);
    }
}
