//! Claims about by how much a series changed: amounts, percentages, factors, fractions of a peak.

use gsar_core::text::figures::{Agreement, Comparator, Dimension, Figure};

use super::exact::Share;
use super::finding::Finding;
use super::gather::Point;
use super::moves::Way;
use super::phrases::Cue;
use super::statement::{Factor, Statement};
use super::window::View;
use Agreement::{Different, Same};

/// "fell by about 87 %", "rose by 40 GB".
pub(super) fn by_amount(view: &View<'_>, way: Way, by: &Figure) -> Option<Finding> {
    let (first, last) = (view.first()?, view.last()?);
    let extreme = if way == Way::Up { view.greatest()? } else { view.least()? };
    let net = way.gain(first, last);
    if way.gain(first, extreme) <= 0 {
        return Some(Finding::fails(view, &[first, last]));
    }
    let is_share = by.unit.dimension == Dimension::Percent;
    let agree = |to: Point| {
        let change = Point { value: way.gain(first, to), ..first };
        let absolute = view.agree(by, change);
        if !is_share {
            return absolute;
        }
        let share = share_of(by).agree(change.value, first.value);
        match (share, absolute) {
            (Same, _) | (_, Same) => Same,
            (Different, Different | Agreement::Incomparable) => Different,
            _ => Agreement::Incomparable,
        }
    };
    let found = [last, extreme].into_iter().find(|point| agree(*point) == Same);
    match found {
        Some(point) if net > 0 || point.value == extreme.value => {
            Some(Finding::holds(view, &[Some(first), Some(point)]))
        }
        _ if agree(last) == Different && agree(extreme) == Different => {
            Some(Finding::fails(view, &[first, last, extreme]))
        }
        _ => None,
    }
}

/// A percentage as a share of a whole.
fn share_of(figure: &Figure) -> Share {
    let places = figure.value.places.min(12);
    let denominator = 100 * 10_i128.pow(places);
    Share {
        numerator: figure.value.mantissa,
        denominator,
        approximate: figure.approximate,
        comparator: figure.comparator,
        half_digit: 1,
    }
}

/// "Roughly 85 % of the free space was gone".
pub(super) fn gone(view: &View<'_>, figure: &Figure) -> Option<Finding> {
    let (first, last) = (view.first()?, view.last()?);
    if figure.unit.dimension != Dimension::Percent {
        return None;
    }
    match share_of(figure).agree(first.value - last.value, first.value) {
        Same => Some(Finding::holds(view, &[Some(first), Some(last)])),
        Different => Some(Finding::fails(view, &[first, last])),
        Agreement::Incomparable => None,
    }
}

/// "more than tripled", "doubled between 14:20 and 14:24", "rose fivefold".
pub(super) fn by_factor(
    view: &View<'_>,
    statement: &Statement,
    way: Way,
    factor: Factor,
) -> Option<Finding> {
    let (first, last) = (view.first()?, view.last()?);
    if statement.window.at.is_some()
        || statement.window.within.is_some()
        || !statement.values.is_empty()
    {
        return None;
    }
    let extreme = if way == Way::Up { view.greatest()? } else { view.least()? };
    // "more than halved": less than half is left; "fell threefold": a third is left.
    let is_part = factor.numerator < factor.denominator;
    let (numerator, denominator) = match (way, is_part) {
        (Way::Down, false) => (factor.denominator, factor.numerator),
        _ => (factor.numerator, factor.denominator),
    };
    let comparator = match (way, factor.comparator) {
        (Way::Down, Some(Comparator::Over | Comparator::AtLeast)) => Some(Comparator::Under),
        (Way::Down, Some(Comparator::Under | Comparator::AtMost)) => Some(Comparator::Over),
        (_, other) => other,
    };
    let share = Share { numerator, denominator, approximate: true, comparator, half_digit: 0 };
    let agree = |point: Point| share.agree(point.value, first.value);
    let ends = if view.is_whole && comparator.is_none() { vec![last, extreme] } else { vec![last] };
    if let Some(found) = ends.iter().find(|point| agree(**point) == Same) {
        return Some(Finding::holds(view, &[Some(first), Some(*found)]));
    }
    let all = agree(last) == Different && agree(extreme) == Different;
    all.then(|| Finding::fails(view, &[first, last]))
}

/// "to about a twentieth of its peak".
pub(super) fn fraction(view: &View<'_>, statement: &Statement, part: i128) -> Option<Finding> {
    if !statement.values.is_empty() || statement.factor.is_some() || statement.has(Cue::First) {
        return None;
    }
    let whole = if statement.has(Cue::Peak) { view.greatest()? } else { return None };
    let last = match &statement.window.at {
        Some(time) => view.at(time).and_then(|place| view.point(place))?,
        None => view.last()?,
    };
    let share = Share {
        numerator: 1,
        denominator: part,
        approximate: true,
        comparator: None,
        half_digit: 0,
    };
    match share.agree(last.value, whole.value) {
        Same => Some(Finding::holds(view, &[Some(whole), Some(last)])),
        Different => Some(Finding::fails(view, &[whole, last])),
        Agreement::Incomparable => None,
    }
}
