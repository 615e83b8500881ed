//! Lists the reports and requests in a directory.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use gsar_client::input::InputError;

use super::files::Stamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A report, as text.
    Report,
    /// `EvaluateRequest` messages, as JSON.
    Requests,
}

/// Returns the kind of a file, or `None` if it is hidden or has another extension.
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

/// Returns the reports and requests in a directory, with their stamps.
pub(super) fn list(directory: &Path) -> Result<BTreeMap<PathBuf, Stamp>, InputError> {
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => InputError::Unusable {
            path: directory.to_owned(),
            message: "not a directory".to_owned(),
        },
        _ => InputError::Unreadable { path: directory.to_owned(), source },
    };
    let mut stamps = BTreeMap::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if kind(&path).is_none() {
            continue;
        }
        // The file can disappear after it was listed.
        if let Some(stamp) = stamp(&path) {
            stamps.insert(path, stamp);
        }
    }
    Ok(stamps)
}

/// Returns the stamp of a regular file.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let (size, inode) = (metadata.len(), metadata.ino());
    Some(Stamp { size, modified: metadata.modified().ok(), inode })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_only_reports_and_requests() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.md", "b.JSON", "c.jsonl", "d.txt", ".e.md", "f.md.tmp", "g.toml", "h"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join("i.md")).unwrap();
        let files = list(folder.path()).unwrap();
        let names: Vec<_> =
            files.keys().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a.md", "b.JSON", "c.jsonl", "d.txt"]);
        assert_eq!(kind(Path::new("x/b.JSON")), Some(Kind::Requests));
        let error = list(Path::new("nowhere")).unwrap_err().to_string();
        assert_eq!(error, "nowhere: not a directory");
    }
}
