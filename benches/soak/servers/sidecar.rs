//! A `gsar-server` process.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use gsar_client::Endpoint;
use rustix::process::Signal;

use crate::servers::process::{self, Usage};

/// From Debian's package libfaketime.
const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
/// The maximum startup time, including the database's WAL replay.
const MAX_START: Duration = Duration::from_secs(120);

/// A server process, which may not be running.
#[derive(Debug)]
pub(crate) struct Sidecar {
    pub(crate) number: usize,
    binary: PathBuf,
    folder: PathBuf,
    ports: (u16, u16),
    clock: Option<PathBuf>,
    http: reqwest::Client,
    running: Mutex<Running>,
}

#[derive(Debug, Default)]
struct Running {
    child: Option<Child>,
    starts: u32,
}

pub(crate) type Sample = (u32, Usage);

impl Sidecar {
    /// Writes the configuration. The socket, log and clock are in `folder`, and the data is in `data`.
    pub(crate) fn configure(
        number: usize,
        binary: &Path,
        folder: &Path,
        data: &Path,
        has_clock: bool,
        rest: &str,
    ) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let ports = (free_port()?, free_port()?);
        let configuration = format!(
            "listen = [\"unix://{}\", \"grpcs://127.0.0.1:{}\"]\nadmin = \"127.0.0.1:{}\"\ndata_dir = \"{}\"\n{rest}",
            folder.join("gsar.sock").display(),
            ports.0,
            ports.1,
            data.display(),
        );
        std::fs::write(folder.join("gsar.toml"), configuration)?;
        let clock = has_clock.then(|| folder.join("clock"));
        if let Some(clock) = &clock {
            std::fs::write(clock, "+0")?;
        }
        Ok(Self {
            number,
            binary: binary.to_owned(),
            folder: folder.to_owned(),
            ports,
            clock,
            http: reqwest::Client::builder().timeout(Duration::from_secs(2)).build()?,
            running: Mutex::default(),
        })
    }

    pub(crate) fn can_set_clock() -> bool {
        Path::new(FAKETIME).exists()
    }

    pub(crate) fn socket(&self) -> Endpoint {
        Endpoint::Unix(self.folder.join("gsar.sock"))
    }

    pub(crate) fn tls(&self) -> Endpoint {
        Endpoint::Tls(format!("localhost:{}", self.ports.0))
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    pub(crate) async fn start(&self) -> anyhow::Result<()> {
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let child = self.command(log).spawn().context("gsar-server")?;
        {
            let mut running = self.running();
            running.child = Some(child);
            running.starts += 1;
        }
        let began = Instant::now();
        while !self.is_ready().await {
            if let Some(status) = self.exit_status() {
                bail!(
                    "server {} exited during startup ({status}); see {}",
                    self.number,
                    self.log().display()
                );
            }
            ensure!(
                began.elapsed() < MAX_START,
                "server {} is not ready after {MAX_START:?}",
                self.number
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    fn command(&self, log: File) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg("--config").arg(self.folder.join("gsar.toml")).env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        if let Some(clock) = &self.clock {
            // This changes the wall clock but not timers. The file is read again every second.
            command.env("LD_PRELOAD", FAKETIME).env("FAKETIME_TIMESTAMP_FILE", clock);
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("FAKETIME_CACHE_DURATION", "1");
        }
        command
    }

    pub(crate) async fn is_ready(&self) -> bool {
        self.get("readyz").await.is_ok_and(|(status, _)| status == 200)
    }

    pub(crate) async fn metric(&self, name: &str) -> anyhow::Result<f64> {
        let (_, text) = self.get("metrics").await?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(line.with_context(|| format!("no metric {name}"))?.trim().parse()?)
    }

    async fn get(&self, path: &str) -> anyhow::Result<(u16, String)> {
        let answer =
            self.http.get(format!("http://127.0.0.1:{}/{path}", self.ports.1)).send().await?;
        Ok((answer.status().as_u16(), answer.text().await?))
    }

    pub(crate) fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        process::signal(self.pid().context("not running")?, signal)
    }

    /// Waits for the process to exit. Returns `None` after a timeout.
    pub(crate) async fn wait(&self, timeout: Duration) -> Option<ExitStatus> {
        let began = Instant::now();
        while began.elapsed() < timeout {
            if let Some(status) = self.exit_status() {
                return Some(status);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        None
    }

    pub(crate) fn exit_status(&self) -> Option<ExitStatus> {
        self.running().child.as_mut()?.try_wait().ok()?
    }

    pub(crate) fn sample(&self) -> Option<Sample> {
        let starts = self.running().starts;
        Some((starts, process::usage(self.pid()?)?))
    }

    pub(crate) fn set_clock(&self, hours: i32) -> anyhow::Result<()> {
        let clock = self.clock.as_ref().context("this server uses the system clock")?;
        // Write the file atomically, because it can be read at any time.
        let new = clock.with_extension("new");
        std::fs::write(&new, format!("{hours:+}h"))?;
        Ok(std::fs::rename(new, clock)?)
    }

    fn pid(&self) -> Option<i32> {
        i32::try_from(self.running().child.as_ref()?.id()).ok()
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        if let Some(child) = &mut self.running().child {
            let _has_ended = child.kill();
            let _is_waited_for = child.wait();
        }
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
