//! The binary of the server, for tests that need a real one.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The server beside the command in the build folder. Cargo does not build the binaries of other packages
/// for a test: `cargo build -p gsar-server` brings it up to date, and where there is none it is built here.
pub(crate) fn server_binary() -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_gsar")).parent().unwrap().to_owned();
    let binary = folder.join("gsar-server");
    if binary.exists() {
        return binary;
    }
    let profile = match folder.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev".to_owned(),
        name => name.to_owned(),
    };
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "-p",
            "gsar-server",
            "--bin",
            "gsar-server",
            "--profile",
            &profile,
        ])
        .arg("--target-dir")
        .arg(folder.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    binary
}
