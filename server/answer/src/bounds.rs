//! The bounds of an answer, and counters of how much of them an answer uses.

use std::cell::Cell;

/// The allowed steps of lenient parsing per byte. Well-formed text takes about two.
const STEPS_PER_BYTE: u64 = 12;

/// The bounds of an answer. An answer over one of the first four is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum bytes of the whole text; by default 4 MiB.
    pub bytes: usize,
    /// The maximum nesting of objects and lists, never more than 100 so that the stack cannot overflow; by default 32.
    pub depth: usize,
    /// The maximum number of JSON values; by default 262 144.
    pub values: usize,
    /// The maximum number of entries in the list of claims; by default 4 096.
    pub claims: usize,
    /// The maximum citations per claim; by default 64. Further ones are left out, with a correction.
    pub citations: usize,
}

impl Bounds {
    /// The upper limit of [`Bounds::depth`].
    pub const MAX_DEPTH: usize = 100;
}

impl Default for Bounds {
    fn default() -> Self {
        Self { bytes: 4 << 20, depth: 32, values: 1 << 18, claims: 4_096, citations: 64 }
    }
}

/// The use of the bounds by an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of the whole text.
    pub bytes: usize,
    /// The deepest nesting of objects and lists.
    pub depth: usize,
    /// The number of JSON values.
    pub values: usize,
    /// The number of bytes the lenient parser looked at, with repetitions; 0 for well-formed JSON.
    pub steps: u64,
}

/// Counts values, levels and steps while an answer is parsed.
#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) max_depth: usize,
    pub(crate) max_values: usize,
    max_steps: u64,
    deepest: Cell<usize>,
    values: Cell<usize>,
    steps: Cell<u64>,
}

impl Meter {
    pub(crate) fn new(text: &str, bounds: &Bounds) -> Self {
        Self {
            max_depth: bounds.depth.min(Bounds::MAX_DEPTH),
            max_values: bounds.values,
            max_steps: STEPS_PER_BYTE.saturating_mul(text.len() as u64).saturating_add(4_096),
            deepest: Cell::new(0),
            values: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    /// Counts a value. Returns `false` if there are too many.
    pub(crate) fn value(&self) -> bool {
        self.values.set(self.values.get().saturating_add(1));
        self.values.get() <= self.max_values
    }

    /// Records a level. Returns `false` if it is too deep.
    pub(crate) fn level(&self, depth: usize) -> bool {
        self.deepest.set(self.deepest.get().max(depth));
        depth <= self.max_depth
    }

    /// Counts a step. Returns `false` after too many.
    pub(crate) fn step(&self) -> bool {
        self.steps.set(self.steps.get().saturating_add(1));
        !self.is_exhausted()
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.get() > self.max_steps
    }

    /// Resets values and levels after a failed attempt.
    pub(crate) fn reset(&self) {
        self.values.set(0);
        self.deepest.set(0);
    }

    /// Returns the usage so far for a text of `bytes` bytes.
    pub(crate) fn usage(&self, bytes: usize) -> Usage {
        Usage {
            bytes,
            depth: self.deepest.get(),
            values: self.values.get(),
            steps: self.steps.get(),
        }
    }
}
