//! Formats tables and figures as Markdown.

use std::fmt::Write as _;

use crate::statistics::{Counts, Interval, Share};

pub(crate) const DASH: &str = "–";

pub(crate) fn heading(page: &mut String, text: &str) {
    let _ = write!(page, "\n## {text}\n\n");
}

/// Formats a table. Aligns the first column left and all others right.
pub(crate) fn table(page: &mut String, head: &[&str], rows: &[Vec<String>]) {
    let mut line = |cells: &[String]| {
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    };
    line(&head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
    let left = std::iter::once("---".to_owned());
    line(&left.chain(head.iter().skip(1).map(|_| "--:".to_owned())).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
}

/// Formats a share as `87.5 % [80.0, 92.1] 7/8`.
pub(crate) fn share(share: &Share) -> String {
    let Share { counts: Counts { hits, of }, value, interval } = share;
    let Some(value) = value else { return DASH.to_owned() };
    let interval = between(interval.as_ref(), 100.0, 1);
    format!("{:.1} %{interval} {hits}/{of}", value * 100.0)
}

/// Formats a value with three decimals, or `None` as a dash.
pub(crate) fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| format!("{value:.3}"))
}

/// Formats an interval as ` [0.1, 0.2]`, or returns an empty string for `None`.
pub(crate) fn between(interval: Option<&Interval>, unit: f64, places: usize) -> String {
    let format = |Interval { low, high }: &Interval| {
        format!(" [{:.places$}, {:.places$}]", low * unit, high * unit)
    };
    interval.map(format).unwrap_or_default()
}

/// Returns test minus tune in percentage points.
pub(crate) fn gap(tune: &Share, test: &Share) -> String {
    match (tune.value, test.value) {
        (Some(tune), Some(test)) => format!("{:+.1}", (test - tune) * 100.0),
        _ => DASH.to_owned(),
    }
}

pub(crate) fn both(name: &str, tune: &Share, test: &Share) -> Vec<String> {
    vec![name.to_owned(), share(tune), share(test), gap(tune, test)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_shows_its_interval_and_counts() {
        let half = Share::by_claim(&[Counts { hits: 1, of: 2 }]);
        let all = Share::by_claim(&[Counts { hits: 2, of: 2 }; 5]);
        assert_eq!(share(&half), "50.0 % 1/2");
        assert_eq!(share(&all), "100.0 % [100.0, 100.0] 10/10");
        assert_eq!(gap(&half, &all), "+50.0");
        let none = Share::by_claim(&[]);
        assert_eq!((share(&none), gap(&half, &none)), ("–".to_owned(), "–".to_owned()));
    }

    #[test]
    fn writes_a_rule_under_the_head() {
        let mut page = String::new();
        table(&mut page, &["a", "b"], &[vec!["1".to_owned(), "2".to_owned()]]);
        assert_eq!(page, "| a | b |\n| --- | --: |\n| 1 | 2 |\n");
    }
}
