//! Claims about how many: all of a workload's pods, three of five, twelve events in a window.
//!
//! Things are counted where one item lists them side by side: elements of one array, rows of one table. Events
//! are counted by lines. A differing count refutes only where the item says that it lists everything.

use gsar_core::text::figures::{Agreement, Decimal, Dimension, Figure, Unit, agree};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::values::moment;
use crate::matching::candidates::{Target, is_line};
use crate::matching::fit::{Except, Fit, best_fields, demands_are_met, fit, holds};
use crate::matching::scope;
use crate::rules::attributes::is_light;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// The most things of one list that are looked at.
const MOST_THINGS: usize = 512;
/// The most of them that are cited.
const MOST_CITED: usize = 6;

/// Whether the claim says something of all of a kind, without saying how many: "all 6 checks" states a figure.
pub(crate) fn is_universal(reading: &Reading<'_>) -> bool {
    let is_at_all = |before: Option<&str>| {
        before.is_some_and(|before| words(before).last().is_some_and(|word| word.is("at")))
    };
    reading.markers.iter().filter(|marker| marker.kind == MarkerKind::All).any(|marker| {
        if is_at_all(reading.text.get(..marker.span.start)) {
            return false;
        }
        let counts_words = reading.figures.figures.iter().any(|figure| {
            let gap = reading.text.get(marker.span.end..figure.span.start);
            let kinds = reading.bits(|term| term.role == Role::Kind);
            gap.is_some_and(|gap| gap.trim().is_empty()) && reading.noun(&figure.span) & kinds == 0
        });
        !counts_words
    })
}

/// The figure of the claim that counts things, and its number among the figures.
pub(crate) fn count_of_things<'r>(reading: &'r Reading<'_>) -> Option<(usize, &'r Figure)> {
    reading.figures.figures.iter().enumerate().find(|(_, figure)| {
        if figure.unit.dimension != Dimension::Count || figure.value.places != 0 {
            return false;
        }
        let noun = reading.noun(&figure.span);
        reading.bits(|term| term.role == Role::Kind) & noun != 0 && !is_number_of(reading, figure)
    })
}

/// "Partitions 0 and 2", "nodes 3, 4 and 5", "partition 7": the numbers that things are called by.
pub(crate) fn is_number_of(reading: &Reading<'_>, figure: &Figure) -> bool {
    let before = reading.text.get(..figure.span.start).unwrap_or("");
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let all: Vec<Word<'_>> = words(before).collect();
    let called =
        all.iter().rev().find(|word| !is_number(word.text) && !word.is("and") && !word.is("or"));
    let is_plain =
        !figure.span.is_empty() && reading.text.get(figure.span.clone()).is_some_and(is_number);
    let Some(called) = called.filter(|_| is_plain) else { return false };
    let between = before.get(called.span.end..).unwrap_or("");
    let is_list = between.chars().all(|c| c.is_ascii_digit() || " ,andor&".contains(c));
    let is_noun = reading
        .terms
        .iter()
        .any(|term| term.span == called.span && matches!(term.role, Role::Kind | Role::Word));
    let has_noun_after = reading.noun(&figure.span);
    let after = reading.text.get(figure.span.end..).unwrap_or("");
    let next_is_verb = words(after).next().is_some_and(|word| {
        ["and", "or", "are", "do", "had", "has", "have", "is", "of", "on", "was", "were"]
            .iter()
            .any(|verb| word.is(verb))
    });
    is_list && is_noun && (has_noun_after == 0 || next_is_verb)
}

/// Decides a claim about things that one item lists.
pub(crate) fn decide_things(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has_open_order() {
        return None;
    }
    let counted = count_of_things(reading);
    let universal = is_universal(reading);
    if counted.is_none() && !universal {
        return None;
    }
    let mut seen = Vec::new();
    for candidate in case.candidates {
        let Target::Object(record) = candidate.target else { continue };
        let Some(parent) = case.corpus.object(record).map(|object| object.parent) else { continue };
        if seen.contains(&parent) {
            continue;
        }
        seen.push(parent);
        let found = weigh_list(case, parent, counted, universal);
        if found.is_some() {
            return found;
        }
    }
    None
}

fn weigh_list(
    case: &Case<'_, '_, '_>,
    parent: u32,
    counted: Option<(usize, &Figure)>,
    universal: bool,
) -> Option<Ruling> {
    let reading = case.reading;
    let mut things = things(case, parent);
    if universal {
        things = scope::in_scope(case, things);
    }
    let except = Except { figure: counted.map(|(number, _)| number), times: false };
    let fits: Vec<Fit> = things
        .iter()
        .map(|thing| fit(case, case.marks.candidate(case.corpus, Target::Object(*thing)), except))
        .collect();
    let is_satisfied = |fit: &&Fit| {
        let says_something = fit.parts > 0
            || reading.bits(|term| matches!(term.role, Role::Name | Role::Code(_))) != 0;
        fit.open == 0
            && fit.refutations.is_empty()
            && says_something
            && fit.has_names(reading)
            && has_words(reading, fit.found)
            && demands_are_met(case, fit)
    };
    let satisfied: Vec<&Fit> = fits.iter().filter(is_satisfied).collect();
    let agrees = |number: usize| {
        counted.is_none_or(|(_, figure)| agree(figure, &as_figure(number)) == Agreement::Same)
    };
    let cites = |fits: &[&Fit]| -> Vec<Cite> {
        let of = |fit: &&Fit| {
            if fit.supports.is_empty() { best_fields(case, fit) } else { fit.supports.clone() }
        };
        fits.iter().take(MOST_CITED).flat_map(|fit| of(fit).into_iter().take(2)).collect()
    };
    let item =
        things.first().and_then(|thing| case.corpus.object(*thing)).map_or(0, |object| object.item);
    let exhaustive = case.corpus.item(item).is_some_and(|item| item.exhaustive);
    if universal && reading.has_alternatives() {
        return None;
    }
    if universal {
        // Every word has to stand there: "all pods of storefront" are not those of checkout.
        let words = reading.bits(|term| term.role == Role::Word);
        let refuted = fits.iter().find(|fit| {
            !fit.refutations.is_empty() && fit.has_names(reading) && words & !fit.found == 0
        });
        if let Some((cite, says)) = refuted.and_then(|fit| fit.refutations.first()) {
            return Some(Ruling::contradicted(Basis::Stated, vec![*cite], says.clone()));
        }
        let all = things.len() > 1 && satisfied.len() == things.len() && agrees(things.len());
        return all.then(|| {
            Ruling::grounded(
                Basis::Stated,
                cites(&satisfied),
                note::count(case, item, satisfied.len(), things.len()),
            )
        });
    }
    // Replicas and instances go by other names.
    let kinds = counted.map_or(0, |(_, figure)| reading.noun(&figure.span))
        & !reading.bits(|term| {
            ["replica", "replicas", "instance", "instances"]
                .iter()
                .any(|any| term.text.eq_ignore_ascii_case(any))
        });
    let stands = case.marks.around(case.corpus, parent) | case.marks.tool(item);
    let is_of_kind = satisfied.iter().all(|fit| kinds & !(stands | fit.candidate.near) == 0);
    if satisfied.is_empty() || !is_of_kind {
        return None;
    }
    if agrees(satisfied.len()) {
        let says = note::count(case, item, satisfied.len(), things.len());
        return Some(Ruling::grounded(Basis::Derived, cites(&satisfied), says));
    }
    let clear = fits.iter().all(|fit| fit.open == 0);
    (exhaustive && clear).then(|| {
        let says = note::count(case, item, satisfied.len(), things.len());
        Ruling::contradicted(Basis::Derived, cites(&satisfied), says)
    })
}

/// The records side by side that bear the names of the claim.
fn things(case: &Case<'_, '_, '_>, parent: u32) -> Vec<u32> {
    let Some(fields) = case.corpus.object(parent).map(|object| object.fields) else {
        return Vec::new();
    };
    let names = case.reading.bits(|term| term.role == Role::Entity);
    let mut found: Vec<u32> = Vec::new();
    let mut field = fields.0;
    while field < fields.1 && found.len() < MOST_THINGS {
        let Some(object) = case.corpus.field(field).map(|field| field.object) else { break };
        let child = case.corpus.around(object).take_while(|(number, _)| *number != parent).last();
        let Some((number, child)) = child.filter(|(_, child)| child.is_record) else {
            field += 1;
            continue;
        };
        let has_names = case.marks.content(number) & names == names;
        if has_names {
            found.push(number);
        }
        field = child.fields.1.max(field + 1);
    }
    found
}

/// Whether enough of the content words are found: all but one in six, and all where there are fewer.
pub(crate) fn has_words(reading: &Reading<'_>, found: u64) -> bool {
    let words = reading.bits(|term| term.role == Role::Word && !is_light(term.text));
    (words & !found).count_ones() <= words.count_ones() / 6
}

/// A number of things as a figure.
pub(crate) fn as_figure(number: usize) -> Figure {
    Figure {
        span: 0..0,
        value: Decimal { mantissa: i128::try_from(number).unwrap_or(i128::MAX), places: 0 },
        unit: Unit::COUNT,
        approximate: false,
        comparator: None,
    }
}

/// Decides a claim that every line of an item has some quoted words.
pub(crate) fn decide_all_lines(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let [quotation] = reading.quotations.as_slice() else { return None };
    let wanted = reading.text.get(quotation.clone())?.trim();
    let inside =
        reading.bits(|term| quotation.start <= term.span.start && term.span.end <= quotation.end);
    let says_more = reading.bits(|term| term.role != Role::Kind) & !inside != 0;
    if !is_universal(reading) || says_more {
        return None;
    }
    let line = case.candidates.iter().find_map(|candidate| match candidate.target {
        Target::Line(field) if holds(case.corpus.value(field), wanted) => Some(field),
        _ => None,
    })?;
    let item = case.corpus.item_of(line);
    let root = case.corpus.roots.get(item as usize).and_then(|root| case.corpus.object(*root))?;
    let lines: Vec<u32> =
        (root.fields.0..root.fields.1).filter(|field| is_line(case.corpus, *field)).collect();
    let all = lines.iter().all(|field| holds(case.corpus.value(*field), wanted));
    let ends = [*lines.first()?, *lines.last()?];
    all.then(|| {
        let cites = ends.iter().map(|field| Cite::Field(*field)).collect();
        Ruling::grounded(Basis::Stated, cites, note::lines(case, item, lines.len()))
    })
}

/// Decides a claim about how many lines tell of something.
pub(crate) fn decide_events(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let (figure, noun) = reading.figures.figures.iter().find_map(|figure| {
        let noun = reading.noun(&figure.span);
        let counts = figure.unit.dimension == Dimension::Count && figure.value.places == 0;
        let is_word = reading.bits(|term| term.role == Role::Word) & noun != 0;
        (counts && is_word).then_some((figure, noun))
    })?;
    if reading.figures.figures.len() != 1 || reading.has_open_order() {
        return None;
    }
    let strict = reading.bits(Term::is_strict);
    let mut item = None;
    let mut lines = Vec::new();
    for field in case.marks.marked_fields() {
        let has_noun = case.marks.field(*field) & noun != 0;
        if !has_noun || !is_line(case.corpus, *field) {
            continue;
        }
        let candidate = case.marks.candidate(case.corpus, Target::Line(*field));
        if candidate.terms & strict != strict || !in_window(case, *field) {
            continue;
        }
        let of = case.corpus.item_of(*field);
        if item.is_some_and(|item| item != of) {
            // Lines of several items may tell of one event twice.
            return None;
        }
        item = Some(of);
        lines.push(*field);
    }
    let item = item?;
    lines.sort_unstable();
    let found = lines.iter().fold(0, |bits, field| {
        bits | case.marks.candidate(case.corpus, Target::Line(*field)).terms
    });
    if !has_words(reading, found)
        || reading.bits(|term| matches!(term.role, Role::Demand(_))) & !found != 0
    {
        return None;
    }
    let exhaustive = case.corpus.item(item).is_some_and(|item| item.exhaustive);
    let mut cites: Vec<Cite> =
        lines.iter().take(MOST_CITED - 1).map(|field| Cite::Field(*field)).collect();
    cites.extend(
        lines.last().filter(|_| lines.len() >= MOST_CITED).map(|field| Cite::Field(*field)),
    );
    let says = note::lines(case, item, lines.len());
    match agree(figure, &as_figure(lines.len())) {
        Agreement::Same => Some(Ruling::grounded(Basis::Derived, cites, says)),
        Agreement::Different if exhaustive && strict != 0 => {
            Some(Ruling::contradicted(Basis::Derived, cites, says))
        }
        _ => None,
    }
}

/// Whether a line falls into the window of the claim's times.
pub(crate) fn in_window(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let claimed = &case.reading.figures.times;
    let stated = case.cache.times(case.corpus, field);
    match claimed.as_slice() {
        [] => true,
        [_] => stated.iter().any(|stated| scope::is_meant(case, claimed, stated)),
        [start, .., end] => {
            let bounds = moment(start, case.day).zip(moment(end, case.day));
            bounds.is_some_and(|(from, to)| {
                let grain = i64::from(end.grain) * 1_000_000;
                stated
                    .iter()
                    .filter_map(|stated| moment(stated, case.day))
                    .any(|at| from <= at && at < to + grain)
            })
        }
    }
}
