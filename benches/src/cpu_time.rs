//! Reads the CPU time of processes and threads.

use std::fs;
use std::time::Duration;

use anyhow::Context as _;

/// Returns the user and system CPU time of all threads in a process. The resolution is one tick (10 ms on
/// Linux).
pub fn of_process(pid: u32) -> anyhow::Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let stat = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let ticks = ticks(&stat).with_context(|| format!("{path}: unexpected format"))?;
    Ok(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second())?)
}

/// Returns the calling thread's CPU time.
pub fn of_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns utime + stime, fields 14 and 15. Counts from the end of the name, which can contain spaces and
/// parentheses.
fn ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}
