//! Classifies a tool result as supporting or refuting a fault hypothesis, or as inconclusive.
//!
//! Structured signals take precedence over words. The healthy value depends on the signal: 0 errors are healthy, but 0
//! ready replicas are not. `verdict/lexicon.toml` defines the meaning of words.

mod findings;
mod judge_cells;
mod judge_value;
mod lexicon;
mod numbers;
mod phrases;
mod quantity;
mod record_context;
mod signal;
mod statement;
mod summary;

use findings::Findings;
use judge_value::Context;

use crate::budget::Budget;
use crate::names;

pub use summary::summary;

/// The verdict of a tool result on a fault hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The result shows the fault.
    Supports,
    /// The result shows health where the fault is suspected.
    Refutes,
    /// The result is inconclusive.
    Inconclusive,
}

names!(Verdict { Supports => "supports", Refutes => "refutes", Inconclusive => "inconclusive" });

/// The direction in which a signal indicates a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Polarity {
    /// Zero is healthy, and any other value is a fault. Examples are errors, timeouts and restarts.
    Fault,
    /// Zero is healthy, and other values need a threshold. Examples are lag and queue depth.
    Backlog,
    /// Every value needs a threshold, above which it is a fault. Examples are latency and utilisation.
    Load,
    /// Zero is a fault, and 100 % is healthy. Examples are availability and success rate.
    Share,
    /// Zero is a fault, and other values need a threshold or a desired number. Examples are ready replicas and free
    /// disk space.
    Stock,
}

names!(Polarity {
    Fault => "fault",
    Backlog => "backlog",
    Load => "load",
    Share => "share",
    Stock => "stock",
});

/// The signal that a hypothesis is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectation<'a> {
    /// The signal's name. Samples without a name are assumed to belong to this signal, and other signals are ignored.
    pub signal: &'a str,
    /// The polarity; derived from the name if `None`.
    pub polarity: Option<Polarity>,
    /// The threshold for values without a threshold of their own, as a decimal with or without a unit.
    pub threshold: Option<&'a str>,
}

/// A tool result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// The tool's output. JSON nested deeper than 64 levels is treated as text.
    pub content: &'a str,
    /// The signal in question, if known.
    pub expectation: Option<Expectation<'a>>,
}

impl<'a> ToolResult<'a> {
    /// Creates a result without an expectation.
    #[must_use]
    pub const fn new(content: &'a str) -> Self {
        Self { content, expectation: None }
    }
}

/// The measurement on which a verdict is based.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The signal's name.
    pub name: String,
    /// The value with its unit, as written.
    pub value: String,
    /// The threshold or total with which the value was compared, as written.
    pub threshold: Option<String>,
    /// The signal's polarity, if known.
    pub polarity: Option<Polarity>,
}

/// A verdict and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassifiedVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// The reason, in one line.
    pub reason: String,
    /// The deciding measurement, if any.
    pub signal: Option<Signal>,
}

/// Classifies a tool result in linear time. Discard the result if the budget is exceeded.
#[must_use]
pub fn classify(result: &ToolResult<'_>, budget: &Budget) -> ClassifiedVerdict {
    let mut context = Context { expectation: result.expectation, findings: Findings::default() };
    judge_cells::judge(result.content, &mut context, budget);
    context.findings.verdict()
}

#[cfg(test)]
mod properties_tests;
#[cfg(test)]
mod structured_tests;
#[cfg(test)]
mod tests;
