//! Starts a PostgreSQL server for each test, on a Unix socket in a temporary folder.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stderr,
    clippy::allow_attributes,
    reason = "the library's tests include this file by path"
)]

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

use super::skip::report_skip;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The newest version installed on the system (Debian's `postgresql`).
    System,
    /// PostgreSQL 16 with pgvector, fetched by `make postgres`.
    Pgvector,
}

pub struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    databases: AtomicU32,
}

/// The user id under which PostgreSQL runs if the tests run as root, since it refuses to run as root.
const NOBODY: u32 = 65_534;

impl Postgres {
    /// Starts a server. Returns `None` and prints the reason if PostgreSQL is not installed.
    pub fn start(kind: Kind) -> Option<Self> {
        let Some(programs) = programs(kind) else {
            let fix = match kind {
                Kind::System => "install the package postgresql",
                Kind::Pgvector => "run make postgres",
            };
            let requirement = if kind == Kind::System { "postgres" } else { "pgvector" };
            report_skip(requirement, format!("PostgreSQL ({kind:?}) is not installed; {fix}"));
            return None;
        };
        let folder = TempDir::with_prefix_in("pg", "/tmp").unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let postgres = Self { folder, programs, databases: AtomicU32::new(0) };
        let data = postgres.data();
        postgres.run(
            "initdb",
            &["-D", &data, "-U", "gsar", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
        );
        postgres.start_and_wait();
        Some(postgres)
    }

    /// Starts the server that is installed on the system or, if there is none, the one with pgvector.
    pub fn any() -> Option<Self> {
        Self::start(Kind::System).or_else(|| Self::start(Kind::Pgvector))
    }

    pub fn database(&self) -> String {
        let name = format!("gsar_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.run("createdb", &["-h", &self.socket(), "-U", "gsar", &name]);
        format!("postgres:///{name}?host={}&user=gsar", self.socket())
    }

    /// Restarts the server so that it also accepts TLS connections with a password on the loopback interface. Returns the
    /// port.
    pub fn serve_tls(&self, certificate: &str, key: &str) -> u16 {
        let data = PathBuf::from(self.data());
        self.write(&data.join("own.crt"), certificate);
        self.write(&data.join("own.key"), key);
        let access_rules = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
        self.write(&data.join("pg_hba.conf"), access_rules);
        self.run("pg_ctl", &["-D", &self.data(), "stop", "-m", "fast", "-w"]);
        let options = format!("-k {} -c fsync=off", self.socket());
        let start = ["-D", &self.data(), "-l", "/dev/null", "-o", &options, "start", "-w"];
        // PostgreSQL does not accept port 0, so this tries ports that were free a moment ago.
        let port = (0..10).find_map(|_| {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            drop(listener);
            let settings = format!(
                "ssl = on\nlisten_addresses = '127.0.0.1'\nport = {port}\nssl_cert_file = 'own.crt'\nssl_key_file = 'own.key'\n"
            );
            self.write(&data.join("postgresql.auto.conf"), &settings);
            self.try_run("pg_ctl", &start).ok().map(|_| port)
        });
        port.expect("PostgreSQL can be started on a free port")
    }

    fn write(&self, file: &Path, text: &str) {
        std::fs::write(file, text).unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
        if is_root() {
            chown(file, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    pub fn kill(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "stop", "-m", "immediate", "-w"]);
    }

    /// Starts the server and waits until it accepts connections.
    pub fn start_and_wait(&self) {
        // fsync protects only against power failures and system crashes, which the tests do not cause.
        let options = format!("-k {} -h '' -c fsync=off -c max_connections=200", self.socket());
        let log = self.folder.path().join("log");
        let log = log.to_str().unwrap();
        self.run("pg_ctl", &["-D", &self.data(), "-l", log, "-o", &options, "start", "-w"]);
    }

    pub fn query(&self, url: &str, sql: &str) -> String {
        self.run("psql", &["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql])
    }

    pub fn dump(&self) -> String {
        self.run("pg_dump", &["-h", &self.socket(), "-U", "gsar", "--inserts", "gsar_0"])
    }

    fn data(&self) -> String {
        self.folder.path().join("data").to_str().unwrap().to_owned()
    }

    fn socket(&self) -> String {
        self.folder.path().to_str().unwrap().to_owned()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let result = self.try_run(program, arguments);
        result.unwrap_or_else(|output| panic!("{program} {arguments:?}: {output}"))
    }

    /// Runs a PostgreSQL program and returns its output. If the program fails, the output is the error.
    fn try_run(&self, program: &str, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(self.programs.join(program));
        let file = self.folder.path().join(format!("{program}.out"));
        // The server that pg_ctl starts would keep a pipe open, so the output goes to a file.
        let output = std::fs::File::create(&file).unwrap();
        command.args(arguments).current_dir("/").stdin(Stdio::null());
        command.stdout(output.try_clone().unwrap()).stderr(output);
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let status = command.status().unwrap();
        let output = std::fs::read_to_string(&file).unwrap().trim().to_owned();
        if status.success() { Ok(output) } else { Err(output) }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let result = Command::new(self.programs.join("pg_ctl"))
            .args(["-D", &self.data(), "stop", "-m", "immediate"])
            .uid(if is_root() { NOBODY } else { rustix::process::getuid().as_raw() })
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        drop(result);
    }
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

fn programs(kind: Kind) -> Option<PathBuf> {
    let folder = match kind {
        Kind::System => {
            let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
            let version = |entry: &std::fs::DirEntry| {
                entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok())
            };
            versions.flatten().filter(|entry| version(entry).is_some()).max_by_key(version)?.path()
        }
        Kind::Pgvector => Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()?
            .join("target/postgres/pgserver/pginstall"),
    };
    let programs = folder.join("bin");
    programs.join("postgres").exists().then_some(programs)
}
