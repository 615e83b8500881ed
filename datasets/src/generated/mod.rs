//! This module generates claims with their evidence from a seed: what is true, false or open is known because it was
//! made so. It must not know how claims are judged, and reads no file.

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

/// What the evidence says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// It shows it.
    Shown,
    /// It shows the contrary.
    Refuted,
    /// It shows neither.
    Undecidable,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What it is: `tool_output`.
    pub kind: &'static str,
    /// Where it comes from: `logs`.
    pub lane: &'static str,
    /// The command that printed it.
    pub tool: String,
    /// What it printed.
    pub content: String,
    /// Whether that is one JSON document.
    pub json: bool,
    /// Whether it is marked as listing everything in its scope.
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
