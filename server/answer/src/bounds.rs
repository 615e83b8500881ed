//! Limits for an answer, and counters for their use.

use std::cell::Cell;

/// The maximum number of lenient parsing steps per byte; well-formed text needs about two.
const STEPS_PER_BYTE: u64 = 12;

/// Limits for an answer. Excess citations are dropped; exceeding any other limit rejects the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum text length in bytes; defaults to 4 MiB.
    pub bytes: usize,
    /// The maximum nesting depth; defaults to 32, capped at [`MAX_DEPTH`](Self::MAX_DEPTH) to protect the stack.
    pub depth: usize,
    /// The maximum number of JSON values; defaults to 262,144.
    pub values: usize,
    /// The maximum number of entries in the list of claims; defaults to 4,096.
    pub claims: usize,
    /// The maximum number of citations per claim; defaults to 64. Dropping the rest is reported as a correction.
    pub citations: usize,
}

impl Bounds {
    /// The upper limit for [`Bounds::depth`].
    pub const MAX_DEPTH: usize = 100;
}

impl Default for Bounds {
    fn default() -> Self {
        Self { bytes: 4 << 20, depth: 32, values: 1 << 18, claims: 4_096, citations: 64 }
    }
}

/// An answer's resource usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The text length in bytes.
    pub bytes: usize,
    /// The deepest nesting level.
    pub depth: usize,
    /// The number of JSON values.
    pub values: usize,
    /// The number of bytes the lenient parser visited, including repeated visits; 0 for well-formed JSON.
    pub steps: u64,
}

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

    pub(crate) fn count_value(&self) -> bool {
        self.values.set(self.values.get().saturating_add(1));
        self.values.get() <= self.max_values
    }

    pub(crate) fn record_depth(&self, depth: usize) -> bool {
        self.deepest.set(self.deepest.get().max(depth));
        depth <= self.max_depth
    }

    pub(crate) fn count_step(&self) -> bool {
        self.steps.set(self.steps.get().saturating_add(1));
        !self.is_exhausted()
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.get() > self.max_steps
    }

    pub(crate) fn reset(&self) {
        self.values.set(0);
        self.deepest.set(0);
    }

    pub(crate) fn usage(&self, bytes: usize) -> Usage {
        Usage {
            bytes,
            depth: self.deepest.get(),
            values: self.values.get(),
            steps: self.steps.get(),
        }
    }
}
