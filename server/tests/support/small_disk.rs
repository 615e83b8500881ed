//! A small file system for tests of a full disk.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system of 4 MiB, unmounted on drop.
pub struct SmallDisk(pub PathBuf);

impl SmallDisk {
    /// Returns `None` if this process may not mount.
    pub fn new(folder: &Path) -> Option<Self> {
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
            .arg(folder)
            .output()
            .ok()?;
        mount.status.success().then(|| Self(folder.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
