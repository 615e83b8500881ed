//! This module holds the bounds of an answer and counts how much of them one answer used. It reads no answer.

use std::cell::Cell;

/// Steps of lenient reading that each byte of an answer pays for. Well-formed text takes about two.
const STEPS_PER_BYTE: u64 = 12;

/// What an answer may have. Over a bound it is refused whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most bytes of the whole text; 4 MiB.
    pub bytes: usize,
    /// The most objects and lists within each other, at most 100, so that no stack overflows; 32.
    pub depth: usize,
    /// The most JSON values of all kinds; 262 144.
    pub values: usize,
    /// The most entries in the list of claims; 4096.
    pub claims: usize,
    /// The most citations of one claim; 64. Further ones are left out, with a correction.
    pub citations: usize,
}

impl Bounds {
    /// The deepest nesting that [`Bounds::depth`] can allow.
    pub const DEEPEST: usize = 100;
}

impl Default for Bounds {
    /// 4 MiB, 32 levels, 262 144 values, 4 096 claims, 64 citations each.
    fn default() -> Self {
        Self { bytes: 4 << 20, depth: 32, values: 1 << 18, claims: 4_096, citations: 64 }
    }
}

/// What an answer used of its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of the whole text.
    pub bytes: usize,
    /// Levels of objects and lists within each other, at the deepest place.
    pub depth: usize,
    /// How many JSON values there are, of all kinds.
    pub values: usize,
    /// How often the lenient reader looked at a byte; 0 for an answer that is JSON as asked for.
    pub steps: u64,
}

/// Counts while an answer is read; everything that reads a part of it shares one.
#[derive(Debug)]
pub(crate) struct Meter {
    /// The most levels of objects and lists.
    pub(crate) depth_allowed: usize,
    /// The most JSON values.
    pub(crate) values_allowed: usize,
    steps_allowed: u64,
    deepest: Cell<usize>,
    values: Cell<usize>,
    steps: Cell<u64>,
}

impl Meter {
    pub(crate) fn new(text: &str, bounds: &Bounds) -> Self {
        Self {
            depth_allowed: bounds.depth.min(Bounds::DEEPEST),
            values_allowed: bounds.values,
            steps_allowed: STEPS_PER_BYTE.saturating_mul(text.len() as u64).saturating_add(4_096),
            deepest: Cell::new(0),
            values: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    /// Counts one value; false when there are too many.
    pub(crate) fn value(&self) -> bool {
        self.values.set(self.values.get().saturating_add(1));
        self.values.get() <= self.values_allowed
    }

    /// Notes a level; false when it is too deep.
    pub(crate) fn level(&self, depth: usize) -> bool {
        self.deepest.set(self.deepest.get().max(depth));
        depth <= self.depth_allowed
    }

    /// Counts one step; false when too many were made.
    pub(crate) fn step(&self) -> bool {
        self.steps.set(self.steps.get().saturating_add(1));
        !self.is_exhausted()
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.get() > self.steps_allowed
    }

    /// Forgets values and levels of an attempt that came to nothing.
    pub(crate) fn begin_anew(&self) {
        self.values.set(0);
        self.deepest.set(0);
    }

    /// The bounds used so far by a text of a number of bytes.
    pub(crate) fn usage(&self, bytes: usize) -> Usage {
        Usage {
            bytes,
            depth: self.deepest.get(),
            values: self.values.get(),
            steps: self.steps.get(),
        }
    }
}
