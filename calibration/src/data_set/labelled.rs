//! This module reads folders of `cases.jsonl`, `claims.jsonl` and `reports.jsonl`, with a split of the cases beside
//! them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::{Class, EvidenceType};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::{Case, DataSet, Label, Part, Prose};

/// A line of `cases.jsonl`.
#[derive(Deserialize)]
pub(crate) struct CaseLine {
    pub(crate) case: String,
    pub(crate) evidence: Vec<ItemLine>,
}

/// An item of a case, as its file has it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ItemLine {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) lane: String,
    pub(crate) tool: String,
    pub(crate) content: String,
}

#[derive(Deserialize)]
struct ClaimLine {
    id: String,
    case: String,
    text: String,
    class: String,
    #[serde(rename = "type")]
    evidence_type: String,
    evidence_id: Option<String>,
    quote: Option<String>,
    origin: Option<String>,
    mistake: Option<String>,
}

#[derive(Deserialize)]
struct ReportLine {
    case: String,
    kind: String,
    text: String,
}

#[derive(Deserialize)]
struct Split {
    tune: HashSet<String>,
    test: HashSet<String>,
}

impl Split {
    fn part(&self, case: &str) -> Result<Part> {
        match (self.tune.contains(case), self.test.contains(case)) {
            (true, false) => Ok(Part::Tune),
            (false, true) => Ok(Part::Test),
            (true, true) => anyhow::bail!("case {case} is in both parts of the split"),
            (false, false) => anyhow::bail!("case {case} is in no part of the split"),
        }
    }
}

/// The cases, claims and reports of folders. Without a file for the split, the `split.json` beside the first
/// folder says which case belongs to which part.
pub(crate) fn labelled_data(folders: &[PathBuf], split: Option<&Path>) -> Result<DataSet> {
    let split = match (split, folders.first()) {
        (Some(path), _) => path.to_owned(),
        (None, Some(first)) => first.join("../split.json"),
        (None, None) => anyhow::bail!("no folder is given"),
    };
    let split: Split = serde_json::from_str(&read(&split)?)
        .with_context(|| format!("{}: not a split of cases", split.display()))?;
    let mut data_set = DataSet::default();
    for folder in folders {
        add(folder, &split, &mut data_set)?;
    }
    ensure!(!data_set.labels.is_empty(), "there are no claims");
    Ok(data_set)
}

fn add(folder: &Path, split: &Split, data_set: &mut DataSet) -> Result<()> {
    let mut places = HashMap::new();
    for line in lines::<CaseLine>(&folder.join("cases.jsonl"))? {
        let part = split.part(&line.case)?;
        let evidence = line.evidence.into_iter().map(item).collect::<Result<_>>();
        let evidence = evidence.with_context(|| format!("case {}", line.case))?;
        let twice = places.insert(line.case.clone(), data_set.cases.len()).is_some();
        ensure!(!twice, "{}: case {} is there twice", folder.display(), line.case);
        data_set.cases.push(Case { name: line.case, part, evidence });
    }
    let place = |case: &str| {
        let place = places.get(case).copied();
        place.with_context(|| format!("{}: there is no case {case}", folder.display()))
    };
    for line in lines::<ClaimLine>(&folder.join("claims.jsonl"))? {
        let case = place(&line.case)?;
        let id = line.id.clone();
        data_set.labels.push(label(line, case).with_context(|| format!("claim {id}"))?);
    }
    for line in lines::<ReportLine>(&folder.join("reports.jsonl"))? {
        let ReportLine { case, kind, text } = line;
        data_set.reports.push(Prose { case: place(&case)?, kind, text, labels: Vec::new() });
    }
    Ok(())
}

fn item(line: ItemLine) -> Result<v1::EvidenceItem> {
    let kind = EvidenceKind::from_name(&line.kind);
    let lane = Lane::from_name(&line.lane);
    let content = if is_json(&line.content) {
        v1::evidence_item::Content::Json(line.content)
    } else {
        v1::evidence_item::Content::Text(line.content)
    };
    Ok(v1::EvidenceItem {
        kind: kind.with_context(|| format!("{}: no kind `{}`", line.id, line.kind))?.number(),
        lane: lane.with_context(|| format!("{}: no lane `{}`", line.id, line.lane))?.number(),
        id: line.id,
        tool: line.tool,
        content: Some(content),
        ..Default::default()
    })
}

/// Whether a text is one JSON document that holds others: an object or an array.
pub(crate) fn is_json(content: &str) -> bool {
    content.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<IgnoredAny>(content).is_ok()
}

fn label(line: ClaimLine, case: usize) -> Result<Label> {
    let class = Class::from_name(&line.class);
    let evidence_type = EvidenceType::from_name(&line.evidence_type);
    Ok(Label {
        id: line.id,
        case,
        text: line.text,
        span: None,
        class: class.with_context(|| format!("no class `{}`", line.class))?,
        evidence_type: evidence_type
            .with_context(|| format!("no type `{}`", line.evidence_type))?,
        evidence: line.evidence_id,
        quote: line.quote,
        origin: line.origin,
        mistake: line.mistake,
    })
}

/// The lines of a file, each a JSON object; empty ones are passed over.
pub(crate) fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = read(path)?;
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered
        .map(|(number, line)| {
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), number + 1))
        })
        .collect()
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = r#"{"case":"a/1","alert":"up","evidence":[
        {"id":"alert","kind":"signal","lane":"metrics","tool":"pager","content":"{\"a\": 1}"},
        {"id":"e1","kind":"tool_output","lane":"logs","tool":"kubectl logs","content":"{not json"}]}"#;
    const CLAIM: &str = r#"{"id":"c1","case":"a/1","text":"It is up.","class":"contradicted","type":"signal_match","evidence_id":"alert","quote":"up","origin":"edited","mistake":"negation","note":""}"#;
    const REPORT: &str = r#"{"case":"a/1","kind":"faithful","text":"It is up.","claim_ids":["c1"],"spans":[["c1",0,9]]}"#;

    fn data_set(split: &str, claim: &str) -> Result<DataSet> {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("set");
        std::fs::create_dir(&folder).unwrap();
        for (path, text) in [
            ("cases.jsonl", CASE.replace('\n', "").as_str()),
            ("claims.jsonl", claim),
            ("reports.jsonl", REPORT),
            ("../split.json", split),
        ] {
            std::fs::write(folder.join(path), text).unwrap();
        }
        labelled_data(&[folder], None)
    }

    #[test]
    fn a_folder_is_read_with_the_split_beside_it() {
        let data_set = data_set(r#"{"tune":[],"test":["a/1"]}"#, CLAIM).unwrap();
        let [case] = &data_set.cases[..] else { panic!("one case") };
        assert_eq!(case.part, Part::Test);
        let [alert, log] = &case.evidence[..] else { panic!("two items") };
        assert!(matches!(alert.content, Some(v1::evidence_item::Content::Json(_))));
        assert_eq!(alert.kind(), v1::EvidenceKind::Signal);
        assert!(matches!(log.content, Some(v1::evidence_item::Content::Text(_))));
        assert_eq!((log.lane(), log.tool.as_str()), (v1::EvidenceLane::Logs, "kubectl logs"));
        assert_eq!(data_set.labels[0].class, Class::Contradicted);
        assert_eq!(data_set.labels[0].mistake.as_deref(), Some("negation"));
        assert_eq!(data_set.reports[0].kind, "faithful");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |split: &str, claim: &str| format!("{:#}", data_set(split, claim).unwrap_err());
        let neither = error(r#"{"tune":[],"test":[]}"#, CLAIM);
        assert_eq!(neither, "case a/1 is in no part of the split");
        let split = r#"{"tune":["a/1"],"test":[]}"#;
        let class = error(split, &CLAIM.replace("contradicted", "wrong"));
        assert_eq!(class, "claim c1: no class `wrong`");
        let line = error(split, &format!("{CLAIM}\n{{"));
        assert!(line.contains("claims.jsonl:2: EOF"), "{line}");
    }
}
