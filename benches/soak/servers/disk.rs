//! File systems in image files that can be filled and frozen. Requires root and a loop device.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use rustix::fs::{FallocateFlags, fallocate};

/// A mounted file system. Unmounted and removed when dropped.
#[derive(Debug)]
pub(crate) struct Disk {
    image: PathBuf,
    mount: PathBuf,
}

const FILLER: &str = "filler";

impl Disk {
    pub(crate) fn create(image: &Path, mount: &Path, bytes: u64) -> anyhow::Result<Self> {
        File::create(image)?.set_len(bytes)?;
        std::fs::create_dir_all(mount)?;
        // Reserve no blocks for root.
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0"]).arg(image))?;
        run(Command::new("mount").args(["-o", "loop"]).arg(image).arg(mount))?;
        Ok(Self { image: image.to_owned(), mount: mount.to_owned() })
    }

    pub(crate) fn fill(&self) -> anyhow::Result<()> {
        let filler = File::create(self.mount.join(FILLER))?;
        let mut filled = 0;
        for step in [1 << 30, 64 << 20, 1 << 20, 4 << 10] {
            while fallocate(&filler, FallocateFlags::empty(), filled, step).is_ok() {
                filled += step;
            }
        }
        ensure!(filled > 0, "{} is already full", self.mount.display());
        Ok(())
    }

    pub(crate) fn empty(&self) -> anyhow::Result<()> {
        std::fs::remove_file(self.mount.join(FILLER)).context("removing the filler")
    }

    pub(crate) fn freeze(&self) -> anyhow::Result<()> {
        run(Command::new("fsfreeze").arg("--freeze").arg(&self.mount))
    }

    pub(crate) fn thaw(&self) -> anyhow::Result<()> {
        run(Command::new("fsfreeze").arg("--unfreeze").arg(&self.mount))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let quietly = |command: &mut Command| drop(command.output());
        quietly(Command::new("fsfreeze").arg("--unfreeze").arg(&self.mount));
        quietly(Command::new("umount").arg("--lazy").arg(&self.mount));
        let _stays_behind = std::fs::remove_file(&self.image);
    }
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}", errors.trim());
    Ok(())
}
