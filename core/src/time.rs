//! Instants and time windows as plain numbers. Reads no clock.

/// An instant: microseconds since 1970-01-01T00:00:00Z, negative before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates the instant that is `micros` microseconds after the epoch.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the epoch.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Microseconds from `earlier` to `self`; negative if `self` is earlier.
    #[must_use]
    pub const fn micros_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The time between two instants, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    start: Timestamp,
    end: Timestamp,
}

impl Window {
    /// Creates a window; `None` if `end` is before `start`.
    #[must_use]
    pub const fn new(start: Timestamp, end: Timestamp) -> Option<Self> {
        if start.0 <= end.0 { Some(Self { start, end }) } else { None }
    }

    /// The first instant.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        self.start
    }

    /// The last instant.
    #[must_use]
    pub const fn end(self) -> Timestamp {
        self.end
    }

    /// Returns `true` if the instant is in the window.
    #[must_use]
    pub const fn contains(self, instant: Timestamp) -> bool {
        self.start.0 <= instant.0 && instant.0 <= self.end.0
    }
}
