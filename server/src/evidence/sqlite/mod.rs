//! Corpora in SQLite. Each has its own folder with a database (contents, passages, terms) and a vector index.

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
use super::store::{Corpus, CorpusStore, Summary};
use crate::storage::{DatabaseFile, LockError, create_folder, lock};
use crate::wall_clock::now_micros;
use corpus::SqliteCorpus;

const LOCK: &str = ".lock";
/// The number of open corpora above which unused corpora are closed.
const MAX_OPEN: usize = 64;
/// The prefix of folders that are being deleted. They are never opened again.
const DELETED: &str = ".deleted-";

#[derive(Debug)]
pub(super) struct SqliteCorpora {
    folder: PathBuf,
    open_corpora: Mutex<HashMap<CorpusName, Arc<SqliteCorpus>>>,
    /// The size of each corpus in bytes; `None` until first requested.
    sizes: Mutex<Option<HashMap<CorpusName, u64>>>,
    /// Held while the sizes are first read.
    count_lock: Mutex<()>,
    _lock: File,
}

impl SqliteCorpora {
    /// Locks the folder for this process and finishes interrupted deletions.
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        let store_error = |error: std::io::Error| StoreError::from_io(&error, folder);
        create_folder(folder).map_err(store_error)?;
        let lock = lock_folder(folder)?;
        for entry in std::fs::read_dir(folder).map_err(store_error)? {
            let path = entry.map_err(store_error)?.path();
            let is_deleted = path
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.starts_with(DELETED));
            if is_deleted {
                std::fs::remove_dir_all(&path).map_err(store_error)?;
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            open_corpora: Mutex::default(),
            sizes: Mutex::default(),
            count_lock: Mutex::default(),
            _lock: lock,
        })
    }

    fn folder(&self, name: &CorpusName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CorpusName, Arc<SqliteCorpus>>> {
        self.open_corpora.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sizes(&self) -> MutexGuard<'_, Option<HashMap<CorpusName, u64>>> {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the summary of a corpus without leaving it open.
    fn read_summary(&self, name: &CorpusName) -> Result<Summary, StoreError> {
        let open = self.lock().get(name).cloned();
        match open {
            Some(corpus) => corpus.summary(),
            None => corpus::read_summary(name, &self.folder(name)),
        }
    }
}

/// Returns the databases in a folder. Vector indexes are excluded, because they can be rebuilt from the cache.
pub(super) fn database_files(folder: &Path) -> std::io::Result<Vec<DatabaseFile>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let name = entry?.file_name();
        if name.to_str().is_some_and(|name| CorpusName::new(name).is_ok()) {
            let path = Path::new(&name).join(corpus::DATABASE);
            files.push(DatabaseFile { path, after_copy: "UPDATE corpus SET embedded_by = NULL" });
        }
    }
    Ok(files)
}

impl CorpusStore for SqliteCorpora {
    fn corpus(&self, name: &CorpusName, create: bool) -> Result<Arc<dyn Corpus>, StoreError> {
        let mut open = self.lock();
        if let Some(corpus) = open.get(name) {
            return Ok(Arc::<SqliteCorpus>::clone(corpus));
        }
        let folder = self.folder(name);
        if !folder.join(corpus::DATABASE).is_file() {
            if !create {
                return Err(StoreError::UnknownCorpus { corpus: name.to_string() });
            }
            create_folder(&folder).map_err(|error| StoreError::from_io(&error, &folder))?;
        }
        if open.len() >= MAX_OPEN {
            open.retain(|_, corpus| Arc::strong_count(corpus) > 1);
        }
        let corpus = Arc::new(SqliteCorpus::open(name.clone(), &folder, now_micros())?);
        open.insert(name.clone(), Arc::clone(&corpus));
        Ok(corpus)
    }

    fn summaries(&self, names: &[CorpusName]) -> Result<Vec<Summary>, StoreError> {
        let mut summaries = Vec::new();
        for name in names {
            match self.read_summary(name) {
                Ok(summary) => summaries.push(summary),
                Err(StoreError::UnknownCorpus { .. }) => {}
                Err(error) => tracing::warn!(corpus = %name, %error, "failed to open a corpus"),
            }
        }
        Ok(summaries)
    }

    fn now(&self) -> Result<i64, StoreError> {
        Ok(now_micros())
    }

    fn names(&self) -> Result<Vec<CorpusName>, StoreError> {
        let store_error = |error: std::io::Error| StoreError::from_io(&error, &self.folder);
        let mut names = BTreeSet::new();
        for entry in std::fs::read_dir(&self.folder).map_err(store_error)? {
            let name = entry.map_err(store_error)?.file_name();
            names.extend(name.to_str().and_then(|name| CorpusName::new(name).ok()));
        }
        Ok(names.into_iter().collect())
    }

    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError> {
        {
            // After a start, one caller reads all sizes while the others wait.
            let _count_guard = self.count_lock.lock().unwrap_or_else(PoisonError::into_inner);
            let has_sizes = self.sizes().is_some();
            if !has_sizes {
                let summaries = self.summaries(&self.names()?)?;
                let summaries =
                    summaries.into_iter().map(|summary| (summary.name, summary.size)).collect();
                self.sizes().get_or_insert(summaries);
            }
        }
        let sizes = self.sizes();
        let others = sizes.iter().flatten().filter(|(other, _)| *other != name);
        Ok(others.fold(0, |sum: u64, (_, size)| sum.saturating_add(*size)))
    }

    fn update_size(&self, name: &CorpusName) {
        let size = match self.read_summary(name) {
            Ok(summary) => summary.size,
            // The corpus was deleted in the meantime.
            Err(StoreError::UnknownCorpus { .. }) => return,
            Err(error) => {
                tracing::warn!(corpus = %name, %error, "failed to read the size of a corpus");
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
        let renamed_folder = self.folder.join(format!("{DELETED}{}", crate::wall_clock::new_id()));
        let store_error = |error: std::io::Error| StoreError::from_io(&error, &folder);
        std::fs::rename(&folder, &renamed_folder).map_err(store_error)?;
        drop(open);
        std::fs::remove_dir_all(&renamed_folder).map_err(store_error)
    }
}

fn lock_folder(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    lock(&path).map_err(|error| match error {
        LockError::Locked(_) => StoreError::Unavailable {
            reason: format!(
                "{} is locked by another server; only one server can use a data directory",
                path.display()
            ),
            fix: "stop the other server, or use another data_dir",
        },
        LockError::Io(error) => StoreError::from_io(&error, &path),
    })
}
