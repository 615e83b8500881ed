//! Changes of a value: what it was and what it became.
//!
//! A change is read off a diff (a removed and an added line with one key) or off two revisions of one thing
//! in one item. The claim says a direction ("raised"), a value it became, a value it had, or several of them.

use gsar_core::text::figures::{Agreement, Comparator, Figure, Unit, agree};
use gsar_core::text::tokens::words;

use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::observations::{Corpus, Field, NONE};
use crate::evidence::values::{clock, compare as compare_figures, same_time};
use crate::matching::candidates::Target;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::lexicon::Sense;
use crate::vocabulary::words::{Key, key};

/// A value before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

/// What a claim says about a change.
struct Claimed {
    direction: Option<Direction>,
    from: Option<Figure>,
    to: Option<Figure>,
}

/// Decides a claim that a value was changed.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let claimed = read(case.reading).filter(|_| !case.reading.has_open_order())?;
    let attribute = case.reading.bits(|term| term.role == Role::Word && !term.negated);
    if attribute == 0 {
        return None;
    }
    let mut grounded = None;
    let mut refuted = None;
    // A change and its reversal: what neither bears out nor refutes may be the one that is meant.
    let mut is_open = false;
    for transition in transitions(case, attribute) {
        match weigh(case, &claimed, transition) {
            Some(true) => grounded = grounded.or(Some(transition)),
            Some(false) => refuted = refuted.or(Some(transition)),
            None => is_open = true,
        }
    }
    let cites = |change: Transition| vec![Cite::Field(change.before), Cite::Field(change.after)];
    match (grounded, refuted) {
        (Some(change), _) if times_are_known(case, change) => Some(Ruling::grounded(
            Basis::Stated,
            cites(change),
            note::changed(case, change.before, change.after),
        )),
        (None, Some(change)) if !is_open => Some(Ruling::contradicted(
            Basis::Stated,
            cites(change),
            note::changed(case, change.before, change.after),
        )),
        _ => None,
    }
}

fn read(reading: &Reading<'_>) -> Option<Claimed> {
    let mut direction = if reading.means(Sense::Raise) {
        Some(Direction::Up)
    } else if reading.means(Sense::Lower) {
        Some(Direction::Down)
    } else {
        None
    };
    let says_change = direction.is_some() || reading.means(Sense::Change);
    let after_word = |figure: &&Figure, wanted: &[&str]| {
        let before = reading.text.get(..figure.span.start).unwrap_or("");
        words(before).last().is_some_and(|word| wanted.iter().any(|entry| word.is(entry)))
    };
    let figures = &reading.figures.figures;
    let from = figures.iter().find(|figure| after_word(figure, &["from", "of"]));
    let to = figures.iter().find(|figure| after_word(figure, &["to"]));
    let to = to.or_else(|| {
        figures.first().filter(|_| figures.len() == 1 && from.is_none() && direction.is_some())
    });
    if !says_change
        || figures.len() > 2
        || (direction.is_none() && (from.is_none() || to.is_none()))
    {
        return None;
    }
    let mut from = from.cloned();
    // "From 6 to 2.5 seconds": one unit for both.
    if let (Some(from), Some(to)) = (&mut from, to)
        && from.unit == Unit::COUNT
        && from.span.end < to.span.start
    {
        from.unit = to.unit;
    }
    if let (Some(from), Some(to), None) = (&from, to, direction) {
        direction = compare(from, to);
    }
    Some(Claimed { direction, from, to: to.cloned() })
}

/// Which way it goes from one figure to another.
fn compare(from: &Figure, to: &Figure) -> Option<Direction> {
    let bound =
        |comparator| Figure { comparator: Some(comparator), approximate: false, ..from.clone() };
    if agree(&bound(Comparator::Over), to) == Agreement::Same {
        Some(Direction::Up)
    } else if agree(&bound(Comparator::Under), to) == Agreement::Same {
        Some(Direction::Down)
    } else {
        None
    }
}

/// Whether a transition is what the claim says, the contrary, or neither.
fn weigh(case: &Case<'_, '_, '_>, claimed: &Claimed, change: Transition) -> Option<bool> {
    let first =
        |field| case.cache.values(case.corpus, field).first().map(|value| value.figure.clone());
    let (before, after) = (first(change.before)?, first(change.after)?);
    let direction = compare(&before, &after)?;
    if claimed.direction.is_some_and(|claimed| claimed != direction) {
        return Some(false);
    }
    let compared = [(&claimed.from, &before), (&claimed.to, &after)]
        .into_iter()
        .filter_map(|(claimed, stated)| {
            claimed.as_ref().map(|claimed| compare_figures(claimed, stated))
        })
        .collect::<Vec<_>>();
    if compared.contains(&Agreement::Different) {
        return Some(false);
    }
    compared.iter().all(|agreement| *agreement == Agreement::Same).then_some(true)
}

/// The changes of what the claim speaks of.
fn transitions(case: &Case<'_, '_, '_>, attribute: u64) -> Vec<Transition> {
    const MOST: usize = 16;
    let mut found = Vec::new();
    for field in case.marks.marked_fields() {
        if found.len() >= MOST {
            break;
        }
        let names = case.reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
        if case.marks.field(*field) & (attribute | names) == 0 {
            continue;
        }
        let change = in_line(case.corpus, *field)
            .or_else(|| in_diff(case.corpus, *field))
            .or_else(|| between_revisions(case.corpus, *field));
        let Some(change) = change.filter(|change| !found.contains(change)) else { continue };
        if is_meant(case, change.after, attribute) && !is_of_other_commit(case, change) {
            found.push(change);
        }
    }
    found
}

/// Whether path and surroundings of a field have every word and name of the claim.
fn is_meant(case: &Case<'_, '_, '_>, field: u32, attribute: u64) -> bool {
    let Some(found) = case.corpus.field(field) else { return false };
    let record = case.corpus.record(found.object);
    let candidate = case.marks.candidate(case.corpus, Target::Object(record));
    let strict = case.reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
    let path = case.marks.field(field) | path_terms(case, found);
    path & attribute == attribute && candidate.terms & strict == strict
}

/// Whether a change stands in the log below another commit than the one that the claim names.
fn is_of_other_commit(case: &Case<'_, '_, '_>, change: Transition) -> bool {
    const FARTHEST: u32 = 200;
    let is_hash = |term: &Term<'_>| {
        term.text.len() >= 7
            && term.text.bytes().all(|byte| byte.is_ascii_hexdigit())
            && term.text.bytes().any(|byte| byte.is_ascii_digit())
    };
    let hashes = case.reading.bits(is_hash);
    let first = change.before.min(change.after);
    let head = (first.saturating_sub(FARTHEST)..first)
        .rev()
        .find(|field| case.corpus.line(*field).starts_with("commit "));
    hashes != 0 && head.is_some_and(|head| case.marks.field(head) & hashes == 0)
}

fn path_terms(case: &Case<'_, '_, '_>, field: &Field) -> u64 {
    let mut bits = 0;
    for (_, object) in case.corpus.around(field.object) {
        if object.parent == NONE {
            break;
        }
        let heading = case.corpus.heading_words(object);
        bits |=
            case.reading.bits(|term: &Term<'_>| term.keys.iter().any(|key| heading.contains(key)));
    }
    bits
}

/// Both halves of a line that states both: `"40" -> "28"`.
fn in_line(corpus: &Corpus<'_>, field: u32) -> Option<Transition> {
    corpus.change(field).map(|(before, after)| Transition { before, after })
}

/// The other half of a removed or added line.
fn in_diff(corpus: &Corpus<'_>, field: u32) -> Option<Transition> {
    const NEAREST: u32 = 8;
    let sign = |field: u32| {
        let found = corpus.field(field)?;
        if found.name.0 == found.name.1 {
            return None;
        }
        corpus
            .part(field, (found.quote.0, found.quote.0 + 1))
            .bytes()
            .next()
            .filter(|byte| matches!(byte, b'-' | b'+'))
    };
    let pairs = |other: u32| {
        let same_object = corpus.field(other)?.object == corpus.field(field)?.object;
        (same_object && corpus.name(other) == corpus.name(field)).then_some(())
    };
    match sign(field)? {
        b'-' => (field + 1..=field + NEAREST)
            .find(|other| sign(*other) == Some(b'+') && pairs(*other).is_some())
            .map(|after| Transition { before: field, after }),
        _ => (field.saturating_sub(NEAREST)..field)
            .rev()
            .find(|other| sign(*other) == Some(b'-') && pairs(*other).is_some())
            .map(|before| Transition { before, after: field }),
    }
}

/// The same field in the revision before or after.
fn between_revisions(corpus: &Corpus<'_>, field: u32) -> Option<Transition> {
    let found = corpus.field(field)?;
    let record = corpus.record(found.object);
    let own = revision(corpus, record)?;
    let parent = corpus.object(record)?.parent;
    let fields = corpus.object(parent)?.fields;
    let path = path(corpus, field, record);
    let twin = (fields.0..fields.1)
        .filter(|other| *other != field && corpus.name(*other) == corpus.name(field));
    for other in twin {
        let other_record = corpus.field(other).map(|other| corpus.record(other.object))?;
        let Some(number) = revision(corpus, other_record) else { continue };
        if other_record == record
            || self::path(corpus, other, other_record) != path
            || corpus.value(other) == corpus.value(field)
        {
            continue;
        }
        return Some(if number < own {
            Transition { before: other, after: field }
        } else {
            Transition { before: field, after: other }
        });
    }
    None
}

/// The number of the revision that a block describes.
fn revision(corpus: &Corpus<'_>, record: u32) -> Option<u64> {
    let object = corpus.object(record)?;
    let heading = corpus.heading_words(object);
    if !heading.contains(&key("revision")) {
        return None;
    }
    let line = corpus.value(object.fields.0);
    words(line).last().and_then(|word| word.text.parse().ok())
}

/// The headings from a field to its record.
fn path<'c>(corpus: &'c Corpus<'_>, field: u32, record: u32) -> Vec<&'c [Key]> {
    let Some(found) = corpus.field(field) else { return Vec::new() };
    corpus
        .around(found.object)
        .take_while(|(number, _)| *number != record)
        .map(|(_, object)| corpus.heading_words(object))
        .collect()
}

/// Whether every time of the claim stands in the item of the change.
fn times_are_known(case: &Case<'_, '_, '_>, change: Transition) -> bool {
    const MOST: usize = 400;
    let item = case.corpus.item_of(change.after);
    let root = case.corpus.roots.get(item as usize).and_then(|root| case.corpus.object(*root));
    let collected =
        case.corpus.item(item).and_then(|item| item.collected_at).map(|at| clock(at.as_micros()));
    case.reading.figures.times.iter().all(|time| {
        collected.as_ref().is_some_and(|collected| same_time(time, collected))
            || root.is_some_and(|root| {
                (root.fields.0..root.fields.1).take(MOST).any(|field| {
                    case.cache
                        .times(case.corpus, field)
                        .iter()
                        .any(|stated| same_time(time, stated))
                })
            })
    })
}
