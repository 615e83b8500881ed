//! Runs the server binary in a process of its own.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::allow_attributes,
    reason = "the tests of several crates include this file by path"
)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::server_binary::server_binary;

/// A running server process. It is killed on drop.
pub struct Process {
    child: Child,
    log: Receiver<String>,
    reader: Option<JoinHandle<String>>,
}

impl Process {
    pub fn start(folder: &Path) -> Self {
        Self::with_config(folder, "")
    }

    /// Starts a server that listens on `gsar.sock` in the folder, and waits until it is ready.
    pub fn with_config(folder: &Path, toml: &str) -> Self {
        let socket = format!("unix://{}", folder.join("gsar.sock").display());
        let process = Self::with_flags(folder, toml, &["--listen", &socket]);
        process.log_line("ready");
        process
    }

    /// Starts a server whose configuration sets the listeners. Does not wait until it is ready.
    pub fn with_listeners(folder: &Path, toml: &str) -> Self {
        Self::with_flags(folder, toml, &[])
    }

    /// Starts a server with these flags. Does not wait until it is ready.
    pub fn with_flags(folder: &Path, toml: &str, flags: &[&str]) -> Self {
        let config = folder.join("gsar.toml");
        std::fs::write(&config, toml).unwrap();
        let mut command = Command::new(server_binary());
        command
            .arg("--config")
            .arg(config)
            .args(flags)
            .arg("--data-dir")
            .arg(folder.join("data"))
            .env_clear();
        Self::spawn(&mut command)
    }

    pub fn spawn(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (log_lines, log) = channel();
        // Without a reader, the pipe would fill up and block the server.
        let reader = std::thread::spawn(move || {
            let mut log = String::new();
            for line in lines.map_while(Result::ok) {
                log.push_str(&line);
                log.push('\n');
                drop(log_lines.send(line));
            }
            log
        });
        Self { child, log, reader: Some(reader) }
    }

    /// Waits for the next log line with this message and returns it.
    pub fn log_line(&self, message: &str) -> serde_json::Value {
        let mut other_lines = Vec::new();
        loop {
            let line = self.log.recv_timeout(Duration::from_secs(120));
            assert!(line.is_ok(), "no `{message}` in the log: {other_lines:#?}");
            let line = line.unwrap();
            match serde_json::from_str::<serde_json::Value>(&line) {
                Ok(found) if found.get("message").is_some_and(|found| found == message) => {
                    return found;
                }
                _ => other_lines.push(line),
            }
        }
    }

    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Stops the server with SIGTERM. Returns its whole log.
    pub fn terminate(mut self) -> String {
        self.signal(Signal::TERM);
        assert!(self.wait().success());
        self.reader.take().unwrap().join().unwrap()
    }

    /// Returns the peak resident memory in KiB.
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
