//! Decides which files of a watched directory are due: those that did not change between two polls and are not
//! evaluated yet. Does no I/O.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How often an unchanged file is read before it is reported as unreadable.
const MAX_READS: u32 = 3;

/// Identifies a version of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// The size in bytes.
    pub(super) size: u64,
    /// The modification time, if the file system provides it.
    pub(super) modified: Option<SystemTime>,
    /// The inode, which changes if another file is renamed over this one.
    pub(super) inode: u64,
}

/// How to treat the files found by the first poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// Evaluate them only when they change.
    Skip,
    /// Evaluate them like new files.
    Included,
    /// Evaluate only them.
    Only,
}

/// A file that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DueFile {
    /// The path of the file.
    pub(super) path: PathBuf,
    /// The version that was found.
    pub(super) stamp: Stamp,
    /// The digest of the last evaluation.
    pub(super) digest: Option<u64>,
    /// The number of earlier evaluations.
    pub(super) times: u64,
}

/// The files of a watched directory.
#[derive(Debug)]
pub(super) struct Files {
    existing: Existing,
    is_first: bool,
    known: BTreeMap<PathBuf, File>,
}

#[derive(Debug)]
struct File {
    stamp: Stamp,
    state: State,
    reads: u32,
    digest: Option<u64>,
    times: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// New or changed; it may still be written.
    Changing,
    /// Unchanged between two polls, and not evaluated.
    Due,
    /// Evaluated, reported or ignored.
    Done,
}

impl Files {
    /// Creates the state of a directory before the first poll.
    pub(super) fn new(existing: Existing) -> Self {
        Self { existing, is_first: true, known: BTreeMap::new() }
    }

    /// Updates the state with the result of a poll. Deleted files are forgotten.
    pub(super) fn look(&mut self, found: BTreeMap<PathBuf, Stamp>) {
        let is_first = std::mem::take(&mut self.is_first);
        self.known.retain(|path, _| found.contains_key(path));
        for (path, stamp) in found {
            match self.known.get_mut(&path) {
                Some(file) => file.look(stamp, self.existing),
                None => {
                    let is_wanted = match self.existing {
                        Existing::Skip => !is_first,
                        Existing::Included => true,
                        Existing::Only => is_first,
                    };
                    let state = if is_wanted { State::Changing } else { State::Done };
                    let file = File { stamp, state, reads: 0, digest: None, times: 0 };
                    self.known.insert(path, file);
                }
            }
        }
    }

    /// Returns the files that are due, by name.
    pub(super) fn due(&self) -> Vec<DueFile> {
        let due = self.known.iter().filter(|(_, file)| file.state == State::Due);
        due.map(|(path, file)| DueFile {
            path: path.clone(),
            stamp: file.stamp,
            digest: file.digest,
            times: file.times,
        })
        .collect()
    }

    /// Returns the number of files that are due or may become due.
    pub(super) fn pending(&self) -> usize {
        self.known.values().filter(|file| file.state != State::Done).count()
    }

    /// Marks a file that changed while it was read.
    pub(super) fn changing(&mut self, path: &Path) {
        if let Some(file) = self.known.get_mut(path) {
            file.state = State::Changing;
        }
    }

    /// Marks a file as evaluated or reported; `digest` is that of the evaluation.
    pub(super) fn done(&mut self, path: &Path, digest: Option<u64>) {
        if let Some(file) = self.known.get_mut(path) {
            file.state = State::Done;
            file.reads = 0;
            file.digest = digest;
            file.times += 1;
        }
    }

    /// Marks a file as unreadable. Returns `true` if it is to be reported, because it did not change for some polls.
    pub(super) fn unreadable(&mut self, path: &Path) -> bool {
        let Some(file) = self.known.get_mut(path) else { return false };
        file.reads += 1;
        let is_reported = file.reads >= MAX_READS;
        if is_reported {
            self.done(path, None);
        }
        is_reported
    }
}

impl File {
    fn look(&mut self, stamp: Stamp, existing: Existing) {
        let is_same = self.stamp == stamp;
        self.stamp = stamp;
        if self.state == State::Done && (is_same || existing == Existing::Only) {
            return;
        }
        if !is_same {
            self.reads = 0;
        }
        self.state = if is_same { State::Due } else { State::Changing };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, u64)]) -> BTreeMap<PathBuf, Stamp> {
        let stamp = |size| Stamp { size, modified: None, inode: 1 };
        files.iter().map(|(name, size)| (PathBuf::from(name), stamp(*size))).collect()
    }

    fn due(files: &Files) -> Vec<String> {
        files.due().iter().map(|due| due.path.display().to_string()).collect()
    }

    fn done(files: &mut Files) {
        for due in files.due() {
            files.done(&due.path, Some(7));
        }
    }

    #[test]
    fn a_file_is_due_after_two_equal_polls() {
        let mut files = Files::new(Existing::Skip);
        files.look(found(&[("old", 1)]));
        assert_eq!(due(&files), [""; 0]);
        files.look(found(&[("old", 1), ("b", 1), ("a", 1)]));
        assert_eq!(due(&files), [""; 0], "it may still be written");
        files.look(found(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(due(&files), ["a"]);
        assert_eq!(files.pending(), 2);
        done(&mut files);
        files.look(found(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(due(&files), ["b"]);
        done(&mut files);
        files.look(found(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(files.pending(), 0);
    }

    #[test]
    fn existing_files_are_treated_as_requested() {
        for (existing, expected) in [
            (Existing::Skip, &["new"][..]),
            (Existing::Included, &["new", "old"]),
            (Existing::Only, &["old"]),
        ] {
            let mut files = Files::new(existing);
            files.look(found(&[("old", 1)]));
            files.look(found(&[("old", 1), ("new", 1)]));
            files.look(found(&[("old", 1), ("new", 1)]));
            assert_eq!(due(&files), expected, "{existing:?}");
        }
    }

    #[test]
    fn a_changed_file_is_due_again_and_a_deleted_one_is_forgotten() {
        let mut files = Files::new(Existing::Included);
        files.look(found(&[("a", 1)]));
        files.look(found(&[("a", 1)]));
        done(&mut files);
        files.look(found(&[("a", 2)]));
        files.look(found(&[("a", 2)]));
        let [again] = &files.due()[..] else { panic!("one is due") };
        assert_eq!((again.digest, again.times), (Some(7), 1));
        files.look(found(&[]));
        assert_eq!(files.pending(), 0);
        files.look(found(&[("a", 2)]));
        files.look(found(&[("a", 2)]));
        let [recreated] = &files.due()[..] else { panic!("one is due") };
        assert_eq!((recreated.digest, recreated.times), (None, 0));
    }

    #[test]
    fn an_unreadable_file_is_reported_once_it_stops_changing() {
        let mut files = Files::new(Existing::Included);
        let mut size = 0;
        let mut look = |files: &mut Files, grows| {
            size += u64::from(grows);
            files.look(found(&[("a", size)]));
        };
        look(&mut files, true);
        look(&mut files, false);
        assert!(!files.unreadable(Path::new("a")));
        look(&mut files, false);
        assert!(!files.unreadable(Path::new("a")));
        look(&mut files, true);
        assert_eq!(due(&files), [""; 0], "it grows");
        for is_reported in [false, false, true] {
            look(&mut files, false);
            assert_eq!(due(&files), ["a"]);
            assert_eq!(files.unreadable(Path::new("a")), is_reported);
        }
        look(&mut files, false);
        assert_eq!(files.pending(), 0);
    }
}
