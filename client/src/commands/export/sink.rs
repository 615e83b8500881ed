//! Writes records to standard output, or to a file that appears only when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gsar_client::json::to_json;
use tempfile::NamedTempFile;

use super::columns::{columns, rows};
use super::table::Table;
use crate::arguments::{FileFormat, Kind};
use crate::failure::Failure;
use gsar_client::v1::export_record::Record;

pub(super) enum Sink {
    /// JSON lines on standard output.
    Output(BufWriter<io::Stdout>),
    /// JSON lines in a file.
    Lines(BufWriter<NamedTempFile>, PathBuf),
    /// A Parquet file.
    Columns(Table<File>, NamedTempFile, PathBuf),
}

impl Sink {
    pub(super) fn open(
        kind: Kind,
        format: FileFormat,
        path: Option<&Path>,
    ) -> Result<Self, Failure> {
        let Some(path) = path else {
            return match format {
                FileFormat::Jsonl => Ok(Self::Output(BufWriter::new(io::stdout()))),
                FileFormat::Parquet => {
                    Err(Failure::Usage("--format parquet requires --to FILE".to_owned()))
                }
            };
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or_else(|| Path::new("."));
        let file = NamedTempFile::new_in(folder).map_err(|error| {
            let name = path.display();
            Failure::Usage(format!("--to {name}: {error}; specify a file in a writable directory"))
        })?;
        let path = path.to_owned();
        Ok(match format {
            FileFormat::Jsonl => Self::Lines(BufWriter::new(file), path),
            FileFormat::Parquet => {
                Self::Columns(Table::begin(file.reopen()?, columns(kind))?, file, path)
            }
        })
    }

    pub(super) fn write(&mut self, record: Record) -> Result<(), Failure> {
        match self {
            Self::Output(out) => writeln!(out, "{}", json_line(&record)?)?,
            Self::Lines(out, _) => writeln!(out, "{}", json_line(&record)?)?,
            Self::Columns(table, ..) => {
                for row in rows(record)? {
                    table.add(row)?;
                }
            }
        }
        Ok(())
    }

    /// Flushes the records. Syncs a file and moves it to its final name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let (file, path) = match self {
            Self::Output(mut out) => return Ok(out.flush()?),
            Self::Lines(out, path) => {
                (out.into_inner().map_err(io::IntoInnerError::into_error)?, path)
            }
            Self::Columns(table, file, path) => {
                table.finish()?;
                (file, path)
            }
        };
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| Failure::Output(error.error))?;
        Ok(())
    }
}

fn json_line(record: &Record) -> Result<String, Failure> {
    Ok(match record {
        Record::Partition(record) => to_json(record),
        Record::Grade(record) => to_json(record),
        Record::Preference(record) => to_json(record.as_ref()),
        Record::ClaimReward(record) => to_json(record),
    }?)
}
