//! Injects scheduled faults, reverts them, and waits for recovery.

pub(crate) mod phases;
pub(crate) mod schedule;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use rustix::process::Signal;
use serde::Serialize;

use crate::faults::schedule::{Fault, FaultKind, Place};
use crate::servers::database::Database;
use crate::servers::disk::Disk;
use crate::servers::sidecar::Sidecar;
use crate::world::World;

const MAX_RECOVERY: Duration = Duration::from_secs(90);
/// The servers' grace period, plus a margin.
const MAX_STOP: Duration = Duration::from_secs(40);
const FROZEN: Duration = Duration::from_millis(1_500);
const THAWED: Duration = Duration::from_millis(500);

#[derive(Clone, Debug, Serialize)]
pub(crate) struct FaultRecord {
    pub(crate) what: String,
    pub(crate) kind: &'static str,
    /// Seconds since the load began.
    pub(crate) began: f64,
    pub(crate) held: f64,
    pub(crate) recovered_in: f64,
}

pub(crate) type FaultRecords = Arc<Mutex<Vec<FaultRecord>>>;

pub(crate) async fn run_schedule(world: Arc<World>, faults: Vec<Fault>, done: FaultRecords) {
    for fault in faults {
        let wait = fault.at.saturating_sub(world.phases.now());
        if world.ends_within(wait).await {
            return;
        }
        let began = world.phases.now();
        world.phases.enter(fault.what);
        let injected = inject(&world, fault).await;
        let starts = matches!(fault.what, FaultKind::KillServer(_) | FaultKind::RestartServer(_));
        // A server cannot start while files are deliberately broken. That wait is not part of its recovery.
        let files = if starts { Some(world.files_lock.lock().await) } else { None };
        let reverted = world.phases.now();
        let recovered = match injected {
            Ok(()) => revert(&world, fault.what).await,
            Err(error) => Err(error),
        };
        drop(files);
        world.phases.leave(fault.what);
        if let Err(error) = recovered {
            let found = format!("{}: {error:#}", fault.what);
            world.record_violation("recovery", found);
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).push(FaultRecord {
            what: fault.what.to_string(),
            kind: fault.what.kind(),
            began: began.as_secs_f64(),
            held: (reverted - began).as_secs_f64(),
            recovered_in: (world.phases.now() - reverted).as_secs_f64(),
        });
    }
}

async fn inject(world: &Arc<World>, Fault { holds, what, .. }: Fault) -> anyhow::Result<()> {
    match what {
        FaultKind::KillServer(server) => {
            let sidecar = sidecar(world, server)?;
            sidecar.signal(Signal::KILL)?;
            sidecar.wait(MAX_STOP).await.context("still running after SIGKILL")?;
        }
        FaultKind::RestartServer(server) => {
            let sidecar = sidecar(world, server)?;
            sidecar.signal(Signal::TERM)?;
            let status = sidecar.wait(MAX_STOP).await.context("still running after SIGTERM")?;
            ensure!(status.success(), "exited with {status} after SIGTERM");
        }
        FaultKind::PauseServer(server) => sidecar(world, server)?.signal(Signal::STOP)?,
        FaultKind::KillDatabase => with_database(world, Database::kill).await?,
        FaultKind::PauseDatabase => with_database(world, |database| database.pause(true)).await?,
        FaultKind::SlowDisk(place) => return slow_down(world, place, holds).await,
        FaultKind::FullDisk(place) => with_disk(world, place, Disk::fill).await?,
        FaultKind::SetClock(hours) => last_sidecar(world)?.set_clock(hours)?,
        FaultKind::Model(outage) => world.model.set(Some(outage)),
    }
    tokio::time::sleep(holds).await;
    Ok(())
}

async fn slow_down(world: &Arc<World>, place: Place, holds: Duration) -> anyhow::Result<()> {
    let until = world.phases.now() + holds;
    while world.phases.now() < until {
        with_disk(world, place, Disk::freeze).await?;
        tokio::time::sleep(FROZEN).await;
        with_disk(world, place, Disk::thaw).await?;
        tokio::time::sleep(THAWED).await;
    }
    Ok(())
}

async fn revert(world: &Arc<World>, what: FaultKind) -> anyhow::Result<()> {
    match what {
        FaultKind::KillServer(server) | FaultKind::RestartServer(server) => {
            sidecar(world, server)?.start().await?;
        }
        FaultKind::PauseServer(server) => sidecar(world, server)?.signal(Signal::CONT)?,
        FaultKind::KillDatabase => with_database(world, Database::ensure_started).await?,
        FaultKind::PauseDatabase => with_database(world, |database| database.pause(false)).await?,
        FaultKind::SlowDisk(_) => {}
        FaultKind::FullDisk(place) => with_disk(world, place, Disk::empty).await?,
        FaultKind::SetClock(_) => last_sidecar(world)?.set_clock(0)?,
        FaultKind::Model(_) => {
            world.model.set(None);
            return Ok(());
        }
    }
    if matches!(what, FaultKind::FullDisk(Place::Database) | FaultKind::SlowDisk(Place::Database)) {
        // A database that cannot write its log exits and must be restarted.
        with_database(world, Database::ensure_started).await?;
    }
    let began = world.phases.now();
    for sidecar in &world.sidecars {
        while !sidecar.is_ready().await {
            if let Some(status) = sidecar.exit_status() {
                bail!("server {} exited with {status}", sidecar.number);
            }
            let waited = world.phases.now() - began;
            ensure!(
                waited < MAX_RECOVERY,
                "server {} is not ready after {waited:?}",
                sidecar.number
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    Ok(())
}

fn last_sidecar(world: &World) -> anyhow::Result<&Sidecar> {
    world.sidecars.last().context("no server")
}

fn sidecar(world: &World, number: usize) -> anyhow::Result<&Sidecar> {
    world.sidecars.get(number).context("no such server")
}

async fn with_database(
    world: &Arc<World>,
    work: impl FnOnce(&Database) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let world = Arc::clone(world);
    let done =
        tokio::task::spawn_blocking(move || work(world.database.as_ref().context("no database")?));
    done.await?
}

async fn with_disk(
    world: &Arc<World>,
    place: Place,
    work: impl FnOnce(&Disk) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let world = Arc::clone(world);
    let done =
        tokio::task::spawn_blocking(move || work(world.disks.get(&place).context("no such disk")?));
    done.await?
}
