//! An executed check and its evidence document.

use serde_json::{Map, Value};

use super::declaration::{CheckDeclaration, CheckError, to_i32};
use crate::evidence::VerificationResult;

const KEY: &str = "check_run";

/// An executed check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRun {
    /// The declaration.
    pub declaration: CheckDeclaration,
    /// The exit status; `None` if the run was killed by a signal or timed out.
    pub exit_status: Option<i32>,
    /// The output, with stdout and stderr combined.
    pub output: String,
}

impl CheckRun {
    /// Evaluates the pass condition.
    #[must_use]
    pub fn result(&self) -> VerificationResult {
        let pass = self.declaration.pass();
        let output_contains =
            |text: &String| !text.is_empty() && self.output.contains(text.as_str());
        let is_passed = self.exit_status == Some(pass.exit_status)
            && (pass.contains.is_empty() || output_contains(&pass.contains))
            && !output_contains(&pass.lacks);
        if is_passed { VerificationResult::Passed } else { VerificationResult::Failed }
    }

    /// The evidence document: the declaration, exit status, output and result.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut run = match self.declaration.document() {
            Value::Object(run) => run,
            _ => Map::new(),
        };
        run.insert("exit_status".to_owned(), self.exit_status.map_or(Value::Null, Value::from));
        run.insert("output".to_owned(), Value::String(self.output.clone()));
        run.insert("result".to_owned(), Value::String(self.result().name().to_owned()));
        Value::Object(Map::from_iter([(KEY.to_owned(), Value::Object(run))])).to_string()
    }

    /// Parses an evidence document. Returns `None` if it is not a check run. Ignores the stated result.
    pub fn from_json(text: &str) -> Result<Option<Self>, CheckError> {
        let document: Value = match text.contains(KEY) {
            true => serde_json::from_str(text).unwrap_or_default(),
            false => Value::Null,
        };
        let single_field = document.as_object().filter(|fields| fields.len() == 1);
        let Some(run) = single_field.and_then(|fields| fields.get(KEY)) else { return Ok(None) };
        let with_nested_field = |error: CheckError| CheckError {
            field: [KEY, ".", &error.field].concat(),
            message: error.message,
        };
        let invalid = |field: &str, message: &str| {
            with_nested_field(CheckError { field: field.to_owned(), message: message.to_owned() })
        };
        let declaration = CheckDeclaration::from_document(run).map_err(with_nested_field)?;
        let exit_status = match run.get("exit_status") {
            None | Some(Value::Null) => None,
            Some(status) => {
                let status = to_i32(status);
                Some(status.ok_or_else(|| {
                    invalid("exit_status", "is not a 32-bit integer; give one, or null")
                })?)
            }
        };
        let output = match run.get("output") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(output)) => output.clone(),
            Some(_) => return Err(invalid("output", "is not a string; give one, or null")),
        };
        Ok(Some(Self { declaration, exit_status, output }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::PassCondition;
    use super::*;
    use proptest::prelude::*;

    fn run(exit_status: Option<i32>, output: &str, pass: PassCondition) -> CheckRun {
        let command = ["probe".to_owned()].to_vec();
        let declaration = CheckDeclaration::new("probe".to_owned(), command, 60, pass).unwrap();
        CheckRun { declaration, exit_status, output: output.to_owned() }
    }

    #[test]
    fn the_pass_condition_determines_the_result() {
        let pass = || PassCondition {
            exit_status: 3,
            contains: "PASS".to_owned(),
            lacks: "ERROR".to_owned(),
        };
        for (exit_status, output, passed) in [
            (Some(3), "PASS", true),
            (Some(0), "PASS", false),
            (None, "PASS", false),
            (Some(3), "pass", false),
            (Some(3), "PASS with an ERROR", false),
        ] {
            let run = run(exit_status, output, pass());
            let expected =
                if passed { VerificationResult::Passed } else { VerificationResult::Failed };
            assert_eq!(run.result(), expected, "{exit_status:?} {output}");
        }
        assert_eq!(run(Some(0), "", PassCondition::default()).result(), VerificationResult::Passed);
    }

    #[test]
    fn ignores_the_result_stated_in_a_document() {
        let failed_run = run(Some(1), "2 orders charged twice", PassCondition::default());
        let text = failed_run.to_json().replace("\"failed\"", "\"passed\"");
        let parsed = CheckRun::from_json(&text).unwrap().unwrap();
        assert_eq!((parsed.result(), &parsed), (VerificationResult::Failed, &failed_run));
    }

    #[test]
    fn ignores_other_documents_and_rejects_invalid_runs() {
        for text in ["", "{}", "{\"check_run\": {}, \"more\": 1}", "[\"check_run\"]", "check_run"] {
            assert_eq!(CheckRun::from_json(text), Ok(None), "{text}");
        }
        for (run, field) in [
            ("1", "check_run.name"),
            ("{\"name\": \"a\"}", "check_run.command"),
            (
                "{\"name\": \"a\", \"command\": [\"b\"], \"exit_status\": \"0\"}",
                "check_run.exit_status",
            ),
            ("{\"name\": \"a\", \"command\": [\"b\"], \"output\": 0}", "check_run.output"),
            ("{\"name\": \"a\", \"command\": [\"b\"], \"pass\": \"x\"}", "check_run.pass"),
        ] {
            let text = format!("{{\"check_run\": {run}}}");
            assert_eq!(CheckRun::from_json(&text).unwrap_err().field, field);
        }
    }

    proptest! {
        #[test]
        fn a_run_round_trips_through_json(
            exit_status in proptest::option::of(any::<i32>()),
            output in ".{0,40}",
            contains in ".{0,4}",
            lacks in ".{0,4}",
        ) {
            let run = run(exit_status, &output, PassCondition { exit_status: 0, contains, lacks });
            prop_assert_eq!(CheckRun::from_json(&run.to_json()), Ok(Some(run)));
        }
    }
}
