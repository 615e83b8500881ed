//! Reads process resource usage from `/proc`, and sends signals.

use std::path::Path;

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The resident set size in KiB.
    pub(crate) memory: u64,
    pub(crate) descriptors: u64,
    pub(crate) threads: u64,
}

pub(crate) fn usage(pid: i32) -> Option<Usage> {
    let folder = format!("/proc/{pid}");
    let status = std::fs::read_to_string(format!("{folder}/status")).ok()?;
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    };
    let descriptors = std::fs::read_dir(Path::new(&folder).join("fd")).ok()?.count();
    Some(Usage {
        memory: number("VmRSS:")?,
        descriptors: descriptors as u64,
        threads: number("Threads:")?,
    })
}

pub(crate) fn family(pid: i32) -> Vec<i32> {
    let mut found = vec![pid];
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    found.extend(all.filter_map(|entry| {
        let child: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name is in parentheses and can contain any character.
        let parent: i32 = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        (parent == pid).then_some(child)
    }));
    found
}

pub(crate) fn signal(pid: i32, signal: Signal) -> anyhow::Result<()> {
    let pid = Pid::from_raw(pid).context("no process")?;
    kill_process(pid, signal).with_context(|| format!("sending {signal:?} to process {pid:?}"))
}
