//! Reads labelled cases and claims, grouped by split.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use gsar_core::Class;

use crate::arguments::ReplayPart;
use crate::data_set::{CaseLine, ClaimLine, ItemLine, Split, lines};

/// Folders that share a split, or a single folder without one.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
}

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) evidence: Vec<ItemLine>,
    pub(crate) claims: Vec<Claim>,
}

pub(crate) struct Claim {
    pub(crate) text: String,
    pub(crate) class: Class,
    pub(crate) mistake: Option<String>,
}

/// Reads the cases in one part of a split. The split is the file `split` or, by default, the `split.json` in each
/// folder or its parent. A folder with no cases in the default split is read completely.
pub(crate) fn sources(
    folders: &[PathBuf],
    split: Option<&Path>,
    part: ReplayPart,
) -> Result<Vec<Source>> {
    let mut sources: Vec<(Option<PathBuf>, Source)> = Vec::new();
    for folder in folders {
        let mut lines: Vec<CaseLine> = lines(&folder.join("cases.jsonl"))?;
        let found = match split {
            Some(path) => Some(Split::read(path.to_owned())?),
            None => Split::of_folder(folder)?
                .filter(|split| lines.iter().any(|line| split.contains(&line.case))),
        };
        if let Some(split) = &found {
            for line in &lines {
                split.part_of(&line.case).with_context(|| folder.display().to_string())?;
            }
            let cases = split.cases(part.name())?;
            lines.retain(|line| cases.contains(&line.case));
        }
        let cases = cases(folder, lines)?;
        let path = found.map(|split| split.path);
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        match sources.iter_mut().find(|(known, _)| path.is_some() && *known == path) {
            Some((_, source)) => {
                source.name = format!("{} + {name}", source.name);
                source.cases.extend(cases);
            }
            None => sources.push((path, Source { name: name.into_owned(), cases })),
        }
    }
    let sources: Vec<Source> = sources.into_iter().map(|(_, source)| source).collect();
    ensure!(
        sources.iter().flat_map(|source| &source.cases).any(|case| !case.claims.is_empty()),
        "part {} has no claims in these folders; use other folders or another --part",
        part.name()
    );
    Ok(sources)
}

fn cases(folder: &Path, cases: Vec<CaseLine>) -> Result<Vec<Case>> {
    let mut claims: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
    for ClaimLine { case, text, class, mistake, .. } in lines(&folder.join("claims.jsonl"))? {
        claims.entry(case).or_default().push(Claim { text, class: class.0, mistake });
    }
    let cases = cases.into_iter().map(|CaseLine { case, evidence, .. }| Case {
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
    fn folders_that_share_a_split_form_one_source() {
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
        let unlisted = error(&folders, Some(&split));
        assert!(unlisted.contains("case m/1 is in 0 parts"), "{unlisted}");
        assert!(error(&folders[1..2], None).contains("part tune has no claims"));
    }

    #[test]
    fn rejects_unknown_classes_and_parts() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a/1");
        let claims = r#"{"case":"a/1","text":"It is up.","class":"right"}"#;
        std::fs::write(root.path().join("claims.jsonl"), claims).unwrap();
        let folders = [root.path().to_owned()];
        let error = format!("{:#}", sources(&folders, None, ReplayPart::Tune).err().unwrap());
        assert!(error.contains("claims.jsonl:1: unknown label `right`"), "{error}");
        std::fs::write(root.path().join("split.json"), r#"{"test":["a/1"]}"#).unwrap();
        let error = format!("{:#}", sources(&folders, None, ReplayPart::Tune).err().unwrap());
        assert!(error.contains(r#"no part `tune`; expected one of {"test"}"#), "{error}");
    }
}
