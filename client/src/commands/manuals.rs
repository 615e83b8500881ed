//! `gsar completions` and `gsar man`: generates shell completions and manual pages.

use std::fs;
use std::io::Write as _;

use clap::CommandFactory as _;
use gsar_client::input::InputError;

use crate::arguments::{Arguments, Completions, Man};
use crate::exit_status::Status;
use crate::failure::Failure;

pub(super) fn completions(arguments: &Completions) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "gsar", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Status::Proceed)
}

pub(super) fn pages(arguments: &Man) -> Result<Status, Failure> {
    let directory = &arguments.directory;
    let unusable = |source| InputError::Unreadable { path: directory.clone(), source };
    fs::create_dir_all(directory).map_err(unusable)?;
    clap_mangen::generate_to(Arguments::command(), directory).map_err(unusable)?;
    Ok(Status::Proceed)
}
