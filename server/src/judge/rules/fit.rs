//! How far one place of the evidence bears a claim out: its figures, times, states, quotations and words.
//!
//! Each part of the claim is supported, refuted or open at that place. A figure is compared only under a key
//! or beside words that the claim uses for it, in the same dimension; a state only against the states that
//! exclude it under the same key.

use std::sync::LazyLock;

use gsar_core::text::figures::{Agreement, Dimension, Figure};

use super::candidates::{Candidate, Target, is_line};
use super::lexicon::{OPPOSITES, PRESENT_STATES};
use super::note;
use super::observations::{Corpus, NONE, ValueKind};
use super::reading::{Reading, Role, Term};
use super::ruling::{Case, Cite};
use super::values::{Value, clock, compare, other_time, same_time};
use super::words::{Key, exact, key};

/// What a place says to one part of a claim.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// It bears it out.
    Supported(Cite),
    /// It says otherwise; with the sentence that says so.
    Refuted(Cite, String),
    /// It says nothing to it.
    Open,
}

/// How far a place bears a claim out.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) candidate: Candidate,
    /// What is supported.
    pub(super) supports: Vec<Cite>,
    /// What is refuted.
    pub(super) refutations: Vec<(Cite, String)>,
    /// How many figures, times, states and quotations are open.
    pub(super) open: usize,
    /// How many figures, times, states and quotations the claim has.
    pub(super) parts: usize,
    /// Terms that are found, or decided by a part.
    pub(super) found: u64,
    /// Terms decided by a part.
    pub(super) decided: u64,
    /// Whether the place denies what the claim says, or the other way round.
    pub(super) polarity_differs: bool,
}

impl Fit {
    /// Whether every name is found, and every code at the place itself: the tool may have been asked for several.
    pub(super) fn has_names(&self, reading: &Reading<'_>) -> bool {
        let codes = reading.bits(|term| matches!(term.role, Role::Code(_)));
        reading.bits(Term::is_strict) & !self.found == 0 && codes & !self.candidate.near == 0
    }
}

/// Which parts are weighed elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Except {
    /// The figure with this number is not looked at.
    pub(super) figure: Option<usize>,
    /// Times are not looked at.
    pub(super) times: bool,
}

/// Weighs one place.
pub(super) fn fit(case: &Case<'_, '_, '_>, candidate: Candidate, except: Except) -> Fit {
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
        if let Some((outcome, bits)) = state_outcome(case, fields, place, term) {
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
pub(super) fn best_fields(case: &Case<'_, '_, '_>, fit: &Fit) -> Vec<Cite> {
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
pub(super) fn demands_are_met(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
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
pub(super) fn fields<'c>(
    corpus: &'c Corpus<'_>,
    target: Target,
) -> impl Iterator<Item = u32> + use<'c> {
    Span::of(corpus, target).each(corpus)
}

/// The fields of a place.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
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

    fn each<'c>(self, corpus: &'c Corpus<'_>) -> impl Iterator<Item = u32> + use<'c> {
        (self.start..self.end).take(MOST_FIELDS).filter(move |field| {
            self.document.is_none_or(|document| {
                corpus.is_direct(document, *field) && !is_line(corpus, *field)
            })
        })
    }
}

/// Which of some terms stand in a field's key and in the headings around it, up to its record.
fn path_bits(case: &Case<'_, '_, '_>, field: u32, wanted: u64) -> u64 {
    let Some(found) = case.corpus.field(field) else { return 0 };
    let mut bits = bits_in(case.reading, case.corpus.key_words(found), wanted);
    for (_, object) in case.corpus.around(found.object) {
        if object.parent == NONE {
            break;
        }
        bits |= bits_in(case.reading, case.corpus.heading_words(object), wanted);
        if object.is_record {
            break;
        }
    }
    bits
}

fn bits_in(reading: &Reading<'_>, words: &[Key], wanted: u64) -> u64 {
    let mut bits = 0;
    for (place, term) in reading.terms.iter().enumerate() {
        if wanted >> place & 1 == 1 && term.keys.iter().any(|key| words.contains(key)) {
            bits |= 1 << place;
        }
    }
    bits
}

fn figure_outcome(case: &Case<'_, '_, '_>, fields: Span, figure: &Figure) -> Outcome {
    let reading = case.reading;
    let noun = reading.noun(&figure.span);
    let is_count = figure.unit.dimension == Dimension::Count;
    let counts_things = is_count && reading.bits(|term| term.role == Role::Kind) & noun != 0;
    let wanted = if is_count && noun != 0 {
        noun | reading.verb(&figure.span)
    } else {
        reading.attribute(&figure.span) | noun
    };
    let mut best: Option<(u32, u32)> = None;
    let mut against: u32 = 0;
    let mut refuted: Option<(u32, u32, String)> = None;
    for field in fields.each(case.corpus) {
        let in_field = case.marks.field(field);
        let keyed = !case.corpus.name(field).is_empty();
        let path = match case.corpus.field(field).filter(|_| keyed) {
            // "3 pods" is stated under a key for pods, not somewhere below a heading of pods.
            Some(found) if counts_things => bits_in(reading, case.corpus.key_words(found), wanted),
            Some(_) => path_bits(case, field, wanted),
            None => 0,
        };
        if keyed && path == 0 && in_field & wanted == 0 && wanted != 0 {
            continue;
        }
        for value in case.cache.values(case.corpus, field).iter() {
            let related =
                relation(case, field, value, Wanted { bits: wanted, path, in_field, is_count });
            let Some(strength) = related else { continue };
            match compare(figure, &value.figure) {
                Agreement::Same => {
                    if best.is_none_or(|(least, _)| strength > least) {
                        best = Some((strength, field));
                    }
                }
                Agreement::Different => {
                    against = against.max(strength);
                    if strength >= 100
                        && refuted.as_ref().is_none_or(|(least, ..)| strength > *least)
                    {
                        let says = note::other_figure(case, figure, field, value);
                        refuted = Some((strength, field, says));
                    }
                }
                Agreement::Incomparable => {}
            }
        }
    }
    match (best, refuted) {
        // A figure that agrees under a key that fits in part gives way to one that differs under a better one.
        (Some((strength, _)), Some((full, field, says))) if strength + 50 < full => {
            Outcome::Refuted(Cite::Field(field), says)
        }
        (Some((strength, _)), _) if strength < against => Outcome::Open,
        (Some((_, field)), _) => Outcome::Supported(Cite::Field(field)),
        (None, Some((_, field, says))) => Outcome::Refuted(Cite::Field(field), says),
        (None, None) => Outcome::Open,
    }
}

/// A value with more words than this is prose.
const LEAST_PROSE: usize = 3;

struct Wanted {
    bits: u64,
    path: u64,
    in_field: u64,
    is_count: bool,
}

/// How closely a value of the evidence belongs to what the claim's figure is about: `None` for not at all,
/// 100 or more for beyond doubt.
fn relation(case: &Case<'_, '_, '_>, field: u32, value: &Value<'_>, wanted: Wanted) -> Option<u32> {
    let reading = case.reading;
    let words = |bits: u64| bits.count_ones();
    if let Some(key) = value.key {
        let pair = if key == case.corpus.name(field) {
            wanted.path
        } else {
            match bits_of_name(reading, key, wanted.bits) {
                0 => 0,
                pair => pair | wanted.path,
            }
        };
        if pair != 0 {
            if pair != wanted.bits && !distinguishing_heading_is_meant(case, field) {
                return None;
            }
            // In a line the words beside the pair say what it is of.
            let beside = if key == case.corpus.name(field) { 0 } else { wanted.in_field };
            let full = (pair | beside) & wanted.bits == wanted.bits && is_covered(case, field, key);
            return Some(if full { 100 + words(pair) * 10 } else { 20 + words(pair) * 10 });
        }
    }
    let is_prose =
        gsar_core::text::tokens::words(case.corpus.value(field)).nth(LEAST_PROSE).is_some();
    if !case.corpus.name(field).is_empty() && !is_prose {
        return None;
    }
    if wanted.bits == 0 {
        return (!wanted.is_count).then_some(5);
    }
    let near = wanted.in_field & wanted.bits;
    if near == 0 {
        return None;
    }
    let all = reading.bits(|term| term.role == Role::Word);
    let whole_line = wanted.in_field & all == all && words(all) >= 3;
    let alone = one_of_its_kind(case, field, value);
    if wanted.is_count {
        // "4 restarts" beside "restarts": the noun has to follow, or the pair to be keyed.
        let follows = noun_follows(case, field, value, wanted.bits);
        return if follows { Some(if whole_line { 110 } else { 60 }) } else { Some(10) };
    }
    Some(if whole_line && alone { 100 } else { 30 + words(near) * 5 })
}

/// Whether the claim uses every word of a key that tells it from other keys.
fn is_covered(case: &Case<'_, '_, '_>, field: u32, name: &str) -> bool {
    const TELLING_NOTHING: [&str; 26] = [
        "count", "total", "current", "value", "number", "bytes", "seconds", "ms", "mib", "percent",
        "pct", "ratio", "num", "avg", "usage", "mb", "gb", "gib", "kib", "s", "cores", "per", "of",
        "the", "in", "mean",
    ];
    let reading = case.reading;
    let known = |word: &str| {
        let wanted = [exact(word), key(word)];
        TELLING_NOTHING.iter().any(|nothing| word.eq_ignore_ascii_case(nothing))
            || reading.terms.iter().any(|term| term.keys.iter().any(|key| wanted.contains(key)))
    };
    let whole = known(name);
    let each_part = || {
        gsar_core::text::tokens::words(name).all(|word| {
            let mut parts = super::words::parts(word.text).peekable();
            if parts.peek().is_none() {
                known(word.text)
            } else {
                known(word.text) || parts.all(known)
            }
        })
    };
    (whole || each_part()) && distinguishing_heading_is_meant(case, field)
}

static DISTINGUISHING: LazyLock<Vec<Key>> = LazyLock::new(|| {
    [
        "limits", "requests", "capacity", "allocatable", "laststate", "last", "previous", "old", "new", "before",
        "after", "desired",
    ]
    .iter()
    .map(|word| key(word))
    .collect()
});

/// `limits`, `requests` and the like tell two values of one key apart: the claim has to say which it means.
fn distinguishing_heading_is_meant(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let Some(found) = case.corpus.field(field) else { return false };
    for (_, object) in case.corpus.around(found.object) {
        if object.parent == NONE {
            break;
        }
        let heading = case.corpus.heading_words(object);
        let distinguishes = heading.iter().any(|word| DISTINGUISHING.contains(word));
        if distinguishes && bits_in(case.reading, heading, u64::MAX) == 0 {
            return false;
        }
        if object.is_record {
            break;
        }
    }
    true
}

fn bits_of_name(reading: &Reading<'_>, name: &str, wanted: u64) -> u64 {
    let mut words = Vec::with_capacity(4);
    for word in gsar_core::text::tokens::words(name) {
        super::words::evidence_keys(word.text, |key| words.push(key));
    }
    bits_in(reading, &words, wanted)
}

/// Whether no other figure of the field has the same dimension.
fn one_of_its_kind(case: &Case<'_, '_, '_>, field: u32, value: &Value<'_>) -> bool {
    case.cache.values(case.corpus, field)
        .iter()
        .filter(|other| other.figure.unit.dimension == value.figure.unit.dimension)
        .count()
        == 1
}

/// Whether the words right after or before a figure of a line are those that the claim counts.
fn noun_follows(case: &Case<'_, '_, '_>, field: u32, value: &Value<'_>, wanted: u64) -> bool {
    const NEAR: usize = 24;
    let text = case.corpus.value(field);
    let span = &value.figure.span;
    let after = text.get(span.end..).unwrap_or("");
    let after = after.get(..NEAR.min(after.len())).unwrap_or(after);
    let first = gsar_core::text::tokens::words(after).take(2);
    let before = text.get(..span.start).unwrap_or("");
    let last = gsar_core::text::tokens::words(before).last();
    first.chain(last).any(|word| bits_of_name(case.reading, word.text, wanted) != 0)
}

fn time_outcome(
    case: &Case<'_, '_, '_>,
    fields: Span,
    time: &gsar_core::text::figures::ClockTime,
) -> Outcome {
    let reading = case.reading;
    let verb = verb_of_time(reading, time.span.start);
    let mut supported = None;
    let mut refuted = None;
    for field in fields.each(case.corpus) {
        for stated in case.cache.times(case.corpus, field).iter() {
            let path = path_bits(case, field, verb);
            if same_time(time, stated) {
                if supported.is_none_or(|(best, _)| path.count_ones() > best) {
                    supported = Some((path.count_ones(), field));
                }
            } else if path != 0 && path == verb && other_time(time, stated, case.day) {
                refuted = Some(field);
            }
        }
    }
    if let Some((strength, field)) = supported {
        return if strength == 0 && refuted.is_some() {
            Outcome::Open
        } else {
            Outcome::Supported(Cite::Field(field))
        };
    }
    let item = case.corpus.item_of(fields.start);
    let collected = case.corpus.item(item).and_then(|item| item.collected_at);
    let snapshot = collected.is_some_and(|at| same_time(time, &clock(at.as_micros())));
    match (snapshot, refuted) {
        (true, _) => Outcome::Supported(Cite::Item(item)),
        (false, Some(field)) => Outcome::Refuted(Cite::Field(field), note::other_time(case, field)),
        (false, None) => Outcome::Open,
    }
}

/// The word that says what happened at a time: the nearest content word before it.
fn verb_of_time(reading: &Reading<'_>, at: usize) -> u64 {
    let before =
        reading.terms.iter().enumerate().rev().find(|(_, term)| {
            !term.span.is_empty() && term.span.end <= at && term.role == Role::Word
        });
    before.map_or(0, |(place, _)| 1 << place)
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
pub(super) fn holds(text: &str, wanted: &str) -> bool {
    !wanted.is_empty()
        && text
            .as_bytes()
            .windows(wanted.len())
            .any(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Whether the prose that holds the claim's words denies what the claim says, or the other way round.
fn polarity_differs(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let claimed = case.reading;
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
        if gsar_core::text::tokens::words(case.corpus.value(field)).nth(LEAST_PROSE).is_none() {
            return false;
        }
        let stated = case.cache.polarity(case.corpus, field);
        let fails = states_only && stated.fails && !claimed.fails && !claimed.denies;
        stated.denies != claimed.denies || fails
    })
}

/// What a place says to a state that the claim names: readiness, a condition, a present state of a workload.
fn state_outcome(
    case: &Case<'_, '_, '_>,
    fields: Span,
    place: usize,
    term: &Term<'_>,
) -> Option<(Outcome, u64)> {
    let bit = 1_u64 << place;
    let word = term.text.to_ascii_lowercase();
    let is_present_state = PRESENT_STATES.binary_search(&word.as_str()).is_ok();
    let is_mishap = term.is_mishap && is_uncounted(case.reading, term);
    let opposite = OPPOSITES.iter().find_map(|(a, b)| {
        if *a == word {
            Some(*b)
        } else if *b == word {
            Some(*a)
        } else {
            None
        }
    });
    let mut refuted = None;
    for field in fields.each(case.corpus) {
        let names_term = case.marks.field(field) & bit != 0;
        if !names_term && !is_present_state && opposite.is_none() {
            continue;
        }
        let Some(found) = case.corpus.field(field) else { continue };
        let value = case.corpus.value(field);
        match found.kind {
            ValueKind::True | ValueKind::False => {
                let keys = case.corpus.key_words(found);
                let bits = bits_in(case.reading, keys, u64::MAX);
                if bits & bit == 0 || !covers_key(case, field) || !is_adjective(case, field, term) {
                    continue;
                }
                let holds = (found.kind == ValueKind::True) != negated(case.reading, bits);
                return Some(if holds {
                    (Outcome::Supported(Cite::Field(field)), bits)
                } else {
                    (Outcome::Refuted(Cite::Field(field), note::says(case, field)), bits)
                });
            }
            ValueKind::Text | ValueKind::Number => {}
            ValueKind::Nothing => continue,
        }
        if is_mishap
            && let Some(number) = leading_number(value)
            && bits_in(case.reading, case.corpus.key_words(found), bit) != 0
        {
            let holds = (number > 0) != term.negated;
            return Some(if holds {
                (Outcome::Supported(Cite::Field(field)), bit)
            } else {
                (Outcome::Refuted(Cite::Field(field), note::says(case, field)), bit)
            });
        }
        if found.kind == ValueKind::Number {
            continue;
        }
        if let Some(is_ready) = readiness(case.corpus, field)
            .filter(|_| matches!(word.as_str(), "ready" | "unready" | "notready"))
        {
            let claimed = (word == "ready") != term.negated;
            return Some(if claimed == is_ready {
                (Outcome::Supported(Cite::Field(field)), bit)
            } else {
                (Outcome::Refuted(Cite::Field(field), note::says(case, field)), bit)
            });
        }
        if !(is_present_state || opposite.is_some())
            || case.corpus.name(field).is_empty()
            || !is_state_key(case.corpus.name(field))
        {
            continue;
        }
        let same = value.eq_ignore_ascii_case(&word);
        let excluded = !same
            && (opposite.is_some_and(|opposite| value.eq_ignore_ascii_case(opposite))
                || is_present_state
                    && PRESENT_STATES.binary_search(&value.to_ascii_lowercase().as_str()).is_ok());
        if same && !term.negated || excluded && term.negated && opposite.is_some() {
            return Some((Outcome::Supported(Cite::Field(field)), bit));
        }
        let is_present = !case.corpus.name(field).eq_ignore_ascii_case("reason");
        if is_present && (same && term.negated || excluded && !term.negated) {
            refuted = Some(field);
        }
    }
    refuted.map(|field| (Outcome::Refuted(Cite::Field(field), note::says(case, field)), bit))
}

/// Whether a claim says that something happened, or not, without saying how often.
fn is_uncounted(reading: &Reading<'_>, term: &Term<'_>) -> bool {
    let counted = reading.figures.figures.iter().any(|figure| {
        let noun = reading.noun(&figure.span);
        reading.bits(|other| std::ptr::eq(other, term)) & noun != 0
            || reading.text.contains("times")
    });
    !counted
}

/// The whole number that a value begins with: `1 (11m ago)`.
fn leading_number(value: &str) -> Option<u64> {
    let first = value.split(' ').next()?;
    first.parse().ok()
}

/// Whether the claim uses a boolean's key as it is, not another form of the word: "ready" for `ready`, but not
/// "the start" for `started`.
fn is_adjective(case: &Case<'_, '_, '_>, field: u32, term: &Term<'_>) -> bool {
    let name = case.corpus.name(field);
    let is_one_word = super::words::parts(name).next().is_none();
    !is_one_word || name.eq_ignore_ascii_case(term.text) || name.eq_ignore_ascii_case("status")
}

fn negated(reading: &Reading<'_>, bits: u64) -> bool {
    reading.terms.iter().enumerate().any(|(place, term)| bits >> place & 1 == 1 && term.negated)
}

/// Whether the claim has every part of a boolean's key: "memory pressure" for `MemoryPressure`.
fn covers_key(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let Some(found) = case.corpus.field(field) else { return false };
    let keys = case.corpus.key_words(found);
    let have = |key: &Key| case.reading.terms.iter().any(|term| term.keys.contains(key));
    match keys {
        [] => false,
        [whole, parts @ ..] => have(whole) || !parts.is_empty() && parts.iter().all(have),
    }
}

/// Whether the cell of a READY column says that all are: `1/1`; nothing wanted is neither.
fn readiness(corpus: &Corpus<'_>, field: u32) -> Option<bool> {
    if !corpus.name(field).eq_ignore_ascii_case("ready") {
        return None;
    }
    let (ready, wanted) = corpus.value(field).split_once('/')?;
    let (ready, wanted) = (ready.trim().parse::<u32>().ok()?, wanted.trim().parse::<u32>().ok()?);
    (wanted > 0).then_some(ready >= wanted)
}

fn is_state_key(name: &str) -> bool {
    ["status", "phase", "state", "reason", "health", "conclusion", "result", "role", "sync"]
        .iter()
        .any(|key| name.eq_ignore_ascii_case(key))
}
