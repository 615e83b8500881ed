//! A directory with the installed binaries.
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::server_binary::{install, server_binary};

pub(crate) struct Machine {
    pub(crate) folder: tempfile::TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        let gsar = PathBuf::from(env!("CARGO_BIN_EXE_gsar"));
        install(&folder.path().join("bin"), &[gsar, server_binary()]);
        Self { folder }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.folder.path().join("bin/gsar"));
        command
            .args(arguments)
            .env_clear()
            .env("TMPDIR", self.temporary())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> Output {
        feed(&mut self.command(arguments), input)
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    pub(crate) fn assert_no_leftovers(&self) {
        let remaining_files: Vec<_> =
            fs::read_dir(self.temporary()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(remaining_files.is_empty(), "not removed: {remaining_files:?}");
        let bin = self.folder.path().join("bin");
        let running_processes: Vec<_> =
            processes().filter(|executable| executable.starts_with(&bin)).collect();
        assert!(running_processes.is_empty(), "still running: {running_processes:?}");
    }
}

/// Runs a command with `input` as its standard input.
pub(crate) fn feed(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || {
        // Fails if the process exits before reading its input.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

/// Returns the executables of all visible processes.
fn processes() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| fs::read_link(entry.path().join("exe")).ok())
}

pub(crate) fn incident(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/incidents");
    root.join(path).to_str().unwrap().to_owned()
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}
