//! Claims about how high a series stood: bounds, ranges, extremes, values at a time, means, counts of samples.

use gsar_core::text::figures::{Agreement, ClockTime, Comparator, Decimal, Figure, Unit};

use super::finding::Finding;
use super::gather::{Known, Point};
use super::phrases::Cue;
use super::statement::{Part, Statement};
use super::window::View;
use Agreement::{Different, Same};

impl View<'_> {
    pub(super) fn agree(&self, figure: &Figure, point: Point) -> Agreement {
        self.track.scale.agree(figure, point.value)
    }

    fn all_differ(&self, figure: &Figure) -> bool {
        self.points.iter().all(|point| self.agree(figure, *point) == Different)
    }
}

/// Whether a plain figure is by how much the samples of a window changed, or what they add up to.
pub(super) fn come_to(view: &View<'_>, figure: &Figure) -> bool {
    let (Some(first), Some(last)) = (view.first(), view.last()) else { return false };
    let change = (last.value - first.value).abs();
    let sum = view.points.iter().fold(0_i128, |sum, point| sum.saturating_add(point.value));
    figure.comparator.is_none()
        && view.points.len() > 1
        && [change, sum]
            .into_iter()
            .any(|value| value > 0 && view.agree(figure, Point { value, ..first }) == Same)
}

/// Every sample keeps to a bound, or lies between two figures.
pub(super) fn bound(view: &View<'_>, low: &Figure, high: Option<&Figure>) -> Option<Finding> {
    let test = |point: &Point| match high {
        None => view.agree(low, *point),
        Some(high) => {
            // The ends of a range are stated as rounded values.
            let over = Figure { comparator: Some(Comparator::AtLeast), ..low.clone() };
            let under = Figure { comparator: Some(Comparator::AtMost), ..high.clone() };
            let inside = view.agree(&over, *point) == Same || view.agree(low, *point) == Same;
            let below = view.agree(&under, *point) == Same || view.agree(high, *point) == Same;
            if inside && below {
                Same
            } else if view.agree(low, *point) == Agreement::Incomparable
                || view.agree(high, *point) == Agreement::Incomparable
            {
                Agreement::Incomparable
            } else {
                Different
            }
        }
    };
    let far = |point: &&Point| {
        test(point) == Different && (!low.approximate || is_far(view, low, **point))
    };
    if let Some(outside) = view.points.iter().find(far) {
        return Some(Finding::fails(view, &[*outside]));
    }
    let all = view.points.iter().all(|point| test(point) == Same);
    (all && view.track.known != Known::Logged)
        .then(|| Finding::holds(view, &[view.least(), view.greatest()]))
}

/// "stable at 87-93", "between 6000 and 8100": the range is the one that the samples span.
pub(super) fn span(view: &View<'_>, low: &Figure, high: &Figure) -> Option<Finding> {
    bound(view, low, Some(high)).filter(|found| !found.holds || is_tight(view, low, high))
}

/// Whether a range ends about where the samples end: 17-93 does not tell of samples from 87 to 93.
fn is_tight(view: &View<'_>, low: &Figure, high: &Figure) -> bool {
    let (Some(least), Some(greatest)) = (view.least(), view.greatest()) else { return false };
    // Twice as far out as the samples span, or a fifth of their level.
    let reach = (2 * (greatest.value - least.value)).max(greatest.value.abs() / 5);
    let bound =
        |figure: &Figure, comparator| Figure { comparator: Some(comparator), ..figure.clone() };
    let below = Point { value: least.value - reach, ..least };
    let above = Point { value: greatest.value + reach, ..greatest };
    view.agree(&bound(low, Comparator::AtLeast), below) != Same
        && view.agree(&bound(high, Comparator::AtMost), above) != Same
}

/// Some sample is beyond a bound; with a time, it is so from then on.
pub(super) fn passes(view: &View<'_>, statement: &Statement, figure: &Figure) -> Option<Finding> {
    if let Some(time) = &statement.window.at {
        let place = view.at(time)?;
        let here = view.point(place)?;
        let before = place.checked_sub(1).and_then(|place| view.point(place));
        let after = view.point(place + 1);
        let crossed = view.agree(figure, here) == Same;
        let already = before.is_some_and(|before| view.agree(figure, before) == Same);
        if crossed && !already && before.is_some() && view.is_complete() {
            return Some(Finding::holds(view, &[before, Some(here)]));
        }
        let soon = after.is_some_and(|after| view.agree(figure, after) == Same);
        let not_yet = !crossed && !soon && view.agree(figure, here) == Different;
        return not_yet.then(|| Finding::fails(view, &[here]));
    }
    let extreme = match figure.comparator {
        Some(Comparator::Under | Comparator::AtMost) => view.least()?,
        _ => view.greatest()?,
    };
    let extreme = if statement.has(Cue::AtEnd) { view.last()? } else { extreme };
    match view.agree(figure, extreme) {
        Same => Some(Finding::holds(view, &[Some(extreme)])),
        Different => Some(Finding::fails(view, &[extreme])),
        Agreement::Incomparable => None,
    }
}

/// "it took until 19:03 to drop below 50 %": it is so at that time, and was not before.
pub(super) fn took_until(
    view: &View<'_>,
    statement: &Statement,
    figure: &Figure,
) -> Option<Finding> {
    let time = statement.window.until.as_ref().filter(|_| statement.window.at.is_none())?;
    let whole = View { points: &view.track.points, is_whole: true, ..*view };
    let mut at = statement.clone();
    at.window.at = Some(time.clone());
    passes(&whole, &at, figure)
}

/// The greatest or least sample has a value, a time, or both.
pub(super) fn extreme(
    view: &View<'_>,
    statement: &Statement,
    figure: Option<&Figure>,
    peak: bool,
) -> Option<Finding> {
    let found = if peak { view.greatest()? } else { view.least()? };
    if statement.has(Cue::AtEnd) && view.last()?.value != found.value {
        return Some(Finding::fails(view, &[found]));
    }
    let value = figure.map(|figure| view.agree(figure, found));
    let timed = match &statement.window.at {
        None => None,
        Some(time) => {
            let place = view.at(time);
            let here = place.and_then(|place| view.point(place));
            Some(match here {
                Some(here) if here.value == found.value => Same,
                Some(here) if (here.micros - found.micros).abs() > view.track.step() => Different,
                None if view.track.known == Known::Ends => Different,
                _ => Agreement::Incomparable,
            })
        }
    };
    match (value, timed) {
        (None, None) => None,
        (Some(Different), _) | (_, Some(Different)) => Some(Finding::fails(view, &[found])),
        (None | Some(Same), None | Some(Same)) => Some(Finding::holds(view, &[Some(found)])),
        _ => None,
    }
}

/// The series came to a value.
pub(super) fn reaches(view: &View<'_>, statement: &Statement, figure: &Figure) -> Option<Finding> {
    if let Some(time) = &statement.window.at {
        return if statement.is_deadline && statement.has(Cue::Reach) {
            by_then(view, time, figure)
        } else {
            at(view, time, figure)
        };
    }
    if statement.has(Cue::AtStart) {
        return settled(view, figure, view.first()?);
    }
    let (greatest, least, last) = (view.greatest()?, view.least()?, view.last()?);
    if statement.has(Cue::AtEnd) {
        return settled(view, figure, last);
    }
    for point in [greatest, least, last] {
        if view.agree(figure, point) == Same {
            return Some(Finding::holds(view, &[Some(point)]));
        }
    }
    if view.track.scale.is_other_unit(figure, greatest.value) {
        return Some(Finding::fails(view, &[greatest]));
    }
    let above = Figure { comparator: Some(Comparator::Over), ..figure.clone() };
    let never_so_high = view.agree(&above, greatest) == Different;
    let never_so_low = view.agree(&above, least) == Same;
    (view.all_differ(figure) && (never_so_high || never_so_low))
        .then(|| Finding::fails(view, &[if never_so_high { greatest } else { least }]))
}

/// "had reached 85 % by 09:05": the sample then is not short of it, and the one before was.
fn by_then(view: &View<'_>, time: &ClockTime, figure: &Figure) -> Option<Finding> {
    let (here, first) = (view.point(view.at(time)?)?, view.first()?);
    if view.agree(figure, here) == Same {
        return Some(Finding::holds(view, &[Some(here)]));
    }
    let rises = here.value > first.value;
    let comparator = if rises { Comparator::AtLeast } else { Comparator::AtMost };
    let bound = Figure { comparator: Some(comparator), ..figure.clone() };
    let place = view.at(time)?;
    let before = place.checked_sub(1).and_then(|place| view.point(place))?;
    match (view.agree(&bound, here), view.agree(&bound, before)) {
        (Same, Different) if view.is_complete() => {
            Some(Finding::holds(view, &[Some(before), Some(here)]))
        }
        (Different, _) if view.agree(figure, here) == Different => {
            Some(Finding::fails(view, &[here]))
        }
        _ => None,
    }
}

/// "levelled off at 55 %", "plateaued around 18,000": the last samples are so.
pub(super) fn settles(view: &View<'_>, figure: Option<&Figure>) -> Option<Finding> {
    const TAIL: usize = 3;
    let Some(figure) = figure else {
        return if view.is_whole { None } else { super::rests::flat(view) };
    };
    let last = view.last()?;
    if view.agree(figure, last) == Different {
        return Some(Finding::fails(view, &[last]));
    }
    let tail = view.points.get(view.points.len().checked_sub(TAIL)?..)?;
    let rests = view.is_complete() && tail.iter().all(|point| view.agree(figure, *point) == Same);
    rests.then(|| Finding::holds(view, &[tail.first().copied(), Some(last)]))
}

fn settled(view: &View<'_>, figure: &Figure, point: Point) -> Option<Finding> {
    match view.agree(figure, point) {
        Same => Some(Finding::holds(view, &[Some(point)])),
        Different => Some(Finding::fails(view, &[point])),
        Agreement::Incomparable => None,
    }
}

/// The value at a time; a neighbouring sample that agrees leaves it open.
pub(super) fn at(view: &View<'_>, time: &ClockTime, figure: &Figure) -> Option<Finding> {
    let place = view.at(time)?;
    let here = view.point(place)?;
    match view.agree(figure, here) {
        Same => Some(Finding::holds(view, &[Some(here)])),
        Agreement::Incomparable => None,
        Different => {
            let beside = [place.checked_sub(1), place.checked_add(1)];
            let near =
                beside.into_iter().flatten().filter_map(|place| view.point(place)).any(|point| {
                    (point.micros - here.micros).abs() <= view.track.step()
                        && view.agree(figure, point) != Different
                });
            (!near).then(|| Finding::fails(view, &[here]))
        }
    }
}

/// "is at 18 %", "ended at 8.3 GB", "at first", "on average", "was 3 % throughout".
pub(super) fn level(view: &View<'_>, statement: &Statement, figure: &Figure) -> Option<Finding> {
    if let Some(time) = &statement.window.at {
        return at(view, time, figure);
    }
    if statement.has(Cue::Average) {
        return mean(view, figure);
    }
    let is_of_all = statement.has(Cue::Every) || statement.has(Cue::Keep);
    if is_of_all || !view.is_whole {
        // "Five hundred between 10:00 and 10:10" may be said of one of the samples.
        let is_open = !is_of_all && figure.comparator.is_none() && !view.all_differ(figure);
        return bound(view, figure, None).filter(|found| found.holds || !is_open);
    }
    if statement.has(Cue::AtStart) {
        return settled(view, figure, view.first()?);
    }
    let last = view.last()?;
    if statement.has(Cue::AtEnd) {
        return settled(view, figure, last);
    }
    if view.agree(figure, last) == Same {
        return Some(Finding::holds(view, &[Some(last)]));
    }
    let (greatest, least) = (view.greatest()?, view.least()?);
    let over = Figure { comparator: Some(Comparator::Over), ..figure.clone() };
    let outside = figure.comparator.is_none()
        && (view.agree(&over, greatest) == Different || view.agree(&over, least) == Same);
    (outside && view.all_differ(figure)).then(|| Finding::fails(view, &[last]))
}

fn mean(view: &View<'_>, figure: &Figure) -> Option<Finding> {
    if !view.is_complete() {
        return None;
    }
    let number = i128::try_from(view.points.len()).ok()?;
    let mut sum = 0_i128;
    for point in view.points {
        sum = sum.checked_add(point.value)?;
    }
    let mean = Point { value: sum.checked_div(number)?, ..view.first()? };
    match view.agree(figure, mean) {
        Same => Some(Finding::holds(view, &[view.least(), view.greatest()])),
        Different => Some(Finding::fails(view, &[view.least()?, view.greatest()?])),
        Agreement::Incomparable => None,
    }
}

/// "at zero in exactly two of the fifteen samples", "in four consecutive samples".
pub(super) fn counted(
    view: &View<'_>,
    statement: &Statement,
    figure: &Figure,
    stated: (usize, Option<usize>),
) -> Option<Finding> {
    if !view.is_complete()
        || view.points.iter().any(|point| view.agree(figure, *point) == Agreement::Incomparable)
    {
        return None;
    }
    let agrees = |point: &Point| view.agree(figure, *point) == Same;
    let longest = view.points.chunk_by(|a, b| agrees(a) == agrees(b));
    let number = if statement.has(Cue::Consecutive) {
        longest.filter(|run| run.first().is_some_and(agrees)).map(<[Point]>::len).max().unwrap_or(0)
    } else {
        view.points.iter().filter(|point| agrees(point)).count()
    };
    let of_all = stated.1.is_none_or(|all| all == view.points.len());
    let cited = view.points.iter().find(|point| agrees(point)).copied().or_else(|| view.first())?;
    if number == stated.0 && of_all {
        Some(Finding::holds(view, &[Some(cited)]))
    } else {
        Some(Finding::fails(view, &[cited]))
    }
}

/// The figures with which a statement bounds a series: "above 900", "between 83 and 98", "at 5".
pub(super) fn bounds(statement: &Statement) -> Option<(&Figure, Option<&Figure>)> {
    let mut values = statement.values.iter().filter(|(part, _)| *part != Part::By);
    let (_, low) = values.next()?;
    match values.next() {
        Some((_, high)) if statement.is_range => Some((low, Some(high))),
        Some(_) => None,
        None => Some((low, None)),
    }
}

/// Whether a sample is beyond what "near" could mean: less than half of the figure, or half as much again.
fn is_far(view: &View<'_>, figure: &Figure, point: Point) -> bool {
    let times = |factor: i128, comparator| Figure {
        value: Decimal {
            mantissa: figure.value.mantissa.saturating_mul(factor),
            places: figure.value.places + 1,
        },
        comparator: Some(comparator),
        ..figure.clone()
    };
    view.agree(&times(15, Comparator::Over), point) == Same
        || view.agree(&times(5, Comparator::Under), point) == Same
}

/// "dropped to near zero": the least sample, or that at the time, is less than a twentieth of the first.
pub(super) fn near_zero(view: &View<'_>, statement: &Statement) -> Option<Finding> {
    let first = view.first()?;
    let point = match &statement.window.at {
        Some(time) => view.at(time).and_then(|place| view.point(place))?,
        None if statement.has(Cue::AtEnd) => view.last()?,
        None => view.least()?,
    };
    let reference = view.greatest()?.value.max(first.value);
    if reference > 0 && point.value * 20 <= reference {
        Some(Finding::holds(view, &[Some(first), Some(point)]))
    } else {
        (point.value * 4 >= reference).then(|| Finding::fails(view, &[point]))
    }
}

/// "was saturated": a percentage close to 100.
pub(super) fn saturated(view: &View<'_>) -> Option<Finding> {
    let greatest = view.greatest()?;
    let percent = |mantissa, comparator| Figure {
        span: 0..0,
        value: Decimal { mantissa, places: 0 },
        unit: Unit::PERCENT,
        approximate: false,
        comparator: Some(comparator),
    };
    if view.agree(&percent(97, Comparator::AtLeast), greatest) == Same {
        return Some(Finding::holds(view, &[Some(greatest)]));
    }
    (view.agree(&percent(80, Comparator::Under), greatest) == Same)
        .then(|| Finding::fails(view, &[greatest]))
}

/// "had returned to its baseline by 15:13": within a tenth of the first sample again.
pub(super) fn baseline(view: &View<'_>, statement: &Statement) -> Option<Finding> {
    let first = view.first()?;
    let point = match &statement.window.at {
        Some(time) => view.at(time).and_then(|place| view.point(place))?,
        None => view.last()?,
    };
    let apart = (point.value - first.value).abs();
    let excursion = (view.greatest()?.value - first.value).max(first.value - view.least()?.value);
    if !statement.has(Cue::Return)
        || !statement.values.is_empty()
        || excursion * 4 < first.value.abs()
    {
        return None;
    }
    if apart * 10 <= first.value.abs() {
        Some(Finding::holds(view, &[Some(first), Some(point)]))
    } else {
        (apart * 2 >= excursion).then(|| Finding::fails(view, &[first, point]))
    }
}
