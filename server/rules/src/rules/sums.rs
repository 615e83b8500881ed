//! Claims about what the members of a list have together: restarts of the pods of a workload, their memory.
//!
//! The quantity is added up over the members that the claim's other words mean. Where the claim says how many these
//! are, as many have to be found: all of them, or those that have any of it.

use std::sync::LazyLock;

use gsar_core::Class;
use gsar_core::text::figures::{Agreement, Dimension, Figure, agree};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::phrases::tells_only;
use crate::claim::reading::{Reading, Role};
use crate::evidence::closed::Extent;
use crate::evidence::lists::List;
use crate::matching::measures::{Attribute, Measured, measure, sum};
use crate::matching::members::{Member, of_each_list};
use crate::rules::counts::as_figure;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::wordlists::WordList;

/// Words that say that several quantities are added up.
const TOGETHER: [&str; 10] = [
    "together",
    "total",
    "altogether",
    "combined",
    "sum",
    "sums",
    "add",
    "adds",
    "between",
    "across",
];
/// Words that only say that something has a quantity.
static HAVING: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "across add adds collectively combined consume consumed consumes counted every need needs \
         slightly sum sums taken times together total up use uses",
    )
});
/// The most members that are cited.
const MOST_CITED: usize = 6;

struct Claimed<'r> {
    sum: &'r Figure,
    /// How many members are added up.
    number: Option<&'r Figure>,
    words: u64,
}

/// Decides a claim about a sum.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has(MarkerKind::Negation) || reading.is_causal() || !reading.figures.times.is_empty()
    {
        return None;
    }
    let claimed = read(reading)?;
    let rulings = of_each_list(case, |list, found| weigh(case, list, found, &claimed))?;
    let grounded = rulings.iter().position(|ruling| ruling.class == Class::Grounded);
    rulings.into_iter().nth(grounded.unwrap_or(0))
}

fn read<'r>(reading: &'r Reading<'_>) -> Option<Claimed<'r>> {
    let has_cue = words(reading.text).any(|word| TOGETHER.iter().any(|cue| word.is(cue)));
    if !has_cue {
        return None;
    }
    let kinds = reading.bits(|term| term.role == Role::Kind);
    let counts_things = |figure: &Figure| {
        let from = figure.span.end;
        let next =
            reading.terms.iter().enumerate().filter(|(_, term)| term.span.start >= from).take(3);
        let gap =
            |end: usize| reading.text.get(from..end).is_some_and(|gap| words(gap).count() <= 2);
        let kind =
            next.into_iter().any(|(place, term)| kinds >> place & 1 == 1 && gap(term.span.start));
        // "three ingesters of": a noun that no kind of thing is, before "of".
        let of = reading
            .text
            .get(from..)
            .is_some_and(|rest| words(rest).nth(1).is_some_and(|word| word.is("of")));
        figure.unit.dimension == Dimension::Count && figure.value.places == 0 && (kind || of)
    };
    let (sum, number) = match reading.figures.figures.as_slice() {
        [sum] => (sum, None),
        [a, b] if counts_things(a) && !counts_things(b) => (b, Some(a)),
        [a, b] if counts_things(b) && !counts_things(a) => (a, Some(b)),
        _ => return None,
    };
    let demands = reading.bits(|term| {
        let harmless = ["under", "over", "more", "less", "than", "new"]
            .iter()
            .any(|word| term.text.eq_ignore_ascii_case(word));
        matches!(term.role, Role::Demand(_)) && !harmless
    });
    if demands != 0 || counts_things(sum) && number.is_none() {
        return None;
    }
    let words = reading.bits(|term| match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word => !HAVING.has(term.text) && !tells_only(term.text),
        Role::Kind | Role::Common | Role::Demand(_) => false,
    });
    Some(Claimed { sum, number, words })
}

fn weigh(
    case: &Case<'_, '_, '_>,
    list: &List,
    found: &[Member],
    claimed: &Claimed<'_>,
) -> Option<Ruling> {
    let shown = found.iter().fold(0, |bits, member| bits | member.shown);
    let named = found.iter().fold(0, |bits, member| bits | member.named);
    let around = case.marks.around(case.corpus, list.parent) | case.marks.tool(list.item);
    let missing = claimed.words & !(shown | named | around);
    // "the tempo pods use 1 GiB between them": the unit alone tells the column.
    let is_measured = claimed.sum.unit.dimension != Dimension::Count;
    if missing != 0 {
        return None;
    }
    let scope = claimed.words & shown & !named;
    let quantity = claimed.words & !scope;
    let attribute = if quantity & named != 0 {
        Attribute::Named(quantity)
    } else if is_measured {
        Attribute::Unit(claimed.sum.unit.dimension)
    } else {
        return None;
    };
    let everyone = || list.members.iter().map(|target| Member::without_words(*target));
    let meant: Vec<Measured> = if scope == 0 {
        everyone().filter_map(|member| measure(case, &member, attribute)).collect()
    } else {
        let so = found.iter().filter(|member| member.shown & scope == scope);
        so.filter_map(|member| measure(case, member, attribute)).collect()
    };
    let some: Vec<Measured> =
        meant.iter().filter(|measured| measured.figure.value.mantissa != 0).cloned().collect();
    let agrees = |all: &[Measured]| {
        claimed.number.is_none_or(|number| agree(number, &as_figure(all.len())) == Agreement::Same)
    };
    let all = [meant, some].into_iter().find(|all| all.len() >= 2 && agrees(all))?;
    let figures: Vec<Figure> = all.iter().map(|measured| measured.figure.clone()).collect();
    let total = sum(&figures)?;
    let is_complete =
        claimed.number.is_some() || matches!(list.extent, Extent::Whole | Extent::Filtered);
    let cites: Vec<Cite> =
        all.iter().take(MOST_CITED).map(|measured| Cite::Field(measured.field)).collect();
    let says =
        note::sum(case, &all.iter().map(|measured| measured.field).collect::<Vec<_>>(), &total);
    match agree(claimed.sum, &total) {
        Agreement::Same if is_complete => Some(Ruling::grounded(Basis::Derived, cites, says)),
        // Without a number or a name the claim may add up something else.
        Agreement::Different if is_complete && (claimed.number.is_some() || scope != 0) => {
            Some(Ruling::contradicted(Basis::Derived, cites, says))
        }
        _ => None,
    }
}
