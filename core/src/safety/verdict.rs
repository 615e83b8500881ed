//! Classifies one tool result for a fault hypothesis: it supports it, refutes it, or neither.
//!
//! `gsar_extraction` parses the result into facts; `verdict/lexicon.toml` defines what attributes, states and words mean.
//!
//! Structured signals take precedence over words; in doubt, the verdict is inconclusive. Which value is healthy depends on
//! the signal: 0 errors is, 0 ready replicas is not. A healthy result never supports a fault. Numbers are compared as exact
//! decimals.
//! compared as exact decimals.

mod cells;
mod findings;
mod lexicon;
mod numbers;
mod phrases;
mod quantity;
mod record_context;
mod signal;
mod statement;
mod summary;
mod weigh;

use findings::Findings;
use weigh::Context;

use crate::budget::Budget;

pub use summary::summary;

/// The verdict of a tool result on a fault hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The result shows the fault.
    Supports,
    /// The result shows health where the fault would be.
    Refutes,
    /// The result is not conclusive.
    Inconclusive,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Supports, Self::Refutes, Self::Inconclusive];

    /// The name used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supports => "supports",
            Self::Refutes => "refutes",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// Returns the verdict with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// The direction in which a signal indicates a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Polarity {
    /// Any value above zero is a fault, zero is healthy: errors, timeouts, restarts.
    Fault,
    /// Zero is healthy, other values need a threshold: lag, queue depth.
    Backlog,
    /// Every value needs a threshold, above it is a fault: latency, utilisation.
    Load,
    /// Zero is a fault, the whole is healthy: availability, success rate.
    Share,
    /// Zero is a fault, other values need a threshold or a desired number: ready replicas, free disk.
    Stock,
}

impl Polarity {
    /// Every polarity.
    pub const ALL: [Self; 5] = [Self::Fault, Self::Backlog, Self::Load, Self::Share, Self::Stock];

    /// The name used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Backlog => "backlog",
            Self::Load => "load",
            Self::Share => "share",
            Self::Stock => "stock",
        }
    }

    /// Returns the polarity with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|polarity| polarity.name() == name)
    }
}

/// The signal that a hypothesis is about, if the caller knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectation<'a> {
    /// The name of the signal. Samples without a name are assumed to be of it; samples of other signals are ignored.
    pub signal: &'a str,
    /// The polarity; `None` to derive it from the name.
    pub polarity: Option<Polarity>,
    /// The threshold for values without one, as decimal text with or without a unit.
    pub threshold: Option<&'a str>,
}

/// One tool result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// The output of the tool: JSON, a text exposition, a table, log lines or other text. JSON that is invalid or nested
    /// deeper than 64 levels is treated as text.
    pub content: &'a str,
    /// The signal that the hypothesis is about, if known.
    pub expectation: Option<Expectation<'a>>,
}

impl<'a> ToolResult<'a> {
    /// Creates a result without an expectation.
    #[must_use]
    pub const fn new(content: &'a str) -> Self {
        Self { content, expectation: None }
    }
}

/// The measurement that decided a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name, as given or expected.
    pub name: String,
    /// Its value as given, with its unit.
    pub value: String,
    /// The value that it was compared with, as given: a threshold, or the whole of which it is a part.
    pub threshold: Option<String>,
    /// The polarity, if known.
    pub polarity: Option<Polarity>,
}

/// A verdict with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassifiedVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// The reason, in one line for people.
    pub reason: String,
    /// The deciding measurement, if any.
    pub signal: Option<Signal>,
}

/// Classifies a tool result. Accepts text of any kind and length; takes linear time. If the budget is exceeded, the result
/// must not be used.
#[must_use]
pub fn classify(result: &ToolResult<'_>, budget: &Budget) -> ClassifiedVerdict {
    let mut context = Context { expectation: result.expectation, findings: Findings::default() };
    cells::judge(result.content, &mut context, budget);
    context.findings.verdict()
}

#[cfg(test)]
mod properties_tests;
#[cfg(test)]
mod structured_tests;
#[cfg(test)]
mod tests;
