//! Runs real servers under mixed load and faults for hours, checks invariants, and writes a report. See
//! `benches/README.md`.
//!
//! | module | purpose |
//! |---|---|
//! | [`setup`], [`world`] | start a run and store its state |
//! | [`servers`] | contains the targets of faults |
//! | [`identity`], [`cases`] | define the callers, and reports with a known tier |
//! | [`load`] | runs the callers' scenarios |
//! | [`faults`] | schedules and injects faults |
//! | [`invariants`] | checks the invariants during the run |
//! | [`left_data`], [`checks`] | perform the final checks |
//! | [`report`] | takes measurements and writes the report |

mod cases;
mod checks;
mod faults;
mod identity;
mod invariants;
mod left_data;
mod load;
mod report;
mod servers;
mod setup;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::faults::schedule::{self, Fault, FaultKind};
use crate::invariants::levels::{self, Sample};
use crate::load::Caller;
use crate::report::Report;
use crate::world::World;

/// Runs servers under mixed load and faults, and checks that data is never lost, duplicated, wrong or
/// visible to others. SIGINT and SIGTERM end the load early. The exit status is 1 if an invariant was
/// violated.
#[derive(Debug, Parser)]
struct Arguments {
    /// Server binary.
    #[arg(long, default_value = "target/debug/gsar-server")]
    server: PathBuf,
    /// Folder for the report, which is emptied first. Its subfolder `work` contains the data and is removed at the
    /// end unless an invariant was violated.
    #[arg(long, default_value = "target/soak")]
    out: PathBuf,
    /// Duration of the load in minutes.
    #[arg(long, default_value_t = 120.0)]
    minutes: f64,
    /// Seed for the schedule and the load.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ledger storage.
    #[arg(long, value_enum, default_value = "postgres")]
    storage: Storage,
    /// Number of servers. Default: 3 with PostgreSQL and 2 with SQLite.
    #[arg(long)]
    servers: Option<usize>,
    /// Total calls per second.
    #[arg(long, default_value_t = 20.0)]
    rate: f64,
    /// Number of callers.
    #[arg(long, default_value_t = 24)]
    callers: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Storage {
    /// One shared database.
    Postgres,
    /// One ledger per server.
    Sqlite,
}

const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);
const PROGRESS_INTERVAL: Duration = Duration::from_secs(60);

#[tokio::main]
#[expect(clippy::print_stderr, reason = "the result of the run")]
async fn main() -> ExitCode {
    match run(&Arguments::parse()).await {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("the soak could not be run: {error:#}");
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stdout, reason = "prints its progress")]
async fn run(arguments: &Arguments) -> anyhow::Result<usize> {
    let duration = Duration::from_secs_f64(arguments.minutes * 60.0);
    let setup::Started { world, data, left_out, version } = setup::start(arguments).await?;
    let schedule = schedule::draw(arguments.seed, duration, world.setting);
    for left_out in &left_out {
        println!("skipped: {left_out}");
    }
    println!("{version}, {:?}, seed {}, {} faults", world.setting, arguments.seed, schedule.len());

    let done = faults::FaultRecords::default();
    let mut running = JoinSet::new();
    let (outages, others): (Vec<Fault>, Vec<Fault>) =
        schedule.iter().partition(|fault| matches!(fault.what, FaultKind::Model(_)));
    for track in [others, outages] {
        running.spawn(faults::run_schedule(Arc::clone(&world), track, Arc::clone(&done)));
    }
    for caller in 0..arguments.callers {
        let seed = arguments.seed.wrapping_mul(1_000).wrapping_add(caller);
        running.spawn(Caller::new(Arc::clone(&world), seed).run());
    }
    let every = (duration / 12).min(Duration::from_secs(45));
    running.spawn(load::reload_repeatedly(Arc::clone(&world), arguments.seed, every));
    let mut watching = JoinSet::new();
    watching.spawn(issue_tickets(Arc::clone(&world), arguments.rate));
    watching.spawn(sample(Arc::clone(&world)));
    watching.spawn(print_progress(Arc::clone(&world)));

    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        () = tokio::time::sleep(duration) => {}
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    world.end();
    let minutes = world.phases.now().as_secs_f64() / 60.0;
    // Wait for recovery and for open calls.
    while running.join_next().await.is_some() {}
    let final_checks = match checks::run(&world, &data).await {
        Ok(checks) => Some(checks),
        Err(error) => {
            let found = format!("the final checks failed: {error:#}");
            world.record_violation("recovery", found);
            None
        }
    };
    watching.shutdown().await;

    let samples = world.samples.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let levels = levels::levels(&samples);
    levels::check(&levels).into_iter().for_each(|violation| world.record(violation));
    let (violations, violation_count) = world.violations.all();
    let report = Report {
        seed: arguments.seed,
        setting: world.setting,
        version,
        minutes,
        rate: arguments.rate,
        daily_budget: world.daily_budget,
        left_out,
        schedule,
        faults: done.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        keys: world.acknowledged().counts(),
        model_answered: world.model.answered(),
        paid_micros: world.paid.load(Ordering::Relaxed),
        counts: world.counts.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        looked: final_checks,
        latencies: world.latencies.lines(),
        levels,
        violations,
        violation_count,
    };
    report.write(&arguments.out, &samples)?;
    println!("{}", report.markdown());
    drop(world);
    if violation_count == 0 {
        std::fs::remove_dir_all(arguments.out.join("work"))?;
    }
    Ok(violation_count)
}

/// Issues one ticket per call at the configured rate, at most one in advance.
async fn issue_tickets(world: Arc<World>, rate: f64) {
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if world.tickets.available_permits() == 0 {
            world.tickets.add_permits(1);
        }
    }
}

async fn sample(world: Arc<World>) {
    let mut ticks = tokio::time::interval(SAMPLE_INTERVAL);
    loop {
        ticks.tick().await;
        for sidecar in &world.sidecars {
            if let Some((start, taken)) = sidecar.sample() {
                let sample =
                    Sample { at: world.phases.now(), server: sidecar.number, start, taken };
                world.samples.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
            }
        }
    }
}

#[expect(clippy::print_stdout, reason = "prints its progress")]
async fn print_progress(world: Arc<World>) {
    let mut ticks = tokio::time::interval(PROGRESS_INTERVAL);
    loop {
        ticks.tick().await;
        let now = world.phases.now();
        let memory: Vec<String> = world
            .sidecars
            .iter()
            .map(|sidecar| {
                sidecar.sample().map_or("down".to_owned(), |(start, taken)| {
                    format!(
                        "{} MiB, {} descriptors, start {start}",
                        taken.memory / 1_024,
                        taken.descriptors
                    )
                })
            })
            .collect();
        let ((acknowledged, open), (_, violations)) =
            (world.acknowledged().counts(), world.violations.all());
        println!(
            "{:.0} s, {}: {acknowledged} keys acknowledged, {open} open, {violations} violations; {}",
            now.as_secs_f64(),
            world.phases.name(now),
            memory.join("; ")
        );
    }
}
