//! This module reads how much processor time a process or a thread has used.

use std::fs;
use std::time::Duration;

use anyhow::Context as _;

/// The processor time of a process, user and system, all threads: `/proc/PID/stat`, to one tick (10 ms on
/// Linux).
///
/// # Errors
/// The process does not exist, or this is not Linux.
pub fn of_process(pid: u32) -> anyhow::Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let stat = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let ticks = ticks(&stat).with_context(|| format!("{path} is not as proc(5) says"))?;
    Ok(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second())?)
}

/// The processor time of the calling thread, to a nanosecond: unlike a clock, it stands still while another
/// program has the core.
#[must_use]
pub fn of_this_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The memory of a process that is in RAM, in bytes: `VmRSS` of `/proc/PID/status`.
///
/// # Errors
/// The process does not exist, or this is not Linux.
pub fn resident_memory(pid: u32) -> anyhow::Result<u64> {
    let path = format!("/proc/{pid}/status");
    let status = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")).context("no VmRSS")?;
    Ok(kibibytes.trim().parse::<u64>()? * 1024)
}

/// utime + stime: the 14th and 15th field, counted behind the name, which may hold spaces and parentheses.
fn ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_found_behind_a_name_with_parentheses() {
        let stat =
            "42 (a) b (c) S 1 42 42 0 -1 4194560 100 0 0 0 250 31 7 8 20 0 4 0 100 1000 10 0";
        assert_eq!(ticks(stat), Some(281));
        assert_eq!(ticks("42 (a) S 1 2"), None);
    }

    #[test]
    fn this_process_has_memory_and_a_missing_one_is_an_error() {
        assert!(resident_memory(std::process::id()).unwrap() > 100_000);
        of_process(std::process::id()).unwrap();
        assert!(of_process(u32::MAX).is_err());
    }

    #[test]
    fn the_time_of_a_thread_goes_on_while_it_works() {
        let before = of_this_thread();
        let mut sum = 0_u64;
        while of_this_thread() == before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(of_this_thread() > before);
    }
}
