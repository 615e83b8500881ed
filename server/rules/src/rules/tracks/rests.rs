//! Claims that a series came to rest: that it did not move, or ever more slowly.

use super::finding::Finding;
use super::gather::Known;
use super::moves::{Way, gain};
use super::window::View;

/// "did not move", "was stable", "levelled off".
pub(super) fn flat(view: &View<'_>) -> Option<Finding> {
    let (greatest, least) = (view.greatest()?, view.least()?);
    let (first, last) = (view.first()?, view.last()?);
    let range = greatest.value - least.value;
    let level = greatest.value.abs().max(least.value.abs());
    if view.points.len() < 2 {
        return None;
    }
    if range == 0 || range * 50 <= level && view.track.known != Known::Logged {
        return Some(Finding::holds(view, &[Some(least), Some(greatest)]));
    }
    let drifted = (last.value - first.value).abs() * 2 >= range && range * 8 >= level;
    (drifted || range * 2 >= level).then(|| Finding::fails(view, &[least, greatest]))
}

/// "grew ever more slowly": the last steps are smaller than those before.
pub(super) fn slower(view: &View<'_>, way: Way) -> Option<Finding> {
    const TAIL: usize = 3;
    if !view.is_complete() {
        return None;
    }
    let steps: Vec<i128> = view.points.windows(2).filter_map(|pair| gain(way, pair)).collect();
    let (before, tail) = steps.split_at_checked(steps.len().checked_sub(TAIL)?)?;
    let recent = before.get(before.len().checked_sub(TAIL)?..)?;
    let (late, early): (i128, i128) = (tail.iter().sum(), recent.iter().sum());
    let all: i128 = steps.iter().sum();
    let last = [
        view.points.len().checked_sub(TAIL + 1).and_then(|at| view.points.get(at)).copied()?,
        view.last()?,
    ];
    if late >= early && late > 0 {
        return Some(Finding::fails(view, &last));
    }
    let number = i128::try_from(steps.len()).ok()?;
    let falls_off = tail.windows(2).all(|pair| matches!(pair, [a, b] if b < a));
    (falls_off && late * number < all * 3).then(|| Finding::holds(view, &last.map(Some)))
}
