//! Reads requests from files: reports, claims, graphs and gate inputs.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use gsar_client::evidence;
use gsar_client::input::{InputError, STANDARD_INPUT, parse_messages, read_text, split_position};
use gsar_core::own_report::OwnReport;
use gsar_proto::v1;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::arguments::Evaluate;
use crate::failure::Failure;

/// Returns the requests of `gsar evaluate`, along with notes about skipped evidence.
pub(super) fn from_reports(
    arguments: &Evaluate,
) -> Result<(Vec<v1::EvaluateRequest>, Vec<String>), Failure> {
    if let Some(path) = &arguments.request {
        let mut requests: Vec<v1::EvaluateRequest> = parse_messages(path, &read_text(path)?)?;
        if requests.is_empty() {
            let message = "contains no request; expected an EvaluateRequest as JSON".to_owned();
            return Err(InputError::Unusable { path: path.clone(), message }.into());
        }
        if is_explained(arguments) {
            for request in &mut requests {
                let options = request.options.get_or_insert_default();
                options.explain = true;
                options.redact |= is_redacted(arguments);
            }
        }
        return Ok((requests, Vec::new()));
    }
    require_text(&arguments.reports)?;
    require_single_report(arguments)?;
    let mut evidence = evidence::load(&arguments.evidence)?;
    let claims = arguments.claims.as_deref().map(claims).transpose()?.unwrap_or_default();
    let gate = arguments.gate.as_deref().map(gate).transpose()?.and_then(|request| request.gate);
    let mut requests = Vec::with_capacity(arguments.reports.len());
    for path in &arguments.reports {
        let synthesis = read_text(path)?;
        if synthesis.trim().is_empty() && claims.is_empty() {
            let message = "the report is empty".to_owned();
            return Err(InputError::Unusable { path: path.clone(), message }.into());
        }
        let items = exclude_report(&evidence.items, &synthesis, &mut evidence.notes);
        requests.push(v1::EvaluateRequest {
            report: Some(v1::Report {
                id: arguments.id.clone().unwrap_or_else(|| report_name(path)),
                synthesis,
                claims: claims.clone(),
                generator_model: String::new(),
                confidence: arguments.confidence,
            }),
            evidence: items,
            corpus_id: arguments.corpus.clone().unwrap_or_default(),
            policy: arguments.policy.clone().unwrap_or_default(),
            gate: gate.clone(),
            options: Some(v1::EvaluateOptions {
                explain: is_explained(arguments),
                redact: is_redacted(arguments),
                samples: arguments.samples.unwrap_or_default(),
                ..Default::default()
            }),
            ..Default::default()
        });
    }
    Ok((requests, evidence.notes))
}

/// Returns `true` if the response should include what would change the decision. Documents always show it.
fn is_explained(arguments: &Evaluate) -> bool {
    arguments.explain.is_some() || arguments.output.is_document()
}

/// Returns `true` if the response should be redacted. Documents are redacted by default, since they are shared.
fn is_redacted(arguments: &Evaluate) -> bool {
    arguments.output.is_document() && !arguments.unredacted
}

/// Rejects data files and directories, which are probably evidence passed without `--evidence`.
fn require_text(reports: &[PathBuf]) -> Result<(), Failure> {
    const DATA_EXTENSIONS: [&str; 8] =
        ["json", "jsonl", "ndjson", "log", "csv", "tsv", "yaml", "yml"];
    let is_data = |path: &&PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        path.is_dir() || extension.is_some_and(|extension| DATA_EXTENSIONS.contains(&extension))
    };
    match reports.iter().find(is_data) {
        None => Ok(()),
        Some(path) => {
            let path = path.display();
            Err(Failure::Usage(format!(
                "{path} is not a report; expected text or Markdown\n  --evidence takes one path; repeat it: \
                 --evidence … --evidence {path}"
            )))
        }
    }
}

/// Returns the evidence without the items that repeat the report, adding a note for each.
fn exclude_report(
    items: &[v1::EvidenceItem],
    report: &str,
    notes: &mut Vec<String>,
) -> Vec<v1::EvidenceItem> {
    use v1::evidence_item::Content::{CheckRun, Json, Text};
    let report = OwnReport::new(report);
    let is_evidence = |item: &&v1::EvidenceItem| match &item.content {
        Some(Text(content) | Json(content)) if report.is_repeated_by(content) => {
            let id = &item.id;
            let sentence =
                "repeats the report and was skipped; a report is not evidence for itself";
            notes.push(format!("{id} {sentence}"));
            false
        }
        Some(Text(_) | Json(_) | CheckRun(_)) | None => true,
    };
    items.iter().filter(is_evidence).cloned().collect()
}

fn require_single_report(arguments: &Evaluate) -> Result<(), Failure> {
    let reports = arguments.reports.len();
    if reports < 2 {
        return Ok(());
    }
    for (flag, is_given) in
        [("--id", arguments.id.is_some()), ("--claims", arguments.claims.is_some())]
    {
        if is_given {
            let count = reports;
            return Err(Failure::Usage(format!(
                "{flag} requires a single report, but {count} were given"
            )));
        }
    }
    if arguments.reports.iter().filter(|path| *path == Path::new(STANDARD_INPUT)).count() > 1 {
        return Err(Failure::Usage("- may be given only once".to_owned()));
    }
    Ok(())
}

fn report_name(path: &Path) -> String {
    if path == Path::new(STANDARD_INPUT) {
        return "stdin".to_owned();
    }
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

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

fn claims(path: &Path) -> Result<Vec<v1::Claim>, InputError> {
    parse_claims(path, &read_text(path)?)
}

fn parse_claims(path: &Path, text: &str) -> Result<Vec<v1::Claim>, InputError> {
    let content_error =
        |line, message| InputError::Content { path: path.to_owned(), line, message };
    let mut claims = Vec::new();
    let mut ids = HashSet::new();
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        if line.trim().is_empty() {
            continue;
        }
        let claim: ClaimLine = serde_json::from_str(line).map_err(|error| {
            let (_, message) = split_position(&error.to_string());
            content_error(
                number,
                format!("{message}; expected {{\"id\": \"c1\", \"text\": \"…\"}}"),
            )
        })?;
        if !ids.insert(claim.id.clone()) {
            return Err(content_error(number, format!("duplicate id `{}`", claim.id)));
        }
        let span = claim.span.map(|span| v1::ByteRange { start: span.start, end: span.end });
        claims.push(v1::Claim { id: claim.id, text: claim.text, span });
    }
    if claims.is_empty() {
        let message =
            "contains no claims; omit --claims to have the server split the report".to_owned();
        return Err(InputError::Unusable { path: path.to_owned(), message });
    }
    Ok(claims)
}

pub(super) fn graph(path: &Path) -> Result<v1::Graph, InputError> {
    parse_messages(path, &read_text(path)?)?.pop().ok_or_else(|| InputError::Unusable {
        path: path.to_owned(),
        message: "contains no graph; expected a Graph message as JSON".to_owned(),
    })
}

/// Reads `GateInputs` or a complete `EvaluateGateRequest`.
pub(super) fn gate(path: &Path) -> Result<v1::EvaluateGateRequest, InputError> {
    parse_gate(path, &read_text(path)?)
}

fn parse_gate(path: &Path, text: &str) -> Result<v1::EvaluateGateRequest, InputError> {
    let fields: HashMap<String, IgnoredAny> = serde_json::from_str(text).map_err(|error| {
        let (line, message) = split_position(&error.to_string());
        InputError::Content { path: path.to_owned(), line, message }
    })?;
    let is_request = fields.contains_key("gate");
    let wrapped = if is_request { text.to_owned() } else { format!("{{\"gate\":{text}}}") };
    parse_messages(path, &wrapped)?.pop().ok_or_else(|| InputError::Unusable {
        path: path.to_owned(),
        message: "contains no gate inputs; expected a JSON object".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> &'static Path {
        Path::new("claims.jsonl")
    }

    #[test]
    fn rejects_data_files_as_reports() {
        let error = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            require_text(&paths).err().map(|failure| failure.to_string())
        };
        assert_eq!(error(&["one.md", "two.txt", "-", "three"]), None);
        let error = error(&["one.md", "pods.json"]).unwrap();
        assert!(error.contains("repeat it: --evidence … --evidence pods.json"), "{error}");
    }

    #[test]
    fn evidence_that_repeats_the_report_is_skipped() {
        let item = |id: &str, text: &str| v1::EvidenceItem {
            id: id.to_owned(),
            content: Some(v1::evidence_item::Content::Text(text.to_owned())),
            ..v1::EvidenceItem::default()
        };
        let items = [item("report.md", "It is down.\n"), item("log", "10:00 It is down.")];
        let mut notes = Vec::new();
        let remaining = exclude_report(&items, "It is down.", &mut notes);
        assert_eq!(remaining.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["log"]);
        assert!(notes[0].starts_with("report.md repeats the report"), "{notes:?}");
    }

    #[test]
    fn parses_claims_line_by_line() {
        let text = "{\"id\":\"c1\",\"text\":\"a\"}\n\n{\"id\":\"c2\",\"text\":\"b\",\"span\":{\"start\":2,\"end\":7}}\n";
        let claims = parse_claims(path(), text).unwrap();
        let texts: Vec<_> = claims.iter().map(|claim| claim.text.as_str()).collect();
        assert_eq!(texts, ["a", "b"]);
        assert_eq!(claims[1].span, Some(v1::ByteRange { start: 2, end: 7 }));
    }

    #[test]
    fn invalid_claims_are_reported_with_their_line() {
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
                parse_claims(path(), text).unwrap_err()
            ))
            .join("\n")
        );
    }

    #[test]
    fn accepts_gate_inputs_alone_or_in_a_request() {
        let bare = parse_gate(path(), "{\"turnsUsed\": 3, \"wantsToFinish\": true}").unwrap();
        let wrapped_request = parse_gate(
            path(),
            "{\"gate\": {\"turnsUsed\": 3, \"wantsToFinish\": true}, \"policy\": \"strict\"}",
        )
        .unwrap();
        assert_eq!(bare.gate, wrapped_request.gate);
        assert_eq!(bare.gate.map(|gate| gate.turns_used), Some(3));
        assert_eq!(wrapped_request.policy, "strict");
        for (text, line) in
            [("{\n\"turns\": 3}", 2), ("{\n\"gate\": {},\n\"polcy\": 1}", 3), ("{", 1), ("", 1)]
        {
            let error = parse_gate(path(), text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("claims.jsonl:{line}: ")), "{text}: {error}");
        }
        assert!(parse_gate(path(), "{}, \"policy\": \"x\"").is_err());
        assert!(parse_gate(path(), "{} {}").is_err());
    }

    #[test]
    fn reports_are_named_after_their_file() {
        assert_eq!(report_name(Path::new("reports/checkout-oom.md")), "checkout-oom");
        assert_eq!(report_name(Path::new("-")), "stdin");
    }
}
