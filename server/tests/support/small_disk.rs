//! A small file system for tests in which the disk is full.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::skip::report_skip;

/// A file system of 4 MiB. It is unmounted on drop.
pub struct SmallDisk(pub PathBuf);

impl SmallDisk {
    /// Mounts the file system. If this process may not mount one, reports a skipped test and returns `None`.
    pub fn new(folder: &Path) -> Option<Self> {
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
            .arg(folder)
            .output();
        if mount.is_ok_and(|mount| mount.status.success()) {
            return Some(Self(folder.to_owned()));
        }
        report_skip("mount", "this process may not mount a file system");
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
