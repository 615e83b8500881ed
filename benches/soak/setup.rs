//! Sets up disks, the database, the chat model, certificates and configurations, and starts the servers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};

use anyhow::{Context as _, ensure};
use tokio::sync::{Semaphore, watch};

use crate::faults::phases::Phases;
use crate::faults::schedule::{Place, Setting};
use crate::identity::Authority;
use crate::invariants::Violations;
use crate::load;
use crate::report::latencies::Latencies;
use crate::servers::database::Database;
use crate::servers::disk::Disk;
use crate::servers::model::Model;
use crate::servers::sidecar::Sidecar;
use crate::world::World;
use crate::{Arguments, Storage};

pub(crate) struct Started {
    pub(crate) world: Arc<World>,
    pub(crate) data: Vec<PathBuf>,
    pub(crate) left_out: Vec<String>,
    pub(crate) version: String,
}

/// The file that identifies a report folder.
const VIOLATIONS: &str = "violations.jsonl";
const SERVER_DISK: (u64, u64) = (1 << 30, 40 << 20);
const DATABASE_DISK: (u64, u64) = (2 << 30, 80 << 20);
/// The daily budget per requested call, in millionths of a dollar. A run of several hours exhausts it,
/// which tests the budget and the fallback.
const BUDGET_PER_CALL: f64 = 6.0;
/// The minimum budget. A request reserves a fifth of it.
const MIN_BUDGET: u64 = 60_000;

pub(crate) async fn start(arguments: &Arguments) -> anyhow::Result<Started> {
    // reqwest needs a crypto provider even without TLS, but one may already be installed.
    let _is_there = rustls::crypto::ring::default_provider().install_default();
    let binary = std::fs::canonicalize(&arguments.server)
        .with_context(|| format!("--server {}", arguments.server.display()))?;
    let version = Command::new(&binary).arg("-V").output().context("gsar-server -V")?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    empty(&arguments.out)?;
    let work = arguments.out.join("work");
    std::fs::create_dir_all(&work)?;
    let work = std::fs::canonicalize(work)?;

    let is_shared = arguments.storage == Storage::Postgres;
    let servers = arguments.servers.unwrap_or(if is_shared { 3 } else { 2 });
    ensure!((1..=16).contains(&servers), "--servers {servers}: expected 1 to 16");
    let mut left_out = Vec::new();
    let disks = match disks(&work, servers, is_shared, arguments.minutes) {
        Ok(disks) => disks,
        Err(error) => {
            left_out.push(format!("slow and full disks: cannot mount a file system ({error:#})"));
            BTreeMap::new()
        }
    };
    let has_clock = Sidecar::can_set_clock();
    if !has_clock {
        left_out.push("clock changes: the package libfaketime is not installed".to_owned());
    }
    let setting =
        Setting { servers, has_database: is_shared, has_disks: !disks.is_empty(), has_clock };

    let database = match is_shared {
        true => {
            let folder = work.join("database/pg");
            std::fs::create_dir_all(work.join("database"))?;
            Some(tokio::task::spawn_blocking(move || Database::start(&folder)).await??)
        }
        false => None,
    };
    let files = work.join("files");
    let authority = Authority::new(&files.join("tls"))?;
    load::write_first(&files)?;
    let model = Model::start().await?;
    let calls = arguments.minutes * 60.0 * arguments.rate;
    let budgets = if is_shared { 1 } else { servers };
    let daily_budget = ((calls * BUDGET_PER_CALL / budgets as f64) as u64).max(MIN_BUDGET);
    let rest =
        configuration(&files, database.as_ref(), &model.configuration(&files, daily_budget)?);
    let data: Vec<PathBuf> =
        (0..servers).map(|number| work.join(format!("disk-{number}/data"))).collect();
    let mut sidecars = Vec::new();
    for (number, data) in data.iter().enumerate() {
        let folder = work.join(format!("server-{number}"));
        let is_last = number + 1 == servers;
        let sidecar =
            Sidecar::configure(number, &binary, &folder, data, has_clock && is_last, &rest)?;
        sidecar.start().await?;
        sidecars.push(sidecar);
    }
    let violations = Violations::create(&arguments.out.join(VIOLATIONS))?;
    let world = Arc::new(World {
        setting,
        sidecars,
        database,
        disks,
        model,
        daily_budget,
        authority,
        files,
        violations,
        phases: Phases::begin(),
        files_lock: tokio::sync::Mutex::default(),
        latencies: Latencies::default(),
        acknowledged: Mutex::default(),
        left_data: Mutex::default(),
        samples: Mutex::default(),
        counts: Mutex::default(),
        is_over: watch::Sender::new(false),
        keys: AtomicU64::new(1),
        paid: AtomicU64::new(0),
        tickets: Semaphore::new(0),
        clients: OnceLock::new(),
    });
    world.connect().await?;
    Ok(Started { world, data, left_out, version })
}

/// Empties an earlier report's folder. Fails for any other folder.
fn empty(out: &Path) -> anyhow::Result<()> {
    let entries = match out.read_dir() {
        Ok(entries) => entries.collect::<std::io::Result<Vec<_>>>()?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("--out {}", out.display())),
    };
    let is_ours = entries.is_empty() || out.join(VIOLATIONS).exists();
    ensure!(is_ours, "--out {}: not a report folder; use a new folder", out.display());
    Ok(std::fs::remove_dir_all(out)?)
}

fn disks(
    work: &Path,
    servers: usize,
    is_shared: bool,
    minutes: f64,
) -> anyhow::Result<BTreeMap<Place, Disk>> {
    let size = |(first, minute): (u64, u64)| first + minute * minutes.ceil() as u64;
    let mut disks = BTreeMap::new();
    for number in 0..servers {
        let (image, mount) =
            (work.join(format!("disk-{number}.img")), work.join(format!("disk-{number}")));
        disks.insert(Place::Server(number), Disk::create(&image, &mount, size(SERVER_DISK))?);
    }
    if is_shared {
        let disk =
            Disk::create(&work.join("database.img"), &work.join("database"), size(DATABASE_DISK))?;
        disks.insert(Place::Database, disk);
    }
    Ok(disks)
}

fn configuration(files: &Path, database: Option<&Database>, judges: &str) -> String {
    let file = |name: &str| files.join(name).display().to_string();
    let storage = database
        .map_or_else(String::new, |database| format!("[storage]\nurl = \"{}\"\n", database.url()));
    format!(
        "[tls]\ncertificate = \"{}\"\nkey = \"{}\"\nclient_ca = \"{}\"\n\
         [security]\nrequire = true\nprincipals = \"{}\"\n\
         [policies]\ndefault = \"reference\"\ndir = \"{}\"\nallowed = [\"soak\"]\n\
         [evidence]\nembeddings = \"off\"\nkept_in_memory = \"2MiB\"\n\
         [shutdown]\ngrace = \"20s\"\n{storage}{judges}",
        file("tls/server.pem"),
        file("tls/server.key"),
        file("tls/ca.pem"),
        file("principals.toml"),
        file("policies"),
    )
}
