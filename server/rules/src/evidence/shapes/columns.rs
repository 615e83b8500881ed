//! The numbers of a table whose rows go forward in time: every column of numbers is a series under its heading.

use std::ops::Range;

use super::points::{number, time};
use crate::evidence::observations::{Builder, Place, Record, Sample, offset};

/// More rows than this are no series.
const MOST_ROWS: usize = 4_096;
/// A time stands in one of the first columns.
const TIME_COLUMNS: usize = 2;
/// Fewer rows than this are no series.
const LEAST_ROWS: usize = 3;

/// The numbers of a table, gathered row by row.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    timed: Option<usize>,
    times: Vec<i64>,
    /// By column: the numbers so far; a column with anything else ends early.
    values: Vec<Vec<(f64, Range<usize>)>>,
    rows: usize,
    broken: bool,
}

impl Columns {
    /// Takes the cells of a row; `quote` holds the bytes of the row.
    pub(crate) fn take(&mut self, text: &str, cells: &[Range<usize>]) {
        if self.broken {
            return;
        }
        let written = |cell: &Range<usize>| text.get(cell.clone()).unwrap_or("");
        if self.rows == 0 {
            self.timed = (0..cells.len().min(TIME_COLUMNS))
                .find(|at| cells.get(*at).is_some_and(|cell| looks_timed(written(cell))));
            self.values = vec![Vec::new(); cells.len()];
        }
        let at = self.timed.and_then(|at| cells.get(at)).and_then(|cell| time(written(cell)));
        let forward = at.is_some_and(|at| self.times.last().is_none_or(|last| *last < at));
        let Some(at) = at.filter(|_| forward && self.rows < MOST_ROWS) else {
            self.broken = true;
            self.values.clear();
            return;
        };
        self.times.push(at);
        for (order, cell) in cells.iter().enumerate() {
            let Some(column) =
                self.values.get_mut(order).filter(|column| column.len() == self.rows)
            else {
                continue;
            };
            if Some(order) != self.timed
                && let Some(value) = number(written(cell))
            {
                column.push((value, cell.clone()));
            }
        }
        self.rows += 1;
    }

    /// Adds the series of the columns, each under its heading.
    pub(crate) fn finish(self, builder: &mut Builder<'_>, headings: &[Range<usize>]) {
        if self.broken || self.rows < LEAST_ROWS {
            return;
        }
        for (heading, column) in headings.iter().zip(self.values) {
            if column.len() != self.rows {
                continue;
            }
            builder.open(Place::Line, Some(heading.clone()), Record::No);
            for ((value, span), micros) in column.into_iter().zip(&self.times) {
                let number = (offset(span.start), offset(span.end));
                builder.sample(Sample {
                    micros: *micros,
                    value,
                    number,
                    quote: number,
                    place: Place::Line,
                });
            }
            builder.close();
        }
    }
}

fn looks_timed(written: &str) -> bool {
    written.contains(':') && time(written).is_some()
}
