//! The `gsar-calibrate` program.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;
use gsar_calibration::{Arguments, run};

fn main() -> ExitCode {
    match page(Arguments::parse()).and_then(|page| Ok(io::stdout().write_all(page.as_bytes())?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn page(arguments: Arguments) -> Result<String> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(run(arguments))
}
