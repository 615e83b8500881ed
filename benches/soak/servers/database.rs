//! A PostgreSQL server that can be killed, paused and restarted.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::process::Signal;

use crate::servers::process;

/// A running database. Stopped when dropped.
#[derive(Debug)]
pub(crate) struct Database {
    programs: PathBuf,
    folder: PathBuf,
}

/// The user that runs PostgreSQL, which refuses to run as root.
const NOBODY: u32 = 65_534;

const NAME: &str = "gsar";

impl Database {
    pub(crate) fn start(folder: &Path) -> anyhow::Result<Self> {
        let programs =
            programs().context("PostgreSQL not found: install the package postgresql")?;
        let database = Self { programs, folder: folder.to_owned() };
        std::fs::create_dir_all(folder)?;
        std::fs::set_permissions(folder, Permissions::from_mode(0o700))?;
        if is_root() {
            chown(folder, Some(NOBODY), Some(NOBODY))?;
        }
        let data = database.data();
        database
            .run("initdb", &["-D", &data, "-U", NAME, "-A", "trust", "-E", "UTF8", "--locale=C"])?;
        database.ensure_started()?;
        database.run("createdb", &["-h", &database.socket(), "-U", NAME, NAME])?;
        Ok(database)
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres:///{NAME}?host={}&user={NAME}", self.socket())
    }

    /// Sends SIGKILL to all processes, as in a machine crash.
    pub(crate) fn kill(&self) -> anyhow::Result<()> {
        let pid = self.pid()?;
        let family = process::family(pid);
        for pid in &family {
            // The process may have exited already.
            let _ended = process::signal(*pid, Signal::KILL);
        }
        let began = Instant::now();
        while family.iter().any(|pid| is_alive(*pid)) {
            ensure!(
                began.elapsed() < Duration::from_secs(30),
                "PostgreSQL is still running after SIGKILL"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    pub(crate) fn pause(&self, is_paused: bool) -> anyhow::Result<()> {
        let signal = if is_paused { Signal::STOP } else { Signal::CONT };
        for pid in process::family(self.pid()?) {
            let _ended = process::signal(pid, signal);
        }
        Ok(())
    }

    /// Starts the database if it is not running, and waits until it accepts connections.
    pub(crate) fn ensure_started(&self) -> anyhow::Result<()> {
        let options = format!("-k {} -h '' -c max_connections=200", self.socket());
        let log = self.folder.join("log").display().to_string();
        let data = self.data();
        let began = Instant::now();
        loop {
            let is_ready = self.run("pg_isready", &["-q", "-h", &self.socket()]).is_ok();
            if is_ready {
                return Ok(());
            }
            let started = self.run(
                "pg_ctl",
                &["-D", &data, "-l", &log, "-o", &options, "-t", "60", "start", "-w"],
            );
            if let Err(error) = started
                && began.elapsed() > Duration::from_secs(120)
            {
                bail!("{error}");
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Runs a statement. Returns one line per row, with columns separated by `|`.
    pub(crate) fn query(&self, sql: &str) -> anyhow::Result<String> {
        let url = self.url();
        self.run("psql", &["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", &url, "-c", sql])
    }

    fn pid(&self) -> anyhow::Result<i32> {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid"))?;
        let line = file.lines().next().context("postmaster.pid is empty")?;
        Ok(line.trim().parse()?)
    }

    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    fn socket(&self) -> String {
        self.folder.display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(self.programs.join(program));
        // A pipe would stay open, because the server that pg_ctl starts inherits it.
        let printed = tempfile::NamedTempFile::new()?;
        let output = printed.reopen()?;
        command.args(arguments).current_dir("/").stdin(Stdio::null());
        command.stdout(output.try_clone()?).stderr(output);
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let status = command.status().with_context(|| format!("{command:?}"))?;
        let text = std::fs::read_to_string(printed.path())?;
        ensure!(status.success(), "{program}: {}", text.trim());
        Ok(text.trim().to_owned())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _is_paused = self.pause(false);
        let _is_gone = self.kill();
    }
}

fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

fn programs() -> Option<PathBuf> {
    let version = |entry: &std::fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let newest = versions.filter(|entry| version(entry).is_some()).max_by_key(version)?;
    let programs = newest.path().join("bin");
    programs.join("postgres").exists().then_some(programs)
}
