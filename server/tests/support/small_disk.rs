//! A small file system of its own, which is soon full.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Four megabytes; unmounted when dropped.
pub struct SmallDisk(pub PathBuf);

impl SmallDisk {
    /// `None` where this process may not mount.
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
