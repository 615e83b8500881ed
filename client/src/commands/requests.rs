//! Requests from files: reports, claims, gate inputs.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use gsar_client::evidence;
use gsar_client::input::{InputError, STANDARD_INPUT, messages, read_text, without_place};
use gsar_proto::v1;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::arguments::Evaluate;
use crate::failure::Failure;

/// The requests that the arguments of `gsar evaluate` make, and what was left out of the evidence.
pub(super) fn of_reports(
    arguments: &Evaluate,
) -> Result<(Vec<v1::EvaluateRequest>, Vec<String>), Failure> {
    if let Some(path) = &arguments.request {
        let mut requests: Vec<v1::EvaluateRequest> = messages(path, &read_text(path)?)?;
        if requests.is_empty() {
            let message = "holds no request; write one EvaluateRequest as JSON".to_owned();
            return Err(InputError::Unusable { path: path.clone(), message }.into());
        }
        if is_explained(arguments) {
            for request in &mut requests {
                request.options.get_or_insert_default().explain = true;
            }
        }
        return Ok((requests, Vec::new()));
    }
    let (reports, evidence) = reports_and_evidence(&arguments.reports, &arguments.evidence)?;
    for_one_report_only(arguments, reports.len())?;
    let evidence = evidence::load(evidence)?;
    let claims = arguments.claims.as_deref().map(claims).transpose()?.unwrap_or_default();
    let gate = arguments.gate.as_deref().map(gate).transpose()?.and_then(|request| request.gate);
    let mut requests = Vec::with_capacity(reports.len());
    for path in reports {
        let synthesis = read_text(path)?;
        if synthesis.trim().is_empty() && claims.is_empty() {
            let message = "the report is empty".to_owned();
            return Err(InputError::Unusable { path: path.clone(), message }.into());
        }
        requests.push(v1::EvaluateRequest {
            report: Some(v1::Report {
                id: arguments.id.clone().unwrap_or_else(|| name_of(path)),
                synthesis,
                claims: claims.clone(),
                generator_model: String::new(),
                confidence: arguments.confidence,
            }),
            evidence: evidence.items.clone(),
            corpus_id: arguments.corpus.clone().unwrap_or_default(),
            policy: arguments.policy.clone().unwrap_or_default(),
            gate: gate.clone(),
            options: Some(v1::EvaluateOptions {
                judge: String::new(),
                explain: is_explained(arguments),
                bypass_cache: false,
                samples: arguments.samples.unwrap_or_default(),
            }),
            ..Default::default()
        });
    }
    Ok((requests, evidence.notes))
}

/// Whether the server explains its decision: a document says what would change it.
fn is_explained(arguments: &Evaluate) -> bool {
    arguments.explain.is_some() || arguments.output.is_document()
}

/// Which paths are reports and which are evidence. `--evidence` takes every path behind it, so that a report which is
/// named there is recognised: Markdown at the end, or one file behind directories.
fn reports_and_evidence<'a>(
    reports: &'a [PathBuf],
    evidence: &'a [PathBuf],
) -> Result<(&'a [PathBuf], &'a [PathBuf]), Failure> {
    if !reports.is_empty() {
        return Ok((reports, evidence));
    }
    let is_markdown = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        path == Path::new(STANDARD_INPUT) || matches!(extension, Some("md" | "markdown"))
    };
    let markdown = evidence.iter().rev().take_while(|path| is_markdown(path)).count();
    let behind_directories = evidence
        .split_last()
        .is_some_and(|(last, before)| last.is_file() && before.iter().all(|path| path.is_dir()));
    let count = if markdown == 0 && behind_directories { 1 } else { markdown };
    match evidence.split_at_checked(evidence.len() - count) {
        Some((evidence, reports)) if !evidence.is_empty() && !reports.is_empty() => {
            Ok((reports, evidence))
        }
        _ => Err(Failure::Usage(
            "no report is named\n  name it before --evidence: gsar evaluate report.md --evidence evidence/"
                .to_owned(),
        )),
    }
}

fn for_one_report_only(arguments: &Evaluate, reports: usize) -> Result<(), Failure> {
    if reports < 2 {
        return Ok(());
    }
    for (flag, given) in
        [("--id", arguments.id.is_some()), ("--claims", arguments.claims.is_some())]
    {
        if given {
            let count = reports;
            return Err(Failure::Usage(format!(
                "{flag} is for one report, and {count} are given; leave it out"
            )));
        }
    }
    if arguments.reports.iter().filter(|path| *path == Path::new(STANDARD_INPUT)).count() > 1 {
        return Err(Failure::Usage("- is given twice; standard input holds one report".to_owned()));
    }
    Ok(())
}

/// A report goes by its file's name without the extension.
fn name_of(path: &Path) -> String {
    if path == Path::new(STANDARD_INPUT) {
        return "stdin".to_owned();
    }
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A claim as a line of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimLine {
    id: String,
    text: String,
    span: Option<Span>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Span {
    start: u64,
    end: u64,
}

/// The claims of a file, one JSON object per line.
fn claims(path: &Path) -> Result<Vec<v1::Claim>, InputError> {
    claims_of(path, &read_text(path)?)
}

fn claims_of(path: &Path, text: &str) -> Result<Vec<v1::Claim>, InputError> {
    let content = |line, message| InputError::Content { path: path.to_owned(), line, message };
    let mut claims = Vec::new();
    let mut ids = HashSet::new();
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        if line.trim().is_empty() {
            continue;
        }
        let claim: ClaimLine = serde_json::from_str(line).map_err(|error| {
            let (_, message) = without_place(&error.to_string());
            content(number, format!("{message}; a claim is {{\"id\": \"c1\", \"text\": \"…\"}}"))
        })?;
        if !ids.insert(claim.id.clone()) {
            return Err(content(
                number,
                format!("the id `{}` is given twice; rename one", claim.id),
            ));
        }
        let span = claim.span.map(|span| v1::ByteRange { start: span.start, end: span.end });
        claims.push(v1::Claim { id: claim.id, text: claim.text, span });
    }
    if claims.is_empty() {
        let message = "holds no claim; leave --claims out to have the report split".to_owned();
        return Err(InputError::Unusable { path: path.to_owned(), message });
    }
    Ok(claims)
}

/// The graph of a file.
pub(super) fn graph(path: &Path) -> Result<v1::Graph, InputError> {
    messages(path, &read_text(path)?)?.pop().ok_or_else(|| InputError::Unusable {
        path: path.to_owned(),
        message: "holds no graph; write one Graph of the contract as JSON".to_owned(),
    })
}

/// The gate inputs of a file: `GateInputs`, or a whole `EvaluateGateRequest`.
pub(super) fn gate(path: &Path) -> Result<v1::EvaluateGateRequest, InputError> {
    gate_of(path, &read_text(path)?)
}

fn gate_of(path: &Path, text: &str) -> Result<v1::EvaluateGateRequest, InputError> {
    let fields: HashMap<String, IgnoredAny> = serde_json::from_str(text).map_err(|error| {
        let (line, message) = without_place(&error.to_string());
        InputError::Content { path: path.to_owned(), line, message }
    })?;
    let is_whole = fields.contains_key("gate");
    let wrapped = if is_whole { text.to_owned() } else { format!("{{\"gate\":{text}}}") };
    messages(path, &wrapped)?.pop().ok_or_else(|| InputError::Unusable {
        path: path.to_owned(),
        message: "holds no gate inputs; write them as one JSON object".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> &'static Path {
        Path::new("claims.jsonl")
    }

    #[test]
    fn a_report_behind_the_evidence_is_distinguished() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().to_owned();
        let path = |name: &str| {
            std::fs::write(directory.join(name), "x").unwrap();
            directory.join(name)
        };
        let (log, text, one, two) = (path("a.log"), path("b.txt"), path("one.md"), path("two.md"));
        let recognised = |evidence: &[&PathBuf]| {
            let evidence: Vec<PathBuf> = evidence.iter().map(|path| (*path).clone()).collect();
            let recognised = reports_and_evidence(&[], &evidence);
            recognised.map(|(reports, evidence)| (reports.to_vec(), evidence.to_vec())).ok()
        };
        let dir = &directory;
        assert_eq!(recognised(&[dir, &one]), Some((vec![one.clone()], vec![dir.clone()])));
        let both = vec![one.clone(), two.clone()];
        assert_eq!(
            recognised(&[dir, &log, &one, &two]),
            Some((both, vec![dir.clone(), log.clone()]))
        );
        assert_eq!(recognised(&[dir, &text]), Some((vec![text.clone()], vec![dir.clone()])));
        assert_eq!(recognised(&[&log, &text]), None, "the report may be forgotten");
        assert_eq!(recognised(&[&one, &two]), None, "nothing would be left as evidence");
        assert_eq!(recognised(&[]), None);
    }

    #[test]
    fn claims_are_read_line_by_line() {
        let text = "{\"id\":\"c1\",\"text\":\"a\"}\n\n{\"id\":\"c2\",\"text\":\"b\",\"span\":{\"start\":2,\"end\":7}}\n";
        let claims = claims_of(path(), text).unwrap();
        let texts: Vec<_> = claims.iter().map(|claim| claim.text.as_str()).collect();
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(claims[1].span, Some(v1::ByteRange { start: 2, end: 7 }));
    }

    #[test]
    fn claims_that_are_none_name_their_line() {
        insta::assert_snapshot!(
            [
                "{\"id\":\"c1\"}",
                "{\"id\":\"c1\",\"text\":\"a\"}\nplain",
                "{\"id\":\"c1\",\"text\":\"a\",\"class\":\"grounded\"}",
                "{\"id\":\"c1\",\"text\":\"a\"}\n\n{\"id\":\"c1\",\"text\":\"b\"}",
                "{\"id\":1,\"text\":\"a\"}",
                "\n",
            ]
            .map(|text| format!(
                "{}\n    {}",
                text.replace('\n', " ↵ "),
                claims_of(path(), text).unwrap_err()
            ))
            .join("\n")
        );
    }

    #[test]
    fn gate_inputs_may_come_alone_or_in_a_request() {
        let alone = gate_of(path(), "{\"turnsUsed\": 3, \"wantsToFinish\": true}").unwrap();
        let whole = gate_of(
            path(),
            "{\"gate\": {\"turnsUsed\": 3, \"wantsToFinish\": true}, \"policy\": \"strict\"}",
        )
        .unwrap();
        assert_eq!(alone.gate, whole.gate);
        assert_eq!(alone.gate.map(|gate| gate.turns_used), Some(3));
        assert_eq!(whole.policy, "strict");
        for (text, line) in
            [("{\n\"turns\": 3}", 2), ("{\n\"gate\": {},\n\"polcy\": 1}", 3), ("{", 1), ("", 1)]
        {
            let error = gate_of(path(), text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("claims.jsonl:{line}: ")), "{text}: {error}");
        }
        assert!(gate_of(path(), "{}, \"policy\": \"x\"").is_err());
        assert!(gate_of(path(), "{} {}").is_err());
    }

    #[test]
    fn a_report_goes_by_its_file() {
        assert_eq!(name_of(Path::new("reports/checkout-oom.md")), "checkout-oom");
        assert_eq!(name_of(Path::new("-")), "stdin");
    }
}
