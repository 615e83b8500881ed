//! This module reads figures: the numbers of a text with their units, apart from numbers that only name something.
//!
//! [`figures`] reads quantities (`1.8 s`, `97 %`, `512Mi`, `3 restarts`, `twice`), clock times and codes
//! (dates, versions, ids, ports, addresses, HTTP statuses, issues, exit codes). Only quantities are
//! [`Figure`]s: a check of figures must never fire on a year, a port or an id. Values are exact decimals.

mod agreement;
mod clock;
mod context;
mod join;
mod number;
mod scan;
mod spelled;
mod unit;

use core::ops::Range;

pub use agreement::{Agreement, agree, agree_times, compare_values};
pub use clock::{ClockTime, Date, MONTHS};
pub(crate) use clock::{clock_at, date_at};
pub use scan::figures;
pub use spelled::spelled;
pub use unit::{Dimension, System, Unit};

/// Everything numeric in a text, each list in order of place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Quantities.
    pub figures: Vec<Figure>,
    /// Times of day, with their date and zone where stated.
    pub times: Vec<ClockTime>,
    /// Numbers and names with digits that are no quantities.
    pub codes: Vec<Code>,
}

impl Figures {
    /// Whether the text holds no quantity and no time.
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
    /// The unit; [`Unit::COUNT`] where none is stated.
    pub unit: Unit,
    /// Whether the text calls it approximate: "about", "roughly", `~`.
    pub approximate: bool,
    /// Whether the text states a bound rather than a value.
    pub comparator: Option<Comparator>,
}

/// An exact decimal: `mantissa` / 10^`places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// The digits as an integer, with their sign.
    pub mantissa: i128,
    /// How many of them stand after the point, as stated: 2 for `1.80`.
    pub places: u32,
}

/// How a stated bound relates to the value.
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

/// A number, or a name with digits, that is no quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its bytes.
    pub span: Range<usize>,
    /// What it is.
    pub kind: CodeKind,
}

/// What a number names.
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
