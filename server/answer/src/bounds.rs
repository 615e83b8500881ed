//! Limits for an answer, and counters that enforce them.

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
    /// The maximum number of citations per claim; defaults to 64.
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

#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) max_depth: usize,
    pub(crate) max_values: usize,
    max_steps: u64,
    values: Cell<usize>,
    /// The number of bytes that the lenient parser visited, including repeated visits; 0 for well-formed JSON.
    pub(crate) steps: Cell<u64>,
}

impl Meter {
    pub(crate) fn new(text: &str, bounds: &Bounds) -> Self {
        Self {
            max_depth: bounds.depth.min(Bounds::MAX_DEPTH),
            max_values: bounds.values,
            max_steps: STEPS_PER_BYTE.saturating_mul(text.len() as u64).saturating_add(4_096),
            values: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    pub(crate) fn count_value(&self) -> bool {
        self.values.set(self.values.get().saturating_add(1));
        self.values.get() <= self.max_values
    }

    pub(crate) fn allows_depth(&self, depth: usize) -> bool {
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
    }
}
