//! Starts the server for tests of `gsar-calibrate`.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::allow_attributes,
    reason = "tests may panic, and each uses only some of the helpers"
)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_gsar-calibrate");

/// Returns the path of `gsar-server` in the build folder. Builds it only if missing, so run `cargo build -p
/// gsar-server` after changes to the server.
pub(crate) fn server_binary() -> PathBuf {
    let folder = Path::new(PROGRAM).parent().unwrap().to_owned();
    let binary = folder.join("gsar-server");
    if binary.exists() {
        return binary;
    }
    let profile = match folder.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev".to_owned(),
        name => name.to_owned(),
    };
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "-p", "gsar-server", "--bin", "gsar-server"])
        .args(["--profile", &profile, "--target-dir"])
        .arg(folder.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    binary
}

/// A server with the judge `rules/2` that listens on `gsar.sock` in a folder. Killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) endpoint: String,
}

impl Server {
    pub(crate) fn start(folder: &Path, configuration: &str) -> Self {
        let endpoint = format!("unix://{}", folder.join("gsar.sock").display());
        let file = folder.join("gsar.toml");
        std::fs::write(&file, configuration).unwrap();
        let mut child = Command::new(server_binary())
            .args(["--listen", &endpoint, "--config"])
            .arg(&file)
            .arg("--data-dir")
            .arg(folder.join("data"))
            .env_clear()
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let is_ready = |line: &std::io::Result<String>| {
            line.as_ref().is_ok_and(|line| line.contains("\"ready\""))
        };
        assert!(lines.any(|line| is_ready(&line)), "the server did not start");
        // Drain the log so that the server never blocks on a full pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { child, endpoint }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
