//! Joins related figures: the figures in a range share a unit, and "2 minutes 30 seconds" is one duration.

use core::ops::Range;

use super::{Decimal, Dimension, Figure, Figures, Unit};
use crate::text::part;

/// Copies the unit of a range's second number to the first: "5-10 ms", "from 5 to 10 ms", "between 5 and 10 ms".
pub(super) fn join_ranges(text: &str, results: &mut Figures) {
    if results.figures.len() < 2 {
        return;
    }
    let units: Vec<Unit> = results.figures.iter().map(|figure| figure.unit).collect();
    let spans: Vec<Range<usize>> =
        results.figures.iter().map(|figure| figure.span.clone()).collect();
    let next = units.iter().zip(&spans).skip(1);
    for (figure, (unit, span)) in results.figures.iter_mut().zip(next) {
        let between = part(text, figure.span.end..span.start);
        let preceding = part(text, 0..figure.span.start).trim_end();
        let is_range = matches!(between, "-" | "–" | "—" | " - " | " – " | " to " | "..")
            || (between == " and " && preceding.ends_with("between"));
        if figure.unit == Unit::COUNT && *unit != Unit::COUNT && is_range {
            figure.unit = *unit;
        }
    }
}

/// Joins the parts of a duration: "2 minutes 30 seconds", "1 hour and 30 minutes".
pub(super) fn join_durations(text: &str, results: &mut Figures) {
    if results.figures.len() < 2 {
        return;
    }
    let figures = core::mem::take(&mut results.figures);
    for figure in figures {
        let joined_last = results
            .figures
            .last_mut()
            .and_then(|last| joined_duration(text, last, &figure).map(|sum| (last, sum)));
        match joined_last {
            Some((last, sum)) => {
                last.span.end = figure.span.end;
                last.value = sum;
                last.unit = figure.unit;
            }
            None => results.figures.push(figure),
        }
    }
}

fn joined_duration(text: &str, first: &Figure, second: &Figure) -> Option<Decimal> {
    let are_durations =
        first.unit.dimension == Dimension::Duration && second.unit.dimension == Dimension::Duration;
    let between = text.get(first.span.end..second.span.start)?;
    let are_adjacent = matches!(between, " " | " and ");
    let ratio = i128::from(first.unit.factor / second.unit.factor.max(1));
    let is_smaller_unit = second.unit.factor < first.unit.factor && second.value.mantissa < ratio;
    if !are_durations
        || !are_adjacent
        || !is_smaller_unit
        || first.value.places > 0
        || second.value.places > 0
    {
        return None;
    }
    let mantissa = first.value.mantissa.checked_mul(ratio)?.checked_add(second.value.mantissa)?;
    Some(Decimal { mantissa, places: 0 })
}
