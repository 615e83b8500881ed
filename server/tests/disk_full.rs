//! A full disk refuses evaluations with a clear error; with room again the server goes on by itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Wanted, request};
use tonic::Code;
use tonic_types::StatusExt as _;

/// A small file system of its own; unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where this process may not mount.
    fn new(folder: &Path) -> Option<Self> {
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

#[tokio::test]
async fn h30_a_full_disk_is_said_and_recovered_from_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(folder.path()) else {
        println!("skipped: this process may not mount a file system");
        return;
    };
    let data = disk.0.join("data");
    let server = Wanted::default().start(|config| config.data_dir = data).await;
    server.grounding().evaluate(request()).await.unwrap();

    let filler = disk.0.join("filler");
    let full = std::fs::write(&filler, vec![0; 8 << 20]).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    let mut refused = None;
    for _ in 0..200 {
        if let Err(status) = server.grounding().evaluate(request()).await {
            refused = Some(status);
            break;
        }
    }
    let status = refused.expect("a full disk takes no more records");
    assert_eq!(status.code(), Code::Unavailable);
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "LEDGER_UNAVAILABLE");
    assert!(status.message().contains("full"), "{}", status.message());

    std::fs::remove_file(&filler).unwrap();
    let answer = server.grounding().evaluate(request()).await.expect("with room again it works");
    let evaluation_id = answer.into_inner().evaluation_id;
    let wanted = gsar_proto::v1::GetEvaluationRequest { evaluation_id };
    assert!(server.ledger().get_evaluation(wanted).await.is_ok());
    server.stopped().await.unwrap();
}
