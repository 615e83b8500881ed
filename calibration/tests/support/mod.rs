//! The program and the server beside it.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::allow_attributes,
    reason = "a test that cannot go on fails, and each uses a part of this"
)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_gsar-calibrate");

/// The server beside the program in the build folder. Cargo does not build the binaries of other packages for
/// a test: `cargo build -p gsar-server` brings it up to date, and where there is none it is built here.
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

/// A server that listens on `gsar.sock` in a folder, with `rules/2` as its judge. Killed when dropped.
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
        // The log is read as it comes so that the server never waits for it.
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
