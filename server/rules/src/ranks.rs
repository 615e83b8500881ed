//! Claims that put one member of a list above or below others: the largest, the fewest, more than another, three
//! times as much as another.
//!
//! The members are compared by the quantity that the claim names. The claim's other words have to be shown by them,
//! or to stand around the list.

use std::cmp::Ordering;

use gsar_core::Class;
use gsar_core::text::figures::{Agreement, Dimension, Figure, Unit, agree};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use super::closed::{Extent, extent};
use super::lists::List;
use super::measures::{Attribute, Measured, measure, order, ratio};
use super::members::{Member, members};
use super::note;
use super::portions::tells_only;
use super::reading::{Reading, Role};
use super::ruling::{Basis, Case, Cite, Ruling};

/// What a claim says of the rank of something.
#[derive(Clone, Debug)]
enum Rank {
    /// It has the greatest quantity, or the least.
    Extreme(Ordering),
    /// It has more than all the others together.
    Majority,
    /// It has more than the other, or less.
    Than(Ordering),
    /// It has so many times the other's.
    Times(Figure),
}

struct Claimed {
    rank: Rank,
    /// The thing, and the one that it is compared with.
    first: usize,
    second: Option<usize>,
    /// Terms that name the quantity or say which members are meant.
    words: u64,
    attribute: Option<Attribute>,
    /// How many members are meant.
    number: Option<Figure>,
}

/// Decides a claim about rank.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let claimed = read(reading)?;
    if reading.has(MarkerKind::Hedge) || reading.is_causal() || !reading.figures.times.is_empty() {
        return None;
    }
    let lists = case.cache.lists(case.corpus);
    let mut rulings: Vec<(u32, Ruling)> = Vec::new();
    for (number, found) in members(case, lists)? {
        let Some(list) = lists.list(number) else { continue };
        if let Some(ruling) = weigh(case, list, &found, &claimed) {
            rulings.push((list.item, ruling));
        }
    }
    rulings.sort_by_key(|(item, _)| case.corpus.item(*item).map(|item| &item.id));
    let grounded = rulings.iter().position(|(_, ruling)| ruling.class == Class::Grounded);
    let refuted = rulings.iter().any(|(_, ruling)| ruling.class == Class::Contradicted);
    match grounded {
        // Two lists that disagree decide nothing.
        Some(_) if refuted => None,
        Some(at) => Some(rulings.swap_remove(at).1),
        None => rulings.into_iter().next().map(|(_, ruling)| ruling),
    }
}

const GREATEST: [&str; 14] = [
    "most",
    "highest",
    "largest",
    "biggest",
    "greatest",
    "maximum",
    "top",
    "heaviest",
    "slowest",
    "longest",
    "busiest",
    "dominant",
    "hungriest",
    "dominates",
];
const LEAST: [&str; 9] = [
    "least", "fewest", "lowest", "smallest", "minimum", "fastest", "shortest", "quickest",
    "lightest",
];
const MORE: [&str; 11] = [
    "more", "higher", "larger", "bigger", "greater", "longer", "slower", "heavier", "busier",
    "above", "exceeds",
];
const LESS: [&str; 9] =
    ["less", "fewer", "lower", "smaller", "shorter", "faster", "quicker", "lighter", "below"];
const OF_TIME: [&str; 12] = [
    "slowest", "longest", "fastest", "shortest", "quickest", "slower", "longer", "faster",
    "quicker", "shorter", "slow", "fast",
];

/// Words that only say that a thing has a quantity.
const HAVING: [&str; 58] = [
    "accounts",
    "accounted",
    "allocated",
    "asks",
    "ask",
    "bears",
    "burns",
    "carries",
    "carry",
    "consumer",
    "consumers",
    "consumes",
    "consumed",
    "consume",
    "consuming",
    "consumption",
    "contributes",
    "contributor",
    "drives",
    "eats",
    "generates",
    "generated",
    "handles",
    "hits",
    "holds",
    "makes",
    "need",
    "needed",
    "needs",
    "often",
    "produces",
    "produced",
    "producer",
    "far",
    "receives",
    "serves",
    "share",
    "single",
    "slightly",
    "much",
    "many",
    "spends",
    "takes",
    "took",
    "take",
    "use",
    "uses",
    "user",
    "users",
    "among",
    "any",
    "pod's",
    "amount",
    "figure",
    "number",
    "value",
    "compared",
    "all",
];

fn read(reading: &Reading<'_>) -> Option<Claimed> {
    let find =
        |table: &[&str]| words(reading.text).find(|word| table.iter().any(|known| word.is(known)));
    let named = |term: &&super::reading::Term<'_>| {
        matches!(term.role, Role::Entity | Role::Name) && !term.span.is_empty()
    };
    let than = find(&["than"]);
    let as_much = find_times(reading);
    let (rank, cue_end, at) = if let Some((figure, end)) = as_much {
        (Rank::Times(figure.clone()), end, figure.span.start)
    } else if let Some(than) = than {
        let more = find(&MORE);
        let less = find(&LESS);
        let (rank, cue) = match (more, less) {
            (Some(more), None) => (Ordering::Greater, more),
            (None, Some(less)) => (Ordering::Less, less),
            _ => return None,
        };
        (Rank::Than(rank), than.span.start, cue.span.start)
    } else {
        let (rank, cue) = match (find(&GREATEST), find(&LEAST)) {
            (Some(greatest), None) => (Ordering::Greater, greatest),
            (None, Some(least)) => (Ordering::Less, least),
            _ => return None,
        };
        let before = words(reading.text.get(..cue.span.start)?).last();
        if before.is_some_and(|word| word.is("at")) {
            return None;
        }
        let after = words(reading.text.get(cue.span.end..)?).next();
        let of_all = cue.is("most") && after.is_some_and(|word| word.is("of"));
        let rank = if of_all { Rank::Majority } else { Rank::Extreme(rank) };
        (rank, cue.span.end, cue.span.start)
    };
    let is_pair = matches!(rank, Rank::Than(_) | Rank::Times(_));
    let names: Vec<usize> = reading
        .terms
        .iter()
        .enumerate()
        .filter(|(_, term)| named(term))
        .map(|(place, _)| place)
        .collect();
    let start = |place: &usize| reading.terms.get(*place).map_or(0, |term| term.span.start);
    let mut rank = rank;
    let (first, second) = if is_pair {
        let mut before: Vec<usize> =
            names.iter().copied().filter(|place| start(place) < at).collect();
        let mut after: Vec<usize> =
            names.iter().copied().filter(|place| start(place) > cue_end).collect();
        // A plain word may be a name: "catalogue requests more memory than shipping".
        let plain = |place: &usize| {
            reading
                .terms
                .get(*place)
                .is_some_and(|term| term.role == Role::Word && !term.span.is_empty())
        };
        let terms = 0..reading.terms.len();
        if before.is_empty() {
            before.extend(terms.clone().filter(|place| start(place) < at).take(1).filter(plain));
        }
        if after.is_empty() {
            after.extend(terms.rev().filter(|place| start(place) > cue_end).take(1).filter(plain));
        }
        let none = reading.has(MarkerKind::None);
        match (before.as_slice(), after.as_slice(), &rank) {
            // "No pod requests more memory than X": X has the most.
            ([..], [one], Rank::Than(ordering)) if none => {
                rank = Rank::Extreme(*ordering);
                (*one, None)
            }
            _ if none => return None,
            ([one], [other], _) => (*one, Some(*other)),
            // "In namespace tempo, a needs more than b": the scope comes first.
            ([.., one], [other], _) => (*one, Some(*other)),
            _ => return None,
        }
    } else {
        let subject = match names.as_slice() {
            [one] => *one,
            _ => subject_of(reading, &names, at)?,
        };
        (subject, None)
    };
    let only_none = !reading.denies || reading.has(MarkerKind::None);
    if !only_none {
        return None;
    }
    let taken = 1_u64 << first | second.map_or(0, |second| 1 << second);
    let rest = reading.bits(|term| match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word => {
            let text = term.text;
            !tells_only(text) && !HAVING.iter().any(|having| text.eq_ignore_ascii_case(having))
        }
        Role::Kind | Role::Common | Role::Demand(_) => false,
    }) & !taken;
    let is_of_time = find(&OF_TIME).is_some();
    let number = reading.figures.figures.iter().find(|figure| {
        figure.unit.dimension == Dimension::Count
            && figure.value.places == 0
            && !matches!(&rank, Rank::Times(times) if times.span == figure.span)
    });
    let others = reading.figures.figures.len() - usize::from(matches!(rank, Rank::Times(_)));
    if others > usize::from(number.is_some()) {
        return None;
    }
    Some(Claimed {
        rank,
        first,
        second,
        words: rest,
        attribute: is_of_time.then_some(Attribute::Duration),
        number: number.cloned(),
    })
}

/// Of several names the one that the superlative is said of: before "is the", "uses the", or after "is", "belong to".
fn subject_of(reading: &Reading<'_>, names: &[usize], at: usize) -> Option<usize> {
    let start = |place: &usize| reading.terms.get(*place).map_or(0, |term| term.span.start);
    let is_scope = |place: &usize| {
        let before = reading.text.get(..start(place)).unwrap_or("");
        let mut last = words(before);
        let mut previous = None;
        for word in last.by_ref() {
            previous = Some(word);
        }
        previous.is_some_and(|word| {
            ["in", "of", "on", "namespace", "within", "from", "for"]
                .iter()
                .any(|preposition| word.is(preposition))
        })
    };
    let free: Vec<usize> = names.iter().copied().filter(|place| !is_scope(place)).collect();
    match free.as_slice() {
        [one] => Some(*one),
        _ => {
            let before: Vec<usize> =
                free.iter().copied().filter(|place| start(place) < at).collect();
            if let [one] = before.as_slice() { Some(*one) } else { None }
        }
    }
}

/// "three times as much as", "nine times the load of", "twice as many as": the factor, and where it ends.
fn find_times<'r>(reading: &'r Reading<'_>) -> Option<(&'r Figure, usize)> {
    reading.figures.figures.iter().find_map(|figure| {
        let rest = reading.text.get(figure.span.end..)?;
        let mut next = words(rest);
        let first = next.next()?;
        let written = reading.text.get(figure.span.clone())?.to_ascii_lowercase();
        let is_factor = figure.unit.dimension == Dimension::Multiple
            || written.contains("times")
            || written == "twice"
            || first.is("times");
        let compares =
            words(rest).take(4).any(|word| word.is("as") || word.is("the") || word.is("that"));
        (is_factor && compares).then_some((figure, figure.span.end))
    })
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
        agree(number, &super::counts::as_figure(all.len())) == Agreement::Same
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
    let item = case.corpus.item(list.item)?;
    let is_complete = match extent(item, list.members.len()) {
        Extent::Whole | Extent::Filtered => true,
        Extent::Window | Extent::Part => false,
    };
    if ties || !is_complete {
        return None;
    }
    if matches!(claimed.rank, Rank::Majority) {
        let figures: Vec<Figure> = all.iter().map(|measured| measured.figure.clone()).collect();
        let total = super::measures::sum(&figures)?;
        let twice = super::measures::sum(&[first.figure.clone(), first.figure.clone()])?;
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
