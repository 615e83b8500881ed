//! Finds figures: quantities in a text, as opposed to numbers that are only names.
//!
//! [`figures`] finds quantities (`1.8 s`, `97 %`, `512Mi`, `3 restarts`, `twice`), clock times and codes
//! (dates, versions, ids, ports, addresses, HTTP statuses, issues, exit codes). Only quantities are
//! [`Figure`]s, so that a year, port or id is never compared as a quantity. Values are exact decimals.

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

pub use agreement::{Agreement, agree, agree_times};
pub use clock::{ClockTime, Date, MONTHS};
pub(crate) use clock::{clock_at, date_at};
pub use scan::figures;
pub use spelled::spelled;
pub use unit::{Dimension, System, Unit};

/// The numbers in a text, by kind and in text order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Quantities.
    pub figures: Vec<Figure>,
    /// Times of day, with the date and the zone if they are stated.
    pub times: Vec<ClockTime>,
    /// Numbers and names with digits that are not quantities.
    pub codes: Vec<Code>,
}

impl Figures {
    /// Returns `true` if there are no quantities and no times.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty() && self.times.is_empty()
    }
}

/// A quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The byte range of the number and its unit.
    pub span: Range<usize>,
    /// The number in terms of `unit`.
    pub value: Decimal,
    /// The unit, or [`Unit::COUNT`] if none is stated.
    pub unit: Unit,
    /// `true` if the text marks the quantity as approximate: "about", "roughly", `~`.
    pub approximate: bool,
    /// The kind of bound, if the text states a bound.
    pub comparator: Option<Comparator>,
}

/// An exact decimal, `mantissa` / 10^`places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// The digits as a signed integer.
    pub mantissa: i128,
    /// The number of stated decimal places: 2 for `1.80`.
    pub places: u32,
}

/// A bound on a value.
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
    /// The byte range in the text.
    pub span: Range<usize>,
    /// The kind of code.
    pub kind: CodeKind,
}

/// The kind of thing that a code identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeKind {
    /// A date without a time of day, or a year.
    Date,
    /// A version: `v2.3.1`, or `1.29` after "version".
    Version,
    /// A name, hash or id: `p99`, `checkout-7f9c4d-x2x1z`, a UUID.
    Identifier,
    /// A port, after "port".
    Port,
    /// An IP address, with or without a port.
    Address,
    /// An HTTP status or status class: `503`, `5xx`.
    HttpStatus,
    /// An issue or incident: `#4711`, `No. 5`.
    Issue,
    /// A process exit code.
    ExitCode,
}
