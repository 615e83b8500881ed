//! Generates claims with evidence and expected verdicts from a seed.

mod absences;
mod attributes;
mod kinds;
mod rounding;
mod scene;
mod shapes;
mod swaps;
mod values;

pub use absences::{Absence, AbsenceForm, absences};
pub use attributes::Family;
pub use rounding::{Rounding, RoundingForm, rounding};
pub use shapes::Shape;
pub use swaps::{Swap, swaps};

/// The expected verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// The evidence supports the claim.
    Shown,
    /// The evidence refutes the claim.
    Refuted,
    /// The evidence does not decide the claim.
    Undecidable,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The kind, such as `tool_output`.
    pub kind: &'static str,
    /// The lane, such as `logs`.
    pub lane: &'static str,
    /// The command that printed it.
    pub tool: String,
    /// The output.
    pub content: String,
    /// `true` if the content is one JSON document.
    pub json: bool,
    /// `true` if it is marked exhaustive.
    pub exhaustive: bool,
}

impl Evidence {
    fn log(content: String) -> Self {
        Self {
            lane: "logs",
            tool: "kubectl logs deploy/monitor".to_owned(),
            ..Self::state(content)
        }
    }

    fn state(content: String) -> Self {
        Self {
            kind: "tool_output",
            lane: "static_infra",
            tool: String::new(),
            content,
            json: false,
            exhaustive: false,
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
