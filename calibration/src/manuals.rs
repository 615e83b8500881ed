//! Generates shell completions and man pages.

use std::fs;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;

use crate::arguments::{Arguments, Completions, Man};

pub(crate) fn completions(args: &Completions) -> Result<String> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "gsar-calibrate", &mut script);
    Ok(String::from_utf8(script)?)
}

/// Writes one man page per command. The returned page is empty.
pub(crate) fn pages(args: &Man) -> Result<String> {
    let directory = &args.directory;
    let context = || format!("{}: cannot be written to", directory.display());
    fs::create_dir_all(directory).with_context(context)?;
    clap_mangen::generate_to(Arguments::command(), directory).with_context(context)?;
    Ok(String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_man_page_and_completions() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("man");
        pages(&Man { directory: directory.clone() }).unwrap();
        let script = completions(&Completions { shell: clap_complete::Shell::Bash }).unwrap();
        for command in Arguments::command().get_subcommands() {
            let name = command.get_name();
            assert!(directory.join(format!("gsar-calibrate-{name}.1")).exists(), "{name}");
            assert!(script.contains(name), "{name}");
        }
        assert!(directory.join("gsar-calibrate.1").exists());
    }
}
