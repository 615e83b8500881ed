//! Claims that set one series against another: whose peak is higher, whose comes first.

use super::finding::Finding;
use super::gather::Track;
use super::phrases::Cue;
use super::statement::Statement;
use super::window::{self, View};

/// Decides a clause about two series.
pub(super) fn decide(view: &View<'_>, statement: &Statement, tracks: &[Track]) -> Option<Finding> {
    let others = statement.other.tracks(tracks);
    let other = others.iter().find(|other| other.known == view.track.known)?;
    let other = window::view(other, &statement.window)?;
    let is_high = statement.has(Cue::Peak);
    if is_high == statement.has(Cue::Trough) || !statement.values.is_empty() {
        return None;
    }
    let extreme = |view: &View<'_>| if is_high { view.greatest() } else { view.least() };
    let (here, there) = (extreme(view)?, extreme(&other)?);
    let holds = if let Some(later) = statement.later {
        let apart = (here.micros - there.micros) - later.checked_mul(1_000_000)?;
        time_agrees(view, apart)?
    } else if statement.has(Cue::SameTime) {
        time_agrees(view, here.micros - there.micros)?
    } else {
        let is_comparable = view.track.scale.unit == other.track.scale.unit
            && view.track.scale.places == other.track.scale.places;
        if !statement.has(Cue::Than) || !is_comparable {
            return None;
        }
        match (statement.has(Cue::Above), statement.has(Cue::Below)) {
            (true, false) => here.value > there.value,
            (false, true) => here.value < there.value,
            _ => return None,
        }
    };
    let (first, second) = if holds {
        (Finding::holds(view, &[Some(here)]), Finding::holds(&other, &[Some(there)]))
    } else {
        (Finding::fails(view, &[here]), Finding::fails(&other, &[there]))
    };
    Some(first.and(second))
}

/// Whether two instants are one; `None` where the distance of samples leaves it open.
fn time_agrees(view: &View<'_>, apart: i64) -> Option<bool> {
    let step = view.track.step();
    if apart.abs() * 2 <= step { Some(true) } else { (apart.abs() > step).then_some(false) }
}
