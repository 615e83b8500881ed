//! The `gsar-server` binary: flags, signals and exit codes.

mod manuals;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use gsar_server::assembly::CheckedConfig;
use gsar_server::backup::{Backup, back_up};
use gsar_server::config::{Config, Listen, Loaded, LogFormat, Problems, Sources, effective_toml};
use gsar_server::ledger::{LedgerLocation, copy_ledger};
use gsar_server::lifecycle::{App, ServiceManager};
use gsar_server::telemetry::panics;
use gsar_server::telemetry::start_logs;
use gsar_server::telemetry::traces::Exporter;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio_stream::wrappers::SignalStream;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The version, with the licences of the program and the embedded weights.
const LICENCES: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nlicence: Apache-2.0\nweights of local/1 included: CC BY-SA 4.0, trained on data under that licence"
);

/// Decides over gRPC whether an incident report may be sent.
#[derive(Parser)]
#[command(version, long_version = LICENCES)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Configuration file (TOML).
    #[arg(long, global = true, env = "GSAR_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address to listen on: unix:///path/to.sock, grpc://address:port or grpcs://address:port; may be repeated.
    #[arg(long, value_name = "URL")]
    listen: Vec<Listen>,
    /// Directory of the ledger.
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// The only judge of this run: local/1, rules/2, or a chat model such as ollama:qwen3:8b or openai:gpt-4o-mini.
    #[arg(long, value_name = "JUDGE")]
    judge: Option<String>,
    /// Base URL of that chat model; required for openai-compatible.
    #[arg(long, value_name = "URL", requires = "judge")]
    judge_url: Option<String>,
    /// Format of log lines.
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    log_format: Option<Format>,
    /// Print the effective configuration with the origin of every value, and exit.
    #[arg(long)]
    print_config: bool,
    /// Check the configuration, the files it names and the ledger, report every error, and exit. Binds no address and
    /// does not lock the data directory, so it can run next to a server.
    #[arg(long, conflicts_with = "print_config")]
    check: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Create the tables of the ledger if they are missing, and exit. A server does so when it starts, unless
    /// storage.migrate is false.
    Migrate,
    /// Copy a ledger into another one, and compare the two. No writer may be using either of them. Existing
    /// records are skipped, so an interrupted copy can be resumed.
    Copy {
        /// Source: sqlite:DIRECTORY, or postgres://user@host/database.
        #[arg(long, value_name = "LEDGER")]
        from: LedgerLocation,
        /// Destination, in the same form.
        #[arg(long, value_name = "LEDGER")]
        to: LedgerLocation,
    },
    /// Back up the data directory to a new folder, even while the server runs. Every copied database is consistent and
    /// checked. To restore, copy the folder to the new data_dir.
    Backup {
        /// Folder outside the data directory. It gets its name only once the backup is complete.
        #[arg(long, value_name = "FOLDER")]
        to: PathBuf,
    },
    /// Print completions for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write the man pages.
    Man {
        /// Target directory; created if missing.
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Pretty,
}

const USAGE: u8 = 2;
/// The time that running threads get to finish after the server has stopped.
const LINGER: Duration = Duration::from_millis(500);

#[expect(clippy::print_stdout, reason = "output of the command")]
fn main() -> ExitCode {
    panics::install_hook();
    let arguments = Arguments::parse();
    let manager = ServiceManager::from_environment();
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return exit_code(Err(error.into())),
    };
    let command = match arguments.command {
        Some(Command::Copy { from, to }) => return exit_code(runtime.block_on(copy(from, to))),
        Some(Command::Completions { shell }) => {
            return exit_code(manuals::completions(Arguments::command(), shell));
        }
        Some(Command::Man { directory }) => {
            return exit_code(manuals::pages(Arguments::command(), &directory));
        }
        command => command,
    };
    let sources = Sources {
        file: arguments.config,
        environment: std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        listen: arguments.listen,
        data_dir: arguments.data_dir,
        log_format: arguments.log_format.map(|format| match format {
            Format::Json => LogFormat::Json,
            Format::Pretty => LogFormat::Pretty,
        }),
        judge: arguments.judge,
        judge_url: arguments.judge_url,
    };
    let Loaded { config, layers, mut problems } = match sources.load() {
        Ok(loaded) => loaded,
        Err(problems) => return config_error(&problems),
    };
    if arguments.print_config && !problems.is_empty() {
        return config_error(&problems);
    }
    if arguments.print_config {
        print!("{}", effective_toml(&config, &layers));
        return ExitCode::SUCCESS;
    }
    if let Some(Command::Backup { to }) = &command {
        if problems.has_errors_at(&["data_dir"]) || problems.has_errors_at(&["storage"]) {
            return config_error(&problems);
        }
        return exit_code(backup(&config, to));
    }
    let exporter = match problems.has_errors_at(&["traces"]) {
        true => None,
        false => {
            let _runtime_guard = runtime.enter();
            problems.note(&["traces", "endpoint"], Exporter::start(&config.traces)).flatten()
        }
    };
    if !problems.has_errors_at(&["log"]) {
        problems.note(&["log", "level"], start_logs(&config.log, exporter.as_ref()));
    }
    let ignored_variables = sources.ignored_variables();
    if !ignored_variables.is_empty() {
        let variables = ignored_variables.join(" ");
        tracing::info!(variables, "ignoring environment variables set by Kubernetes for a Service");
    }
    // A SIGHUP during startup triggers a reload once the server is ready.
    let hangup = {
        let _runtime_guard = runtime.enter();
        signal(SignalKind::hangup())
    };
    let checked_config = match CheckedConfig::check(config, Vec::new(), problems) {
        Ok(checked_config) => checked_config.with_sources(sources),
        Err(mut problems) => {
            problems.locate(&layers);
            return config_error(&problems);
        }
    };
    let result = runtime.block_on(async {
        match command {
            Some(_) => migrate(&checked_config).await,
            None if arguments.check => check(&checked_config).await,
            None => run(checked_config, manager?, hangup?).await,
        }
    });
    if let Some(exporter) = exporter {
        exporter.shut_down();
    }
    // Every call has been answered, so the results of computations that are still running are not needed.
    runtime.shutdown_timeout(LINGER);
    exit_code(result)
}

#[expect(clippy::print_stderr, reason = "output of the command")]
fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "output of the command")]
async fn check(checked_config: &CheckedConfig) -> anyhow::Result<()> {
    checked_config.reach_database().await.map_err(anyhow::Error::msg)?;
    println!("configuration: no problems");
    Ok(())
}

#[expect(clippy::print_stdout, reason = "output of the command")]
async fn migrate(checked_config: &CheckedConfig) -> anyhow::Result<()> {
    checked_config.migrate_ledger().await.map_err(anyhow::Error::msg)?;
    println!("the ledger has the schema of this version");
    Ok(())
}

#[expect(clippy::print_stdout, reason = "output of the command")]
async fn copy(from: LedgerLocation, to: LedgerLocation) -> anyhow::Result<()> {
    let (from, to) = (from.open().await?, to.open().await?);
    let summary = copy_ledger(&*from, &*to).await?;
    println!("{summary}");
    Ok(())
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "output of the command")]
fn backup(config: &Config, to: &Path) -> anyhow::Result<()> {
    if let Some(url) = &config.storage.url {
        anyhow::bail!(
            "evaluations and corpora are in {url}, not in data_dir: back them up with pg_dump --format=custom, or the whole \
             server with pg_basebackup"
        );
    }
    let Backup { databases, skipped } = back_up(&config.data_dir, to)?;
    for (database, bytes) in &databases {
        println!("{bytes:>14} {}", database.display());
    }
    println!("copied and checked {} databases in {}", databases.len(), to.display());
    for (database, reason) in &skipped {
        eprintln!("left out: {} is damaged ({reason})", database.display());
    }
    match skipped.len() {
        0 => Ok(()),
        damaged_count => {
            anyhow::bail!(
                "{} was written without {damaged_count} damaged database(s)",
                to.display()
            )
        }
    }
}

#[expect(clippy::print_stderr, reason = "output of the command")]
fn config_error(problems: &Problems) -> ExitCode {
    eprintln!("error: {problems}");
    ExitCode::from(USAGE)
}

async fn run(
    checked_config: CheckedConfig,
    manager: ServiceManager,
    hangup: Signal,
) -> anyhow::Result<()> {
    let stop_signal = stop_signal()?;
    let app = App::bind_with(checked_config, manager).await?;
    let stop = async {
        let _ = stop_signal.await;
    };
    app.serve(stop, SignalStream::new(hangup)).await?;
    Ok(())
}

/// Resolves at the first SIGTERM or SIGINT. The second one exits the process. A dedicated thread waits for
/// them, since the runtime can be busy.
fn stop_signal() -> anyhow::Result<oneshot::Receiver<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let (mut terminate, mut interrupt) = {
        let _runtime_guard = runtime.enter();
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?)
    };
    let (sender, receiver) = oneshot::channel();
    let wait = move || {
        runtime.block_on(async {
            let mut wait_for_signal = async || {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
            };
            wait_for_signal().await;
            let _ = sender.send(());
            wait_for_signal().await;
            std::process::exit(1);
        });
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(receiver)
}
