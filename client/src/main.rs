//! The command line `gsar`.

mod arguments;
mod commands;
mod documents;
mod exit_status;
mod failure;
mod human;
mod session;
mod terminal;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use arguments::Arguments;
use terminal::Terminal;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = runtime().and_then(|runtime| {
        let outcome = runtime.block_on(commands::run(arguments, &Terminal::detect()));
        // A read of standard input may still be blocked.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(status) => status.exit_code(),
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(anstream::stderr(), "{}", human::errors::failure(&failure));
            failure.status().exit_code()
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, failure::Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(failure::Failure::Output)
}
