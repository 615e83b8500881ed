//! Replicas: how many are wanted, and how many of them are available, ready, updated.
//!
//! One record states both numbers: `2 desired | 2 updated | 0 unavailable`, or `"desired": 3, "available": 1`. Claims
//! of all, none or half of them compare the two; "its minimum of replicas" is the condition `Available`.

use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use super::reach::{keys_of, needed, tie};
use crate::claim::reading::{Reading, Role};
use crate::evidence::observations::ValueKind;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::words::{Key, key};

/// Decides a claim of how many of its replicas a workload has.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let speaks = |wanted: &str| words(reading.text).any(|word| word.is(wanted));
    let replicas = ["replica", "replicas"].iter().any(|word| speaks(word));
    if !replicas
        || reading.has(MarkerKind::Hedge)
        || reading.is_causal()
        || reading.means(crate::vocabulary::lexicon::Sense::Order)
    {
        return None;
    }
    if speaks("minimum") && speaks("available") {
        return minimum(case);
    }
    let state = STATES.iter().find(|state| speaks(state))?;
    let share = Share::of(reading)?;
    let accounted = accounted(reading);
    let mut found: Option<(bool, Vec<Cite>, u32)> = None;
    for field in case.corpus.by_word.of(key(state)).chain(case.corpus.by_word.of(key("desired"))) {
        let Some(counted) = Counted::beside(case, field, state) else { continue };
        if tie(case, field).is_none_or(|tie| needed(case, accounted) & !tie.all != 0) {
            continue;
        }
        let holds = share.holds(counted.of_state, counted.desired);
        let cites = counted.cites.clone();
        match &found {
            Some((before, ..)) if *before != holds => return None,
            Some((_, _, least)) if *least <= field => {}
            _ => found = Some((holds, cites, field)),
        }
    }
    let (holds, cites, field) = found?;
    let says = note::says(case, field);
    Some(if holds {
        Ruling::grounded(Basis::Derived, cites, says)
    } else {
        Ruling::contradicted(Basis::Derived, cites, says)
    })
}

const STATES: [&str; 4] = ["unavailable", "available", "ready", "updated"];

/// The terms that speak of replicas and their states.
fn accounted(reading: &Reading<'_>) -> u64 {
    const SAID: [&str; 14] = [
        "replica",
        "replicas",
        "available",
        "unavailable",
        "ready",
        "updated",
        "desired",
        "minimum",
        "only",
        "half",
        "meets",
        "wanted",
        "configured",
        "least",
    ];
    reading.bits(|term| SAID.iter().any(|said| term.text.eq_ignore_ascii_case(said)))
}

/// How many of the replicas a claim speaks of.
#[derive(Clone, Copy)]
enum Share {
    All,
    None,
    Half,
}

impl Share {
    fn of(reading: &Reading<'_>) -> Option<Self> {
        let has = |wanted: &str| words(reading.text).any(|word| word.is(wanted));
        let counts_more = reading.figures.figures.iter().any(|figure| {
            let written = reading.text.get(figure.span.clone()).unwrap_or("");
            !["half", "one", "no", "zero"].iter().any(|known| written.eq_ignore_ascii_case(known))
        });
        if counts_more {
            return None;
        }
        let denied = reading.has(MarkerKind::Negation);
        if has("half") {
            Some(Self::Half).filter(|_| !denied)
        } else if has("no") || has("none") {
            Some(Self::None)
        } else if denied {
            None
        } else if ["all", "both", "every", "each", "only"].iter().any(|all| has(all))
            || has("its") && has("desired")
        {
            Some(Self::All)
        } else {
            None
        }
    }

    fn holds(self, of_state: u64, desired: u64) -> bool {
        match self {
            Self::All => desired > 0 && of_state == desired,
            Self::None => of_state == 0,
            Self::Half => of_state.checked_mul(2) == Some(desired),
        }
    }
}

/// Two numbers of one record.
struct Counted {
    of_state: u64,
    desired: u64,
    cites: Vec<Cite>,
}

impl Counted {
    fn beside(case: &Case<'_, '_, '_>, field: u32, state: &str) -> Option<Self> {
        let corpus = case.corpus;
        let object = corpus.object(corpus.field(field)?.object)?;
        const MOST: u32 = 60;
        let in_line = |name: &str| count_in(case, field, &[key(name)]);
        if let (Some(of_state), Some(desired)) = (in_line(state), in_line("desired")) {
            return Some(Self { of_state, desired, cites: vec![Cite::Field(field)] });
        }
        let fields = object.fields.0..object.fields.1.min(object.fields.0 + MOST);
        let named = |wanted: &[&str]| {
            fields.clone().find_map(|other| {
                let is_named =
                    wanted.iter().any(|name| corpus.name(other).eq_ignore_ascii_case(name));
                is_named.then(|| Some((corpus.value(other).parse::<u64>().ok()?, other))).flatten()
            })
        };
        let replicas = format!("{state}Replicas");
        let (of_state, cite) = named(&[state, &replicas])?;
        let (desired, other) = named(&["desired", "replicas", "desiredReplicas"])?;
        Some(Self { of_state, desired, cites: vec![Cite::Field(cite), Cite::Field(other)] })
    }
}

/// The whole number that a line counts under a word.
fn count_in(case: &Case<'_, '_, '_>, field: u32, wanted: &[Key]) -> Option<u64> {
    case.cache.values(case.corpus, field).iter().find_map(|value| {
        let name = value.key.filter(|name| *name != case.corpus.name(field))?;
        let is_wanted = keys_of(name).iter().any(|word| wanted.contains(word));
        let number = value.figure.value;
        (is_wanted && number.places == 0).then(|| u64::try_from(number.mantissa).ok()).flatten()
    })
}

/// The condition `Available`.
fn minimum(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let accounted = accounted(case.reading);
    let roles = case.reading.bits(|term| term.role == Role::Common);
    let mut fields = case.corpus.by_word.of(key("available")).filter(|field| {
        let Some(found) = case.corpus.field(*field) else { return false };
        let is_truth = matches!(found.kind, ValueKind::True | ValueKind::False);
        let words = case.corpus.key_words(found);
        is_truth
            && words.contains(&key("available"))
            && tie(case, *field).is_some_and(|tie| needed(case, accounted | roles) & !tie.all == 0)
    });
    let field = fields.next()?;
    if fields.next().is_some() {
        return None;
    }
    let is_available = case.corpus.field(field).is_some_and(|found| found.kind == ValueKind::True);
    let claimed = !case.reading.has(MarkerKind::Negation) && !case.reading.denies;
    let (cites, says) = (vec![Cite::Field(field)], note::says(case, field));
    Some(if is_available == claimed {
        Ruling::grounded(Basis::Stated, cites, says)
    } else {
        Ruling::contradicted(Basis::Stated, cites, says)
    })
}
