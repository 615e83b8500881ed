//! Writes valid and invalid files, sends SIGHUP, and checks the effect.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;

use crate::faults::schedule::FaultKind;
use crate::identity::{GUEST, principals};
use crate::servers::sidecar::Sidecar;
use crate::world::World;

#[derive(Clone, Copy, Debug)]
struct Expected {
    policy: u32,
    has_guest: bool,
    certificate: i32,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Policy,
    Guest,
    Certificate,
    BrokenPolicy,
    BrokenPrincipals,
    BrokenCertificate,
}

const CHANGES: [Change; 6] = [
    Change::Policy,
    Change::Guest,
    Change::Certificate,
    Change::BrokenPolicy,
    Change::BrokenPrincipals,
    Change::BrokenCertificate,
];
const MAX_EFFECT: Duration = Duration::from_secs(15);
const FIRST_YEAR: i32 = 2050;

fn policy(version: u32) -> String {
    format!(
        "name = \"soak\"\nbase = \"reference\"\ndescription = \"version {version} of the soak\"\n"
    )
}

pub(crate) fn write_first(files: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(files.join("policies"))?;
    std::fs::write(files.join("policies/soak.toml"), policy(0))?;
    std::fs::write(files.join("principals.toml"), principals(true))
}

/// Changes one file at a time, about once per `every`, until the load ends.
pub(crate) async fn reload_repeatedly(world: Arc<World>, seed: u64, every: Duration) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut expected = Expected { policy: 0, has_guest: true, certificate: FIRST_YEAR };
    let mut round = Vec::new();
    while !world.ends_within(every.mul_f64(0.5 + random.f64())).await {
        if round.is_empty() {
            round = CHANGES.to_vec();
            random.shuffle(&mut round);
        }
        let Some(change) = round.pop() else { continue };
        if let Err(error) = change_files(&world, change, &mut expected).await {
            world.record_violation("reload", format!("{change:?}: {error:#}"));
        }
        world.count(&format!("reload: {change:?}"));
    }
}

async fn change_files(
    world: &World,
    change: Change,
    expected: &mut Expected,
) -> anyhow::Result<()> {
    // A starting server would read broken files, or be killed by an early SIGHUP.
    let _files = world.files_lock.lock().await;
    let path = |name: &str| world.files.join(name);
    let (policy_file, principals_file) = (path("policies/soak.toml"), path("principals.toml"));
    let broken = match change {
        Change::Policy => {
            expected.policy += 1;
            std::fs::write(&policy_file, policy(expected.policy))?;
            None
        }
        Change::Guest => {
            expected.has_guest = !expected.has_guest;
            std::fs::write(&principals_file, principals(expected.has_guest))?;
            None
        }
        Change::Certificate => {
            expected.certificate += 1;
            world.authority.rotate(expected.certificate)?;
            None
        }
        Change::BrokenPolicy => Some((policy_file, "tau_proceed = \"much\"\n")),
        Change::BrokenPrincipals => Some((principals_file, "[nobody]\nmay = [\"evaluate\"]\n")),
        Change::BrokenCertificate => Some((path("tls/server.pem"), "no certificate\n")),
    };
    let Some((file, garbage)) = broken else { return check_reload(world, *expected).await };
    let original = std::fs::read(&file)?;
    std::fs::write(&file, garbage)?;
    let checked = check_reload(world, *expected).await;
    std::fs::write(&file, original)?;
    checked?;
    check_reload(world, *expected).await
}

async fn check_reload(world: &World, expected: Expected) -> anyhow::Result<()> {
    let from = world.phases.now();
    for sidecar in &world.sidecars {
        // A killed server reads the files when it restarts.
        let _is_down = sidecar.signal(Signal::HUP);
    }
    for sidecar in &world.sidecars {
        loop {
            let differs = match difference(world, sidecar, expected).await {
                Ok(None) => break,
                Ok(Some(differs)) => differs,
                Err(error) => format!("{error:#}"),
            };
            let (now, number) = (world.phases.now(), sidecar.number);
            let is_hit = world.phases.affecting(from, now).iter().any(|fault| {
                matches!(fault, FaultKind::KillServer(hit) | FaultKind::RestartServer(hit) | FaultKind::PauseServer(hit) if *hit == number)
            });
            if is_hit {
                break;
            }
            anyhow::ensure!(
                now - from < MAX_EFFECT,
                "server {number} after {MAX_EFFECT:?}: {differs}"
            );
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    Ok(())
}

/// Describes how a server differs from the expected files, or returns `None` if they are in effect.
async fn difference(
    world: &World,
    sidecar: &Sidecar,
    expected: Expected,
) -> anyhow::Result<Option<String>> {
    let client = world.client(sidecar.number, &crate::identity::AUDITOR)?;
    let toml = client.policy("soak").await?.toml;
    if !toml.contains(&format!("version {} of", expected.policy)) {
        return Ok(Some(format!("policy version {} is not in effect: {toml}", expected.policy)));
    }
    let is_guest = match world.client(sidecar.number, &GUEST)?.list_policies().await {
        Ok(_) => true,
        Err(error)
            if error
                .refusal()
                .is_some_and(|refusal| refusal.code == tonic::Code::Unauthenticated) =>
        {
            false
        }
        Err(error) => return Err(error.into()),
    };
    if is_guest != expected.has_guest {
        return Ok(Some(format!("guest access is {is_guest} instead of {}", expected.has_guest)));
    }
    let ends = sidecar.metric("gsar_tls_certificate_not_after_seconds").await?;
    let expected_end = rcgen::date_time_ymd(expected.certificate, 12, 31).unix_timestamp() as f64;
    if (ends - expected_end).abs() > 1.0 {
        return Ok(Some(format!("the certificate expires at {ends} instead of {expected_end}")));
    }
    Ok(None)
}
