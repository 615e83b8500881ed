//! Decides which files of a watched directory are due: new and changed files that did not change between two polls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The number of failed reads after which an unchanged file is reported as unreadable.
const MAX_READS: u32 = 3;

/// The version of a file, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    pub(super) modified: Option<SystemTime>,
    /// Changes if another file is renamed over this one.
    pub(super) inode: u64,
}

/// The treatment of files that existed before `gsar watch` started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// Evaluate them only when they change.
    Skip,
    /// Evaluate them like new files.
    Include,
    /// Evaluate these files and no others.
    Only,
}

/// A file to evaluate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DueFile {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    /// The digest of the last evaluation.
    pub(super) digest: Option<u64>,
    /// The number of previous evaluations.
    pub(super) evaluation_count: u64,
}

#[derive(Debug)]
pub(super) struct Files {
    existing: Existing,
    is_first_poll: bool,
    by_path: BTreeMap<PathBuf, File>,
}

#[derive(Debug)]
struct File {
    stamp: Stamp,
    state: State,
    read_count: u32,
    digest: Option<u64>,
    evaluation_count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// New or changed since the last poll.
    Changing,
    /// To be evaluated.
    Due,
    /// Evaluated, reported or ignored.
    Done,
}

impl Files {
    pub(super) fn new(existing: Existing) -> Self {
        Self { existing, is_first_poll: true, by_path: BTreeMap::new() }
    }

    /// Updates the state after a poll, forgetting deleted files.
    pub(super) fn update(&mut self, stamps: BTreeMap<PathBuf, Stamp>) {
        let is_first_poll = std::mem::take(&mut self.is_first_poll);
        self.by_path.retain(|path, _| stamps.contains_key(path));
        for (path, stamp) in stamps {
            match self.by_path.get_mut(&path) {
                Some(file) => file.update(stamp, self.existing),
                None => {
                    let is_included = match self.existing {
                        Existing::Skip => !is_first_poll,
                        Existing::Include => true,
                        Existing::Only => is_first_poll,
                    };
                    let state = if is_included { State::Changing } else { State::Done };
                    let file =
                        File { stamp, state, read_count: 0, digest: None, evaluation_count: 0 };
                    self.by_path.insert(path, file);
                }
            }
        }
    }

    /// Returns the files to evaluate, sorted by path.
    pub(super) fn due_files(&self) -> Vec<DueFile> {
        let due_files = self.by_path.iter().filter(|(_, file)| file.state == State::Due);
        due_files
            .map(|(path, file)| DueFile {
                path: path.clone(),
                stamp: file.stamp,
                digest: file.digest,
                evaluation_count: file.evaluation_count,
            })
            .collect()
    }

    /// Returns the number of files that are due or changing.
    pub(super) fn pending_count(&self) -> usize {
        self.by_path.values().filter(|file| file.state != State::Done).count()
    }

    /// Marks a file that changed while it was read.
    pub(super) fn mark_changing(&mut self, path: &Path) {
        if let Some(file) = self.by_path.get_mut(path) {
            file.state = State::Changing;
        }
    }

    /// Marks a file as evaluated or reported. `digest` is the digest of the evaluated requests.
    pub(super) fn mark_done(&mut self, path: &Path, digest: Option<u64>) {
        if let Some(file) = self.by_path.get_mut(path) {
            file.state = State::Done;
            file.read_count = 0;
            file.digest = digest;
            file.evaluation_count += 1;
        }
    }

    /// Marks a file as unreadable. Returns `true` if it no longer changes and should therefore be reported.
    pub(super) fn mark_unreadable(&mut self, path: &Path) -> bool {
        let Some(file) = self.by_path.get_mut(path) else { return false };
        file.read_count += 1;
        let is_reported = file.read_count >= MAX_READS;
        if is_reported {
            self.mark_done(path, None);
        }
        is_reported
    }
}

impl File {
    fn update(&mut self, stamp: Stamp, existing: Existing) {
        let is_unchanged = self.stamp == stamp;
        self.stamp = stamp;
        if self.state == State::Done && (is_unchanged || existing == Existing::Only) {
            return;
        }
        if !is_unchanged {
            self.read_count = 0;
        }
        self.state = if is_unchanged { State::Due } else { State::Changing };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(files: &[(&str, u64)]) -> BTreeMap<PathBuf, Stamp> {
        let stamp = |size| Stamp { size, modified: None, inode: 1 };
        files.iter().map(|(name, size)| (PathBuf::from(name), stamp(*size))).collect()
    }

    fn due_paths(files: &Files) -> Vec<String> {
        files.due_files().iter().map(|file| file.path.display().to_string()).collect()
    }

    fn mark_all_done(files: &mut Files) {
        for file in files.due_files() {
            files.mark_done(&file.path, Some(7));
        }
    }

    #[test]
    fn file_is_due_if_unchanged_between_two_polls() {
        let mut files = Files::new(Existing::Skip);
        files.update(stamps(&[("old", 1)]));
        assert_eq!(due_paths(&files), [""; 0]);
        files.update(stamps(&[("old", 1), ("b", 1), ("a", 1)]));
        assert_eq!(due_paths(&files), [""; 0], "it may still be written");
        files.update(stamps(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(due_paths(&files), ["a"]);
        assert_eq!(files.pending_count(), 2);
        mark_all_done(&mut files);
        files.update(stamps(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(due_paths(&files), ["b"]);
        mark_all_done(&mut files);
        files.update(stamps(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(files.pending_count(), 0);
    }

    #[test]
    fn existing_files_are_treated_as_requested() {
        for (existing, expected) in [
            (Existing::Skip, &["new"][..]),
            (Existing::Include, &["new", "old"]),
            (Existing::Only, &["old"]),
        ] {
            let mut files = Files::new(existing);
            files.update(stamps(&[("old", 1)]));
            files.update(stamps(&[("old", 1), ("new", 1)]));
            files.update(stamps(&[("old", 1), ("new", 1)]));
            assert_eq!(due_paths(&files), expected, "{existing:?}");
        }
    }

    #[test]
    fn changed_files_are_due_again_and_deleted_files_are_forgotten() {
        let mut files = Files::new(Existing::Include);
        files.update(stamps(&[("a", 1)]));
        files.update(stamps(&[("a", 1)]));
        mark_all_done(&mut files);
        files.update(stamps(&[("a", 2)]));
        files.update(stamps(&[("a", 2)]));
        let [changed_file] = &files.due_files()[..] else { panic!("expected one due file") };
        assert_eq!((changed_file.digest, changed_file.evaluation_count), (Some(7), 1));
        files.update(stamps(&[]));
        assert_eq!(files.pending_count(), 0);
        files.update(stamps(&[("a", 2)]));
        files.update(stamps(&[("a", 2)]));
        let [recreated] = &files.due_files()[..] else { panic!("expected one due file") };
        assert_eq!((recreated.digest, recreated.evaluation_count), (None, 0));
    }

    #[test]
    fn unreadable_file_is_reported_when_it_stops_changing() {
        let mut files = Files::new(Existing::Include);
        let mut size = 0;
        let mut poll = |files: &mut Files, is_growing| {
            size += u64::from(is_growing);
            files.update(stamps(&[("a", size)]));
        };
        poll(&mut files, true);
        poll(&mut files, false);
        assert!(!files.mark_unreadable(Path::new("a")));
        poll(&mut files, false);
        assert!(!files.mark_unreadable(Path::new("a")));
        poll(&mut files, true);
        assert_eq!(due_paths(&files), [""; 0], "the file is still growing");
        for is_reported in [false, false, true] {
            poll(&mut files, false);
            assert_eq!(due_paths(&files), ["a"]);
            assert_eq!(files.mark_unreadable(Path::new("a")), is_reported);
        }
        poll(&mut files, false);
        assert_eq!(files.pending_count(), 0);
    }
}
