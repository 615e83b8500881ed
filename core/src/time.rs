//! Timestamps and time windows. This module does not read the clock.

/// The microseconds since the Unix epoch; negative before the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates a timestamp from the microseconds since the epoch.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// The microseconds since the epoch.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The microseconds since an earlier timestamp; negative if `earlier` is later.
    #[must_use]
    pub const fn micros_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// An inclusive time range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    start: Timestamp,
    end: Timestamp,
}

impl Window {
    /// Creates a window. Returns `None` if `end` is before `start`.
    #[must_use]
    pub const fn new(start: Timestamp, end: Timestamp) -> Option<Self> {
        if start.0 <= end.0 { Some(Self { start, end }) } else { None }
    }

    /// The start, inclusive.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        self.start
    }

    /// The end, inclusive.
    #[must_use]
    pub const fn end(self) -> Timestamp {
        self.end
    }

    /// Returns `true` if the timestamp is in the window.
    #[must_use]
    pub const fn contains(self, instant: Timestamp) -> bool {
        self.start.0 <= instant.0 && instant.0 <= self.end.0
    }
}
