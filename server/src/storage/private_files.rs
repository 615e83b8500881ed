//! Folders and files that only this user can access.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{Access, access};

/// Creates a folder with mode 0700 if it is missing, and syncs its parent.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    match path.canonicalize()?.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

/// Checks that this user can use or create a folder. Changes nothing.
pub(crate) fn check_folder(path: &Path) -> Result<(), String> {
    for ancestor in path.ancestors() {
        let path = match ancestor.as_os_str().is_empty() {
            true => Path::new("."),
            false => ancestor,
        };
        match std::fs::metadata(path) {
            Ok(metadata) if !metadata.is_dir() => {
                return Err(format!("{} is a file", path.display()));
            }
            Ok(_) => {
                let mode = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
                return access(path, mode).map_err(|error| {
                    format!("{} cannot be written: {}", path.display(), io::Error::from(error))
                });
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) => {}
            Err(error) => return Err(format!("{}: {error}", path.display())),
        }
    }
    Ok(())
}

/// Creates an empty file with mode 0600 if it is missing. Does not open an existing file, because closing it would
/// release the locks that SQLite has on it in this process.
pub(crate) fn create_file(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result.map(drop),
    }
}

/// Opens a file for reading and writing. Creates it with mode 0600 if it is missing.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checking_a_missing_folder_does_not_create_it() {
        let parent = tempfile::tempdir().unwrap();
        check_folder(parent.path()).unwrap();
        check_folder(&parent.path().join("a/b")).unwrap();
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
        check_folder(Path::new("a-relative-folder")).unwrap();
    }

    #[test]
    fn errors_name_a_file_in_the_way() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("file");
        std::fs::write(&file, "").unwrap();
        for path in [file.clone(), file.join("data")] {
            let error = check_folder(&path).unwrap_err();
            assert_eq!(error, format!("{} is a file", file.display()));
        }
    }
}
