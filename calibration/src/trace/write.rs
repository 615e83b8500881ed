//! Writes a trace line by line, so that interrupted runs can resume.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Header, Line};

#[derive(Debug)]
pub(crate) struct TraceWriter {
    path: PathBuf,
    file: File,
    pub(crate) answered: HashSet<String>,
}

impl TraceWriter {
    /// Creates a trace, or resumes one with the same header.
    pub(crate) fn open(path: &Path, header: &Header) -> Result<Self> {
        let file_name = || path.display().to_string();
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.with_context(file_name)?;
        if file.try_lock().is_err() {
            bail!("{}: in use by another run; choose another file with --out", path.display());
        }
        let mut writer = Self { path: path.to_owned(), file, answered: HashSet::new() };
        let has_header = writer.resume(header).with_context(file_name)?;
        if !has_header {
            writer.line(&serde_json::to_string(header)?)?;
        }
        Ok(writer)
    }

    /// Reads the existing lines and removes an incomplete last line. Returns `false` if there is no header.
    fn resume(&mut self, header: &Header) -> Result<bool> {
        let mut reader = BufReader::new(&self.file);
        reader.seek(SeekFrom::Start(0))?;
        let (mut line, mut whole, mut number) = (String::new(), 0, 0);
        loop {
            line.clear();
            // An incomplete line can end within a character.
            let mut bytes = Vec::new();
            let length = reader.read_until(b'\n', &mut bytes)?;
            if length == 0 || bytes.last() != Some(&b'\n') {
                break;
            }
            number += 1;
            line.push_str(std::str::from_utf8(&bytes).with_context(|| format!("line {number}"))?);
            if number == 1 {
                ensure_same(&line, header)?;
            } else {
                let row: RowOnly =
                    serde_json::from_str(&line).with_context(|| format!("line {number}"))?;
                self.answered.insert(row.row);
            }
            whole += length as u64;
        }
        self.file.set_len(whole)?;
        Ok(number > 0)
    }

    pub(crate) fn add(&mut self, line: &Line) -> Result<()> {
        self.line(&serde_json::to_string(line)?)?;
        self.answered.insert(line.row.clone());
        Ok(())
    }

    fn line(&mut self, text: &str) -> Result<()> {
        let written = self.file.write_all(format!("{text}\n").as_bytes());
        written.with_context(|| self.path.display().to_string())
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.file.sync_all().with_context(|| self.path.display().to_string())
    }
}

#[derive(Deserialize)]
struct RowOnly {
    row: String,
    #[serde(rename = "gold")]
    _gold: IgnoredAny,
}

fn ensure_same(line: &str, header: &Header) -> Result<()> {
    let found: Map<String, Value> = serde_json::from_str(line).context("line 1 is not a header")?;
    let Value::Object(expected) = serde_json::to_value(header)? else { bail!("no header") };
    let other = expected.iter().find(|(key, value)| found.get(*key) != Some(value));
    if let Some((key, value)) = other {
        let actual = found.get(key).unwrap_or(&Value::Null);
        ensure!(
            false,
            "this trace belongs to another run: its {key} is {actual}, not {value}; choose another file with --out"
        );
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rows::Gold;
    use gsar_core::Class;

    pub(crate) fn header() -> Header {
        Header {
            trace: super::super::FORMAT,
            run: "r1".to_owned(),
            judge: Some("rules/2".to_owned()),
            seed: 1,
            rows: 2,
            ..Header::default()
        }
    }

    fn line(row: &str) -> Line {
        Line {
            row: row.to_owned(),
            gold: vec![Gold(Class::Grounded)],
            evaluation: None,
            refused: Some("ü".to_owned()),
            loop_end: None,
        }
    }

    #[test]
    fn resumes_after_any_cut() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.jsonl");
        let mut writer = TraceWriter::open(&whole, &header()).unwrap();
        writer.add(&line("a")).unwrap();
        writer.add(&line("b")).unwrap();
        writer.finish().unwrap();
        let bytes = std::fs::read(&whole).unwrap();
        for cut in 0..=bytes.len() {
            let path = folder.path().join("cut.jsonl");
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let mut writer = TraceWriter::open(&path, &header()).unwrap();
            for row in ["a", "b"] {
                if !writer.answered.contains(row) {
                    writer.add(&line(row)).unwrap();
                }
            }
            writer.finish().unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "cut at {cut}");
        }
    }

    #[test]
    fn rejects_the_trace_of_another_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let writer = TraceWriter::open(&path, &header()).unwrap();
        let error = format!("{:#}", TraceWriter::open(&path, &header()).unwrap_err());
        assert!(error.ends_with("in use by another run; choose another file with --out"));
        drop(writer);
        let error = TraceWriter::open(&path, &Header { seed: 2, ..header() }).unwrap_err();
        let error = format!("{error:#}");
        assert!(
            error.ends_with(
                "this trace belongs to another run: its seed is 1, not 2; choose another file with --out"
            ),
            "{error}"
        );
        std::fs::write(&path, "hello\n").unwrap();
        assert!(TraceWriter::open(&path, &header()).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"hello\n");
    }
}
