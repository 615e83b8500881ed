//! Draws a schedule of faults from a seed.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Setting {
    /// The number of servers. The first is never killed, so that its memory can be observed for the whole
    /// run.
    pub(crate) servers: usize,
    pub(crate) has_database: bool,
    /// `true` if the data is on separate file systems that can be filled and frozen.
    pub(crate) has_disks: bool,
    /// `true` if the last server's clock can be set.
    pub(crate) has_clock: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Fault {
    pub(crate) at: Duration,
    pub(crate) holds: Duration,
    pub(crate) what: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum FaultKind {
    /// SIGKILL, then restart.
    KillServer(usize),
    /// SIGTERM, then restart, as in a rolling update.
    RestartServer(usize),
    /// SIGSTOP, then SIGCONT, like a migrated or overloaded machine.
    PauseServer(usize),
    /// SIGKILL to all database processes, then restart.
    KillDatabase,
    /// SIGSTOP to all database processes, then SIGCONT, like hanging storage.
    PauseDatabase,
    /// Writes to the file system block three quarters of the time.
    SlowDisk(Place),
    /// The file system is full.
    FullDisk(Place),
    /// The last server's clock is shifted by hours.
    SetClock(i32),
    /// The chat model fails.
    Model(Outage),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Place {
    Server(usize),
    Database,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Outage {
    /// Never answers.
    Hangs,
    /// Returns status 503.
    Errors,
    /// Resets the connection in the middle of the answer.
    Resets,
    /// Returns truncated JSON.
    Garbles,
}

impl FaultKind {
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::KillServer(_) => "server killed",
            Self::RestartServer(_) => "server restarted",
            Self::PauseServer(_) => "server paused",
            Self::KillDatabase => "database killed",
            Self::PauseDatabase => "database paused",
            Self::SlowDisk(_) => "slow disk",
            Self::FullDisk(_) => "full disk",
            Self::SetClock(_) => "clock set",
            Self::Model(_) => "model outage",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Self::KillServer(server) | Self::RestartServer(server) | Self::PauseServer(server) => {
                write!(f, ": {server}")
            }
            Self::SlowDisk(Place::Server(server)) | Self::FullDisk(Place::Server(server)) => {
                write!(f, ": server {server}")
            }
            Self::SlowDisk(Place::Database) | Self::FullDisk(Place::Database) => {
                f.write_str(": database")
            }
            Self::SetClock(hours) => write!(f, ": {hours:+} h"),
            Self::Model(outage) => write!(f, ": {outage:?}"),
            Self::KillDatabase | Self::PauseDatabase => Ok(()),
        }
    }
}

const MAX_SLOT: f64 = 75.0;

/// Draws the faults for a run: a sequence of server, database and disk faults, and in parallel a sequence
/// of chat model faults. Each round contains every kind once. Deterministic for given arguments.
pub(crate) fn draw(seed: u64, duration: Duration, setting: Setting) -> Vec<Fault> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut faults = track(&mut random, duration, kinds(setting), setting);
    let outages = [Outage::Hangs, Outage::Errors, Outage::Resets, Outage::Garbles];
    let outages = outages.map(|outage| -> Draw { Box::new(move |_, _| FaultKind::Model(outage)) });
    faults.extend(track(&mut random, duration, outages.into(), setting));
    faults.sort_by_key(|fault| (fault.at, fault.what));
    faults
}

type Draw = Box<dyn Fn(&mut fastrand::Rng, Setting) -> FaultKind>;

fn kinds(setting: Setting) -> Vec<Draw> {
    fn killable(random: &mut fastrand::Rng, setting: Setting) -> usize {
        random.usize(1.min(setting.servers - 1)..setting.servers)
    }
    fn any(random: &mut fastrand::Rng, setting: Setting) -> usize {
        random.usize(..setting.servers)
    }
    let mut kinds: Vec<Draw> = vec![
        Box::new(|random, setting| FaultKind::KillServer(killable(random, setting))),
        Box::new(|random, setting| FaultKind::RestartServer(killable(random, setting))),
        Box::new(|random, setting| FaultKind::PauseServer(any(random, setting))),
    ];
    if setting.has_database {
        kinds.push(Box::new(|_, _| FaultKind::KillDatabase));
        kinds.push(Box::new(|_, _| FaultKind::PauseDatabase));
    }
    if setting.has_disks {
        kinds.push(Box::new(|random, setting| {
            FaultKind::SlowDisk(Place::Server(any(random, setting)))
        }));
        kinds.push(Box::new(|random, setting| {
            FaultKind::FullDisk(Place::Server(any(random, setting)))
        }));
    }
    if setting.has_disks && setting.has_database {
        kinds.push(Box::new(|_, _| FaultKind::SlowDisk(Place::Database)));
        kinds.push(Box::new(|_, _| FaultKind::FullDisk(Place::Database)));
    }
    if setting.has_clock {
        kinds.push(Box::new(|random, _| {
            FaultKind::SetClock(*random.choice(&[-25, -2, 2, 25]).unwrap_or(&2))
        }));
    }
    kinds
}

/// Draws sequential faults in rounds that contain every kind, and leaves the start and the end calm.
fn track(
    random: &mut fastrand::Rng,
    duration: Duration,
    kinds: Vec<Draw>,
    setting: Setting,
) -> Vec<Fault> {
    let calm = (duration.as_secs_f64() / 10.0).min(60.0);
    let end = duration.as_secs_f64() - calm;
    let slot = ((end - calm) / kinds.len() as f64).min(MAX_SLOT);
    let (mut faults, mut begins) = (Vec::new(), calm);
    let mut round: Vec<&Draw> = Vec::new();
    // Slots are sized so that one round fits. The tolerance keeps rounding from losing the last fault.
    while begins + slot <= end + 1e-6 {
        if round.is_empty() {
            round = kinds.iter().collect();
            random.shuffle(&mut round);
        }
        let Some(draw) = round.pop() else { break };
        let shift = random.f64() * slot * 0.2;
        let holds = slot * (0.1 + random.f64() * 0.25);
        faults.push(Fault {
            at: Duration::from_secs_f64(begins + shift),
            holds: Duration::from_secs_f64(holds),
            what: draw(random, setting),
        });
        begins += slot;
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const ALL: Setting =
        Setting { servers: 3, has_database: true, has_disks: true, has_clock: true };
    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn faults_depend_on_the_seed() {
        assert_eq!(draw(1, HOUR, ALL), draw(1, HOUR, ALL));
        assert_ne!(draw(1, HOUR, ALL), draw(2, HOUR, ALL));
    }

    #[test]
    fn every_run_contains_every_kind() {
        for seconds in [150, 3_600] {
            for seed in 0..50 {
                let faults = draw(seed, Duration::from_secs(seconds), ALL);
                let kinds: BTreeSet<_> = faults.iter().map(|fault| fault.what.kind()).collect();
                assert_eq!(kinds.len(), 9, "{seconds} s, seed {seed}: {kinds:?}");
            }
        }
    }

    #[test]
    fn faults_do_not_overlap_and_leave_the_start_and_end_calm() {
        for seed in 0..50 {
            let faults = draw(seed, HOUR, ALL);
            let is_model = |fault: &&Fault| matches!(fault.what, FaultKind::Model(_));
            for track in [
                faults.iter().filter(is_model).collect::<Vec<_>>(),
                faults.iter().filter(|fault| !is_model(fault)).collect(),
            ] {
                assert!(track.len() >= 40, "{}", track.len());
                for pair in track.windows(2) {
                    assert!(pair[0].at + pair[0].holds < pair[1].at, "{pair:?}");
                }
            }
            assert!(faults[0].at >= Duration::from_secs(60));
            let last = faults.iter().map(|fault| fault.at + fault.holds).max().unwrap();
            assert!(last <= HOUR - Duration::from_secs(60));
        }
    }

    #[test]
    fn the_first_of_several_servers_is_never_killed() {
        let killed = |setting| {
            draw(3, 20 * HOUR, setting)
                .into_iter()
                .filter_map(|fault| match fault.what {
                    FaultKind::KillServer(server) | FaultKind::RestartServer(server) => {
                        Some(server)
                    }
                    _ => None,
                })
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(killed(ALL), [1, 2].into());
        assert_eq!(killed(Setting { servers: 1, ..ALL }), [0].into());
    }

    #[test]
    fn draws_only_faults_that_the_setting_supports() {
        let bare = Setting { servers: 2, has_database: false, has_disks: false, has_clock: false };
        for fault in draw(5, 20 * HOUR, bare) {
            assert!(
                matches!(
                    fault.what,
                    FaultKind::KillServer(1)
                        | FaultKind::RestartServer(1)
                        | FaultKind::PauseServer(_)
                        | FaultKind::Model(_)
                ),
                "{fault:?}"
            );
        }
    }
}
