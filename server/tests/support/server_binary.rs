//! Finds or builds the server binary.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::allow_attributes,
    reason = "the tests of several crates include this file by path"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the server binary from the build folder of the running test. Builds it if it is missing. Cargo does not
/// rebuild the binaries of other packages when it runs tests, so run `cargo build -p gsar-server` after changes.
pub fn server_binary() -> PathBuf {
    let test_binary = std::env::current_exe().unwrap();
    let folder = test_binary.ancestors().nth(2).unwrap();
    let binary = folder.join("gsar-server");
    if binary.exists() {
        return binary;
    }
    let profile = match folder.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev",
        name => name,
    };
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "-p", "gsar-server", "--bin", "gsar-server"])
        .args(["--profile", profile, "--target-dir"])
        .arg(folder.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    binary
}

/// Creates a folder and links the binaries into it, or copies them if they cannot be linked.
pub fn install(folder: &Path, binaries: &[PathBuf]) {
    std::fs::create_dir(folder).unwrap();
    for binary in binaries {
        let path = folder.join(binary.file_name().unwrap());
        if std::fs::hard_link(binary, &path).is_err() {
            std::fs::copy(binary, &path).unwrap();
        }
    }
}
