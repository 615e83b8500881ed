//! Claims about how a series changed: its direction, from where to where, by how much, how steadily.

use gsar_core::text::figures::{Agreement, Comparator, Figure};

use super::finding::Finding;
use super::gather::{Known, Point};
use super::levels;
use super::phrases::Cue;
use super::proportions;
use super::statement::{Force, Part, Statement};
use super::window::View;
use Agreement::{Different, Same};

/// Up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
}

impl Way {
    /// How far it is from one value to another in this direction.
    pub(super) fn gain(self, from: Point, to: Point) -> i128 {
        match self {
            Way::Up => to.value - from.value,
            Way::Down => from.value - to.value,
        }
    }
}

/// Decides a clause that says in which direction a series went.
pub(super) fn decide(view: &View<'_>, statement: &Statement, way: Way) -> Option<Finding> {
    if let Some(factor) = statement.factor {
        return proportions::by_factor(view, statement, way, factor);
    }
    let (from, to, by) =
        (statement.value(Part::From), statement.value(Part::To), statement.value(Part::By));
    if let (Some(from), Some(to)) = (from, to) {
        let pair = from_to(view, statement, way, from, to)?;
        let pair =
            if pair.holds && is_steady(statement) { steady(view, statement, way)? } else { pair };
        return match by {
            Some(by) if pair.holds => {
                proportions::by_amount(view, way, by).filter(|found| found.holds)
            }
            _ => Some(pair),
        };
    }
    if let Some(by) = by {
        let Some(time) = &statement.window.at else {
            return proportions::by_amount(view, way, by);
        };
        // "had dropped by 63 % by 22:19".
        let points = view.track.points.get(..=view.at(time)?)?;
        return proportions::by_amount(&View { points, is_whole: false, ..*view }, way, by);
    }
    if let Some(to) = to {
        let found = came_to(view, statement, way, to)?;
        return if found.holds && is_steady(statement) && statement.window.at.is_none() {
            steady(view, statement, way)
        } else {
            Some(found).filter(|found| !found.holds || !is_steady(statement))
        };
    }
    if let Some(value) = statement.value(Part::Value) {
        let falls = matches!(value.comparator, Some(Comparator::Under | Comparator::AtMost));
        return match value.comparator {
            // "drop above 50 %" says nothing.
            Some(_) if falls != (way == Way::Down) => None,
            Some(_) if statement.has(Cue::Until) => levels::took_until(view, statement, value),
            Some(_) => levels::passes(view, statement, value),
            None => None,
        };
    }
    if from.is_some() || statement.window.within.is_some() {
        return None;
    }
    direction(view, statement, way)
}

fn is_steady(statement: &Statement) -> bool {
    statement.has(Cue::Every) || statement.has(Cue::Steady)
}

/// Every step of a window goes the claimed way.
pub(super) fn steady(view: &View<'_>, statement: &Statement, way: Way) -> Option<Finding> {
    let (greatest, least) = (view.greatest()?, view.least()?);
    steadily(view, statement, way, greatest.value - least.value)
}

/// "went from A to B", whichever way that is.
pub(super) fn went(
    view: &View<'_>,
    statement: &Statement,
    from: &Figure,
    to: &Figure,
) -> Option<Finding> {
    let places = from.value.places.max(to.value.places);
    let scaled = |figure: &Figure| {
        let up = 10_i128.checked_pow(places - figure.value.places)?;
        let value = figure.value.mantissa.checked_mul(up)?;
        value.checked_mul(i128::from(figure.unit.factor))
    };
    let (low, high) = (scaled(from)?, scaled(to)?);
    if low == high || from.unit.dimension != to.unit.dimension {
        return None;
    }
    let way = if low < high { Way::Up } else { Way::Down };
    // Without a word of direction the figures may be those of something else.
    from_to(view, statement, way, from, to).filter(|found| found.holds || statement.rest == 0)
}

/// "rose", "fell steadily", "grew in every sample", "was easing at the end".
fn direction(view: &View<'_>, statement: &Statement, way: Way) -> Option<Finding> {
    let (first, last) = (view.first()?, view.last()?);
    if view.points.len() < 2 {
        return None;
    }
    let (greatest, least) = (view.greatest()?, view.least()?);
    let range = greatest.value - least.value;
    let net = way.gain(first, last);
    if range == 0 {
        return Some(Finding::fails(view, &[first, last]));
    }
    if let Some(time) = &statement.window.at {
        let place = view.at(time)?;
        let before = View { points: view.track.points.get(..=place)?, is_whole: false, ..*view };
        return at_the_end(&before, way);
    }
    if statement.has(Cue::From) && statement.has(Cue::First) {
        return from_the_first(view, way);
    }
    if statement.has(Cue::AtEnd) && !statement.has(Cue::Every) {
        return at_the_end(view, way);
    }
    if statement.has(Cue::Every) || statement.has(Cue::Steady) || statement.has(Cue::Keep) {
        return steadily(view, statement, way, range);
    }
    let (forward, backward) = match way {
        Way::Up => (greatest.value - first.value, first.value - least.value),
        Way::Down => (first.value - least.value, greatest.value - first.value),
    };
    let level = greatest.value.abs().max(least.value.abs());
    let least_change = match statement.force {
        Force::Slight => 500,
        Force::Plain | Force::Strong => 20,
    };
    let matters = range * least_change >= level;
    if statement.force == Force::Strong && range * 50 <= level {
        return Some(Finding::fails(view, &[least, greatest]));
    }
    if net > 0 && net * 2 >= range && matters {
        return Some(Finding::holds(view, &[Some(first), Some(last)]));
    }
    let is_other_way = net < 0 && -net * 2 >= range && matters;
    let went_other_way = net <= 0 && forward * 4 <= backward && matters;
    let extreme = if way == Way::Up { least } else { greatest };
    if is_other_way {
        Some(Finding::fails(view, &[first, last]))
    } else if went_other_way {
        Some(Finding::fails(view, &[first, extreme, last]))
    } else {
        None
    }
}

/// The direction of the last samples.
fn at_the_end(view: &View<'_>, way: Way) -> Option<Finding> {
    const TAIL: usize = 4;
    if !view.is_complete() {
        let last = view.last()?;
        let highest = if way == Way::Up { view.least()? } else { view.greatest()? };
        // The extreme against the claimed direction is the very last sample.
        return (last.value == highest.value && view.greatest()?.value != view.least()?.value)
            .then(|| Finding::fails(view, &[last]));
    }
    let tail = view.points.get(view.points.len().checked_sub(TAIL)?..)?;
    let steps: Vec<i128> = tail.windows(2).filter_map(|pair| gain(way, pair)).collect();
    let (first, last) = (*tail.first()?, *tail.last()?);
    if steps.iter().all(|step| *step > 0) {
        Some(Finding::holds(view, &[Some(first), Some(last)]))
    } else if steps.iter().all(|step| *step < 0) {
        Some(Finding::fails(view, &[first, last]))
    } else {
        None
    }
}

pub(super) fn gain(way: Way, pair: &[Point]) -> Option<i128> {
    match pair {
        [a, b] => Some(way.gain(*a, *b)),
        _ => None,
    }
}

/// Every step goes the claimed way.
fn steadily(view: &View<'_>, statement: &Statement, way: Way, range: i128) -> Option<Finding> {
    let (first, last) = (view.first()?, view.last()?);
    let (goal, start) = match way {
        Way::Up => (view.greatest()?, view.least()?),
        Way::Down => (view.least()?, view.greatest()?),
    };
    let net = way.gain(first, last);
    if net <= 0 {
        return Some(Finding::fails(view, &[first, last]));
    }
    let each = statement.has(Cue::Every);
    let exact = each || statement.is_strict;
    if statement.has(Cue::Keep) && !each && way.gain(goal, last) < 0 {
        return at_the_end(view, way).filter(|found| !found.holds).or_else(|| {
            view.greatest()
                .filter(|_| !view.is_complete())
                .map(|_| Finding::fails(view, &[goal, last]))
        });
    }
    if !view.is_complete() {
        // Known are the ends and extremes: a trend without a step back ends at its extreme.
        let turned = way.gain(goal, last) < 0 && (exact || -way.gain(goal, last) * 20 >= range);
        let dipped = way.gain(start, first) > 0 && (exact || way.gain(start, first) * 20 >= range);
        return (turned || dipped)
            .then(|| Finding::fails(view, &if turned { [goal, last] } else { [first, start] }));
    }
    let against = view.points.windows(2).find(|pair| {
        let step = gain(way, pair).unwrap_or(0);
        if each { step <= 0 } else { step < 0 }
    });
    match against {
        None => Some(Finding::holds(view, &[Some(first), Some(last)])),
        Some([before, after]) if exact || -way.gain(*before, *after) * 20 >= range => {
            Some(Finding::fails(view, &[*before, *after]))
        }
        Some(_) => {
            let turned = -way.gain(goal, last) * 10 >= range;
            turned.then(|| Finding::fails(view, &[goal, last]))
        }
    }
}

/// "rose from A to B": a sample of A, a later one of B, no sooner than stated and no later.
fn from_to(
    view: &View<'_>,
    statement: &Statement,
    way: Way,
    from: &Figure,
    to: &Figure,
) -> Option<Finding> {
    let agree = |figure: &Figure, point: &Point| view.agree(figure, *point);
    // "between 11:20 and 11:34", "from 3420 at 11:20": the change begins with the window.
    let begins = if statement.window.from.is_some() { 1 } else { view.points.len() };
    let starts: Vec<Point> = view
        .points
        .iter()
        .take(begins)
        .filter(|point| agree(from, point) == Same)
        .copied()
        .collect();
    let ends: Vec<Point> =
        view.points.iter().filter(|point| agree(to, point) == Same).copied().collect();
    let pair = |start: &Point| {
        ends.iter()
            .find(|end| end.micros > start.micros && way.gain(*start, **end) > 0)
            .map(|end| (*start, *end))
    };
    let shortest = starts.iter().filter_map(pair).min_by_key(|(a, b)| b.micros - a.micros);
    let Some((start, end)) = shortest else {
        if let Some(time) = &statement.window.at
            && let Some(found) = levels::at(view, time, to)
            && !found.holds
        {
            return Some(found);
        }
        return never_there(view, way, (from, &starts), (to, &ends));
    };
    let both = [Some(start), Some(end)];
    let step = view.track.step();
    if let Some(time) = &statement.window.at {
        let place = view.at(time)?;
        let here = view.point(place)?;
        if agree(to, &here) == Same {
            return Some(Finding::holds(view, &[Some(start), Some(here)]));
        }
        let near = ends.iter().any(|end| (end.micros - here.micros).abs() <= step);
        return (agree(to, &here) == Different && !near)
            .then(|| Finding::fails(view, &[here, end]));
    }
    if let Some(seconds) = statement.window.within {
        let took = end.micros - start.micros;
        let allowed = seconds.checked_mul(1_000_000)?;
        if took > allowed + step / 2 {
            let is_known = view.is_complete() && took > allowed + step;
            return is_known.then(|| Finding::fails(view, &[start, end]));
        }
    }
    Some(Finding::holds(view, &both))
}

/// One of the ends of a change is nowhere, or they stand the other way round.
fn never_there(
    view: &View<'_>,
    way: Way,
    from: (&Figure, &[Point]),
    to: (&Figure, &[Point]),
) -> Option<Finding> {
    let (first, last) = (view.first()?, view.last()?);
    if let (Some(start), Some(end)) = (from.1.first(), to.1.last())
        && way.gain(*start, *end) < 0
    {
        return Some(Finding::fails(view, &[*start, *end]));
    }
    if let (Some(start), Some(end)) = (from.1.last(), to.1.first())
        && end.micros < start.micros
    {
        return Some(Finding::fails(view, &[*end, *start]));
    }
    let nowhere =
        |figure: &Figure| view.points.iter().all(|point| view.agree(figure, *point) == Different);
    let missing = from.1.is_empty() && nowhere(from.0) || to.1.is_empty() && nowhere(to.0);
    (missing && view.track.known == Known::All).then(|| Finding::fails(view, &[first, last]))
}

/// "dropped to 0 at 08:05", "had fallen to 500 MB by the end", "shot up to 31 s".
fn came_to(view: &View<'_>, statement: &Statement, way: Way, to: &Figure) -> Option<Finding> {
    let first = view.first()?;
    let extreme = if way == Way::Up { view.greatest()? } else { view.least()? };
    if let Some(time) = &statement.window.at {
        let place = view.at(time)?;
        let here = view.point(place)?;
        let before = view.track.points.get(..place)?;
        let moved = before.iter().any(|point| way.gain(*point, here) > 0);
        return levels::reaches(view, statement, to).filter(|found| !found.holds || moved);
    }
    if statement.has(Cue::AtStart) {
        return None;
    }
    if statement.window.within.is_some() {
        return None;
    }
    let last = view.last()?;
    let ends = if statement.has(Cue::AtEnd) { vec![last] } else { vec![extreme, last] };
    if way.gain(first, extreme) <= 0 {
        return Some(Finding::fails(view, &[first, last]));
    }
    if let Some(found) = ends.iter().find(|point| view.agree(to, **point) == Same) {
        return Some(Finding::holds(view, &[Some(first), Some(*found)]));
    }
    let is_far = ends.iter().all(|point| view.agree(to, *point) == Different);
    let beyond = Figure {
        comparator: Some(if way == Way::Up { Comparator::AtLeast } else { Comparator::AtMost }),
        ..to.clone()
    };
    let not_so_far = view.agree(&beyond, extreme) == Different;
    let other_unit = view.track.scale.is_other_unit(to, extreme.value);
    let fails = is_far && (not_so_far || other_unit || statement.has(Cue::AtEnd));
    fails.then(|| Finding::fails(view, &ends))
}

/// "climbed from the very first minute": the third sample is beyond the first.
fn from_the_first(view: &View<'_>, way: Way) -> Option<Finding> {
    if !view.is_complete() {
        return None;
    }
    let [first, second, third, ..] = view.points else { return None };
    if way.gain(*first, *second) > 0 && way.gain(*second, *third) > 0 {
        Some(Finding::holds(view, &[Some(*first), Some(*second), Some(*third)]))
    } else {
        (way.gain(*first, *third) <= 0).then(|| Finding::fails(view, &[*first, *third]))
    }
}

/// "did not drop until the 08:05 sample": it had not gone that way before, and then did.
pub(super) fn not_until(view: &View<'_>, statement: &Statement) -> Option<Finding> {
    let way = match (statement.has(Cue::Rise), statement.has(Cue::Fall)) {
        (true, false) => Way::Up,
        (false, true) => Way::Down,
        _ => return None,
    };
    let time = statement.window.until.as_ref().filter(|_| statement.values.is_empty())?;
    let whole = View { points: &view.track.points, is_whole: true, ..*view };
    let place = whole.at(time).filter(|_| view.is_complete())?;
    let (here, first) = (whole.point(place)?, whole.first()?);
    let extreme = if way == Way::Up { whole.greatest()? } else { whole.least()? };
    let most = way.gain(first, extreme);
    let before = whole.points.get(..place)?;
    let early = before.iter().find(|point| way.gain(first, **point) * 4 > most);
    if most <= 0 {
        None
    } else if let Some(early) = early {
        Some(Finding::fails(view, &[first, *early]))
    } else if way.gain(first, here) * 2 >= most {
        Some(Finding::holds(view, &[before.last().copied(), Some(here)]))
    } else {
        None
    }
}
