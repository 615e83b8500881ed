//! The real binary, as a process of its own.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// Listens on `gsar.sock` in its folder; its log line `ready` has been read. Killed when dropped.
pub struct Process(Child);

impl Process {
    pub fn start(folder: &Path) -> Self {
        Self::configured(folder, "")
    }

    /// With a configuration file that says this.
    pub fn configured(folder: &Path, toml: &str) -> Self {
        let config = folder.join("gsar.toml");
        std::fs::write(&config, toml).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_gsar-server"))
            .arg("--config")
            .arg(config)
            .arg("--listen")
            .arg(format!("unix://{}", folder.join("gsar.sock").display()))
            .arg("--data-dir")
            .arg(folder.join("data"))
            .env_clear()
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let ready = lines.by_ref().any(|line| line.unwrap().contains("\"message\":\"ready\""));
        assert!(ready, "the server did not get ready");
        // The rest of the log is read so that the server never waits for us.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child)
    }

    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.0.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    pub fn wait(&mut self) -> ExitStatus {
        self.0.wait().unwrap()
    }

    /// The most memory that it ever had, in KiB.
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
