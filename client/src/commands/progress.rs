//! Shows the progress of a long run on standard error: a bar on a terminal, otherwise a line every ten seconds. Shows
//! nothing if standard output is the same terminal.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crate::human::size;

const BAR_INTERVAL: Duration = Duration::from_millis(200);

const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// The time before the bar appears.
const BAR_DELAY: Duration = Duration::from_secs(2);

/// The number of lines between two clock reads.
const LINES_PER_CLOCK_READ: u64 = 64;

const BAR_COLUMNS: usize = 24;

pub(super) struct Progress {
    kind: Kind,
    total: Option<u64>,
    started_at: Instant,
    next_update: Instant,
    lines: u64,
    is_bar_drawn: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bar,
    Lines,
    Nothing,
}

impl Progress {
    /// Starts a run over `total` bytes, if known.
    pub(super) fn begin(total: Option<u64>) -> Self {
        let kind = match (std::io::stderr().is_terminal(), std::io::stdout().is_terminal()) {
            (true, false) => Kind::Bar,
            (true, true) => Kind::Nothing,
            (false, _) => Kind::Lines,
        };
        let started_at = Instant::now();
        let next_update = started_at + if kind == Kind::Bar { BAR_DELAY } else { LINE_INTERVAL };
        Self { kind, total, started_at, next_update, lines: 0, is_bar_drawn: false }
    }

    /// Shows the number of bytes sent so far.
    pub(super) fn show_bytes(&mut self, bytes: u64) {
        let now = Instant::now();
        if self.kind == Kind::Nothing || now < self.next_update {
            return;
        }
        let millis = u64::try_from((now - self.started_at).as_millis()).unwrap_or(u64::MAX).max(1);
        let total = self.total.filter(|total| *total > 0);
        let share = total.map(|total| bytes.min(total) * 1000 / total);
        let remaining =
            total.map(|total| total.saturating_sub(bytes) * millis / bytes.max(1) / 1000);
        let remaining = remaining
            .map(|remaining| format!(", {} left", duration(remaining.into())))
            .unwrap_or_default();
        let share_text = share.map(|share| format!("{} %, ", share / 10)).unwrap_or_default();
        let rate = size(bytes.saturating_mul(1000) / millis);
        self.show(&format!("{share_text}{}, {rate}/s{remaining}", size(bytes)), share, now);
    }

    /// Counts a line. `bytes` is the number of bytes read so far.
    pub(super) fn count_line(&mut self, bytes: u64) {
        self.lines += 1;
        if self.kind == Kind::Nothing || !self.lines.is_multiple_of(LINES_PER_CLOCK_READ) {
            return;
        }
        let now = Instant::now();
        if now < self.next_update {
            return;
        }
        let share =
            self.total.filter(|total| *total > 0).map(|total| bytes.min(total) * 1000 / total);
        self.show(&format_lines(self.lines, now - self.started_at, share), share, now);
    }

    fn show(&mut self, text: &str, share: Option<u64>, now: Instant) {
        let mut out = std::io::stderr().lock();
        // Progress is best-effort.
        let _ = match self.kind {
            Kind::Bar => write!(out, "\r\u{1b}[K{}{text}", share.map(bar).unwrap_or_default()),
            Kind::Lines | Kind::Nothing => writeln!(out, "{text}"),
        };
        let _ = out.flush();
        self.is_bar_drawn = self.kind == Kind::Bar;
        self.next_update = now + if self.kind == Kind::Bar { BAR_INTERVAL } else { LINE_INTERVAL };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_bar_drawn {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}

/// Renders a bar that is filled to `share` thousandths.
fn bar(share: u64) -> String {
    let filled = usize::try_from(share).unwrap_or(0) * BAR_COLUMNS / 1000;
    let filled = filled.min(BAR_COLUMNS);
    format!("{}{} ", "█".repeat(filled), "░".repeat(BAR_COLUMNS - filled))
}

/// Formats the number of lines, the share in thousandths, the rate and the remaining time.
fn format_lines(lines: u64, elapsed: Duration, share: Option<u64>) -> String {
    let millis = elapsed.as_millis().max(1);
    let rate = u128::from(lines) * 1000 / millis;
    let remaining = share.filter(|share| *share > 0).map(|share| {
        let share = u128::from(share);
        millis * (1000 - share.min(1000)) / share / 1000
    });
    let share = share.map(|share| format!("{} %, ", share / 10)).unwrap_or_default();
    let remaining =
        remaining.map(|seconds| format!(", {} left", duration(seconds))).unwrap_or_default();
    format!("{share}{lines} lines, {rate}/s{remaining}")
}

fn duration(seconds: u128) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_remaining_time_are_shown() {
        let ten_seconds = Duration::from_secs(10);
        assert_eq!(
            format_lines(5000, ten_seconds, Some(250)),
            "25 %, 5000 lines, 500/s, 30 s left"
        );
        assert_eq!(format_lines(5000, ten_seconds, None), "5000 lines, 500/s");
        assert_eq!(format_lines(1, Duration::ZERO, Some(0)), "0 %, 1 lines, 1000/s");
        assert_eq!(
            format_lines(64, ten_seconds * 60, Some(1)),
            "0 %, 64 lines, 0/s, 166 h 30 min left"
        );
        assert_eq!(bar(500), format!("{}{} ", "█".repeat(12), "░".repeat(12)));
        assert_eq!(bar(9999), format!("{} ", "█".repeat(24)));
    }
}
