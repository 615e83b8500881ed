//! This module reads labelled cases and claims from files. It sends no requests.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use gsar_core::Class;
use serde::Deserialize;

use crate::arguments::ReplayPart;
use crate::data_set::{lines, read};

/// Folders that share a split, or one without.
pub(crate) struct Source {
    /// The names of its folders.
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
}

/// An incident with its evidence and its claims.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) evidence: Vec<Item>,
    pub(crate) claims: Vec<Claim>,
}

/// An item of evidence, as far as passages look at it.
#[derive(Deserialize)]
pub(crate) struct Item {
    #[serde(default)]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) tool: String,
    #[serde(default)]
    pub(crate) query: String,
    pub(crate) content: String,
}

/// A claim and what a person says of it.
pub(crate) struct Claim {
    pub(crate) text: String,
    pub(crate) class: Class,
    /// What is wrong with it, where something is.
    pub(crate) mistake: Option<String>,
}

#[derive(Deserialize)]
struct CaseLine {
    case: String,
    evidence: Vec<Item>,
}

#[derive(Deserialize)]
struct ClaimLine {
    case: String,
    text: String,
    class: String,
    mistake: Option<String>,
}

type Split = HashMap<String, HashSet<String>>;

/// The cases of one part, by the split that they share. Without a file for the split it is the `split.json` in a folder
/// or beside it; where that names none of a folder's cases, or there is none, all cases are read.
pub(crate) fn sources(
    folders: &[PathBuf],
    split: Option<&Path>,
    part: ReplayPart,
) -> Result<Vec<Source>> {
    let mut sources: Vec<(Option<PathBuf>, Source)> = Vec::new();
    for folder in folders {
        let lines: Vec<CaseLine> = lines(&folder.join("cases.jsonl"))?;
        let (split, lines) = match split_of(folder, split, &lines)? {
            None => (None, lines),
            Some((path, split)) => {
                let lines = of_part(lines, &split, part)
                    .with_context(|| format!("{}: {}", path.display(), folder.display()))?;
                (Some(path), lines)
            }
        };
        let cases = cases(folder, lines)?;
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        match sources.iter_mut().find(|(path, _)| split.is_some() && *path == split) {
            Some((_, source)) => {
                source.name = format!("{} + {name}", source.name);
                source.cases.extend(cases);
            }
            None => sources.push((split, Source { name: name.into_owned(), cases })),
        }
    }
    let sources: Vec<Source> = sources.into_iter().map(|(_, source)| source).collect();
    ensure!(
        sources.iter().flat_map(|source| &source.cases).any(|case| !case.claims.is_empty()),
        "part {} has no claims in these folders; name others, or another --part",
        part.name()
    );
    Ok(sources)
}

/// The split that a folder's cases belong to, with its place.
fn split_of(
    folder: &Path,
    given: Option<&Path>,
    lines: &[CaseLine],
) -> Result<Option<(PathBuf, Split)>> {
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let beside = folder.parent().map(|parent| parent.join("split.json"));
    let found = [Some(folder.join("split.json")), beside];
    let found = found.into_iter().flatten().find(|path| path.is_file());
    let Some(path) = given.map(Path::to_owned).or(found) else { return Ok(None) };
    let split: Split = serde_json::from_str(&read(&path)?)
        .with_context(|| format!("{}: not a split of cases", path.display()))?;
    let named = |line: &CaseLine| split.values().any(|part| part.contains(&line.case));
    Ok((given.is_some() || lines.iter().any(named)).then_some((path, split)))
}

fn of_part(lines: Vec<CaseLine>, split: &Split, part: ReplayPart) -> Result<Vec<CaseLine>> {
    let Some(wanted) = split.get(part.name()) else {
        let parts: BTreeSet<&String> = split.keys().collect();
        bail!("the split has no part `{}`, it has {parts:?}", part.name())
    };
    let mut kept = Vec::new();
    for line in lines {
        let parts = split.values().filter(|part| part.contains(&line.case)).count();
        ensure!(
            parts == 1,
            "case {} is in {parts} parts of the split, it has to be in one",
            line.case
        );
        if wanted.contains(&line.case) {
            kept.push(line);
        }
    }
    Ok(kept)
}

fn cases(folder: &Path, lines_of_cases: Vec<CaseLine>) -> Result<Vec<Case>> {
    let mut claims: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
    for ClaimLine { case, text, class, mistake } in lines(&folder.join("claims.jsonl"))? {
        let class = Class::from_name(&class)
            .with_context(|| format!("{}: case {case}: no class `{class}`", folder.display()))?;
        claims.entry(case).or_default().push(Claim { text, class, mistake });
    }
    let cases = lines_of_cases.into_iter().map(|CaseLine { case, evidence }| Case {
        claims: claims.remove(&case).unwrap_or_default(),
        name: case,
        evidence,
    });
    Ok(cases.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, case: &str) {
        std::fs::create_dir_all(folder).unwrap();
        let cases = format!(r#"{{"case":"{case}","evidence":[{{"content":"up"}}]}}"#);
        let claims = format!(r#"{{"case":"{case}","text":"It is up.","class":"grounded"}}"#);
        std::fs::write(folder.join("cases.jsonl"), cases).unwrap();
        std::fs::write(folder.join("claims.jsonl"), claims).unwrap();
    }

    #[test]
    fn folders_that_share_a_split_are_one_source_and_one_that_it_does_not_name_is_read_whole() {
        let root = tempfile::tempdir().unwrap();
        let folders = ["a", "b", "more"].map(|name| root.path().join(name));
        for (folder, case) in folders.iter().zip(["a/1", "b/1", "m/1"]) {
            write(folder, case);
        }
        let split = root.path().join("split.json");
        std::fs::write(&split, r#"{"tune":["a/1"],"test":["b/1"]}"#).unwrap();
        let read = |part| {
            let sources = sources(&folders, None, part).unwrap();
            let read = sources.iter().map(|source| {
                let cases: Vec<&str> = source.cases.iter().map(|case| case.name.as_str()).collect();
                format!("{}: {}", source.name, cases.join(" "))
            });
            read.collect::<Vec<_>>()
        };
        assert_eq!(read(ReplayPart::Tune), ["a + b: a/1", "more: m/1"]);
        assert_eq!(read(ReplayPart::Test), ["a + b: b/1", "more: m/1"]);
        let error = |folders, split| {
            format!("{:#}", sources(folders, split, ReplayPart::Tune).err().unwrap())
        };
        let unnamed = error(&folders, Some(&split));
        assert!(unnamed.contains("case m/1 is in 0 parts"), "{unnamed}");
        assert!(error(&folders[1..2], None).contains("part tune has no claims"));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a/1");
        let claims = r#"{"case":"a/1","text":"It is up.","class":"right"}"#;
        std::fs::write(root.path().join("claims.jsonl"), claims).unwrap();
        let folders = [root.path().to_owned()];
        let error = sources(&folders, None, ReplayPart::Tune).err().unwrap().to_string();
        assert!(error.ends_with("case a/1: no class `right`"), "{error}");
        std::fs::write(root.path().join("split.json"), r#"{"test":["a/1"]}"#).unwrap();
        let error = format!("{:#}", sources(&folders, None, ReplayPart::Tune).err().unwrap());
        assert!(error.contains(r#"no part `tune`, it has {"test"}"#), "{error}");
    }
}
