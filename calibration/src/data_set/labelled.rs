//! Reads folders that contain `cases.jsonl`, `claims.jsonl` and `reports.jsonl`, and their `split.json`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use gsar_client::Item;
use gsar_core::EvidenceType;
use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_proto::v1;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::{Case, DataSet, Label, Part, Prose};
use crate::names;
use crate::rows::Gold;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaseLine {
    pub(crate) case: String,
    pub(crate) evidence: Vec<ItemLine>,
    // Notes for human readers.
    #[serde(rename = "alert", default)]
    _alert: IgnoredAny,
    #[serde(rename = "domain", default)]
    _domain: IgnoredAny,
    #[serde(rename = "shape", default)]
    _shape: IgnoredAny,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ItemLine {
    #[serde(default)]
    pub(crate) id: String,
    #[serde(with = "names::kind", default = "tool_output")]
    pub(crate) kind: EvidenceKind,
    #[serde(with = "names::lane", default = "static_infra")]
    pub(crate) lane: Lane,
    #[serde(default)]
    pub(crate) tool: String,
    #[serde(default)]
    pub(crate) query: String,
    pub(crate) content: String,
}

pub(crate) fn tool_output() -> EvidenceKind {
    EvidenceKind::ToolOutput
}

pub(crate) fn static_infra() -> Lane {
    Lane::StaticInfra
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimLine {
    #[serde(default)]
    pub(crate) id: String,
    pub(crate) case: String,
    pub(crate) text: String,
    pub(crate) class: Gold,
    #[serde(rename = "type", default)]
    evidence_type: String,
    pub(crate) evidence_id: Option<String>,
    pub(crate) quote: Option<String>,
    #[serde(default)]
    pub(crate) more: Vec<QuoteLine>,
    pub(crate) origin: Option<String>,
    pub(crate) mistake: Option<String>,
    #[serde(rename = "note", default)]
    _note: IgnoredAny,
    #[serde(rename = "checked", default)]
    _checked: IgnoredAny,
    #[serde(rename = "pair", default)]
    _pair: IgnoredAny,
    #[serde(rename = "style", default)]
    _style: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuoteLine {
    pub(crate) evidence_id: String,
    pub(crate) quote: String,
}

impl ClaimLine {
    pub(crate) fn evidence_type(&self) -> Result<EvidenceType> {
        let name = &self.evidence_type;
        EvidenceType::from_name(name).with_context(|| format!("unknown type `{name}`"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportLine {
    pub(crate) case: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    #[serde(rename = "claim_ids", default)]
    _claim_ids: IgnoredAny,
    #[serde(rename = "spans", default)]
    _spans: IgnoredAny,
}

pub(crate) struct Split {
    pub(crate) path: PathBuf,
    parts: HashMap<String, HashSet<String>>,
}

impl Split {
    pub(crate) fn read(path: PathBuf) -> Result<Self> {
        let parts = serde_json::from_str(&read(&path)?)
            .with_context(|| format!("{}: invalid split", path.display()))?;
        Ok(Self { path, parts })
    }

    pub(crate) fn of_folder(folder: &Path) -> Result<Option<Self>> {
        let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
        let folders = [Some(folder.as_path()), folder.parent()].into_iter().flatten();
        let mut paths = folders.map(|folder| folder.join("split.json"));
        paths.find(|path| path.is_file()).map(Self::read).transpose()
    }

    pub(crate) fn cases(&self, part: &str) -> Result<&HashSet<String>> {
        self.parts.get(part).with_context(|| {
            let parts: BTreeSet<&String> = self.parts.keys().collect();
            format!("{}: no part `{part}`; expected one of {parts:?}", self.path.display())
        })
    }

    /// Returns the part that contains a case. Fails unless there is exactly one.
    pub(crate) fn part_of(&self, case: &str) -> Result<&str> {
        let parts: Vec<&str> = self
            .parts
            .iter()
            .filter(|(_, cases)| cases.contains(case))
            .map(|(part, _)| part.as_str())
            .collect();
        match parts.as_slice() {
            [part] => Ok(part),
            parts => bail!(
                "case {case} is in {} parts of {}; expected exactly one",
                parts.len(),
                self.path.display()
            ),
        }
    }

    pub(crate) fn contains(&self, case: &str) -> bool {
        self.parts.values().any(|part| part.contains(case))
    }
}

/// Reads labelled folders. The split defaults to the `split.json` next to the first folder.
pub(crate) fn labelled_data(folders: &[PathBuf], split: Option<&Path>) -> Result<DataSet> {
    let first = folders.first().context("no folders")?;
    let split = split.map_or_else(|| first.join("../split.json"), Path::to_owned);
    let split = Split::read(split)?;
    let mut data_set = DataSet::default();
    for folder in folders {
        add(folder, &split, &mut data_set)?;
    }
    ensure!(!data_set.labels.is_empty(), "no claims");
    Ok(data_set)
}

fn add(folder: &Path, split: &Split, data_set: &mut DataSet) -> Result<()> {
    let mut indexes = HashMap::new();
    for CaseLine { case: name, evidence, .. } in lines(&folder.join("cases.jsonl"))? {
        let part = match split.part_of(&name)? {
            "tune" => Part::Tune,
            "test" => Part::Test,
            part => bail!("case {name} is in part {part}; expected tune or test"),
        };
        let duplicate = indexes.insert(name.clone(), data_set.cases.len()).is_some();
        ensure!(!duplicate, "{}: duplicate case {name}", folder.display());
        let evidence = evidence.into_iter().map(ItemLine::into_message).collect();
        data_set.cases.push(Case { name, part, evidence });
    }
    let index = |case: &str| {
        let index = indexes.get(case).copied();
        index.with_context(|| format!("{}: unknown case {case}", folder.display()))
    };
    for line in lines::<ClaimLine>(&folder.join("claims.jsonl"))? {
        let evidence_type = line.evidence_type().with_context(|| format!("claim {}", line.id))?;
        data_set.labels.push(Label {
            case: index(&line.case)?,
            id: line.id,
            text: line.text,
            span: None,
            class: line.class.0,
            evidence_type,
            evidence: line.evidence_id,
            quote: line.quote,
            origin: line.origin,
            mistake: line.mistake,
        });
    }
    for ReportLine { case, kind, text, .. } in lines(&folder.join("reports.jsonl"))? {
        data_set.reports.push(Prose { case: index(&case)?, kind, text, labels: Vec::new() });
    }
    Ok(())
}

impl ItemLine {
    fn into_message(self) -> v1::EvidenceItem {
        let is_json = is_json(&self.content);
        message(self.id, self.content, is_json)
            .kind(self.kind)
            .lane(self.lane)
            .tool(self.tool)
            .into()
    }
}

/// Creates an evidence item whose content is a JSON document or text.
pub(crate) fn message(id: String, content: String, is_json: bool) -> Item {
    if is_json { Item::json(id, content) } else { Item::text(id, content) }
}

pub(crate) fn is_json(content: &str) -> bool {
    content.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<IgnoredAny>(content).is_ok()
}

/// Parses a JSON Lines file. Skips empty lines.
pub(crate) fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = read(path)?;
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered
        .map(|(number, line)| {
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), number + 1))
        })
        .collect()
}

pub(crate) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::Class;

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
    fn reads_a_folder_with_its_split() {
        let data_set = data_set(r#"{"tune":[],"test":["a/1"]}"#, CLAIM).unwrap();
        let [case] = &data_set.cases[..] else { panic!("expected one case") };
        assert_eq!(case.part, Part::Test);
        let [alert, log] = &case.evidence[..] else { panic!("expected two items") };
        assert!(matches!(alert.content, Some(v1::evidence_item::Content::Json(_))));
        assert_eq!(alert.kind(), v1::EvidenceKind::Signal);
        assert!(matches!(log.content, Some(v1::evidence_item::Content::Text(_))));
        assert_eq!((log.lane(), log.tool.as_str()), (v1::EvidenceLane::Logs, "kubectl logs"));
        assert_eq!(data_set.labels[0].class, Class::Contradicted);
        assert_eq!(data_set.labels[0].mistake.as_deref(), Some("negation"));
        assert_eq!(data_set.reports[0].kind, "faithful");
    }

    #[test]
    fn errors_name_the_case_or_the_line() {
        let error = |split: &str, claim: &str| format!("{:#}", data_set(split, claim).unwrap_err());
        let neither = error(r#"{"tune":[],"test":[]}"#, CLAIM);
        assert!(neither.starts_with("case a/1 is in 0 parts of "), "{neither}");
        let split = r#"{"tune":["a/1"],"test":[]}"#;
        let class = error(split, &CLAIM.replace("contradicted", "wrong"));
        assert!(class.contains("claims.jsonl:1: unknown label `wrong`"), "{class}");
        let line = error(split, &format!("{CLAIM}\n{{"));
        assert!(line.contains("claims.jsonl:2: EOF"), "{line}");
        let key = error(split, &CLAIM.replace("quote", "qoute"));
        assert!(key.contains("claims.jsonl:1: unknown field `qoute`"), "{key}");
    }
}
