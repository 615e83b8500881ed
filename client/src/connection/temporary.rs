//! A temporary server in a private directory.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::JudgeSpec;
use crate::client::Client;
use crate::endpoint::Endpoint;

/// The time limit for a server to become ready.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The time limit for a server to drain after SIGTERM.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The maximum length of a socket path that every supported platform allows.
const MAX_SOCKET_PATH: usize = 103;

/// The maximum size of the standard error in a [`StartError`].
const MAX_STDERR_BYTES: usize = 4096;

/// A temporary server. Dropping it kills it; [`stop`](Self::stop) shuts it down gracefully.
#[derive(Debug)]
pub struct TemporaryServer {
    binary: PathBuf,
    child: Child,
    endpoint: Endpoint,
    folder: TempDir,
}

/// An error from starting a server.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The private directory or the process could not be created.
    #[error("failed to start {}: {source}", binary.display())]
    Start {
        /// The server's binary.
        binary: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The path of the temporary directory is too long for a socket.
    #[error("the path of the temporary directory {} is too long for a socket; set TMPDIR to a shorter path", folder.display())]
    PathTooLong {
        /// The directory.
        folder: PathBuf,
    },
    /// The server exited before it was ready.
    #[error("{} exited before it was ready ({status}){}", binary.display(), indented(stderr))]
    Exited {
        /// The server's binary.
        binary: PathBuf,
        /// The exit status.
        status: ExitStatus,
        /// The end of its standard error.
        stderr: String,
    },
    /// The server was not ready in time.
    #[error("{} was not ready after {} s{}", binary.display(), START_TIMEOUT.as_secs(), indented(stderr))]
    NotReady {
        /// The server's binary.
        binary: PathBuf,
        /// The end of its standard error.
        stderr: String,
    },
}

impl StartError {
    /// Returns `true` if the server exited because of an invalid configuration.
    #[must_use]
    pub fn is_configuration(&self) -> bool {
        matches!(self, Self::Exited { status, .. } if status.code() == Some(2))
    }
}

fn indented(stderr: &str) -> String {
    stderr.lines().map(|line| format!("\n  {line}")).collect()
}

impl TemporaryServer {
    /// Starts a server in a private directory. Call [`connect`](Self::connect) to wait until it is ready.
    pub fn start(binary: &Path, data_dir: Option<&Path>) -> Result<Self, StartError> {
        Self::spawn(binary, data_dir, None, None)
    }

    /// Starts a server with a single judge.
    pub fn with_judge(
        binary: &Path,
        data_dir: Option<&Path>,
        judge: &JudgeSpec,
    ) -> Result<Self, StartError> {
        Self::spawn(binary, data_dir, None, Some(judge))
    }

    /// Starts a server with a TOML configuration. Its data is stored in the private directory.
    pub fn with_config(binary: &Path, configuration: &str) -> Result<Self, StartError> {
        Self::spawn(binary, None, Some(configuration), None)
    }

    fn spawn(
        binary: &Path,
        data_dir: Option<&Path>,
        configuration: Option<&str>,
        judge: Option<&JudgeSpec>,
    ) -> Result<Self, StartError> {
        let start_error = |source| StartError::Start { binary: binary.to_owned(), source };
        let folder = tempfile::Builder::new().prefix("gsar-").tempdir().map_err(start_error)?;
        let socket = folder.path().join("gsar.sock");
        if socket.as_os_str().len() > MAX_SOCKET_PATH {
            return Err(StartError::PathTooLong { folder: folder.path().to_owned() });
        }
        let stderr = File::create(folder.path().join("stderr")).map_err(start_error)?;
        let endpoint = Endpoint::Unix(socket);
        let mut command = Command::new(binary);
        if let Some(configuration) = configuration {
            let file = folder.path().join("gsar.toml");
            fs::write(&file, configuration).map_err(start_error)?;
            command.arg("--config").arg(file);
        }
        if let Some(JudgeSpec { name, url }) = judge {
            command.arg("--judge").arg(name);
            command.args(url.iter().flat_map(|url| ["--judge-url", url]));
        }
        let child = command
            .arg("--listen")
            .arg(endpoint.to_string())
            .arg("--data-dir")
            .arg(data_dir.map_or_else(|| folder.path().join("data"), Path::to_owned))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::from(stderr))
            .kill_on_drop(true)
            .spawn()
            .map_err(start_error)?;
        Ok(Self { binary: binary.to_owned(), child, endpoint, folder })
    }

    /// Waits until the server is ready and returns a client. An error contains the end of the server's standard error.
    pub async fn connect(&mut self) -> Result<Client, StartError> {
        let binary = self.binary.clone();
        let started_at = Instant::now();
        while started_at.elapsed() < START_TIMEOUT {
            let exit_status = self.child.try_wait();
            let exit_status = exit_status
                .map_err(|source| StartError::Start { binary: binary.clone(), source })?;
            if let Some(status) = exit_status {
                return Err(StartError::Exited { binary, status, stderr: self.stderr() });
            }
            if let Ok(client) = Client::connect(&self.endpoint).await
                && client.is_serving().await.unwrap_or(false)
            {
                return Ok(client);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Err(StartError::NotReady { binary, stderr: self.stderr() })
    }

    /// Shuts the server down gracefully, or kills it after ten seconds.
    pub async fn stop(mut self) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let is_signalled = id.is_some_and(|id| kill_process(id, Signal::TERM).is_ok());
        let has_exited =
            is_signalled && tokio::time::timeout(STOP_TIMEOUT, self.child.wait()).await.is_ok();
        if !has_exited {
            // Fails if the process has exited in the meantime.
            let _ = self.child.kill().await;
        }
    }

    fn stderr(&self) -> String {
        let bytes = fs::read(self.folder.path().join("stderr")).unwrap_or_default();
        let tail = bytes.get(bytes.len().saturating_sub(MAX_STDERR_BYTES)..).unwrap_or_default();
        String::from_utf8_lossy(tail).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn script(text: &str) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gsar-server");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        (folder, path)
    }

    #[tokio::test]
    async fn passes_the_configuration_to_the_server() {
        let (_folder, binary) = script("cat \"$2\" >&2; exit 2");
        let mut server = TemporaryServer::with_config(&binary, "[judges]\nchain = []\n").unwrap();
        let message = server.connect().await.unwrap_err().to_string();
        assert!(message.ends_with("\n  [judges]\n  chain = []"), "{message}");
    }

    #[tokio::test]
    async fn failed_start_includes_standard_error() {
        let (_folder, binary) =
            script("echo 'error: config.toml:3: unknown key `lisen`' >&2; exit 2");
        let mut server = TemporaryServer::start(&binary, None).unwrap();
        let error = server.connect().await.unwrap_err();
        assert!(error.is_configuration());
        let message = error.to_string();
        assert!(
            message.ends_with("(exit status: 2)\n  error: config.toml:3: unknown key `lisen`"),
            "{message}"
        );
    }

    #[tokio::test]
    async fn stop_drains_the_server_and_removes_its_directory() {
        let (folder, binary) = script(
            r#"echo "$@" > "$(dirname "$0")/arguments"
               trap 'echo finished > "$(dirname "$0")/end"; exit 0' TERM
               echo ready > "$(dirname "$0")/ready"
               while :; do sleep 0.01; done"#,
        );
        let server = TemporaryServer::start(&binary, Some(Path::new("/data"))).unwrap();
        let server_folder = server.folder.path().to_owned();
        while !folder.path().join("ready").exists() {
            tokio::task::yield_now().await;
        }
        server.stop().await;
        assert_eq!(fs::read_to_string(folder.path().join("end")).unwrap(), "finished\n");
        assert!(!server_folder.exists());
        let arguments = fs::read_to_string(folder.path().join("arguments")).unwrap();
        let socket = server_folder.join("gsar.sock");
        assert_eq!(arguments, format!("--listen unix://{} --data-dir /data\n", socket.display()));
    }

    #[test]
    fn missing_binary_is_reported() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _guard = runtime.enter();
        let error = TemporaryServer::start(Path::new("/nowhere/gsar-server"), None).unwrap_err();
        assert!(error.to_string().starts_with("failed to start /nowhere/gsar-server: "), "{error}");
    }
}
