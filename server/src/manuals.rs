//! Generates shell completions and man pages for `gsar-server` from its command line definition.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use clap::Command;
use clap_complete::Shell;

pub(crate) fn completions(mut command: Command, shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "gsar-server", &mut script);
    Ok(std::io::stdout().lock().write_all(&script)?)
}

pub(crate) fn pages(command: Command, directory: &Path) -> anyhow::Result<()> {
    let write_error = || format!("failed to write to {}", directory.display());
    fs::create_dir_all(directory).with_context(write_error)?;
    clap_mangen::generate_to(command, directory).with_context(write_error)
}
