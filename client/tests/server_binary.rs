//! Finds or builds the server's binary.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the server's binary, building it if missing. Cargo does not build other packages' binaries for
/// tests, so run `cargo build -p gsar-server` after changes.
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
