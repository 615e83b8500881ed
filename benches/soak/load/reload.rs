//! This module has servers read their files anew by SIGHUP, good ones and broken ones, and looks for the effect.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;

use crate::faults::schedule::What;
use crate::identity::{GUEST, principals};
use crate::invariants::Violation;
use crate::servers::sidecar::Sidecar;
use crate::world::World;

/// What stands in the files, which is what has to be in force.
#[derive(Clone, Copy, Debug)]
struct Good {
    policy: u32,
    has_guest: bool,
    certificate: i32,
}

/// What is done to a file.
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
/// How long a server may take from the signal to the effect.
const MAX_EFFECT: Duration = Duration::from_secs(15);
const FIRST_YEAR: i32 = 2050;

/// A policy that decides as `reference` does, and says which one it is.
fn policy(version: u32) -> String {
    format!(
        "name = \"soak\"\nbase = \"reference\"\ndescription = \"version {version} of the soak\"\n"
    )
}

/// Writes the files as they are at first.
pub(crate) fn write_first(files: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(files.join("policies"))?;
    std::fs::write(files.join("policies/soak.toml"), policy(0))?;
    std::fs::write(files.join("principals.toml"), principals(true))
}

/// Changes files one after the other, each about `every` after the last, until the load is over.
pub(crate) async fn reload_again_and_again(world: Arc<World>, seed: u64, every: Duration) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut good = Good { policy: 0, has_guest: true, certificate: FIRST_YEAR };
    let mut round = Vec::new();
    while !world.ends_within(every.mul_f64(0.5 + random.f64())).await {
        if round.is_empty() {
            round = CHANGES.to_vec();
            random.shuffle(&mut round);
        }
        let Some(change) = round.pop() else { continue };
        if let Err(error) = change_files(&world, change, &mut good).await {
            world.violated(Violation::new("reload", format!("{change:?}: {error:#}")));
        }
        world.count(&format!("reload: {change:?}"));
    }
}

async fn change_files(world: &World, change: Change, good: &mut Good) -> anyhow::Result<()> {
    // No server starts meanwhile: it would read what is broken, or end by a signal that it does not expect yet.
    let _files = world.files_are_good.lock().await;
    let path = |name: &str| world.files.join(name);
    let (policy_file, principals_file) = (path("policies/soak.toml"), path("principals.toml"));
    let broken = match change {
        Change::Policy => {
            good.policy += 1;
            std::fs::write(&policy_file, policy(good.policy))?;
            None
        }
        Change::Guest => {
            good.has_guest = !good.has_guest;
            std::fs::write(&principals_file, principals(good.has_guest))?;
            None
        }
        Change::Certificate => {
            good.certificate += 1;
            world.authority.rotate(good.certificate)?;
            None
        }
        Change::BrokenPolicy => Some((policy_file, "tau_proceed = \"much\"\n")),
        Change::BrokenPrincipals => Some((principals_file, "[nobody]\nmay = [\"evaluate\"]\n")),
        Change::BrokenCertificate => Some((path("tls/server.pem"), "no certificate\n")),
    };
    let Some((file, garbage)) = broken else { return in_force(world, *good).await };
    let kept = std::fs::read(&file)?;
    std::fs::write(&file, garbage)?;
    let checked = in_force(world, *good).await;
    std::fs::write(&file, kept)?;
    checked?;
    in_force(world, *good).await
}

/// Has every server read its files, and waits until what is good is in force.
async fn in_force(world: &World, good: Good) -> anyhow::Result<()> {
    let from = world.phases.now();
    for sidecar in &world.sidecars {
        // One that was killed reads them when it starts.
        let _is_down = sidecar.signal(Signal::HUP);
    }
    for sidecar in &world.sidecars {
        loop {
            let differs = match has_in_force(world, sidecar, good).await {
                Ok(None) => break,
                Ok(Some(differs)) => differs,
                Err(error) => format!("{error:#}"),
            };
            let (now, number) = (world.phases.now(), sidecar.number);
            let is_hit = world.phases.felt(from, now).iter().any(|fault| {
                matches!(fault, What::KillServer(hit) | What::RestartServer(hit) | What::PauseServer(hit) if *hit == number)
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

/// What is in force at a server and should not be.
async fn has_in_force(
    world: &World,
    sidecar: &Sidecar,
    good: Good,
) -> anyhow::Result<Option<String>> {
    let client = world.client(sidecar.number, &crate::identity::AUDITOR)?;
    let toml = client.policy("soak").await?.toml;
    if !toml.contains(&format!("version {} of", good.policy)) {
        return Ok(Some(format!("policy version {} is not in force: {toml}", good.policy)));
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
    if is_guest != good.has_guest {
        return Ok(Some(format!("the guest is {is_guest} instead of {}", good.has_guest)));
    }
    let ends = sidecar.metric("gsar_tls_certificate_not_after_seconds").await?;
    let wanted = rcgen::date_time_ymd(good.certificate, 12, 31).unix_timestamp() as f64;
    if (ends - wanted).abs() > 1.0 {
        return Ok(Some(format!("the certificate ends at {ends} instead of {wanted}")));
    }
    Ok(None)
}
