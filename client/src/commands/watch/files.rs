//! Decides which files of a watched directory are due: new and changed ones that are the same in two polls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The number of reads before an unchanged file is reported as unreadable.
const MAX_READS: u32 = 3;

/// The version of a file, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    pub(super) modified: Option<SystemTime>,
    /// Changes if another file is renamed over this one.
    pub(super) inode: u64,
}

/// The treatment of files that exist before the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// Evaluate them only when they change.
    Skip,
    /// Evaluate them like new files.
    Include,
    /// Evaluate only these.
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
    pub(super) times: u64,
}

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
    /// New or changed since the last poll.
    Changing,
    /// To be evaluated.
    Due,
    /// Evaluated, reported or ignored.
    Done,
}

impl Files {
    pub(super) fn new(existing: Existing) -> Self {
        Self { existing, is_first: true, known: BTreeMap::new() }
    }

    /// Updates the state after a poll, forgetting deleted files.
    pub(super) fn update(&mut self, found: BTreeMap<PathBuf, Stamp>) {
        let is_first = std::mem::take(&mut self.is_first);
        self.known.retain(|path, _| found.contains_key(path));
        for (path, stamp) in found {
            match self.known.get_mut(&path) {
                Some(file) => file.update(stamp, self.existing),
                None => {
                    let is_included = match self.existing {
                        Existing::Skip => !is_first,
                        Existing::Include => true,
                        Existing::Only => is_first,
                    };
                    let state = if is_included { State::Changing } else { State::Done };
                    let file = File { stamp, state, reads: 0, digest: None, times: 0 };
                    self.known.insert(path, file);
                }
            }
        }
    }

    /// Returns the files to evaluate, sorted by path.
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

    /// Returns the number of files that are due or changing.
    pub(super) fn pending(&self) -> usize {
        self.known.values().filter(|file| file.state != State::Done).count()
    }

    /// Marks a file that changed while it was read.
    pub(super) fn mark_changing(&mut self, path: &Path) {
        if let Some(file) = self.known.get_mut(path) {
            file.state = State::Changing;
        }
    }

    /// Marks a file as evaluated or reported. `digest` is that of the evaluation.
    pub(super) fn mark_done(&mut self, path: &Path, digest: Option<u64>) {
        if let Some(file) = self.known.get_mut(path) {
            file.state = State::Done;
            file.reads = 0;
            file.digest = digest;
            file.times += 1;
        }
    }

    /// Marks a file as unreadable. Returns `true` if it should be reported, since it no longer changes.
    pub(super) fn mark_unreadable(&mut self, path: &Path) -> bool {
        let Some(file) = self.known.get_mut(path) else { return false };
        file.reads += 1;
        let is_reported = file.reads >= MAX_READS;
        if is_reported {
            self.mark_done(path, None);
        }
        is_reported
    }
}

impl File {
    fn update(&mut self, stamp: Stamp, existing: Existing) {
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
            files.mark_done(&due.path, Some(7));
        }
    }

    #[test]
    fn file_is_due_after_two_equal_polls() {
        let mut files = Files::new(Existing::Skip);
        files.update(found(&[("old", 1)]));
        assert_eq!(due(&files), [""; 0]);
        files.update(found(&[("old", 1), ("b", 1), ("a", 1)]));
        assert_eq!(due(&files), [""; 0], "it may still be written");
        files.update(found(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(due(&files), ["a"]);
        assert_eq!(files.pending(), 2);
        done(&mut files);
        files.update(found(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(due(&files), ["b"]);
        done(&mut files);
        files.update(found(&[("old", 1), ("b", 2), ("a", 1)]));
        assert_eq!(files.pending(), 0);
    }

    #[test]
    fn existing_files_are_treated_as_requested() {
        for (existing, expected) in [
            (Existing::Skip, &["new"][..]),
            (Existing::Include, &["new", "old"]),
            (Existing::Only, &["old"]),
        ] {
            let mut files = Files::new(existing);
            files.update(found(&[("old", 1)]));
            files.update(found(&[("old", 1), ("new", 1)]));
            files.update(found(&[("old", 1), ("new", 1)]));
            assert_eq!(due(&files), expected, "{existing:?}");
        }
    }

    #[test]
    fn changed_files_are_due_again_and_deleted_files_are_forgotten() {
        let mut files = Files::new(Existing::Include);
        files.update(found(&[("a", 1)]));
        files.update(found(&[("a", 1)]));
        done(&mut files);
        files.update(found(&[("a", 2)]));
        files.update(found(&[("a", 2)]));
        let [again] = &files.due()[..] else { panic!("one is due") };
        assert_eq!((again.digest, again.times), (Some(7), 1));
        files.update(found(&[]));
        assert_eq!(files.pending(), 0);
        files.update(found(&[("a", 2)]));
        files.update(found(&[("a", 2)]));
        let [recreated] = &files.due()[..] else { panic!("one is due") };
        assert_eq!((recreated.digest, recreated.times), (None, 0));
    }

    #[test]
    fn unreadable_file_is_reported_when_it_stops_changing() {
        let mut files = Files::new(Existing::Include);
        let mut size = 0;
        let mut poll = |files: &mut Files, grows| {
            size += u64::from(grows);
            files.update(found(&[("a", size)]));
        };
        poll(&mut files, true);
        poll(&mut files, false);
        assert!(!files.mark_unreadable(Path::new("a")));
        poll(&mut files, false);
        assert!(!files.mark_unreadable(Path::new("a")));
        poll(&mut files, true);
        assert_eq!(due(&files), [""; 0], "it grows");
        for is_reported in [false, false, true] {
            poll(&mut files, false);
            assert_eq!(due(&files), ["a"]);
            assert_eq!(files.mark_unreadable(Path::new("a")), is_reported);
        }
        poll(&mut files, false);
        assert_eq!(files.pending(), 0);
    }
}
