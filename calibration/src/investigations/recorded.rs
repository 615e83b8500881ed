//! Reads recorded investigations: agents' answers, true causes, and fault propagations.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use gsar_client::input::read_text;
use gsar_core::belief::Entity;
use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_proto::v1;
use serde::Deserialize;
use serde_json::Value;

use crate::data_set::{is_json, message};

/// An agent's run on an incident.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) incident: String,
    /// The named causes, most likely first.
    pub(super) answers: Vec<String>,
    pub(super) truth: Vec<String>,
    pub(super) report: String,
    pub(super) evidence: Vec<v1::EvidenceItem>,
    pub(super) seconds: Option<f64>,
    /// The share of invalid tool calls; `None` if no calls were recorded.
    pub(super) invalid_calls: Option<f64>,
}

/// The propagation of a fault, according to the ground truth.
#[derive(Clone, Debug)]
pub(super) struct Propagation {
    /// Pairs of cause and effect.
    pub(super) edges: Vec<(Entity, Entity)>,
    pub(super) origins: Vec<Entity>,
    pub(super) alerts: Vec<Entity>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    pub(super) runs: Vec<Run>,
    pub(super) propagations: Vec<Propagation>,
    pub(super) skipped: usize,
}

/// A line in the native format or in the format of a supported source.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    incident: String,
    #[serde(default)]
    evidence: Vec<Item>,
    #[serde(default)]
    report: Option<String>,
    #[serde(default)]
    answers: Vec<String>,
    #[serde(default)]
    truth: Vec<String>,
    #[serde(default)]
    seconds: Option<f64>,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(default)]
    expected: Value,
    #[serde(default)]
    meta: Value,
}

#[derive(Debug, Deserialize)]
struct Call {
    tool: String,
    #[serde(default)]
    arguments: String,
    /// `true` if the call was refused or failed.
    #[serde(default)]
    failed: bool,
}

/// Returns the share of calls that failed or repeat an earlier one.
fn invalid(calls: &[Call]) -> Option<f64> {
    let mut made = HashSet::new();
    let mut invalid = 0;
    for Call { tool, arguments, failed } in calls {
        invalid += usize::from(!made.insert((tool, arguments)) || *failed);
    }
    (!calls.is_empty()).then(|| invalid as f64 / calls.len() as f64)
}

#[derive(Debug, Deserialize)]
struct Item {
    id: String,
    kind: String,
    #[serde(default)]
    tool: String,
    content: Value,
}

pub(super) fn read(files: &[impl AsRef<Path>]) -> Result<Recorded> {
    let mut recorded = Recorded::default();
    for path in files {
        let path = path.as_ref();
        let text = read_text(path)?;
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let location = || format!("{}:{}", path.display(), number + 1);
            let line: Line = serde_json::from_str(line).with_context(location)?;
            let before = (recorded.runs.len(), recorded.propagations.len());
            match line.source.as_str() {
                "itbench" => recorded.propagations.extend(propagation(&line.expected)),
                _ => recorded.runs.extend(run(line).with_context(location)?),
            }
            if before == (recorded.runs.len(), recorded.propagations.len()) {
                recorded.skipped += 1;
            }
        }
    }
    ensure!(
        !recorded.runs.is_empty() || !recorded.propagations.is_empty(),
        "no recorded investigations; expected lines with `id`, `incident`, `answers` and `truth`"
    );
    Ok(recorded)
}

fn run(line: Line) -> Result<Option<Run>> {
    let report = line.report.unwrap_or_default();
    let (incident, answers, truth, report) = match line.source.as_str() {
        "boerste" => {
            let text = |pointer: &str| texts(line.meta.pointer(pointer));
            let incident = [text("/system"), text("/fault_id")].concat().join("/");
            let causes = line.meta.pointer("/structured_root_causes").and_then(Value::as_array);
            let causes = causes.map(Vec::as_slice).unwrap_or_default();
            let answers = causes.iter().flat_map(|cause| texts(cause.pointer("/location")));
            let truth = texts(line.expected.pointer("/ground_truth_fault/fault_entity"));
            (incident, answers.collect(), truth, report)
        }
        "openrca" => {
            let stated = texts(line.expected.pointer("/groundtruth")).concat();
            let truth = stated.lines().filter_map(|line| line.strip_prefix("component: "));
            let truth: Vec<String> = truth.map(str::to_owned).collect();
            // Some questions ask only for a time or a reason.
            let lists = ["/passed", "/failed"].map(|list| text_list(line.expected.pointer(list)));
            if !truth.iter().any(|cause| lists.concat().contains(cause)) {
                return Ok(None);
            }
            let answer: Value = serde_json::from_str(&report).unwrap_or_default();
            // Only the answer is recorded, without a report.
            (line.id, texts(answer.pointer("/1/root cause component")), truth, String::new())
        }
        "" => (line.incident, line.answers, line.truth, report),
        _ => return Ok(None),
    };
    ensure!(
        !incident.is_empty(),
        "missing `incident`, the name shared by the runs of one incident"
    );
    ensure!(!truth.is_empty(), "missing `truth`, the list of accepted causes");
    let seconds = line.seconds.or_else(|| line.meta.pointer("/ttr_s").and_then(Value::as_f64));
    let invalid_calls = invalid(&line.calls);
    let evidence = line.evidence.into_iter().map(item).collect::<Result<_>>()?;
    Ok(Some(Run { incident, answers, truth, report, evidence, seconds, invalid_calls }))
}

fn texts(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_str).map(str::to_owned).into_iter().collect()
}

fn text_list(value: Option<&Value>) -> Vec<String> {
    let values = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    values.iter().flat_map(|value| texts(Some(value))).collect()
}

fn item(item: Item) -> Result<v1::EvidenceItem> {
    let (kind, lane) = match item.kind.as_str() {
        "log" | "event" => (EvidenceKind::ToolOutput, Lane::Logs),
        "metric" => (EvidenceKind::ToolOutput, Lane::Metrics),
        "trace" => (EvidenceKind::ToolOutput, Lane::Traces),
        "config" => (EvidenceKind::ToolOutput, Lane::StaticInfra),
        "change" => (EvidenceKind::Change, Lane::Change),
        "alert" => (EvidenceKind::Signal, Lane::Metrics),
        "step_output" => (EvidenceKind::StepOutput, Lane::StaticInfra),
        kind => anyhow::bail!("{}: unknown evidence kind `{kind}`", item.id),
    };
    let text = match item.content {
        Value::String(text) => text,
        document => document.to_string(),
    };
    let is_json = is_json(&text);
    Ok(message(item.id, text, is_json).kind(kind).lane(lane).tool(item.tool).into())
}

/// Returns `None` if there is no list of propagations, no origin or no alert.
fn propagation(expected: &Value) -> Option<Propagation> {
    // In some files, the fields are one level higher.
    let spec =
        expected.pointer("/groundtruth_v1/spec").or_else(|| expected.pointer("/groundtruth_v1"))?;
    let list = |pointer: &str| spec.pointer(pointer).and_then(Value::as_array);
    let entity = |value: &Value, pointer: &str| {
        value.pointer(pointer).and_then(Value::as_str).and_then(|name| Entity::parse(name).ok())
    };
    let edge = |value: &Value| Some((entity(value, "/source")?, entity(value, "/target")?));
    let edges: Vec<(Entity, Entity)> = list("/propagations")?.iter().filter_map(edge).collect();
    let is_known = |name: &Entity| edges.iter().any(|(from, to)| from == name || to == name);
    let entities = |pointer: &str, field: &str| -> Vec<Entity> {
        let values = list(pointer).map(Vec::as_slice).unwrap_or_default();
        values.iter().filter_map(|value| entity(value, field)).filter(is_known).collect()
    };
    let groups = list("/groups").map(Vec::as_slice).unwrap_or_default();
    let is_origin = |group: &&Value| group.pointer("/root_cause") == Some(&Value::Bool(true));
    let origins = groups.iter().filter(is_origin).filter_map(|group| entity(group, "/id"));
    let origins: Vec<Entity> = origins.filter(is_known).collect();
    let alerts = entities("/alerts", "/group_id");
    (!origins.is_empty() && !alerts.is_empty()).then_some(Propagation { edges, origins, alerts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_lines(lines: &[Value]) -> Result<Recorded> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::write(file.path(), text.join("\n")).unwrap();
        read(&[file.path()])
    }

    #[test]
    fn reads_each_source() {
        let own = serde_json::json!({"id": "r1", "incident": "i1", "answers": ["a"], "truth": ["b"], "report": "A failed.",
            "evidence": [{"id": "e1", "kind": "log", "content": "a failed"}], "seconds": 2.5});
        let boerste = serde_json::json!({"id": "x", "source": "boerste", "report": "…",
            "expected": {"ground_truth_fault": {"fault_entity": "cart"}},
            "meta": {"system": "shop", "fault_id": "7", "ttr_s": 9.0,
                "structured_root_causes": [{"location": "cart-0"}, {"location": "cart"}]}});
        let example = |passed: &str| {
            serde_json::json!({"id": "o1", "source": "openrca",
            "report": "{\"1\": {\"root cause component\": \"MG02\"}}",
            "expected": {"groundtruth": "level: pod\ncomponent: MG02\nreason: x", "passed": [passed], "failed": []}})
        };
        let itbench = serde_json::json!({"id": "t", "source": "itbench", "expected": {"groundtruth_v1": {"spec": {
            "alerts": [{"group_id": "c"}], "groups": [{"id": "a", "root_cause": true}, {"id": "b"}],
            "propagations": [{"source": "a", "target": "b"}, {"source": "b", "target": "c"}]}}}});
        let recorded = read_lines(&[own, boerste, example("MG02"), example("x"), itbench]).unwrap();
        let [own, boerste, openrca] = recorded.runs.as_slice() else { panic!("{recorded:?}") };
        assert_eq!((own.incident.as_str(), own.evidence.len(), own.seconds), ("i1", 1, Some(2.5)));
        assert_eq!((boerste.incident.as_str(), boerste.seconds), ("shop/7", Some(9.0)));
        assert_eq!(
            (boerste.answers.clone(), boerste.truth.clone()),
            (vec!["cart-0".into(), "cart".into()], vec!["cart".into()])
        );
        assert_eq!((openrca.answers.clone(), openrca.report.as_str()), (vec!["MG02".into()], ""));
        assert_eq!((recorded.propagations.len(), recorded.skipped), (1, 1));
        assert_eq!(recorded.propagations[0].edges.len(), 2);
    }

    #[test]
    fn failed_and_repeated_calls_are_invalid() {
        let call = |tool: &str, failed| serde_json::json!({"tool": tool, "arguments": "-n shop", "failed": failed});
        let line = serde_json::json!({"id": "r1", "incident": "i1", "truth": ["b"], "calls": [call("logs", false),
            call("logs", false), call("events", true), call("top", false)]});
        assert_eq!(read_lines(&[line]).unwrap().runs[0].invalid_calls, Some(0.5));
        assert_eq!(invalid(&[]), None);
    }

    #[test]
    fn rejects_incomplete_or_unknown_lines() {
        for line in [
            serde_json::json!({"id": "r1", "answers": ["a"], "truth": ["b"]}),
            serde_json::json!({"id": "r1", "incident": "i1", "answers": ["a"]}),
            serde_json::json!({"id": "r1", "incident": "i1", "truth": ["b"], "evidence": [{"id": "e", "kind": "smell", "content": ""}]}),
            serde_json::json!({"id": "r1", "source": "elsewhere"}),
        ] {
            assert!(read_lines(std::slice::from_ref(&line)).is_err(), "{line}");
        }
    }
}
