//! Claims about order and distance in time: "before", "half a minute after", "eleven seconds passed between".
//!
//! Both sides of the relation have to be found among the dated lines and records; then the instants decide, with
//! the grain at which they are stated as tolerance.

use gsar_core::Class;
use gsar_core::text::tokens::words;

use super::asked::{Asked, asked, is_plain};
use super::chronicle::{Chronicle, Clock, Event};
use super::episodes::{Ages, Found, find_bounds, keep_related, lines};
use super::instants::times;
use super::lengths::{Length, lengths};
use super::moments::MINUTE;
use super::note;
use super::reading::Role;
use super::relations::{Link, Relation, relations};
use super::ruling::{Basis, Case, Cite, Ruling};

/// Decides a claim that puts two events in order.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if !is_plain(reading) {
        return None;
    }
    if super::lasting::says_lasting(reading.text)
        && !words(reading.text).any(|word| word.is("between"))
    {
        return None;
    }
    let lengths = lengths(reading.text);
    let relations = relations(reading.text, &lengths);
    if relations.is_empty() {
        return None;
    }
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    relations.iter().find_map(|relation| weigh(case, chronicle, relation))
}

fn weigh(case: &Case<'_, '_, '_>, chronicle: &Chronicle, relation: &Relation) -> Option<Ruling> {
    let text = case.reading.text;
    let apart: Vec<_> = relation.length.iter().map(|length| length.span.clone()).collect();
    let mut first = asked(case, relation.first.clone(), &apart);
    let mut second = asked(case, relation.second.clone(), &apart);
    for time in times(text) {
        for side in [&mut first, &mut second] {
            if side.span.start <= time.span.start && time.span.end <= side.span.end {
                side.times.push(time.clone());
            }
        }
    }
    second.complete(text, &first);
    let (a, b) = both(case, chronicle, &first, &second)?;
    if a.events.iter().any(|a| {
        b.events.iter().any(|b| {
            !a.is_comparable(b) || a.field == b.field && a.at == b.at && a.place == b.place
        })
    }) {
        return None;
    }
    let answer = compare(relation, &a, &b)?;
    let class = if answer { Class::Grounded } else { Class::Contradicted };
    if class == Class::Contradicted && (a.is_vague || b.is_vague) {
        return None;
    }
    let enough = match &relation.length {
        Some(length) if !length.is_bound => a.is_close && b.is_close,
        _ => a.is_full && b.is_full,
    };
    if class == Class::Grounded && !(enough && is_told(case, relation, &first, &second)) {
        return None;
    }
    let (x, y) = (pick(&a)?, pick(&b)?);
    let cites = vec![Cite::Field(x.field), Cite::Field(y.field)];
    let note = note::in_order(case, x, y);
    Some(Ruling { class, basis: Basis::Derived, cites, note })
}

/// What both sides speak of, both by instants or both by ages.
fn both<'a>(
    case: &Case<'a, '_, '_>,
    chronicle: &'a Chronicle,
    first: &Asked,
    second: &Asked,
) -> Option<(Found<'a>, Found<'a>)> {
    [Ages::Without, Ages::Only].into_iter().find_map(|ages| {
        let mut b = find_bounds(case, chronicle, second, ages);
        let mut a = find_bounds(case, chronicle, first, ages);
        if first.is_any_line()
            && let Some(b) = &b
        {
            a = lines(case, chronicle, first, b);
        }
        if second.is_any_line()
            && let Some(a) = &a
        {
            b = lines(case, chronicle, second, a);
        }
        let (mut a, mut b) = (a?, b?);
        keep_related(case, &mut a, &b);
        keep_related(case, &mut b, &a);
        Some((a, b))
    })
}

fn pick<'a>(found: &Found<'a>) -> Option<&'a Event> {
    found.events.iter().copied().min_by_key(|event| (event.at, event.field))
}

/// Whether two things lie in time as is claimed.
fn compare(relation: &Relation, a: &Found<'_>, b: &Found<'_>) -> Option<bool> {
    let grain = grain(a, b);
    let low = a.earliest().checked_sub(b.latest())?;
    let high = a.latest().checked_sub(b.earliest())?;
    let order = match relation.link {
        Link::Before => is_below(low, high, grain),
        Link::After => is_below(high.checked_neg()?, low.checked_neg()?, grain),
        Link::Together => {
            let far = low.abs().min(high.abs());
            return if low.abs().max(high.abs()) < grain.max(1) {
                Some(true)
            } else if far > grain * 2 {
                Some(false)
            } else {
                None
            };
        }
        Link::Apart => Some(true),
    };
    // "X came 26 s after Y" is of the first X where there are several.
    let onset = a.earliest().checked_sub(b.earliest())?;
    let length = relation.length.as_ref().map(|length| match length.is(onset.abs(), grain - 1) {
        Some(true) if relation.link != Link::Apart => Some(true),
        _ => apart(length, low, high, grain),
    });
    match (order, length) {
        (Some(false), _) => Some(false),
        (order, Some(Some(false))) if order.is_some() => Some(false),
        (Some(true), None | Some(Some(true))) => Some(true),
        // Both in one grain: "within a second", "in the same second".
        (None, Some(Some(true)))
            if low == high && relation.length.as_ref().is_some_and(|length| length.is_bound) =>
        {
            Some(true)
        }
        _ => None,
    }
}

/// How finely the difference of two can be told. Two listings with ages are made minutes apart.
fn grain(a: &Found<'_>, b: &Found<'_>) -> i64 {
    let clock = |found: &Found<'_>| found.events.first().map(|event| event.clock);
    let listings =
        matches!((clock(a), clock(b)), (Some(Clock::Ago(a)), Some(Clock::Ago(b))) if a != b);
    let grain = a.grain().max(b.grain());
    if listings { grain.max(15 * MINUTE) } else { grain }
}

/// Whether a difference between two bounds is certainly negative.
fn is_below(low: i64, high: i64, grain: i64) -> Option<bool> {
    if high <= -grain.max(1) {
        Some(true)
    } else if low >= grain.max(1) {
        Some(false)
    } else {
        None
    }
}

fn apart(length: &Length, low: i64, high: i64, grain: i64) -> Option<bool> {
    let (low, high) = (low.abs(), high.abs());
    let (one, other) = (length.is(low, grain - 1), length.is(high, grain - 1));
    if one == other { one } else { None }
}

/// Whether the two sides and the length are all that the claim says.
fn is_told(case: &Case<'_, '_, '_>, relation: &Relation, first: &Asked, second: &Asked) -> bool {
    let reading = case.reading;
    let inside = |start: usize, end: usize| {
        let within = |span: &std::ops::Range<usize>| span.start <= start && end <= span.end;
        within(&first.span)
            || within(&second.span)
            || within(&relation.words)
            || relation.length.as_ref().is_some_and(|length| within(&length.span))
    };
    let terms = reading.terms.iter().all(|term| {
        term.span.is_empty()
            || inside(term.span.start, term.span.end)
            || matches!(term.role, Role::Demand(super::lexicon::Sense::Order) | Role::Kind)
            || super::light::is_light(term.text)
    });
    terms
        && reading.figures.figures.iter().all(|figure| inside(figure.span.start, figure.span.end))
        && reading.figures.times.iter().all(|time| inside(time.span.start, time.span.end))
        && reading.quotations.is_empty()
}
