//! Shows the progress of a long run on standard error: a bar at a terminal, otherwise a line every ten seconds. Short
//! runs, and runs that print to the same terminal, show nothing.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crate::human::size;

/// The update interval of the bar.
const BAR_EVERY: Duration = Duration::from_millis(200);

/// The interval of lines if standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shorter runs show no bar.
const SHORT: Duration = Duration::from_secs(2);

/// The number of lines between two clock reads.
const LOOK_EVERY: u64 = 64;

const BAR_COLUMNS: usize = 24;

/// The progress of a run.
pub(super) struct Progress {
    kind: Kind,
    whole: Option<u64>,
    began: Instant,
    next: Instant,
    lines: u64,
    drawn: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bar,
    Lines,
    Nothing,
}

impl Progress {
    /// Starts a run over `whole` bytes, if known.
    pub(super) fn begin(whole: Option<u64>) -> Self {
        let kind = match (std::io::stderr().is_terminal(), std::io::stdout().is_terminal()) {
            (true, false) => Kind::Bar,
            (true, true) => Kind::Nothing,
            (false, _) => Kind::Lines,
        };
        let began = Instant::now();
        let next = began + if kind == Kind::Bar { SHORT } else { LINE_EVERY };
        Self { kind, whole, began, next, lines: 0, drawn: false }
    }

    /// Reports the total number of bytes sent.
    pub(super) fn sent(&mut self, bytes: u64) {
        let now = Instant::now();
        if self.kind == Kind::Nothing || now < self.next {
            return;
        }
        let millis = u64::try_from((now - self.began).as_millis()).unwrap_or(u64::MAX).max(1);
        let whole = self.whole.filter(|whole| *whole > 0);
        let share = whole.map(|whole| bytes.min(whole) * 1000 / whole);
        let left = whole.map(|whole| whole.saturating_sub(bytes) * millis / bytes.max(1) / 1000);
        let left = left.map(|left| format!(", {} left", duration(left.into()))).unwrap_or_default();
        let share_text = share.map(|share| format!("{} %, ", share / 10)).unwrap_or_default();
        let rate = size(bytes.saturating_mul(1000) / millis);
        self.show(&format!("{share_text}{}, {rate}/s{left}", size(bytes)), share, now);
    }

    /// Reports one more line answered, and the total number of bytes read.
    pub(super) fn step(&mut self, bytes: u64) {
        self.lines += 1;
        if self.kind == Kind::Nothing || !self.lines.is_multiple_of(LOOK_EVERY) {
            return;
        }
        let now = Instant::now();
        if now < self.next {
            return;
        }
        let share =
            self.whole.filter(|whole| *whole > 0).map(|whole| bytes.min(whole) * 1000 / whole);
        self.show(&shown(self.lines, now - self.began, share), share, now);
    }

    fn show(&mut self, text: &str, share: Option<u64>, now: Instant) {
        let mut out = std::io::stderr().lock();
        // A failure to show progress is ignored.
        let _ = match self.kind {
            Kind::Bar => write!(out, "\r\u{1b}[K{}{text}", share.map(bar).unwrap_or_default()),
            Kind::Lines | Kind::Nothing => writeln!(out, "{text}"),
        };
        let _ = out.flush();
        self.drawn = self.kind == Kind::Bar;
        self.next = now + if self.kind == Kind::Bar { BAR_EVERY } else { LINE_EVERY };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}

/// Renders a bar, filled to `share` thousandths.
fn bar(share: u64) -> String {
    let full = usize::try_from(share).unwrap_or(0) * BAR_COLUMNS / 1000;
    let full = full.min(BAR_COLUMNS);
    format!("{}{} ", "█".repeat(full), "░".repeat(BAR_COLUMNS - full))
}

/// Formats lines, share in thousandths, rate and remaining time.
fn shown(lines: u64, elapsed: Duration, share: Option<u64>) -> String {
    let millis = elapsed.as_millis().max(1);
    let rate = u128::from(lines) * 1000 / millis;
    let left = share.filter(|share| *share > 0).map(|share| {
        let share = u128::from(share);
        millis * (1000 - share.min(1000)) / share / 1000
    });
    let share = share.map(|share| format!("{} %, ", share / 10)).unwrap_or_default();
    let left = left.map(|seconds| format!(", {} left", duration(seconds))).unwrap_or_default();
    format!("{share}{lines} lines, {rate}/s{left}")
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
    fn rate_and_time_left_are_shown() {
        let ten = Duration::from_secs(10);
        assert_eq!(shown(5000, ten, Some(250)), "25 %, 5000 lines, 500/s, 30 s left");
        assert_eq!(shown(5000, ten, None), "5000 lines, 500/s");
        assert_eq!(shown(1, Duration::ZERO, Some(0)), "0 %, 1 lines, 1000/s");
        assert_eq!(shown(64, ten * 60, Some(1)), "0 %, 64 lines, 0/s, 166 h 30 min left");
        assert_eq!(bar(500), format!("{}{} ", "█".repeat(12), "░".repeat(12)));
        assert_eq!(bar(9999), format!("{} ", "█".repeat(24)));
    }
}
