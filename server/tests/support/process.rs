//! Runs the server's binary in its own process.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// A server that listens on `gsar.sock` in its folder and is ready. Killed on drop.
pub struct Process {
    child: Child,
    log: Receiver<String>,
    reader: Option<JoinHandle<String>>,
}

impl Process {
    pub fn start(folder: &Path) -> Self {
        Self::configured(folder, "")
    }

    pub fn configured(folder: &Path, toml: &str) -> Self {
        let socket = format!("unix://{}", folder.join("gsar.sock").display());
        let process = Self::with_flags(folder, toml, &["--listen", &socket]);
        process.log_line("ready");
        process
    }

    /// Starts a server with configured listeners, without reading its log.
    pub fn listening(folder: &Path, toml: &str) -> Self {
        Self::with_flags(folder, toml, &[])
    }

    fn with_flags(folder: &Path, toml: &str, flags: &[&str]) -> Self {
        let config = folder.join("gsar.toml");
        std::fs::write(&config, toml).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gsar-server"));
        command
            .arg("--config")
            .arg(config)
            .args(flags)
            .arg("--data-dir")
            .arg(folder.join("data"))
            .env_clear();
        Self::spawned(&mut command)
    }

    pub fn spawned(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (read, log) = channel();
        // A full pipe would block the server.
        let reader = std::thread::spawn(move || {
            let mut log = String::new();
            for line in lines.map_while(Result::ok) {
                log.push_str(&line);
                log.push('\n');
                drop(read.send(line));
            }
            log
        });
        Self { child, log, reader: Some(reader) }
    }

    /// Returns the next log line with this message.
    pub fn log_line(&self, message: &str) -> serde_json::Value {
        let mut passed = Vec::new();
        loop {
            let line = self.log.recv_timeout(Duration::from_secs(120));
            assert!(line.is_ok(), "no `{message}` in the log: {passed:#?}");
            let line = line.unwrap();
            match serde_json::from_str::<serde_json::Value>(&line) {
                Ok(found) if found.get("message").is_some_and(|found| found == message) => {
                    return found;
                }
                _ => passed.push(line),
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

    pub fn ended(mut self) -> String {
        self.signal(Signal::TERM);
        assert!(self.wait().success());
        self.reader.take().unwrap().join().unwrap()
    }

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
