//! Finds figures: the numbers of a text with their units, separate from numbers that only name something.
//!
//! [`figures`] finds quantities (`1.8 s`, `97 %`, `512Mi`, `3 restarts`, `twice`), clock times and codes (dates,
//! versions, ids, ports, addresses, HTTP statuses, issues, exit codes). Only quantities are [`Figure`]s: a check of
//! figures must never apply to a year, a port or an id. Values are exact decimals.

mod agreement;
mod clock;
mod context;
mod join;
mod number;
mod scan;
mod spelled;
mod unit;
mod units_after;

use core::ops::Range;

pub use agreement::{Agreement, agree, agree_times, compare_values};
pub use clock::{ClockTime, Date, MONTHS};
pub(crate) use clock::{clock_at, date_at};
pub use scan::figures;
pub use spelled::spelled;
pub use unit::{Dimension, System, Unit};

/// The numbers of a text, each list in order of position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Quantities.
    pub figures: Vec<Figure>,
    /// Times of day, with their date and zone if stated.
    pub times: Vec<ClockTime>,
    /// Numbers, and names with digits, that are not quantities.
    pub codes: Vec<Code>,
}

impl Figures {
    /// Returns `true` if the text contains no quantity and no time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty() && self.times.is_empty()
    }
}

/// A quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The bytes of number and unit.
    pub span: Range<usize>,
    /// The number as stated, in `unit`.
    pub value: Decimal,
    /// The unit; [`Unit::COUNT`] if none is stated.
    pub unit: Unit,
    /// `true` if the text calls it approximate: "about", "roughly", `~`.
    pub approximate: bool,
    /// The bound, if the text states a bound rather than a value.
    pub comparator: Option<Comparator>,
}

/// An exact decimal: `mantissa` / 10^`places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// The digits as a signed integer.
    pub mantissa: i128,
    /// The number of digits after the point, as stated: 2 for `1.80`.
    pub places: u32,
}

/// The relation of a stated bound to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// The value or more.
    AtLeast,
    /// The value or less.
    AtMost,
    /// More than the value.
    Over,
    /// Less than the value.
    Under,
}

/// A number, or a name with digits, that is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its bytes.
    pub span: Range<usize>,
    /// The kind of code.
    pub kind: CodeKind,
}

/// The kind of thing that a number names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeKind {
    /// A date without a time of day, or a year.
    Date,
    /// A version: `v2.3.1`, `1.29`, after "version".
    Version,
    /// A name, hash or id: `p99`, `checkout-7f9c4d-x2x1z`, a UUID.
    Identifier,
    /// A port, after "port".
    Port,
    /// An IP address, with or without a port.
    Address,
    /// An HTTP status or family: `503`, `5xx`.
    HttpStatus,
    /// An issue or incident: `#4711`, `No. 5`.
    Issue,
    /// A process's exit code.
    ExitCode,
}
