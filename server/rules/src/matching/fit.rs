//! How far one place of the evidence bears a claim out: its figures, times, states, quotations and words.
//!
//! Each part of the claim is supported, refuted or open at that place. A figure is compared only under a key
//! or beside words that the claim uses for it, in the same dimension; a state only against the states that
//! exclude it under the same key.

use gsar_core::text::polarity::MarkerKind;

use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::observations::{Corpus, NONE};
use crate::matching::candidates::{Candidate, Target, is_line};
use crate::matching::magnitudes::{bits_in, figure_outcome, time_outcome};
use crate::matching::states::state_outcome;
use crate::matching::switches::{switch_outcome, switched};
use crate::verdict::ruling::{Case, Cite};
use crate::vocabulary::polarity::{clauses, has_other, is_false};
use crate::vocabulary::words::{Key, evidence_keys};

/// What a place says to one part of a claim.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// It bears it out.
    Supported(Cite),
    /// It says otherwise; with the sentence that says so.
    Refuted(Cite, String),
    /// It says nothing to it.
    Open,
}

/// How far a place bears a claim out.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) candidate: Candidate,
    /// What is supported.
    pub(crate) supports: Vec<Cite>,
    /// What is refuted.
    pub(crate) refutations: Vec<(Cite, String)>,
    /// How many figures, times, states and quotations are open.
    pub(crate) open: usize,
    /// How many figures, times, states and quotations the claim has.
    pub(crate) parts: usize,
    /// Terms that are found, or decided by a part.
    pub(crate) found: u64,
    /// Terms decided by a part.
    pub(crate) decided: u64,
    /// Whether the place denies what the claim says, or the other way round.
    pub(crate) polarity_differs: bool,
}

impl Fit {
    /// Whether every name is found, and every code at the place itself: the tool may have been asked for several.
    pub(crate) fn has_names(&self, reading: &Reading<'_>) -> bool {
        let codes = reading.bits(|term| matches!(term.role, Role::Code(_)));
        reading.bits(Term::is_strict) & !self.found == 0 && codes & !self.candidate.near == 0
    }
}

/// Which parts are weighed elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Except {
    /// The figure with this number is not looked at.
    pub(crate) figure: Option<usize>,
    /// Times are not looked at.
    pub(crate) times: bool,
}

/// Weighs one place.
pub(crate) fn fit(case: &Case<'_, '_, '_>, candidate: Candidate, except: Except) -> Fit {
    let mut fit = Fit {
        candidate,
        supports: Vec::new(),
        refutations: Vec::new(),
        open: 0,
        parts: 0,
        found: candidate.terms,
        decided: 0,
        polarity_differs: false,
    };
    let fields = Span::of(case.corpus, candidate.target);
    for (number, figure) in case.reading.figures.figures.iter().enumerate() {
        if except.figure != Some(number) {
            let outcome = figure_outcome(case, fields, figure);
            fit.take(outcome, 0);
        }
    }
    if !except.times {
        for time in &case.reading.figures.times {
            let outcome = time_outcome(case, fields, time);
            fit.take(outcome, 0);
        }
    }
    for quotation in &case.reading.quotations {
        let outcome = quotation_outcome(case, fields, quotation.clone());
        let inside = case
            .reading
            .bits(|term| quotation.start <= term.span.start && term.span.end <= quotation.end);
        fit.take(outcome, inside);
    }
    let mut decided = 0_u64;
    for (place, term) in case.reading.terms.iter().enumerate() {
        if decided >> place & 1 == 1 || !matches!(term.role, Role::Word | Role::Name) {
            continue;
        }
        let switch = switch_outcome(case, fields, place, term);
        if let Some((outcome, bits)) = switch.or_else(|| state_outcome(case, fields, place, term)) {
            decided |= bits;
            fit.take(outcome, bits);
        }
    }
    fit.polarity_differs = polarity_differs(case, &fit);
    fit
}

impl Fit {
    fn take(&mut self, outcome: Outcome, bits: u64) {
        self.parts += 1;
        if !matches!(outcome, Outcome::Open) {
            self.found |= bits;
            self.decided |= bits;
        }
        match outcome {
            Outcome::Supported(cite) => {
                if !self.supports.contains(&cite) {
                    self.supports.push(cite);
                }
            }
            Outcome::Refuted(cite, note) => self.refutations.push((cite, note)),
            Outcome::Open => self.open += 1,
        }
    }
}

/// The fields of a place that hold most of the claim's words.
pub(crate) fn best_fields(case: &Case<'_, '_, '_>, fit: &Fit) -> Vec<Cite> {
    const MOST: usize = 3;
    let fields = Span::of(case.corpus, fit.candidate.target);
    let mut open = fit.candidate.near;
    let mut found = Vec::new();
    while found.len() < MOST {
        let best = fields.each(case.corpus).max_by_key(|field| {
            let gained = case.marks.field(*field) & open;
            (case.reading.weight(gained), std::cmp::Reverse(*field))
        });
        let Some(best) =
            best.filter(|field| case.reading.weight(case.marks.field(*field) & open) >= 4)
        else {
            break;
        };
        open &= !case.marks.field(best);
        found.push(Cite::Field(best));
    }
    found
}

/// Whether a place shows what the claim's words of order, extreme and trend demand. It does where it has such a
/// word itself.
pub(crate) fn demands_are_met(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let demands = case.reading.bits(|term| matches!(term.role, Role::Demand(_)));
    demands & !fit.candidate.near == 0
}

/// The fields of a target.
fn fields_of(corpus: &Corpus<'_>, target: Target) -> (u32, u32) {
    match target {
        Target::Line(field) => (field, field + 1),
        Target::Object(object) => corpus.object(object).map_or((0, 0), |object| object.fields),
    }
}

/// The most fields of one place that are looked at.
const MOST_FIELDS: usize = 400;

/// The fields of a place, as far as they are looked at.
pub(crate) fn fields<'c>(
    corpus: &'c Corpus<'_>,
    target: Target,
) -> impl Iterator<Item = u32> + use<'c> {
    Span::of(corpus, target).each(corpus)
}

/// The fields of a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The first field.
    pub(crate) start: u32,
    end: u32,
    /// The document, of which only what stands in no record of its own is looked at.
    document: Option<u32>,
}

impl Span {
    fn of(corpus: &Corpus<'_>, target: Target) -> Self {
        let (start, end) = fields_of(corpus, target);
        let document = match target {
            Target::Object(object) => {
                corpus.object(object).filter(|found| found.parent == NONE).map(|_| object)
            }
            Target::Line(_) => None,
        };
        Self { start, end, document }
    }

    /// The fields, one by one.
    pub(crate) fn each<'c>(self, corpus: &'c Corpus<'_>) -> impl Iterator<Item = u32> + use<'c> {
        (self.start..self.end).take(MOST_FIELDS).filter(move |field| {
            self.document.is_none_or(|document| {
                corpus.is_direct(document, *field) && !is_line(corpus, *field)
            })
        })
    }
}

fn quotation_outcome(
    case: &Case<'_, '_, '_>,
    fields: Span,
    quotation: std::ops::Range<usize>,
) -> Outcome {
    let Some(wanted) = case.reading.text.get(quotation).map(str::trim) else {
        return Outcome::Open;
    };
    let wanted = wanted.trim_end_matches(['.', ',']);
    let holder = fields
        .each(case.corpus)
        .find(|field| case.marks.field(*field) != 0 && holds(case.corpus.value(*field), wanted));
    holder.map_or(Outcome::Open, |field| Outcome::Supported(Cite::Field(field)))
}

/// Whether a text holds some words, case aside.
pub(crate) fn holds(text: &str, wanted: &str) -> bool {
    !wanted.is_empty()
        && text
            .as_bytes()
            .windows(wanted.len())
            .any(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// A value with more words than this is prose.
pub(crate) const LEAST_PROSE: usize = 3;

/// Whether the prose that holds the claim's words denies what the claim says, or the other way round.
fn polarity_differs(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let claimed = case.reading;
    // That something was switched off is no denial of what the place says of the switch.
    let denies = claimed.denies
        && (claimed.has(MarkerKind::Negation)
            || !claimed.terms.iter().any(|term| switched(claimed, term) == Some(false)));
    let states_only = fit.supports.is_empty();
    let content =
        case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name | Role::Entity));
    let is_line = matches!(fit.candidate.target, Target::Line(_));
    let most = |field: &u32| {
        is_line
            || case.reading.weight(case.marks.field(*field) & content) * 3
                >= case.reading.weight(content)
    };
    Span::of(case.corpus, fit.candidate.target).each(case.corpus).filter(most).any(|field| {
        let is_short =
            gsar_core::text::tokens::words(case.corpus.value(field)).nth(LEAST_PROSE).is_none();
        // `PodScheduled   False`: what it names is not so, whatever else it says.
        if is_short {
            return is_false(case.corpus.value(field)) && !denies;
        }
        let stated = case.cache.polarity(case.corpus, field);
        let fails = states_only && stated.fails && !claimed.fails && !claimed.denies;
        (stated.denies != denies || fails) && !is_said_otherwise(case, field, content)
    })
}

/// Whether a claim that denies nothing says by its own words what a field denies or deplores: "refusals" for
/// `forbidden`. Clauses of the field with nothing of the claim do not count.
fn is_said_otherwise(case: &Case<'_, '_, '_>, field: u32, content: u64) -> bool {
    let reading = case.reading;
    if reading.denies || is_false(case.corpus.value(field)) {
        return false;
    }
    let accounted = |word: Key| {
        reading.otherwise.contains(&word)
            || reading.terms.iter().any(|term| term.keys.contains(&word))
    };
    clauses(case.corpus.value(field)).all(|clause| {
        let mut keys = Vec::new();
        for word in gsar_core::text::tokens::words(clause) {
            evidence_keys(word.text, |key| keys.push(key));
        }
        bits_in(reading, &keys, content) == 0 || !has_other(clause, reading.fails, accounted)
    })
}
