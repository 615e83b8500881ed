//! Tests saving to a full disk.

#[path = "../../../tests/support/skip.rs"]
mod skip;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{clustered, graph_settings, open};
use crate::{IndexError, Opened};

struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Returns `None` if this process may not mount a file system.
    fn new(folder: &Path) -> Option<Self> {
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
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

#[test]
fn reports_and_recovers_from_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(folder.path()) else {
        skip::report_skip("mount", "this process may not mount a file system");
        return;
    };
    let settings = graph_settings(32);
    let vectors = clustered(2_400, 32, 8);
    // In KiB: too little for the graph, then for the vectors, then for any file.
    for free_kib in [640_u64, 320, 96, 8, 0] {
        let directory = disk.0.join("index");
        let (index, _) = open(&directory, &settings);
        index.add(&vectors[..800]).unwrap();
        index.save().unwrap();
        let path = disk.0.join("filler");
        let mut filler = std::fs::File::create(&path).unwrap();
        let full = filler.write_all(&vec![0; 4 << 20]).unwrap_err();
        assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
        let written = filler.metadata().unwrap().len();
        filler.set_len(written - (free_kib << 10)).unwrap();
        index.add(&vectors[800..]).unwrap();
        let error = index.save().unwrap_err();
        assert!(matches!(error, IndexError::NotSaved { .. }), "{error}");
        assert_eq!(index.search(&vectors[2_000].1, 1, None).unwrap()[0].key, 2_000);
        drop(index);
        let (index, opened) = open(&directory, &settings);
        assert_eq!((opened, index.len()), (Opened::Complete, 800), "{free_kib}");
        drop(filler);
        std::fs::remove_file(&path).unwrap();
        index.add(&vectors[800..]).unwrap();
        index.save().unwrap();
        drop(index);
        let (index, opened) = open(&directory, &settings);
        assert!(matches!(opened, Opened::Complete | Opened::GraphMissing(_)), "{opened:?}");
        assert_eq!(index.len(), 2_400);
        drop(index);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
