//! Claims that put one member of a list above or below others: the largest, the fewest, more than another, three
//! times as much as another.
//!
//! The members are compared by the quantity that the claim names. The claim's other words have to be shown by them,
//! or to stand around the list.

use std::cmp::Ordering;

use gsar_core::Class;
use gsar_core::text::figures::{Agreement, Figure, Unit, agree};

use crate::claim::rankings::{Claimed, Rank, read};
use crate::evidence::closed::Extent;
use crate::evidence::lists::List;
use crate::matching::measures::{Attribute, Measured, measure, order, ratio};
use crate::matching::members::{Member, of_each_list};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// Decides a claim about rank.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let claimed = read(reading)?;
    if reading.is_causal() || !reading.figures.times.is_empty() {
        return None;
    }
    let mut rulings = of_each_list(case, |list, found| weigh(case, list, found, &claimed))?;
    let grounded = rulings.iter().position(|ruling| ruling.class == Class::Grounded);
    let refuted = rulings.iter().any(|ruling| ruling.class == Class::Contradicted);
    match grounded {
        // Two lists that disagree decide nothing.
        Some(_) if refuted => None,
        Some(at) => Some(rulings.swap_remove(at)),
        None => rulings.into_iter().next(),
    }
}

fn weigh(
    case: &Case<'_, '_, '_>,
    list: &List,
    found: &[Member],
    claimed: &Claimed,
) -> Option<Ruling> {
    let shown = found.iter().fold(0, |bits, member| bits | member.shown);
    let named = found.iter().fold(0, |bits, member| bits | member.named);
    let around = case.marks.around(case.corpus, list.parent) | case.marks.tool(list.item);
    if claimed.words & !(shown | named | around) != 0 {
        return None;
    }
    // What members show says which are meant; what only their keys or the request have names the quantity.
    let scope = claimed.words & shown & !named;
    let quantity = claimed.words & !scope;
    let attribute = match claimed.attribute {
        Some(attribute) => attribute,
        None if quantity & (named | around) != 0 => Attribute::Named(quantity),
        None => return None,
    };
    let meant: Vec<(&Member, Measured)> = found
        .iter()
        .filter(|member| member.shown & scope == scope)
        .filter_map(|member| Some((member, measure(case, member, attribute)?)))
        .collect();
    // A word that neither the request nor a heading has must stand in the key itself.
    let in_key = quantity & !around;
    if !list.is_lines && meant.iter().any(|(_, measured)| measured.key & in_key != in_key) {
        return None;
    }
    if let Some(value) = &claimed.value {
        return stated_extreme(
            case,
            list,
            claimed,
            value,
            &everyone(case, list, &meant, scope, attribute),
        );
    }
    let one = |place: usize| {
        let mut having = meant.iter().filter(|(member, _)| member.shown >> place & 1 == 1);
        let first = having.next()?;
        having.next().is_none().then_some(first)
    };
    let (_, first) = one(claimed.first)?;
    match &claimed.rank {
        Rank::Than(wanted) => {
            let (_, second) = one(claimed.second?)?;
            let ordering = order(&first.figure, &second.figure)?;
            let cites = vec![Cite::Field(first.field), Cite::Field(second.field)];
            let says = note::compared(case, first.field, second.field);
            (ordering != Ordering::Equal).then(|| ruling(ordering == *wanted, cites, says))
        }
        Rank::Times(wanted) => {
            let (_, second) = one(claimed.second?)?;
            let factor = Figure {
                value: ratio(&first.figure, &second.figure)?,
                unit: Unit { ..wanted.unit },
                comparator: None,
                approximate: false,
                span: 0..0,
            };
            let cites = vec![Cite::Field(first.field), Cite::Field(second.field)];
            let says = note::compared(case, first.field, second.field);
            match agree(wanted, &factor) {
                Agreement::Same => Some(ruling(true, cites, says)),
                Agreement::Different => Some(ruling(false, cites, says)),
                Agreement::Incomparable => None,
            }
        }
        Rank::Extreme(_) | Rank::Majority => {
            extreme(case, list, claimed, &everyone(case, list, &meant, scope, attribute), first)
        }
    }
}

/// The members that are compared: those found, and where the claim names no scope, all of the list.
fn everyone(
    case: &Case<'_, '_, '_>,
    list: &List,
    meant: &[(&Member, Measured)],
    scope: u64,
    attribute: Attribute,
) -> Vec<Measured> {
    if scope != 0 {
        return meant.iter().map(|(_, measured)| measured.clone()).collect();
    }
    list.members
        .iter()
        .filter_map(|target| measure(case, &Member::without_words(*target), attribute))
        .collect()
}

/// The extreme over the members against the one that the claim states.
fn stated_extreme(
    case: &Case<'_, '_, '_>,
    list: &List,
    claimed: &Claimed,
    value: &Figure,
    all: &[Measured],
) -> Option<Ruling> {
    let wanted = match claimed.rank {
        Rank::Extreme(wanted) => wanted,
        _ => return None,
    };
    let best = all.iter().try_fold(all.first()?, |best, next| {
        Some(if order(&next.figure, &best.figure)? == wanted { next } else { best })
    })?;
    let is_complete = list.extent == Extent::Whole;
    let holds = match agree(value, &best.figure) {
        Agreement::Same => true,
        Agreement::Different => false,
        Agreement::Incomparable => return None,
    };
    let decides = all.len() > 1 && (is_complete || !holds && order(&best.figure, value)? == wanted);
    decides.then(|| ruling(holds, vec![Cite::Field(best.field)], note::says(case, best.field)))
}

fn extreme(
    case: &Case<'_, '_, '_>,
    list: &List,
    claimed: &Claimed,
    all: &[Measured],
    first: &Measured,
) -> Option<Ruling> {
    let wanted = match claimed.rank {
        Rank::Extreme(wanted) => wanted,
        _ => Ordering::Greater,
    };
    let numbers_agree = claimed.number.as_ref().is_none_or(|number| {
        agree(number, &crate::rules::counts::as_figure(all.len())) == Agreement::Same
    });
    if all.len() < 2 || !numbers_agree {
        return None;
    }
    let mut ties = false;
    for other in all.iter().filter(|other| other.field != first.field) {
        match order(&other.figure, &first.figure)? {
            Ordering::Equal => ties = true,
            // What has none of it may not be meant: "of the pods with a memory request".
            Ordering::Less if wanted == Ordering::Less && other.figure.value.mantissa == 0 => {
                ties |= !case.reading.text.contains(" with a");
            }
            ordering if ordering == wanted => {
                let best = all
                    .iter()
                    .filter(|next| wanted == Ordering::Greater || next.figure.value.mantissa != 0)
                    .try_fold(other, |best, next| {
                        Some(if order(&next.figure, &best.figure)? == wanted { next } else { best })
                    })?;
                let cites = vec![Cite::Field(first.field), Cite::Field(best.field)];
                let says = note::compared(case, first.field, best.field);
                return Some(ruling(false, cites, says));
            }
            _ => {}
        }
    }
    let is_complete = match list.extent {
        Extent::Whole | Extent::Filtered => true,
        Extent::Window | Extent::Part => false,
    };
    if ties || !is_complete {
        return None;
    }
    if matches!(claimed.rank, Rank::Majority) {
        let figures: Vec<Figure> = all.iter().map(|measured| measured.figure.clone()).collect();
        let total = crate::matching::measures::sum(&figures)?;
        let twice = crate::matching::measures::sum(&[first.figure.clone(), first.figure.clone()])?;
        if order(&twice, &total)? != Ordering::Greater {
            return None;
        }
    }
    let others = all.iter().filter(|other| other.field != first.field).take(3);
    let cites =
        std::iter::once(first).chain(others).map(|measured| Cite::Field(measured.field)).collect();
    Some(ruling(true, cites, note::says(case, first.field)))
}

fn ruling(holds: bool, cites: Vec<Cite>, says: String) -> Ruling {
    if holds {
        Ruling::grounded(Basis::Derived, cites, says)
    } else {
        Ruling::contradicted(Basis::Derived, cites, says)
    }
}
