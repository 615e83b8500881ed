//! The server's binary, for tests that need a real server.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the server next to the command in the build directory. Cargo does not build binaries of other packages for a
/// test, so it is built here if it does not exist; run `cargo build -p gsar-server` to update it.
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
            "build", "--quiet", "-p", "gsar-server", "--bin", "gsar-server", "--profile", &profile,
        ])
        .arg("--target-dir")
        .arg(folder.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    binary
}
