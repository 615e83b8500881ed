//! What the samples say to a clause.

use super::gather::Point;
use super::window::View;
use crate::verdict::ruling::Cite;

/// Whether a clause holds, and the samples that decide it.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) holds: bool,
    pub(super) cites: Vec<Cite>,
    /// The metric, and its deciding samples as (value at the track's scale, places, time).
    pub(super) says: String,
}

impl Finding {
    pub(super) fn holds(view: &View<'_>, points: &[Option<Point>]) -> Self {
        let points: Vec<Point> = points.iter().flatten().copied().collect();
        Self::new(view, &points, true)
    }

    pub(super) fn fails(view: &View<'_>, points: &[Point]) -> Self {
        Self::new(view, points, false)
    }

    /// Both hold.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.cites.extend(other.cites);
        self.says = format!("{}; {}", self.says, other.says);
        self
    }

    fn new(view: &View<'_>, points: &[Point], holds: bool) -> Self {
        let mut cites: Vec<Cite> = Vec::with_capacity(points.len());
        let mut told: Vec<String> = Vec::with_capacity(points.len());
        let mut in_order = points.to_vec();
        in_order.sort_by_key(|point| point.micros);
        for point in in_order {
            if !cites.contains(&point.cite) {
                cites.push(point.cite);
            }
            let one = format!("{} at {}", written(view, point.value), clock(point.micros));
            if !told.contains(&one) {
                told.push(one);
            }
        }
        Self { holds, cites, says: format!("{} was {}", view.track.name, told.join(" and ")) }
    }
}

/// A value with its decimal point, without zeros that say nothing.
fn written(view: &View<'_>, value: i128) -> String {
    let places = view.track.scale.places as usize;
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at_checked(digits.len() - places).unwrap_or((&digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let sign = if value < 0 { "-" } else { "" };
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

fn clock(micros: i64) -> String {
    let seconds = micros.div_euclid(1_000_000).rem_euclid(86_400);
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if rest == 0 {
        format!("{hours:02}:{minutes:02}")
    } else {
        format!("{hours:02}:{minutes:02}:{rest:02}")
    }
}
