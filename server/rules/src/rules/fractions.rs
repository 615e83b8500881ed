//! Claims about how many of its parts a thing has in some state: two of three replicas available, one of two
//! containers ready.
//!
//! A record states both numbers: `replicas: 3, available_replicas: 2`, or `READY 1/2`.

use gsar_core::Class;
use gsar_core::text::figures::{Agreement, Dimension, Figure, agree};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::phrases::tells_only;
use crate::claim::reading::{Reading, Role};
use crate::matching::magnitudes::bits_in;
use crate::matching::members::{Member, members};
use crate::rules::counts::as_figure;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// What a thing consists of.
const PARTS: [&str; 8] =
    ["replica", "replicas", "container", "containers", "instance", "instances", "copies", "pods"];
/// Keys under which the number of all parts stands.
const WHOLES: [&str; 7] =
    ["replicas", "desired", "desired_replicas", "desiredreplicas", "total", "size", "want"];

struct Claimed<'r> {
    part: &'r Figure,
    whole: &'r Figure,
    /// The terms that name the state.
    state: u64,
    /// The names of the thing.
    names: u64,
}

/// Decides a claim about the parts of one thing.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has(MarkerKind::Negation) || reading.is_causal() || !reading.figures.times.is_empty()
    {
        return None;
    }
    let claimed = read(reading)?;
    let lists = case.cache.lists(case.corpus);
    let mut rulings: Vec<(u32, Ruling)> = Vec::new();
    for (number, found) in members(case, lists)? {
        let Some(list) = lists.list(number).filter(|list| !list.is_lines) else { continue };
        let around = case.marks.around(case.corpus, list.parent) | case.marks.tool(list.item);
        for member in &found {
            let is_meant = claimed.names & !(member.borne | around) == 0
                && (claimed.names & member.borne != 0 || list.members.len() == 1);
            if is_meant && let Some(ruling) = weigh(case, member, &claimed) {
                rulings.push((list.item, ruling));
            }
        }
    }
    let classes = rulings.iter().map(|(_, ruling)| ruling.class);
    // Several records that disagree are of several things, or times.
    let first = rulings.first()?.1.class;
    if classes.into_iter().any(|class| class != first)
        || first == Class::Contradicted && rulings.len() > 1
    {
        return None;
    }
    rulings.sort_by_key(|(item, _)| case.corpus.item(*item).map(|item| &item.id));
    rulings.into_iter().next().map(|(_, ruling)| ruling)
}

fn read<'r>(reading: &'r Reading<'_>) -> Option<Claimed<'r>> {
    let [part, whole] = reading.figures.figures.as_slice() else { return None };
    let counts =
        |figure: &Figure| figure.unit.dimension == Dimension::Count && figure.value.places == 0;
    let between = reading.text.get(part.span.end..whole.span.start)?;
    let joins = words(between).next().is_some_and(|word| word.is("of") || word.is("out"))
        && words(between).count() <= 3;
    let mut after = words(reading.text.get(whole.span.end..)?).take(2);
    let of_parts = after.any(|word| PARTS.iter().any(|part| word.is(part)));
    if !(counts(part) && counts(whole) && joins && of_parts) {
        return None;
    }
    let names = reading.bits(|term| matches!(term.role, Role::Entity | Role::Name));
    let state = reading.bits(|term| {
        let is_part = PARTS.iter().any(|part| term.text.eq_ignore_ascii_case(part));
        term.role == Role::Word && !is_part && !tells_only(term.text)
    });
    let demands = reading.bits(|term| matches!(term.role, Role::Demand(_)));
    (state.count_ones() == 1 && names != 0 && demands == 0).then_some(Claimed {
        part,
        whole,
        state,
        names,
    })
}

fn weigh(case: &Case<'_, '_, '_>, member: &Member, claimed: &Claimed<'_>) -> Option<Ruling> {
    let corpus = case.corpus;
    let states = |field: &u32| {
        corpus.field(*field).is_some_and(|found| {
            bits_in(case.reading, corpus.key_words(found), claimed.state) == claimed.state
        })
    };
    let number = |text: &str| text.parse::<usize>().ok();
    let mut in_state = member.fields(corpus).filter(states).filter_map(|field| {
        let value = corpus.value(field);
        let pair = value.split_once('/').and_then(|(part, whole)| number(part).zip(number(whole)));
        match pair {
            Some((part, whole)) => Some((field, part, Some(whole))),
            None => number(value).map(|part| (field, part, None)),
        }
    });
    let (field, part, whole) = in_state.next()?;
    if in_state.next().is_some() {
        return None;
    }
    let mut fields = vec![field];
    let whole = match whole {
        Some(whole) => whole,
        None => {
            let mut wholes = member.fields(corpus).filter(|field| {
                WHOLES.iter().any(|key| corpus.name(*field).eq_ignore_ascii_case(key))
            });
            let field = wholes.next()?;
            fields.push(field);
            number(corpus.value(field))?
        }
    };
    let holds = [(claimed.part, part), (claimed.whole, whole)]
        .into_iter()
        .all(|(figure, number)| agree(figure, &as_figure(number)) == Agreement::Same);
    let says = note::says(case, field);
    let cites = fields.into_iter().map(Cite::Field).collect();
    Some(if holds {
        Ruling::grounded(Basis::Stated, cites, says)
    } else {
        Ruling::contradicted(Basis::Stated, cites, says)
    })
}
