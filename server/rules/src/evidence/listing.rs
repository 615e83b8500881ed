//! Rows of `kubectl get` without a header: what their columns are called.
//!
//! A row of a pod is known by its shape: `1/1`, a state, a count of restarts, an age.

use std::ops::Range;

use gsar_core::text::figures::{Dimension, Figure};

/// Where the columns of a row stand.
pub(crate) struct Columns {
    restarts: Range<usize>,
    age: Range<usize>,
}

/// The columns of a line that is a row of a pod.
pub(crate) fn columns(line: &str) -> Option<Columns> {
    let mut cells = line.split_ascii_whitespace().map(|cell| {
        let start = cell.as_ptr().addr().saturating_sub(line.as_ptr().addr());
        (cell, start..start + cell.len())
    });
    let ready = cells.by_ref().take(4).any(|(cell, _)| is_readiness(cell));
    let (state, _) = cells.next().filter(|_| ready)?;
    let is_state = state.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase());
    let (restarts, at) = cells.next().filter(|_| is_state)?;
    let is_count = !restarts.is_empty() && restarts.bytes().all(|byte| byte.is_ascii_digit());
    let (mut age, mut age_at) = cells.next().filter(|_| is_count)?;
    if age.starts_with('(') {
        cells.next().filter(|(ago, _)| ago.starts_with("ago"))?;
        (age, age_at) = cells.next()?;
    }
    let is_age = age.ends_with(['s', 'm', 'h', 'd', 'y'])
        && age.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    is_age.then_some(Columns { restarts: at, age: age_at })
}

/// `0/1`
fn is_readiness(cell: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    cell.split_once('/').is_some_and(|(ready, wanted)| digits(ready) && digits(wanted))
}

/// What the column of a figure is called: in a row without header, and for the time in `RESTARTS 7 (32s ago)`.
pub(crate) fn column(
    row: Option<&Columns>,
    name: &str,
    order: usize,
    figure: &Figure,
) -> Option<&'static str> {
    let is_ago = figure.unit.dimension == Dimension::Duration;
    if name.eq_ignore_ascii_case("restarts") {
        return (order == 1 && is_ago).then_some("last restart");
    }
    let row = row?;
    if figure.span.start == row.restarts.start {
        Some("RESTARTS")
    } else if figure.span.start == row.age.start {
        Some("AGE")
    } else if figure.span.start > row.restarts.end && figure.span.end < row.age.start && is_ago {
        Some("last restart")
    } else {
        None
    }
}

/// What a figure of `1 desired | 1 updated | 0 available` counts.
pub(crate) fn counted<'t>(text: &'t str, figure: &Figure) -> Option<&'t str> {
    let before = text.get(..figure.span.start)?.trim_end();
    let after = text.get(figure.span.end..)?.strip_prefix(' ')?;
    let ends = after.find(" | ");
    let word = after.get(..ends.unwrap_or(after.len()))?;
    let is_cell =
        (before.is_empty() || before.ends_with('|')) && (ends.is_some() || !before.is_empty());
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_cell && is_word).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_header_has_columns() {
        let row = "shop   cart-5d8f7c9b64-aa2bb   0/1     CrashLoopBackOff   7 (32s ago)   11m   10.0.0.1";
        let found = columns(row).unwrap();
        assert_eq!((row.get(found.restarts), row.get(found.age)), (Some("7"), Some("11m")));
        assert!(columns("GET /a 1/2 of it took 3 s").is_none());
        assert!(columns("").is_none());
        let replicas = "2 desired | 2 updated | 0 unavailable";
        let of = |text: &str| {
            gsar_core::text::figures::figures(text)
                .figures
                .iter()
                .map(|figure| counted(text, figure).unwrap_or("").to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(of(replicas), ["desired", "updated", "unavailable"]);
        assert_eq!(of("7 (32s ago)"), ["", ""]);
    }
}
