//! This module lists the reports and requests of a directory, without what is below it. It reads no file's content.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use gsar_client::input::InputError;

use super::files::Stamp;

/// What a file holds, by how its name ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A report as text.
    Report,
    /// Whole requests as JSON.
    Requests,
}

/// The kind of a file; none for hidden files and other names.
pub(super) fn kind(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_str()?;
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        _ if name.starts_with('.') => None,
        "md" | "markdown" | "txt" => Some(Kind::Report),
        "json" | "jsonl" => Some(Kind::Requests),
        _ => None,
    }
}

/// The files of a directory that a watch reads, each as it is now.
///
/// # Errors
/// [`InputError`] when the directory cannot be read.
pub(super) fn listed(directory: &Path) -> Result<BTreeMap<PathBuf, Stamp>, InputError> {
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => InputError::Unusable {
            path: directory.to_owned(),
            message: "is no directory; name one that reports are written into".to_owned(),
        },
        _ => InputError::Unreadable { path: directory.to_owned(), source },
    };
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if kind(&path).is_none() {
            continue;
        }
        // A file that went away since is none of the directory any more.
        if let Some(stamp) = stamp(&path) {
            found.insert(path, stamp);
        }
    }
    Ok(found)
}

/// How a file is now; none where it is no file.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let (size, inode) = (metadata.len(), metadata.ino());
    Some(Stamp { size, modified: metadata.modified().ok(), inode })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_and_requests_are_listed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.md", "b.JSON", "c.jsonl", "d.txt", ".e.md", "f.md.tmp", "g.toml", "h"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join("i.md")).unwrap();
        let found = listed(folder.path()).unwrap();
        let names: Vec<_> =
            found.keys().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a.md", "b.JSON", "c.jsonl", "d.txt"]);
        assert_eq!(kind(Path::new("x/b.JSON")), Some(Kind::Requests));
        let nowhere = listed(Path::new("nowhere")).unwrap_err().to_string();
        assert_eq!(nowhere, "nowhere: is no directory; name one that reports are written into");
    }
}
