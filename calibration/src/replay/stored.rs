//! Reads stored judgements with their cases and reports.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use gsar_core::Class;
use serde::Deserialize;

use super::nearest::nearest_line;
use crate::arguments::ReplayPart;
use crate::data_set::{CaseLine, ClaimLine, ItemLine, ReportLine, Split, lines};
use crate::judgement::{Citation, Judgement};

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) evidence: Vec<ItemLine>,
    pub(crate) claims: Vec<StoredClaim>,
    /// The case's reports. Empty if their claims were not judged.
    pub(crate) reports: Vec<Report>,
}

#[derive(Clone, Debug)]
pub(crate) struct StoredClaim {
    pub(crate) text: String,
    pub(crate) judgement: Judgement,
    /// `true` if the label has the same class; `None` if there is no label.
    pub(crate) right: Option<bool>,
}

#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// `faithful`, `overreaching` or `contradicted`.
    pub(crate) kind: String,
    pub(crate) text: String,
}

#[derive(Deserialize)]
struct JudgementsLine {
    case: String,
    claims: BTreeMap<String, Judgement>,
}

/// Reads the cases in one part, in file order.
///
/// `path` is a file of judgements next to folders of cases, or a folder of cases whose labels serve as
/// judgements.
pub(crate) fn stored_cases(path: &Path, part: ReplayPart) -> Result<Vec<Case>> {
    let (split, folders, judgements) = if path.is_dir() {
        (path.join("split.json"), vec![path.to_owned()], None)
    } else {
        let parent = path.parent().context("not a file of judgements")?;
        (parent.join("split.json"), folders_of_cases(parent)?, Some(judged_claims(path)?))
    };
    let split = Split::read(split)?;
    let part_cases = split.cases(part.name())?;
    let mut cases = Vec::new();
    for folder in folders {
        add(&folder, part_cases, judgements.as_ref(), &mut cases)?;
    }
    ensure!(!cases.is_empty(), "{}: part {} has no cases", path.display(), part.name());
    Ok(cases)
}

fn folders_of_cases(parent: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(parent).with_context(|| parent.display().to_string())? {
        let folder = entry?.path();
        if folder.join("cases.jsonl").is_file() {
            folders.push(folder);
        }
    }
    folders.sort_unstable();
    Ok(folders)
}

type Judgements = HashMap<String, BTreeMap<String, Judgement>>;

fn judged_claims(path: &Path) -> Result<Judgements> {
    let mut cases = Judgements::new();
    for JudgementsLine { case, claims } in lines(path)? {
        cases.insert(case, claims);
    }
    Ok(cases)
}

fn add(
    folder: &Path,
    part_cases: &HashSet<String>,
    judgements: Option<&Judgements>,
    cases: &mut Vec<Case>,
) -> Result<()> {
    let mut labels: HashMap<String, Vec<StoredClaim>> = HashMap::new();
    for line in lines::<ClaimLine>(&folder.join("claims.jsonl"))? {
        let case = line.case.clone();
        let label = label(line).with_context(|| format!("case {case}"))?;
        labels.entry(case).or_default().push(label);
    }
    let mut reports: HashMap<String, Vec<Report>> = HashMap::new();
    for ReportLine { case, kind, text, .. } in lines(&folder.join("reports.jsonl"))? {
        reports.entry(case).or_default().push(Report { kind, text });
    }
    for CaseLine { case: name, evidence, .. } in lines(&folder.join("cases.jsonl"))? {
        if !part_cases.contains(&name) {
            continue;
        }
        let mut labels = labels.remove(&name).unwrap_or_default();
        if judgements.is_none() {
            labels.iter_mut().for_each(|label| cite_subject(label, &evidence));
        }
        let reports = reports.remove(&name).unwrap_or_default();
        let (claims, reports) = match judgements {
            None => (labels, reports),
            Some(judgements) => match judgements.get(&name) {
                Some(judged) => judged_reports(&labels, judged, reports),
                None => continue,
            },
        };
        cases.push(Case { name, evidence, claims, reports });
    }
    Ok(())
}

/// Returns the judged claims, and the reports if more than the labelled claims were judged.
fn judged_reports(
    labels: &[StoredClaim],
    judged: &BTreeMap<String, Judgement>,
    reports: Vec<Report>,
) -> (Vec<StoredClaim>, Vec<Report>) {
    let label_of: HashMap<&str, Class> =
        labels.iter().map(|label| (label.text.as_str(), label.judgement.class)).collect();
    let claims: Vec<StoredClaim> = judged
        .iter()
        .map(|(text, judgement)| StoredClaim {
            text: text.clone(),
            judgement: judgement.clone(),
            right: label_of.get(text.as_str()).map(|label| *label == judgement.class),
        })
        .collect();
    let of_reports = claims.iter().any(|claim| claim.right.is_none());
    (claims, if of_reports { reports } else { Vec::new() })
}

fn label(line: ClaimLine) -> Result<StoredClaim> {
    let (class, evidence_type) = (line.class.0, line.evidence_type()?);
    let first = line.evidence_id.map(|id| (id, line.quote.unwrap_or_default()));
    let more = line.more.into_iter().map(|more| (more.evidence_id, more.quote));
    let citations = first.into_iter().chain(more);
    let citations =
        citations.map(|(evidence, quote)| Citation { evidence, field_path: None, quote }).collect();
    let judgement = Judgement { class, evidence_type, citations };
    Ok(StoredClaim { text: line.text, judgement, right: Some(true) })
}

/// A judge must cite evidence even for complementary claims, but their labels may lack a citation. Cites the line
/// with the most words in common with the claim.
fn cite_subject(label: &mut StoredClaim, evidence: &[ItemLine]) {
    let judgement = &mut label.judgement;
    if judgement.class == Class::Complementary && judgement.citations.is_empty() {
        judgement.citations.extend(nearest_line(&label.text, evidence).map(|(_, line)| line));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use gsar_core::EvidenceType;
    use gsar_core::evidence::{EvidenceKind, Lane};

    pub(crate) fn case(content: &str, claims: Vec<StoredClaim>) -> Case {
        let item = ItemLine {
            id: "e1".to_owned(),
            kind: EvidenceKind::ToolOutput,
            lane: Lane::Logs,
            tool: "kubectl logs".to_owned(),
            query: String::new(),
            content: content.to_owned(),
        };
        Case { name: "a/1".to_owned(), evidence: vec![item], claims, reports: Vec::new() }
    }

    pub(crate) fn stored(text: &str, class: Class) -> StoredClaim {
        let citation =
            Citation { evidence: "e1".to_owned(), field_path: None, quote: "restarted".to_owned() };
        let citations = if class == Class::Ungrounded { Vec::new() } else { vec![citation] };
        let judgement = Judgement { class, evidence_type: EvidenceType::ToolMatch, citations };
        StoredClaim { text: text.to_owned(), judgement, right: Some(true) }
    }

    const CASE: &str = r#"{"case":"a/1","evidence":[{"id":"e1","kind":"tool_output","lane":"logs","tool":"cat","content":"up since noon"}]}"#;
    const LABELS: &str = r#"{"case":"a/1","text":"It is up.","class":"grounded","type":"tool_match","evidence_id":"e1","quote":"up","more":[{"evidence_id":"e1","quote":"noon"}]}
{"case":"a/1","text":"Noon is a bad time.","class":"complementary","type":"domain","evidence_id":null,"quote":null}
{"case":"a/1","text":"It was down.","class":"ungrounded","type":"inference","evidence_id":null,"quote":null}"#;
    const JUDGED: &str = r#"{"case":"a/1","claims":{"It is up.":{"class":"grounded","type":"tool_match","citations":[{"evidence":"e1","field_path":"/a","quote":"up"}]},"It was down.":{"class":"contradicted","type":"tool_match","citations":[]},"It rose.":{"class":"ungrounded","type":"inference","citations":[]}}}
{"case":"b/2","claims":{}}"#;
    const REPORT: &str = r#"{"case":"a/1","kind":"faithful","text":"It is up."}"#;

    fn write_folder(cases: &Path) {
        std::fs::create_dir_all(cases).unwrap();
        for (name, text) in
            [("cases.jsonl", CASE), ("claims.jsonl", LABELS), ("reports.jsonl", REPORT)]
        {
            std::fs::write(cases.join(name), text).unwrap();
        }
    }

    #[test]
    fn labels_serve_as_judgements() {
        let root = tempfile::tempdir().unwrap();
        write_folder(root.path());
        std::fs::write(root.path().join("split.json"), r#"{"tune":["a/1"],"calib":[]}"#).unwrap();
        let cases = stored_cases(root.path(), ReplayPart::Tune).unwrap();
        let [case] = &cases[..] else { panic!("expected one case") };
        let quotes: Vec<Vec<&str>> = case
            .claims
            .iter()
            .map(|claim| claim.judgement.citations.iter().map(|cited| &*cited.quote).collect())
            .collect();
        assert_eq!(quotes, [vec!["up", "noon"], vec!["up since noon"], vec![]]);
        assert!(case.claims.iter().all(|claim| claim.right == Some(true)));
        assert_eq!(case.reports.len(), 1);
        let empty = stored_cases(root.path(), ReplayPart::Calib).unwrap_err().to_string();
        assert!(empty.contains("part calib has no cases"), "{empty}");
        let none = stored_cases(root.path(), ReplayPart::Test).unwrap_err().to_string();
        assert!(none.contains("no part `test`"), "{none}");
    }

    #[test]
    fn judgements_are_correct_if_the_label_agrees() {
        let root = tempfile::tempdir().unwrap();
        write_folder(&root.path().join("set"));
        let judgements = root.path().join("judgements.jsonl");
        std::fs::write(&judgements, JUDGED).unwrap();
        std::fs::write(root.path().join("split.json"), r#"{"tune":["a/1","b/2"]}"#).unwrap();
        let cases = stored_cases(&judgements, ReplayPart::Tune).unwrap();
        let [case] = &cases[..] else { panic!("expected one case") };
        let right: BTreeMap<&str, Option<bool>> =
            case.claims.iter().map(|claim| (claim.text.as_str(), claim.right)).collect();
        let expected =
            [("It is up.", Some(true)), ("It rose.", None), ("It was down.", Some(false))];
        assert_eq!(right, expected.into());
        assert_eq!(case.claims[0].judgement.citations[0].field_path.as_deref(), Some("/a"));
        assert_eq!(case.reports.len(), 1, "claims without a label come from reports");
    }
}
