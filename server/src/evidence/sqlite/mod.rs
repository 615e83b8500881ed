//! This module keeps corpora in SQLite, each in a folder of its own below the data directory.
//!
//! Everything of a corpus but its vectors stands in one database (contents, passages, terms): what is acknowledged
//! together is kept together, and deleting a corpus is deleting its folder.

mod content;
mod corpus;
mod database;
mod search;
mod snapshot;
mod vectors;

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::StoreError;
use super::name::CorpusName;
use super::now;
use super::store::{Corpus, CorpusStore, Summary};
use crate::storage::{DatabaseFile, LockError, create_folder, lock};
use corpus::SqliteCorpus;

/// The file that one process holds while it owns the folder.
const LOCK: &str = ".lock";
/// The most corpora that stay open while nobody uses them.
const MAX_OPEN: usize = 64;
/// How a folder is renamed before it is deleted, so that a half-deleted corpus is never opened.
const DELETED: &str = ".deleted-";

/// All corpora below a folder.
#[derive(Debug)]
pub(super) struct SqliteCorpora {
    folder: PathBuf,
    open: Mutex<HashMap<CorpusName, Arc<SqliteCorpus>>>,
    /// The bytes of each corpus, once they were asked for; then every change is counted.
    sizes: Mutex<Option<HashMap<CorpusName, u64>>>,
    /// Held while they are asked for.
    counting: Mutex<()>,
    _lock: File,
}

impl SqliteCorpora {
    /// Takes the folder for this process; what was deleted in part is deleted.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where the folder cannot be made or read, or another process holds it.
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        let failed = |error: std::io::Error| StoreError::of_system(&error, folder);
        create_folder(folder).map_err(failed)?;
        let lock = take(folder)?;
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let is_deleted = path
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.starts_with(DELETED));
            if is_deleted {
                std::fs::remove_dir_all(&path).map_err(failed)?;
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            open: Mutex::default(),
            sizes: Mutex::default(),
            counting: Mutex::default(),
            _lock: lock,
        })
    }

    fn folder(&self, name: &CorpusName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CorpusName, Arc<SqliteCorpus>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sizes(&self) -> MutexGuard<'_, Option<HashMap<CorpusName, u64>>> {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a corpus that need not stay open for it.
    fn glance(&self, name: &CorpusName) -> Result<Summary, StoreError> {
        let open = self.lock().get(name).cloned();
        match open {
            Some(corpus) => corpus.summary(),
            None => corpus::glance(name, &self.folder(name)),
        }
    }
}

/// The databases of corpora in a folder. Vectors beside them are made again from the cache.
pub(super) fn database_files(folder: &Path) -> std::io::Result<Vec<DatabaseFile>> {
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let name = entry?.file_name();
        if name.to_str().is_some_and(|name| CorpusName::new(name).is_ok()) {
            let path = Path::new(&name).join(corpus::DATABASE);
            found.push(DatabaseFile { path, after_copy: "UPDATE corpus SET embedded_by = NULL" });
        }
    }
    Ok(found)
}

impl CorpusStore for SqliteCorpora {
    fn corpus(&self, name: &CorpusName, make: bool) -> Result<Arc<dyn Corpus>, StoreError> {
        let mut open = self.lock();
        if let Some(corpus) = open.get(name) {
            return Ok(Arc::<SqliteCorpus>::clone(corpus));
        }
        let folder = self.folder(name);
        if !folder.join(corpus::DATABASE).is_file() {
            if !make {
                return Err(StoreError::UnknownCorpus { corpus: name.to_string() });
            }
            create_folder(&folder).map_err(|error| StoreError::of_system(&error, &folder))?;
        }
        if open.len() >= MAX_OPEN {
            open.retain(|_, corpus| Arc::strong_count(corpus) > 1);
        }
        let corpus = Arc::new(SqliteCorpus::open(name.clone(), &folder, now())?);
        open.insert(name.clone(), Arc::clone(&corpus));
        Ok(corpus)
    }

    fn summaries(&self, names: &[CorpusName]) -> Result<Vec<Summary>, StoreError> {
        let mut found = Vec::new();
        for name in names {
            match self.glance(name) {
                Ok(summary) => found.push(summary),
                Err(StoreError::UnknownCorpus { .. }) => {}
                Err(error) => tracing::warn!(corpus = %name, %error, "a corpus cannot be opened"),
            }
        }
        Ok(found)
    }

    fn now(&self) -> Result<i64, StoreError> {
        Ok(now())
    }

    fn names(&self) -> Result<Vec<CorpusName>, StoreError> {
        let failed = |error: std::io::Error| StoreError::of_system(&error, &self.folder);
        let mut names = BTreeSet::new();
        for entry in std::fs::read_dir(&self.folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            names.extend(name.to_str().and_then(|name| CorpusName::new(name).ok()));
        }
        Ok(names.into_iter().collect())
    }

    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError> {
        {
            // One caller opens all corpora after a start; the others wait for what it finds.
            let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
            let is_known = self.sizes().is_some();
            if !is_known {
                let all = self.summaries(&self.names()?)?;
                let all = all.into_iter().map(|summary| (summary.name, summary.size)).collect();
                self.sizes().get_or_insert(all);
            }
        }
        let sizes = self.sizes();
        let others = sizes.iter().flatten().filter(|(other, _)| *other != name);
        Ok(others.fold(0, |sum: u64, (_, size)| sum.saturating_add(*size)))
    }

    fn was_stored_in(&self, name: &CorpusName) {
        let size = match self.glance(name) {
            Ok(summary) => summary.size,
            // Deleted in between.
            Err(StoreError::UnknownCorpus { .. }) => return,
            Err(error) => {
                tracing::warn!(corpus = %name, %error, "its size is not counted");
                return;
            }
        };
        if let Some(sizes) = self.sizes().as_mut() {
            sizes.insert(name.clone(), size);
        }
    }

    fn delete(&self, name: &CorpusName) -> Result<(), StoreError> {
        if let Some(sizes) = self.sizes().as_mut() {
            sizes.remove(name);
        }
        let mut open = self.lock();
        open.remove(name);
        let folder = self.folder(name);
        let away = self.folder.join(format!("{DELETED}{}", crate::wall_clock::new_id()));
        let failed = |error: std::io::Error| StoreError::of_system(&error, &folder);
        std::fs::rename(&folder, &away).map_err(failed)?;
        drop(open);
        std::fs::remove_dir_all(&away).map_err(failed)
    }
}

/// Takes the folder for this process.
fn take(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    lock(&path).map_err(|error| match error {
        LockError::Held(_) => StoreError::Unavailable {
            reason: format!(
                "{} is held by another server; one server owns a data directory",
                path.display()
            ),
            fix: "stop it, or name another data_dir",
        },
        LockError::Refused(error) => StoreError::of_system(&error, &path),
    })
}
