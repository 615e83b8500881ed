//! Checks a directory and its ledger. Changes nothing, and can run while a server uses them.

use std::path::Path;

use super::connection::open_reader;
use super::directory::DATABASE;
use super::schema::SCHEMA;
use crate::ledger::error::LedgerError;
use crate::ledger::fault::Fault;
use crate::storage::check_folder;

/// Checks the directory, and all pages of the database if it exists.
///
/// # Errors
/// Returns [`LedgerError::UnusableDirectory`], [`LedgerError::Foreign`], [`LedgerError::Schema`],
/// [`LedgerError::Corrupt`] or [`LedgerError::Unavailable`].
pub fn check(data_dir: &Path) -> Result<(), LedgerError> {
    check_directory(data_dir)?;
    let file = data_dir.join(DATABASE);
    match std::fs::metadata(&file) {
        Ok(metadata) if metadata.len() > 0 => check_database(&file),
        // A server stopped before its first write.
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(LedgerError::unusable(data_dir, error)),
    }
}

/// Checks that a directory can be used or created.
///
/// # Errors
/// Returns [`LedgerError::UnusableDirectory`].
pub fn check_directory(data_dir: &Path) -> Result<(), LedgerError> {
    check_folder(data_dir).map_err(|reason| LedgerError::unusable(data_dir, reason))
}

fn check_database(file: &Path) -> Result<(), LedgerError> {
    let ledger_error = |error: rusqlite::Error| Fault::from_sqlite(&error, file).error;
    let connection = open_reader(file).map_err(ledger_error)?;
    SCHEMA.check(&connection).map_err(|error| super::connection::schema_error(error, file))?;
    let result: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(ledger_error)?;
    match result.as_str() {
        "ok" => Ok(()),
        reason => {
            let reason = reason.lines().last().unwrap_or_default().trim().to_owned();
            Err(LedgerError::Corrupt { file: file.to_owned(), reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Ledger, Options, Record, SqliteLedger};

    async fn write_ledger(folder: &Path) {
        let ledger = SqliteLedger::open(Options::new(folder.to_owned())).unwrap();
        for number in 0..200 {
            let record = Record { response: vec![7; 2_000], ..Record::sample(number) };
            ledger.record(record).await.unwrap();
        }
        check(folder).unwrap();
        tokio::task::spawn_blocking(move || ledger.close()).await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn accepts_an_intact_ledger() {
        let folder = tempfile::tempdir().unwrap();
        check(folder.path()).unwrap();
        write_ledger(folder.path()).await;
        check(folder.path()).unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn detects_damage_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        write_ledger(folder.path()).await;
        let file = folder.path().join(DATABASE);
        let intact = std::fs::read(&file).unwrap();
        let page_size = 4_096;
        let middle = intact.len() / page_size / 2 * page_size;
        for (name, contents) in [
            ("header", [&[0; 100], &intact[100..]].concat()),
            (
                "middle",
                [&intact[..middle], &vec![0xa5; page_size], &intact[middle + page_size..]].concat(),
            ),
            ("truncated", intact[..middle].to_vec()),
            ("no database", b"this is not a database, but it has the name of one".to_vec()),
        ] {
            std::fs::write(&file, contents).unwrap();
            let error = check(folder.path()).unwrap_err();
            assert!(matches!(error, LedgerError::Corrupt { .. }), "{name}: {error}");
            assert!(error.to_string().contains("restore a backup"), "{name}: {error}");
        }
    }
}
