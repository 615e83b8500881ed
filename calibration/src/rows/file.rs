//! Reads rows from files in any supported format.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Row;
use super::claims::{ClaimLine, JudgedLine};
use super::labelled::{incidents, reports};
use super::spans::SpansLine;
use super::{aiopslab, hotpot, parquet};
use crate::data_set;
use crate::digest::sha256;

#[derive(Debug)]
pub(crate) struct RowFile {
    path: PathBuf,
    part: Option<String>,
    pub(crate) sha256: String,
}

/// Opens a file or folder and computes its digest. `part` selects a part of a folder.
pub(crate) fn open(path: &Path, part: Option<&str>) -> Result<RowFile> {
    let files = if path.is_dir() { files(path)? } else { vec![path.to_owned()] };
    let sha256 = sha256(files.iter().map(PathBuf::as_path))?;
    Ok(RowFile { path: path.to_owned(), part: part.map(str::to_owned), sha256 })
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

impl RowFile {
    /// Returns the name without extensions: `fever_nli_dev.test` for `fever_nli_dev.test.jsonl.gz`.
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let mut endings = [".jsonl", ".parquet", ".json"].into_iter();
        endings.find_map(|ending| name.strip_suffix(ending)).unwrap_or(name).to_owned()
    }

    pub(crate) fn rows(&self) -> Result<Box<dyn Iterator<Item = Result<Row>>>> {
        let path = self.path.clone();
        if path.is_dir() {
            let read_folder = if path.join("cases.jsonl").exists() { reports } else { incidents };
            let rows = read_folder(&path, self.part.as_deref())?;
            return Ok(Box::new(rows.into_iter().map(check)));
        }
        if path.extension().is_some_and(|extension| extension == "parquet") {
            return Ok(Box::new(parquet::rows(&path)?.map(|row| check(row?))));
        }
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = data_set::read(&path)?;
            let rows = match text.trim_start().starts_with('[') {
                true => hotpot::rows(&text),
                false => aiopslab::row(&text).map(|row| row.into_iter().collect()),
            };
            let rows = rows.with_context(|| path.display().to_string())?;
            return Ok(Box::new(rows.into_iter().map(check)));
        }
        let file = File::open(&path).with_context(|| path.display().to_string())?;
        let is_packed = path.extension().is_some_and(|extension| extension == "gz");
        let reader: Box<dyn Read> = if is_packed {
            Box::new(flate2::read::MultiGzDecoder::new(file))
        } else {
            Box::new(file)
        };
        let lines = (1..).zip(BufReader::new(reader).lines());
        let rows = lines.map(move |(number, line)| {
            let line = line.with_context(|| format!("{}:{number}", path.display()))?;
            if line.trim().is_empty() {
                return Ok(None);
            }
            row(&line).map(Some).with_context(|| format!("{}:{number}", path.display()))
        });
        Ok(Box::new(rows.filter_map(Result::transpose)))
    }
}

/// Parses a row. Its keys determine the format.
fn row(line: &str) -> Result<Row> {
    let value: Value = serde_json::from_str(line)?;
    let has = |key: &str| value.get(key).is_some();
    let is_judged = || value.pointer("/claims/0/class").is_some();
    let row = if has("spans") {
        read::<SpansLine>(value)?.into()
    } else if has("claim") {
        read::<ClaimLine>(value)?.into()
    } else if is_judged() {
        read::<JudgedLine>(value)?.into()
    } else if has("claims") {
        read(value)?
    } else {
        bail!(
            "expected a row with `claim` and `label`, with `claims`, or with `response` and `spans`"
        );
    };
    check(row)
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T> {
    Ok(serde_json::from_value(value)?)
}

fn check(row: Row) -> Result<Row> {
    if row.id.is_empty() {
        bail!("`id` is empty");
    }
    if row.claims.is_empty() {
        bail!("row {}: no claims", row.id);
    }
    if row.evidence.is_empty() {
        bail!("row {}: no evidence", row.id);
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_format_and_names_broken_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.test.jsonl");
        let lines = [
            r#"{"id":"a","claim":"x","label":"SUPPORTS","evidence":[{"text":"y"}]}"#,
            "",
            r#"{"id":"b","claims":[{"text":"x","gold":"complementary"}],"evidence":[{"id":"e","text":"y"}]}"#,
            r#"{"id":"c","mode":"single","evidence":[{"id":"s","title":"","text":"y"}],"claims":[{"text":"x","gold":"REFUTES","row":"r","class":"grounded","type":"tool_match","citations":[{"evidence":"s","quote":"y"}],"note":""}],"score":1}"#,
            r#"{"id":"d","source_text":"y","response":"It is x.","spans":[]}"#,
            r#"{"id":"e","claim":"x","label":"SUPPORTS","evidence":[]}"#,
            r#"{"id":"f","text":"x"}"#,
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let file = open(&path, None).unwrap();
        assert_eq!((file.name().as_str(), file.sha256.len()), ("some.test", 64));
        let rows: Vec<Result<Row>> = file.rows().unwrap().collect();
        let results: Vec<String> = rows
            .iter()
            .map(|row| match row {
                Ok(row) => row.id.clone(),
                Err(error) => {
                    format!("{error:#}").rsplit('/').next().unwrap_or_default().to_owned()
                }
            })
            .collect();
        let expected = [
            "a",
            "b",
            "c",
            "d",
            "some.test.jsonl:6: row e: no evidence",
            "some.test.jsonl:7: expected a row with `claim` and `label`, with `claims`, or with `response` and `spans`",
        ];
        assert_eq!(results, expected);
        let judged = rows[2].as_ref().unwrap().claims[0].judged.as_ref().unwrap();
        assert_eq!((judged.class, judged.citations.len()), (gsar_core::Class::Grounded, 1));
    }

    #[test]
    fn reads_json_documents() {
        let folder = tempfile::tempdir().unwrap();
        let questions = r#" [{"_id":"q","question":"Who?","answer":"Ada","context":[["Ada",["Ada."]],["Bo",["Bo."]]],"supporting_facts":[["Ada",0]]}]"#;
        let session = r#"{"session_id":"s","problem_id":"x-localization-1","results":{"success":true},
            "trace":[{"role":"env","content":"down"},{"role":"assistant","content":"submit([\"a\"])"}]}"#;
        let ids = |text: &str| {
            let path = folder.path().join("file.json");
            std::fs::write(&path, text).unwrap();
            let rows = open(&path, None).unwrap().rows()?;
            rows.map(|row| Ok(row?.id)).collect::<Result<Vec<String>>>()
        };
        assert_eq!(ids(questions).unwrap(), ["q", "q/without"]);
        assert_eq!(ids(session).unwrap(), ["s"]);
        let error = format!("{:#}", ids("{}").unwrap_err());
        assert!(error.contains("file.json: expected an AIOpsLab session"), "{error}");
    }
}
