//! This module says what one tool result says about a fault hypothesis: it supports it, refutes it, or neither. Hypotheses
//! are not its concern.
//!
//! The result is read into facts by `gsar_extraction`; what each attribute, state and word means stands in
//! `verdict/lexicon.toml`.
//!
//! Structured signals first, words second; in doubt, neither. Which value is healthy belongs to the
//! signal: 0 errors is, 0 ready replicas is not. A healthy result never supports a fault. Numbers are
//! compared as exact decimals.

mod around;
mod cells;
mod findings;
mod lexicon;
mod numbers;
mod phrases;
mod quantity;
mod signal;
mod statement;
mod summary;
mod weigh;

use findings::Findings;
use weigh::Context;

use crate::budget::Budget;

pub use summary::summary;

/// What a tool result says about a fault hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It shows the fault.
    Supports,
    /// It shows health where the fault would be.
    Refutes,
    /// It does not decide.
    Inconclusive,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Supports, Self::Refutes, Self::Inconclusive];

    /// The word used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supports => "supports",
            Self::Refutes => "refutes",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// The verdict of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// Which way a signal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Polarity {
    /// Any of it is a fault, none of it is healthy: errors, timeouts, restarts.
    Fault,
    /// None of it is healthy, some of it is judged only by a threshold: lag, queue depth.
    Backlog,
    /// Judged only by a threshold, too much is a fault: latency, utilisation.
    Load,
    /// None of it is a fault, the whole of it is healthy: availability, success rate.
    Share,
    /// None of it is a fault, some of it is judged by a threshold or by how much is wanted: ready
    /// replicas, free disk.
    Stock,
}

impl Polarity {
    /// Every polarity.
    pub const ALL: [Self; 5] = [Self::Fault, Self::Backlog, Self::Load, Self::Share, Self::Stock];

    /// The word used in files and output.
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

    /// The polarity of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|polarity| polarity.name() == name)
    }
}

/// The signal that a hypothesis is about, where the caller knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectation<'a> {
    /// Its name. Samples without a name are taken for it; samples of other signals decide nothing.
    pub signal: &'a str,
    /// Which way it points; `None` to read it off the name.
    pub polarity: Option<Polarity>,
    /// Decimal text, with a unit or without, that values without a threshold are held against.
    pub threshold: Option<&'a str>,
}

/// One tool result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolResult<'a> {
    /// What the tool returned: JSON, a text exposition, a table, log lines or other text. JSON that does
    /// not parse or is nested deeper than 64 levels is read as text.
    pub content: &'a str,
    /// The signal that the hypothesis is about, where known.
    pub expectation: Option<Expectation<'a>>,
}

impl<'a> ToolResult<'a> {
    /// A result of which nothing more is known.
    #[must_use]
    pub const fn new(content: &'a str) -> Self {
        Self { content, expectation: None }
    }
}

/// The measurement that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name, as written or expected.
    pub name: String,
    /// Its value as written, with its unit.
    pub value: String,
    /// What it was held against, as written: a threshold, or the whole of which it is a part.
    pub threshold: Option<String>,
    /// Which way it points, where known.
    pub polarity: Option<Polarity>,
}

/// A verdict and what decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassifiedVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// What decided, in one line for a person.
    pub reason: String,
    /// The measurement that decided, where one did.
    pub signal: Option<Signal>,
}

/// Classifies a tool result. Any text is accepted, of any length; the time taken is linear in it. Not to be used where
/// the budget stops it.
#[must_use]
pub fn classify(result: &ToolResult<'_>, budget: &Budget) -> ClassifiedVerdict {
    let mut context = Context { expectation: result.expectation, findings: Findings::default() };
    cells::judge(result.content, &mut context, budget);
    context.findings.verdict()
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod structured_tests;
#[cfg(test)]
mod tests;
