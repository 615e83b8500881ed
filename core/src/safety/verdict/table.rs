//! Tables: objects as `kubectl get` prints them, and grids of values under a heading.

use super::decimal::Quantity;
use super::findings::Kind;
use super::lexicon::{Sense, sense};
use super::lines::is_no_number;
use super::polarity::{is_generic, polarity_of};
use super::sample::{Bound, Context, Reference, Sample};

/// Where the columns stand that say something about health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    ready: Option<usize>,
    status: Option<usize>,
    restarts: Option<usize>,
}

impl Columns {
    /// The columns of a heading such as `NAME READY STATUS RESTARTS AGE`.
    pub(super) fn of_heading(line: &str) -> Option<Self> {
        let first = line.split_whitespace().next()?;
        let capital = |c: char| c.is_ascii_uppercase() || matches!(c, '-' | '(' | ')' | '%');
        if !matches!(first, "NAME" | "NAMESPACE")
            || !line.split_whitespace().all(|field| field.chars().all(capital))
        {
            return None;
        }
        let column = |name| line.split_whitespace().position(|field| field == name);
        let columns =
            Self { ready: column("READY"), status: column("STATUS"), restarts: column("RESTARTS") };
        (columns.ready.is_some() || columns.status.is_some()).then_some(columns)
    }

    /// Weighs a row.
    pub(super) fn row(self, line: &str, context: &mut Context<'_>) {
        let field = |column: Option<usize>| line.split_whitespace().nth(column?);
        let status = field(self.status).unwrap_or_default();
        if matches!(status, "Completed" | "Succeeded") {
            return;
        }
        self.status(status, context);
        if let Some((part, whole)) = field(self.ready).and_then(|ready| ready.split_once('/'))
            && let (Some(part), Some(quantity)) = (Quantity::parse(part), Quantity::parse(whole))
        {
            let reference = Some(Reference { quantity, bound: Bound::Whole });
            context.sample(&Sample { reference, ..Sample::new("ready", part) });
        }
        if let Some(restarts) = field(self.restarts).and_then(Quantity::parse) {
            // The column counts since the object was made, so only a recent restart says something.
            let when = field(self.restarts.map(|column| column + 1));
            let recent =
                when.is_some_and(|when| when.starts_with('(') && !when.contains(['h', 'd']));
            if restarts.value.is_zero() || recent {
                context.sample(&Sample::new("restarts", restarts));
            }
        }
    }

    fn status(self, status: &str, context: &mut Context<'_>) {
        let mut parts = status.split([':', ',']);
        let faulty = |part: &str| matches!(sense(part), Some(Sense::Fault | Sense::Fails));
        if parts.clone().any(faulty) {
            context.findings.add(Kind::Bad, || (alloc::format!("status is {status}"), None));
        } else if parts.next() == Some("Ready") {
            context.findings.add(Kind::Healthy, || (alloc::format!("status is {status}"), None));
        }
    }
}

/// A grid of values: a heading and rows of as many cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<'a> {
    heading: &'a str,
    delimiter: char,
}

impl<'a> Grid<'a> {
    /// The grid that a line heads, given the line after it: `time,errors` before `14:00,0`.
    pub(super) fn of_heading(line: &'a str, next: &str) -> Option<Self> {
        let delimiter =
            ['|', '\t', ',', ' '].into_iter().find(|delimiter| line.contains(*delimiter))?;
        let name = |cell: &str| {
            cell.len() <= 40
                && cell.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && cell.chars().all(|c| c.is_alphanumeric() || " _-./%()".contains(c))
        };
        if !cells(line, delimiter).all(name) {
            return None;
        }
        let count = cells(line, delimiter).count();
        let measured = |cell: &str| Quantity::parse(cell).is_some() || is_no_number(cell);
        let follows = is_rule(next)
            || (cells(next, delimiter).count() == count
                && match delimiter {
                    // Words apart by spaces may be a sentence, so nothing but numbers may follow.
                    ' ' => cells(next, delimiter).all(measured),
                    _ => cells(next, delimiter).any(measured),
                });
        (count > 1 && follows).then_some(Self { heading: line, delimiter })
    }

    /// Weighs a row; says whether the line is one.
    pub(super) fn row(self, line: &str, context: &mut Context<'_>) -> bool {
        if is_rule(line) {
            return true;
        }
        let names = || cells(self.heading, self.delimiter);
        let values = || cells(line, self.delimiter);
        if names().count() != values().count() {
            return false;
        }
        let first = values().next().unwrap_or_default();
        for (name, cell) in names().zip(values()) {
            // `| metric | value |` names its signals in the first column.
            let name = if is_generic(name) { first } else { name };
            let told = context.expectation.is_some() || polarity_of(name).is_some();
            if let Some(value) = Quantity::parse(cell).filter(|_| told) {
                context.sample(&Sample::new(name, value));
            } else if !told
                && matches!(sense(cell), Some(Sense::Fault | Sense::Fails))
                && cell != first
            {
                context.findings.add(Kind::Fault, || (alloc::format!("{name} is {cell}"), None));
            }
        }
        true
    }
}

/// The cells of a line.
fn cells(line: &str, delimiter: char) -> impl Iterator<Item = &str> {
    let inner = if delimiter == '|' { line.trim_matches('|') } else { line };
    inner.split(delimiter).map(str::trim).filter(move |cell| delimiter != ' ' || !cell.is_empty())
}

/// Whether a line only rules off: `|---|---|`.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|c| matches!(c, '-' | '+' | '|' | ':' | '=' | ' '))
}
