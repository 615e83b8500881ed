//! Claims about series: what a metric did over a window.
//!
//! The evidence is read into tracks ([`gather`], [`gauges`]), the claim into clauses with cues, figures and
//! times ([`statement`], [`phrases`]), each clause about the tracks that it names ([`subject`]). Then one
//! predicate decides, exactly ([`exact`]):
//!
//! | the clause says | holds when | fails when |
//! |---|---|---|
//! | stayed, never, throughout with a bound or range | every sample of the window keeps to it | one does not |
//! | exceeded, rose above, crossed | a sample is beyond; with a time, it is and the one before is not | none is |
//! | peaked, at its lowest | the extreme has the value and the time | it has another |
//! | reached, dropped to, by the end | the extreme, the last sample or that at the time agrees | it differs, or only its unit does |
//! | rose from A to B | a sample of A and a later one of B, in the time stated | one is nowhere, or they stand the other way round |
//! | rose, fell, kept rising, in every sample | the ends, or every step, go that way | they go the other way |
//! | doubled, fell by 87 %, 95 % was gone | the ends stand in that proportion | they do not |
//! | flat, unchanged, ever more slowly | the samples, or the last steps, are so | they clearly are not |
//! | is, was, on average, in two of the fifteen samples | the sample, the mean, the count agrees | it differs |
//!
//! A claim is borne out only where each of its clauses is and no word is left over; one clause that fails
//! refutes it. Summaries that give only ends and extremes decide what these decide.

mod alerts;
mod clauses;
mod cue_words;
mod cues;
mod draft;
mod exact;
mod finding;
mod gather;
mod gauges;
mod levels;
mod moves;
mod naming;
mod nouns;
mod pairs;
mod phrases;
mod proportions;
mod queries;
mod reference;
mod rests;
mod roles;
mod rows;
mod several;
mod shares;
mod statement;
mod subject;
mod timed;
mod vocabulary;
mod window;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_reports;

use std::sync::OnceLock;

use gsar_core::text::figures::{Comparator, Figure, figures};

use crate::claim::reading::Reading;
use crate::evidence::observations::Corpus;
use crate::verdict::ruling::{Basis, Case, Ruling};
use finding::Finding;
use gather::Track;
use moves::Way;
use phrases::Cue;
use statement::{Part, Statement};
use subject::Subject;
use window::View;

/// The tracks of the evidence, gathered when a claim first asks for them.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    tracks: OnceLock<Gathered>,
    alerts: OnceLock<Vec<alerts::Row>>,
}

/// All tracks; the gauges of logs, which are asked only by claims about such, stand last.
#[derive(Debug)]
struct Gathered {
    tracks: Vec<Track>,
    without_gauges: usize,
}

impl Tracks {
    /// Gathers all of them now.
    pub(crate) fn gather(&self, corpus: &Corpus<'_>) {
        self.alerts.get_or_init(|| alerts::gather(corpus));
        self.gathered(corpus);
    }

    fn gathered(&self, corpus: &Corpus<'_>) -> &Gathered {
        self.tracks.get_or_init(|| {
            let mut tracks = gather::gather(corpus);
            let without_gauges = tracks.len();
            tracks.extend(gather::of_gauges(corpus));
            Gathered { tracks, without_gauges }
        })
    }

    fn of(&self, corpus: &Corpus<'_>, claim: &Reading<'_>) -> &[Track] {
        let Gathered { tracks, without_gauges } = self.gathered(corpus);
        let are_gauges_meant =
            gauges::are_meant(claim.text) || claim.before.is_some_and(gauges::are_meant);
        if are_gauges_meant { tracks } else { tracks.get(..*without_gauges).unwrap_or_default() }
    }
}

/// Decides a claim about series.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let rows = case.cache.tracks.alerts.get_or_init(|| alerts::gather(case.corpus));
    if let Some(ruling) = alerts::decide(case, rows) {
        return Some(ruling);
    }
    let tracks = case.cache.tracks.of(case.corpus, case.reading);
    if tracks.is_empty() {
        return None;
    }
    let reading = case.reading;
    let mut statements = statement::statements(reading.text, &reading.figures, None, tracks);
    if statements.first().is_some_and(|statement| statement.is_open(tracks))
        && let Some(text) = reading.before
    {
        let before = statement::statements(text, &figures(text), None, tracks);
        statements = statement::statements(reading.text, &reading.figures, before.last(), tracks);
    }
    for statement in &mut statements {
        statement.resolve(reading.text, reading.before, tracks);
        statement.take_share(tracks);
    }
    moments(&mut statements, tracks);
    let mut cites = Vec::new();
    let mut says: Vec<String> = Vec::new();
    let mut is_complete = !statements.is_empty();
    for statement in &statements {
        let found = found(statement, tracks);
        is_complete &= statement.rest == 0;
        match found {
            Some(found) if found.holds => {
                cites.extend(found.cites);
                says.push(found.says);
            }
            Some(found) if statement.rest <= MOST_REST && statement.unknown_subject == 0 => {
                return Some(Ruling::contradicted(Basis::Measured, found.cites, found.says));
            }
            Some(_) | None => is_complete = false,
        }
    }
    let basis = if statements.iter().any(Statement::needs_arithmetic) {
        Basis::Derived
    } else {
        Basis::Measured
    };
    is_complete.then(|| Ruling::grounded(basis, cites, says.join("; ")))
}

/// "when WriteIOPS peaked" names a moment for the clause before.
fn moments(statements: &mut Vec<Statement>, tracks: &[Track]) {
    for place in 1..statements.len() {
        let Some((before, [named, ..])) = statements.split_at_mut_checked(place) else { return };
        let is_named = named.is_moment && named.values.is_empty() && named.rest == 0;
        let Some(main) = before.last_mut().filter(|main| is_named && main.window.at.is_none())
        else {
            continue;
        };
        let meant = named.subject.tracks(tracks);
        let Some(track) = meant.first() else { continue };
        let Some(view) = window::view(track, &named.window) else { continue };
        let point = match (named.has(Cue::Peak), named.has(Cue::Trough)) {
            (true, false) => view.greatest(),
            (false, true) => view.least(),
            _ => None,
        };
        if let Some(point) = point {
            main.window.at = Some(crate::evidence::values::clock(point.micros));
            named.subject = main.subject.clone();
            statements.remove(place);
            return;
        }
    }
}

/// A clause with more words than this that say nothing of a series is not understood.
const MOST_REST: usize = 2;

/// What the tracks that a clause means say to it; `None` where they say nothing, or not the same.
fn found(statement: &Statement, tracks: &[Track]) -> Option<Finding> {
    if let Some(share) = &statement.share {
        return judge(&window::view(share, &statement.window)?, statement, tracks);
    }
    if !statement.says_something() || statement.has(Cue::Not) && !statement.has(Cue::Until) {
        return None;
    }
    let mut subjects = vec![statement.subject.clone()];
    subjects.extend(statement.more.iter().cloned());
    if statement.subject.tracks(tracks).is_empty() && statement.has(Cue::And) {
        subjects = subjects.iter().flat_map(Subject::each).collect();
    }
    let mut all: Option<Finding> = None;
    for subject in &subjects {
        let found = of_subject(statement, subject, tracks)?;
        all = match all {
            _ if !found.holds => return Some(found),
            Some(before) => Some(before.and(found)),
            None => Some(found),
        };
    }
    all
}

/// What the tracks of one subject say; those that know most are asked first.
fn of_subject(statement: &Statement, subject: &Subject, tracks: &[Track]) -> Option<Finding> {
    let mut best: Option<Finding> = None;
    let mut known = None;
    let meant = statement.meant(subject.tracks(tracks));
    if statement.reference.is_back && meant.len() > 1 {
        return of_one(statement, &meant, tracks);
    }
    let total = if meant.len() > 1 { shares::total(&meant) } else { None };
    for track in meant {
        if best.is_some() && known != Some(track.known) {
            break;
        }
        let Some(view) = window::view(track, &statement.window) else { continue };
        if let Some(found) = judge(&view, statement, tracks) {
            known = Some(track.known);
            if best.as_ref().is_some_and(|best| best.holds != found.holds) {
                return None;
            }
            best.get_or_insert(found);
        }
    }
    // "Requests fell by 87 %": what no part of them did, all together may have done.
    let of_all = |total: &Track| judge(&window::view(total, &statement.window)?, statement, tracks);
    best.filter(|found| {
        let fails = |total: &Track| of_all(total).is_some_and(|all| !all.holds);
        found.holds || total.as_ref().is_none_or(fails)
    })
}

/// What is said of a thing named before, which nothing here tells from others of its sort: it holds where it
/// holds of one of them alone, and fails where it fails of all.
fn of_one(statement: &Statement, meant: &[&Track], tracks: &[Track]) -> Option<Finding> {
    let known = meant.first()?.known;
    let alike = meant.iter().filter(|track| track.known == known);
    let found: Vec<Option<Finding>> = alike
        .map(|track| judge(&window::view(track, &statement.window)?, statement, tracks))
        .collect();
    if let [only] = found.as_slice() {
        return only.clone();
    }
    let both_ends = statement.value(Part::From).is_some() && statement.value(Part::To).is_some();
    let is_timed = statement.window.at.is_some() || statement.window.from.is_some() || both_ends;
    let mut holding = found.iter().flatten().filter(|found| found.holds);
    match (holding.next(), holding.next()) {
        (Some(only), None) if is_timed => Some(only.clone()),
        (None, _) if found.iter().all(Option::is_some) => found.into_iter().flatten().next(),
        _ => None,
    }
}

/// What one track says to a clause: nothing against figures that its samples come to together.
fn judge(view: &View<'_>, statement: &Statement, tracks: &[Track]) -> Option<Finding> {
    predicate(view, statement, tracks).filter(|found| {
        let comes_to = |(_, figure): &(Part, Figure)| levels::come_to(view, figure);
        found.holds || !statement.values.iter().any(comes_to)
    })
}

/// The predicate of a clause over one track.
fn predicate(view: &View<'_>, statement: &Statement, tracks: &[Track]) -> Option<Finding> {
    let says = |cue| statement.has(cue);
    if !statement.other.is_empty() || statement.later.is_some() || says(Cue::SameTime) {
        return pairs::decide(view, statement, tracks);
    }
    if !statement.timed.is_empty() {
        return timed::decide(view, statement);
    }
    let rises = says(Cue::Rise) && !says(Cue::Fall);
    if rises && (says(Cue::NearZero) || statement.fraction.is_some()) {
        return None;
    }
    if says(Cue::Not) {
        return moves::not_until(view, statement);
    }
    if let Some(part) = statement.fraction {
        return proportions::fraction(view, statement, part);
    }
    if says(Cue::NearZero) {
        return levels::near_zero(view, statement);
    }
    if says(Cue::Saturated) {
        return levels::saturated(view);
    }
    if says(Cue::Baseline) {
        return levels::baseline(view, statement);
    }
    let bounds = levels::bounds(statement);
    if let (Some(counted), Some((figure, None))) = (statement.counted, bounds) {
        return levels::counted(view, statement, figure, counted);
    }
    if statement.counted.is_some() {
        return None;
    }
    if says(Cue::Never) {
        let (figure, None) = bounds? else { return None };
        return levels::bound(view, &never(statement, figure)?, None);
    }
    if says(Cue::Peak) || says(Cue::Trough) {
        let value = match bounds {
            Some((_, Some(_))) => return None,
            Some((figure, None)) => Some(figure),
            None => None,
        };
        return levels::extreme(view, statement, value, says(Cue::Peak));
    }
    if says(Cue::Slower) {
        return rests::slower(view, if says(Cue::Fall) { Way::Down } else { Way::Up });
    }
    if says(Cue::Gone) {
        return proportions::gone(view, bounds?.0);
    }
    if let Some((low, Some(high))) = bounds {
        return levels::span(view, low, high);
    }
    if says(Cue::Pass) || says(Cue::Under) {
        let (figure, _) = bounds?;
        return levels::passes(view, statement, &statement.beyond(figure));
    }
    if says(Cue::Return)
        && let Some((figure, None)) = bounds
    {
        return levels::reaches(view, statement, figure);
    }
    if !says(Cue::Rise)
        && !says(Cue::Fall)
        && let (Some(from), Some(to)) = (statement.value(Part::From), statement.value(Part::To))
    {
        return moves::went(view, statement, from, to);
    }
    if says(Cue::Rise) != says(Cue::Fall) || statement.factor.is_some() {
        let shrinks = statement.factor.is_some_and(|factor| factor.numerator < factor.denominator);
        let way = if says(Cue::Fall) || shrinks { Way::Down } else { Way::Up };
        return moves::decide(view, statement, way);
    }
    if says(Cue::Rise) {
        return None;
    }
    if says(Cue::Return) {
        let Some((figure, None)) = bounds else { return levels::baseline(view, statement) };
        return levels::reaches(view, statement, figure);
    }
    if says(Cue::Settle) {
        return levels::settles(view, bounds.map(|(figure, _)| figure));
    }
    if says(Cue::Flat) || says(Cue::Keep) && bounds.is_none() {
        return match bounds {
            Some((figure, _)) => levels::bound(view, figure, None),
            // "stayed in double digits" says something else.
            None if statement.rest > 0 && !says(Cue::Flat) => None,
            None => rests::flat(view),
        };
    }
    let (figure, _) = bounds?;
    if says(Cue::Reach) {
        return levels::reaches(view, statement, figure);
    }
    if statement.value(Part::By).is_some() || statement.value(Part::From).is_some() {
        return None;
    }
    levels::level(view, statement, figure)
}

/// What has to hold of every sample where a bound was never passed.
fn never(statement: &Statement, figure: &Figure) -> Option<Figure> {
    let says = |cue| statement.has(cue);
    let falls = says(Cue::Fall) || says(Cue::Under) || says(Cue::Below);
    let passes = says(Cue::Pass) || says(Cue::Above) || says(Cue::Rise) || says(Cue::Reach);
    let comparator = match (passes, falls) {
        (true, false) => Comparator::AtMost,
        (false, true) => Comparator::AtLeast,
        _ => return None,
    };
    Some(Figure { comparator: Some(comparator), ..figure.clone() })
}
