//! Claims about the ratio of two stated quantities: what part of a whole one has, how many times another it is.
//!
//! | claim | ratio |
//! |---|---|
//! | "web-service accounts for 78 % of the errors" | its quantity to the sum over its list |
//! | "two thirds of the desired replicas are unavailable" | two keys of one record |
//! | "the memory limit is four times its request" | two keys of one record |

use std::sync::LazyLock;

use gsar_core::Class;
use gsar_core::text::figures::Figure;
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::phrases::tells_only;
use crate::claim::reading::{Reading, Role};
use crate::claim::shares::{self, Share};
use crate::evidence::closed::Extent;
use crate::evidence::lists::List;
use crate::evidence::observations::NONE;
use crate::matching::magnitudes::bits_in;
use crate::matching::measures::{Attribute, measure, ratio, sum};
use crate::matching::members::{Member, members};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::wordlists::WordList;

/// Words that only say that something has a share, or is compared.
static HAVING: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "account accounted accounts almost approximately as bears carries caused causes comprises \
         constitutes consumed consumes contributes fifth generated generates half holds logged \
         made makes nearly one percent produced produces quarter quarters represents responsible \
         roughly share single takes tenth tenths third thirds times took twentieth up used uses",
    )
});

/// Decides a claim about a ratio.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has(MarkerKind::Negation) || reading.is_causal() || !reading.figures.times.is_empty()
    {
        return None;
    }
    let share = shares::read(reading)?;
    let other_figures = reading.figures.figures.iter().filter(|figure| {
        figure.span.end <= share.span.start || share.span.end <= figure.span.start
    });
    let demands = reading.bits(|term| {
        let bounds = ["more", "less", "than", "over", "under", "above", "below"];
        matches!(term.role, Role::Demand(_))
            && !bounds.iter().any(|bound| term.text.eq_ignore_ascii_case(bound))
    });
    if other_figures.count() > 0 || demands != 0 {
        return None;
    }
    of_whole(case, &share).or_else(|| of_keys(case, &share))
}

fn content(reading: &Reading<'_>) -> u64 {
    reading.bits(|term| match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word => !tells_only(term.text) && !HAVING.has(term.text),
        Role::Kind | Role::Common | Role::Demand(_) => false,
    })
}

/// Whether "of the" follows the share.
fn is_of_something(reading: &Reading<'_>, share: &Share) -> bool {
    reading
        .text
        .get(share.span.end..)
        .is_some_and(|rest| words(rest).next().is_some_and(|word| word.is("of")))
}

/// The part that one member of a list has of what all have.
fn of_whole(case: &Case<'_, '_, '_>, share: &Share) -> Option<Ruling> {
    let reading = case.reading;
    if !is_of_something(reading, share) {
        return None;
    }
    let mut names = reading.terms.iter().enumerate().filter(|(_, term)| {
        matches!(term.role, Role::Entity | Role::Name)
            && !term.span.is_empty()
            && term.span.end <= share.span.start
    });
    let (subject, _) = names.next()?;
    if names.next().is_some() {
        return None;
    }
    let wanted = content(reading) & !(1 << subject);
    let lists = case.cache.lists(case.corpus);
    let mut rulings: Vec<(u32, Ruling)> = Vec::new();
    for (number, found) in members(case, lists)? {
        let Some(list) = lists.list(number) else { continue };
        if let Some(ruling) = part_of_list(case, list, &found, subject, wanted, share) {
            rulings.push((list.item, ruling));
        }
    }
    rulings.sort_by_key(|(item, ruling)| {
        (ruling.class != Class::Grounded, case.corpus.item(*item).map(|item| &item.id))
    });
    rulings.into_iter().next().map(|(_, ruling)| ruling)
}

fn part_of_list(
    case: &Case<'_, '_, '_>,
    list: &List,
    found: &[Member],
    subject: usize,
    wanted: u64,
    share: &Share,
) -> Option<Ruling> {
    let named = found.iter().fold(0, |bits, member| bits | member.named);
    let around = case.marks.around(case.corpus, list.parent) | case.marks.tool(list.item);
    if wanted == 0 || wanted & !(named | around) != 0 || list.members.len() < 2 {
        return None;
    }
    if list.extent != Extent::Whole {
        return None;
    }
    let mut having = found.iter().filter(|member| member.shown >> subject & 1 == 1);
    let (one, others) = (having.next()?, having.next());
    if others.is_some() {
        return None;
    }
    let attribute = Attribute::Named(wanted);
    let own = measure(case, one, attribute)?;
    let all: Vec<Figure> = list
        .members
        .iter()
        .map(|target| {
            measure(case, &Member::without_words(*target), attribute)
                .map(|measured| measured.figure)
        })
        .collect::<Option<_>>()?;
    let whole = sum(&all)?;
    let holds = share.is(ratio(&own.figure, &whole)?)?;
    let cites = vec![Cite::Field(own.field), Cite::Item(list.item)];
    Some(ruling(holds, cites, note::says(case, own.field)))
}

/// Two keys of one record: that of the whole or base stands after the share, that of the part after the verb, or
/// before the share.
fn of_keys(case: &Case<'_, '_, '_>, share: &Share) -> Option<Ruling> {
    let reading = case.reading;
    let content = content(reading);
    let after =
        |at: usize| reading.bits(|term| !term.span.is_empty() && term.span.start >= at) & content;
    let before =
        reading.bits(|term| !term.span.is_empty() && term.span.end <= share.span.start) & content;
    let verb = reading.text.get(share.span.end..).and_then(|rest| {
        words(rest)
            .find(|word| ["are", "is", "were", "was"].iter().any(|verb| word.is(verb)))
            .map(|word| share.span.end + word.span.end)
    });
    let (part, whole) = match verb {
        // "two thirds of the desired replicas are unavailable"
        Some(verb) if before == 0 => (after(verb), after(share.span.end) & !after(verb)),
        // "the memory limit is four times its request"
        None if before != 0 => (before, after(share.span.end)),
        _ => return None,
    };
    if part == 0 || whole == 0 || part & whole != 0 {
        return None;
    }
    let names = reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
    let mut rulings: Vec<(u32, Ruling)> = Vec::new();
    for object in records(case, (part | whole) & !names) {
        let Some((part_of, whole_of)) = keys_of(case, object, part & !names, whole & !names) else {
            continue;
        };
        let about = case.marks.content(object)
            | case.marks.around(case.corpus, object)
            | case.marks.tool(case.corpus.item_of(part_of.0));
        if names & content & !about != 0 {
            continue;
        }
        if let Some(holds) = ratio(&part_of.1, &whole_of.1).and_then(|ratio| share.is(ratio)) {
            let cites = vec![Cite::Field(part_of.0), Cite::Field(whole_of.0)];
            rulings.push((
                case.corpus.item_of(part_of.0),
                ruling(holds, cites, note::compared(case, part_of.0, whole_of.0)),
            ));
        }
    }
    let several = rulings.len() > 1;
    rulings.sort_by_key(|(item, ruling)| {
        (ruling.class != Class::Grounded, case.corpus.item(*item).map(|item| &item.id))
    });
    let (_, first) = rulings.into_iter().next()?;
    (first.class == Class::Grounded || !several).then_some(first)
}

/// The outer records that have a field under a key with one of the terms.
fn records(case: &Case<'_, '_, '_>, terms: u64) -> Vec<u32> {
    const MOST: usize = 64;
    let corpus = case.corpus;
    let mut found: Vec<u32> = case
        .marks
        .marked_fields()
        .iter()
        .filter(|field| case.marks.field(**field) & terms != 0)
        .filter_map(|field| corpus.field(*field))
        .filter(|field| bits_in(case.reading, corpus.key_words(field), terms) != 0)
        .map(|field| corpus.outer_record(field.object))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST);
    found
}

type Stated = (u32, Figure);

/// The one field of a record under a path with the part's terms, and the one with the whole's.
fn keys_of(
    case: &Case<'_, '_, '_>,
    object: u32,
    part: u64,
    whole: u64,
) -> Option<(Stated, Stated)> {
    const MOST_FIELDS: usize = 120;
    let corpus = case.corpus;
    let fields = corpus.object(object)?.fields;
    let mut parts: Vec<Stated> = Vec::new();
    let mut wholes: Vec<Stated> = Vec::new();
    for field in (fields.0..fields.1).take(MOST_FIELDS) {
        let [value] = case.cache.values(corpus, field) else { continue };
        if value.figure.span.start > 0 {
            continue;
        }
        let path = path(case, field);
        let state = (field, value.figure.clone());
        // "the memory limit … its request": the request is one of memory too.
        let shared = part & path & !whole;
        if path & part == part && path & whole == 0 {
            parts.push(state);
        } else if path & whole == whole && (shared != 0 || part & path == 0) {
            wholes.push(state);
        }
    }
    let [part_of] = parts.as_slice() else { return None };
    let mut wholes =
        wholes.into_iter().filter(|(_, figure)| figure.unit.dimension == part_of.1.unit.dimension);
    let whole_of = wholes.next()?;
    wholes.next().is_none().then(|| (part_of.clone(), whole_of))
}

/// The claim's terms in the key of a field and in the headings around it.
fn path(case: &Case<'_, '_, '_>, field: u32) -> u64 {
    let corpus = case.corpus;
    let Some(found) = corpus.field(field) else { return 0 };
    let mut bits = bits_in(case.reading, corpus.key_words(found), u64::MAX);
    for (_, around) in corpus.around(found.object) {
        if around.parent == NONE || around.is_record {
            break;
        }
        bits |= bits_in(case.reading, corpus.heading_words(around), u64::MAX);
    }
    bits
}

fn ruling(holds: bool, cites: Vec<Cite>, says: String) -> Ruling {
    if holds {
        Ruling::grounded(Basis::Derived, cites, says)
    } else {
        Ruling::contradicted(Basis::Derived, cites, says)
    }
}
