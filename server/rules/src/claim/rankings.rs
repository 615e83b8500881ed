//! What a claim says of the rank of something: that it has the most, more than another, so many times another's.

use std::cmp::Ordering;
use std::sync::LazyLock;

use gsar_core::text::figures::{Dimension, Figure};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::phrases::tells_only;
use crate::claim::reading::{Reading, Role};
use crate::matching::measures::Attribute;
use crate::vocabulary::wordlists::WordList;

/// What a claim says of the rank of something.
#[derive(Clone, Debug)]
pub(crate) enum Rank {
    /// It has the greatest quantity, or the least.
    Extreme(Ordering),
    /// It has more than all the others together.
    Majority,
    /// It has more than the other, or less.
    Than(Ordering),
    /// It has so many times the other's.
    Times(Figure),
}

/// What a claim says of rank, and of what.
pub(crate) struct Claimed {
    pub(crate) rank: Rank,
    /// The quantity that the extreme is said to be, where no thing is named: "the slowest call took 10 s".
    pub(crate) value: Option<Figure>,
    /// The thing, and the one that it is compared with.
    pub(crate) first: usize,
    pub(crate) second: Option<usize>,
    /// Terms that name the quantity or say which members are meant.
    pub(crate) words: u64,
    pub(crate) attribute: Option<Attribute>,
    /// How many members are meant.
    pub(crate) number: Option<Figure>,
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
static HAVING: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "accounted accounts all allocated almost among amount any approximately ask asks bears \
         burns carries carry close compared consume consumed consumer consumers consumes \
         consuming consumption contributes contributor drives eats far figure generated generates \
         handles hits holds makes many much nearly need needed needs number often pod's produced \
         producer produces receives roughly serves share single slightly spends take takes took \
         use user users uses value",
    )
});

/// Reads what a claim says of rank.
pub(crate) fn read(reading: &Reading<'_>) -> Option<Claimed> {
    let find =
        |table: &[&str]| words(reading.text).find(|word| table.iter().any(|known| word.is(known)));
    let named = |term: &&crate::claim::reading::Term<'_>| {
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
            [one] => Some(*one),
            _ => subject_of(reading, &names, at),
        };
        match (subject, reading.figures.figures.as_slice()) {
            (_, [value]) if states_extreme(reading, value, cue_end) => {
                let words = words_of(reading);
                let is_of_time = find(&OF_TIME).is_some();
                let attribute = if is_of_time { Some(Attribute::Duration) } else { unit_of(value) };
                let value = Some(value.clone());
                return Some(Claimed {
                    rank,
                    value,
                    first: 0,
                    second: None,
                    words,
                    attribute,
                    number: None,
                });
            }
            (subject, _) => (subject?, None),
        }
    };
    let only_none = !reading.has(MarkerKind::Negation) || reading.has(MarkerKind::None);
    if !only_none {
        return None;
    }
    let taken = 1_u64 << first | second.map_or(0, |second| 1 << second);
    let rest = words_of(reading) & !taken;
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
        value: None,
        first,
        second,
        words: rest,
        attribute: is_of_time.then_some(Attribute::Duration),
        number: number.cloned(),
    })
}

/// The terms that name the quantity or say which members are meant.
fn words_of(reading: &Reading<'_>) -> u64 {
    reading.bits(|term| match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word => {
            let text = term.text;
            let ranks = GREATEST.iter().chain(&LEAST).chain(&MORE).chain(&LESS);
            let is_rank = ranks.into_iter().any(|word| text.eq_ignore_ascii_case(word));
            !tells_only(text) && !HAVING.has(text) && !is_rank
        }
        Role::Kind | Role::Common | Role::Demand(_) => false,
    })
}

/// Whether a figure after a superlative is the extreme: "the slowest call took 10 s", "the most restarts are 41".
fn states_extreme(reading: &Reading<'_>, value: &Figure, cue_end: usize) -> bool {
    let between = reading.text.get(cue_end..value.span.start);
    value.comparator.is_none()
        && between.is_some_and(|between| {
            words(between).any(|word| {
                [
                    "took", "is", "was", "takes", "lasted", "has", "had", "needed", "uses", "used",
                    "are", "were",
                ]
                .iter()
                .any(|verb| word.is(verb))
            })
        })
}

/// The only quantity of a figure's sort, where it has one.
fn unit_of(value: &Figure) -> Option<Attribute> {
    (value.unit.dimension != Dimension::Count).then_some(Attribute::Unit(value.unit.dimension))
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
