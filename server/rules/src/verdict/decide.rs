//! From what the rules find to a verdict on one claim.
//!
//! The rules are asked in a fixed order and the first that decides is believed; where none does, the claim is
//! ungrounded and the note says what is missing. See the table in the module above.

use gsar_core::evidence::{EvidenceItem, EvidenceKind, Lane};
use gsar_core::text::figures::{Agreement, CodeKind};
use gsar_core::text::polarity::{MarkerKind, causal_link};
use gsar_core::text::tokens::words;
use gsar_core::{Class, EvidenceType};

use crate::claim::portions;
use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::observations::NONE;
use crate::evidence::values::compare;
use crate::matching::candidates::Target;
use crate::matching::fit::{self, Except, Fit, best_fields, demands_are_met, fit};
use crate::matching::magnitudes::bits_in;
use crate::matching::scope;
use crate::rules::absence;
use crate::rules::aging;
use crate::rules::attributes;
use crate::rules::causes;
use crate::rules::changes;
use crate::rules::chronology;
use crate::rules::counters;
use crate::rules::counts::{self, has_words};
use crate::rules::ellipses;
use crate::rules::existence;
use crate::rules::firsts;
use crate::rules::fractions;
use crate::rules::instants;
use crate::rules::lasting;
use crate::rules::offsets;
use crate::rules::other_names;
use crate::rules::ranks;
use crate::rules::rates;
use crate::rules::ratios;
use crate::rules::series;
use crate::rules::sums;
use crate::rules::tallies;
use crate::rules::tracks;
use crate::rules::turned::{self, Governs};
use crate::rules::unlisted;
use crate::verdict::counterclaims::contraries;
use crate::verdict::denials;
use crate::verdict::emptiness;
use crate::verdict::guards;
use crate::verdict::note;
use crate::verdict::repairs;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::verdict::unread;
use crate::vocabulary::lexicon::Sense;
use crate::vocabulary::polarity;
use crate::vocabulary::words::key;

/// What is said of a claim.
pub(crate) struct Verdict {
    pub(crate) class: Class,
    pub(crate) evidence_type: EvidenceType,
    pub(crate) cites: Vec<Cite>,
    pub(crate) note: String,
}

/// Decides a claim.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Verdict {
    let ruling = ruling(case);
    if ruling.as_ref().is_some_and(|ruling| ruling.class == Class::Grounded)
        && let Some(contrary) = borne_out_as_well(case)
    {
        let note = note::blind(&contrary);
        return Verdict { note, ..ungrounded(case) };
    }
    let means_more = |found: &Ruling| unread::may_mean_more(case.reading, found.basis);
    match ruling.or_else(|| repairs::decide(case).filter(|found| !means_more(found))) {
        Some(ruling) => Verdict {
            class: ruling.class,
            evidence_type: evidence_type(case, &ruling),
            cites: ruling.cites,
            note: ruling.note,
        },
        None => ungrounded(case),
    }
}

/// What the rules find.
pub(crate) fn ruling(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    if !case.reading.is_english {
        return None;
    }
    let stated = || {
        if case.reading.own > 0 {
            return ellipses::decide(case);
        }
        turned::decide(case, Governs::OneThing).or_else(|| {
            rule(case).filter(|ruling| !denials::may_be_overlooked(case.reading, ruling))
        })
    };
    let of_cause = causes::decide(case)
        .filter(|found| found.class != Class::Grounded || !unread::says_more(case.reading));
    of_cause.or_else(|| stated().filter(|ruling| is_allowed(case, ruling)))
}

/// A contrary of the claim that the rules find as well borne out as the claim.
pub(crate) fn borne_out_as_well(case: &Case<'_, '_, '_>) -> Option<String> {
    contraries(case.reading).into_iter().find_map(|contrary| {
        contrary
            .texts
            .iter()
            .all(|text| reworded(case, text, |other| grounded(other).is_some()))
            .then(|| contrary.texts.into_iter().next())
            .flatten()
    })
}

/// What grounds a claim, where that is found.
pub(crate) fn grounded(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    ruling(case).filter(|ruling| ruling.class == Class::Grounded)
}

/// Asks about another wording of the claim.
pub(crate) fn reworded<T>(
    case: &Case<'_, '_, '_>,
    text: &str,
    ask: impl FnOnce(&Case<'_, '_, '_>) -> T,
) -> T {
    let mut reading = Reading::of(text, case.corpus);
    reading.resume(case.reading);
    reread(case, &reading, ask)
}

/// Asks about another reading of the claim.
pub(crate) fn reread<T>(
    case: &Case<'_, '_, '_>,
    reading: &Reading<'_>,
    ask: impl FnOnce(&Case<'_, '_, '_>) -> T,
) -> T {
    let mut marks = case.cache.spare_marks(case.corpus);
    marks.mark(case.corpus, reading);
    let candidates = marks.candidates(case.corpus, reading);
    let answer = ask(&Case { marks: &marks, reading, candidates: &candidates, ..*case });
    case.cache.keep_spare(marks);
    answer
}

fn rule(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let fits: Vec<Fit> =
        case.candidates.iter().map(|candidate| fit(case, *candidate, Except::default())).collect();
    changes::decide(case)
        .or_else(|| tracks::decide(case))
        .or_else(|| ranks::decide(case))
        .or_else(|| sums::decide(case))
        .or_else(|| rates::decide(case))
        .or_else(|| ratios::decide(case))
        .or_else(|| fractions::decide(case))
        .or_else(|| series::decide(case))
        .or_else(|| chronology::decide(case))
        .or_else(|| offsets::decide(case))
        .or_else(|| counters::decide(case))
        .or_else(|| tallies::decide(case))
        .or_else(|| attributes::decide(case))
        .or_else(|| (!is_counted(case)).then(|| supported(case, &fits)).flatten())
        .or_else(|| lasting::decide(case))
        .or_else(|| aging::decide(case))
        .or_else(|| instants::decide(case))
        .or_else(|| firsts::decide(case))
        .or_else(|| counts::decide_things(case))
        .or_else(|| counts::decide_all_lines(case))
        .or_else(|| counts::decide_events(case))
        .or_else(|| existence::decide(case))
        .or_else(|| unlisted::decide(case))
        .or_else(|| turned::decide(case, Governs::SomeThings))
        .or_else(|| other_names::decide(case))
        .or_else(|| refuted(case, &fits))
        .or_else(|| absence::decide(case))
}

/// Whether the claim speaks of several things, so that one of them does not bear it out.
pub(crate) fn is_counted(case: &Case<'_, '_, '_>) -> bool {
    counts::is_universal(case.reading)
        || counts::count_of_things(case.reading).is_some()
        || portions::speaks_of_several(case.reading)
}

/// One place that bears out all of the claim.
fn supported(case: &Case<'_, '_, '_>, fits: &[Fit]) -> Option<Ruling> {
    let fit = fits.iter().find(|fit| is_borne_out(case, fit))?;
    let cites = if fit.supports.is_empty() { best_fields(case, fit) } else { fit.supports.clone() };
    if let Some((cite, says)) = fits.iter().find_map(|other| conflict(case, fit, other)) {
        return Some(Ruling {
            class: Class::Ungrounded,
            basis: Basis::Stated,
            cites: cites.into_iter().chain([cite]).collect(),
            note: format!("the evidence disagrees with itself: {says}"),
        });
    }
    let says = cites.first().map_or_else(String::new, |cite| match cite {
        Cite::Field(field) => note::says(case, *field),
        Cite::Sample { series, sample } => note::sample(case, *series, *sample),
        Cite::Item(item) => note::absent(case, *item),
    });
    Some(Ruling::grounded(Basis::Stated, cites, says))
}

/// What another item that is not older says against a place, about the very thing that the claim names.
fn conflict(case: &Case<'_, '_, '_>, fit: &Fit, other: &Fit) -> Option<(Cite, String)> {
    let (cite, says) = other.refutations.first()?;
    let (here, there) = (item_of(case, *fit.supports.first()?)?, item_of(case, *cite)?);
    let is_older = there.collected_at < here.collected_at;
    let demands = case.reading.bits(|term| matches!(term.role, Role::Demand(_)));
    let applies = here.id != there.id
        && !is_older
        && there.lane.is_hard()
        && demands == 0
        && other.has_names(case.reading)
        && has_words(case.reading, other.found)
        && bears_exact_name(case, fit)
        && bears_exact_name(case, other);
    applies.then(|| (*cite, says.clone()))
}

/// Whether a place is about the very thing that the claim names, not about a part of it.
fn bears_exact_name(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let object = match fit.candidate.target {
        Target::Line(field) => case.corpus.field(field).map_or(NONE, |field| field.object),
        Target::Object(object) => object,
    };
    case.reading.terms.iter().filter(|term| term.role == Role::Entity).any(|term| {
        let names = term.keys.first().map(|key| case.corpus.by_name.of(*key).take(64));
        names.into_iter().flatten().filter_map(|name| case.corpus.names.get(name as usize)).any(
            |name| {
                let written = case.corpus.value(name.field);
                let exact = written
                    .rsplit('/')
                    .next()
                    .is_some_and(|name| name.eq_ignore_ascii_case(term.text));
                exact && case.corpus.around(object).any(|(number, _)| number == name.object)
            },
        )
    })
}

fn is_borne_out(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    const LARGEST_STATEMENT: u32 = 40;
    let reading = case.reading;
    if fit.open > 0
        || !fit.refutations.is_empty()
        || fit.polarity_differs
        || !fit.has_names(reading)
    {
        return false;
    }
    let near_names = reading.bits(|term| term.role == Role::Entity) & !fit.candidate.near;
    if near_names != 0 && is_about_others(case, fit) || is_denied_elsewhere(case, fit) {
        return false;
    }
    if lacks_denial(case, fit)
        || guards::is_request(case, fit)
        || emptiness::is_nothing_there(case, fit)
    {
        return false;
    }
    let mut places = best_fields(case, fit);
    places.extend(&fit.supports);
    if denials::is_undenied_there(case, fit.decided, &places) {
        return false;
    }
    if !has_words(reading, fit.found) || !demands_are_met(case, fit) || names_a_day(case) {
        return false;
    }
    if is_question(case, fit) || speaks_of_the_present_only(case, fit) {
        return false;
    }
    if fit.parts > 0 {
        let told = reading.bits(|term| term.is_strict() || term.role == Role::Word) & fit.found;
        let only_times = fit.parts == reading.figures.times.len();
        return !fit.supports.is_empty() && told.count_ones() >= if only_times { 2 } else { 1 };
    }
    let size = match fit.candidate.target {
        Target::Line(_) => 1,
        Target::Object(object) => {
            case.corpus.object(object).map_or(0, |object| object.fields.1 - object.fields.0)
        }
    };
    let words = reading
        .bits(|term| matches!(term.role, Role::Word | Role::Name | Role::Entity))
        .count_ones();
    (words >= 2 || is_value_of_sort(case, fit))
        && size <= LARGEST_STATEMENT
        && names_in_order(case, fit).is_none_or(|(same, _)| same)
}

/// Whether a place gives the one name of a claim as the value of what the claim speaks of: under a key with a word of
/// it, or in a row of a list of the sort of thing that it names.
fn is_value_of_sort(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let reading = case.reading;
    let strict = reading.bits(Term::is_strict);
    let around = reading.bits(|term| !term.is_strict() && !term.span.is_empty());
    let sorts = reading.bits(|term| term.role == Role::Kind && !term.span.is_empty());
    strict != 0
        && fit::fields(case.corpus, fit.candidate.target).any(|field| {
            let Some(found) = case.corpus.field(field) else { return false };
            let (keys, item) = (case.corpus.key_words(found), case.corpus.item_of(field));
            let here = case.marks.field(field) & strict == strict;
            let by_key = bits_in(reading, keys, around) != 0 && bits_in(reading, keys, strict) == 0;
            let by_list = keys.is_empty() && sorts & case.marks.tool(item) != 0;
            here && (by_key || by_list)
        })
}

/// Whether a place is what somebody asked the agent: it bears out only what the claim says was asked or reported.
fn is_question(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let item = case.corpus.item(absence::item_of(case, fit.candidate.target));
    item.is_some_and(|item| item.kind == EvidenceKind::Signal && item.lane == Lane::Synthetic)
        && !words(case.reading.text).any(|word| {
            ["asked", "question", "report", "reported", "reports", "request", "user", "users"]
                .iter()
                .any(|told| word.is(told))
        })
}

/// Whether the claim says how things still are, and the place only how they were at its time.
fn speaks_of_the_present_only(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let says = |text: &str| words(text).any(|word| word.is("still"));
    let is_dated = |field: u32| !case.cache.times(case.corpus, field).is_empty();
    says(case.reading.text)
        && case.reading.figures.times.is_empty()
        && fit::fields(case.corpus, fit.candidate.target).any(is_dated)
        && !fit::fields(case.corpus, fit.candidate.target)
            .any(|field| says(case.corpus.value(field)))
}

/// Whether the claim names a calendar day, which nothing here compares.
fn names_a_day(case: &Case<'_, '_, '_>) -> bool {
    case.reading.figures.codes.iter().any(|code| code.kind == CodeKind::Date)
}

/// A claim that says "not" is borne out by a place only where a state decides it or a field denies it; one that
/// denies a denial ("is not unknown") by none.
fn lacks_denial(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let reading = case.reading;
    if !polarity::says_not(reading) {
        return false;
    }
    let by_state = reading.bits(|term| term.negated) & fit.decided != 0;
    let denies = |cite: &Cite| matches!(cite, Cite::Field(field) if case.cache.polarity(case.corpus, *field).denies);
    let said = best_fields(case, fit).iter().chain(&fit.supports).any(denies);
    polarity::denies_denial(reading.text) || !by_state && !said
}

/// A claim that denies something is borne out by a place only where a state or a line denies it.
fn is_denied_elsewhere(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let denied = case.reading.bits(|term| term.negated && term.role == Role::Word);
    let is_line = matches!(fit.candidate.target, Target::Line(_));
    let says_so = || {
        best_fields(case, fit).iter().any(
            |cite| matches!(cite, Cite::Field(field) if case.cache.polarity(case.corpus, *field).denies),
        )
    };
    denied != 0 && !is_line && fit.supports.is_empty() && !says_so()
}

/// Whether the place bears names, and none of the claim's.
fn is_about_others(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let object = match fit.candidate.target {
        Target::Line(field) => case.corpus.field(field).map_or(NONE, |field| field.object),
        Target::Object(object) => object,
    };
    case.corpus.around(object).any(|(_, around)| around.is_named)
}

/// Whether two names that a field and the claim both have stand in the same order, where the field joins them with
/// the claim's own "to"; and the field.
fn names_in_order(case: &Case<'_, '_, '_>, fit: &Fit) -> Option<(bool, u32)> {
    let names = case
        .reading
        .bits(|term| matches!(term.role, Role::Entity | Role::Name) && !term.span.is_empty());
    if names.count_ones() < 2 {
        return None;
    }
    fit::fields(case.corpus, fit.candidate.target).find_map(|field| {
        let here = case.marks.field(field) & names;
        (here.count_ones() == 2)
            .then(|| order_in(case, field, here))
            .flatten()
            .map(|same| (same, field))
    })
}

fn order_in(case: &Case<'_, '_, '_>, field: u32, names: u64) -> Option<bool> {
    let line = case.corpus.value(field);
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (place, term) in case.reading.terms.iter().enumerate() {
        if names >> place & 1 == 1 {
            let word = words(line).find(|word| word.text.eq_ignore_ascii_case(term.text))?;
            places.push((term.span.start, word.span.start));
        }
    }
    let [first, second] = places.as_slice() else { return None };
    let (low, high) = (first.1.min(second.1), first.1.max(second.1));
    let joined =
        |text: Option<&str>| text.is_some_and(|text| words(text).any(|word| word.is("to")));
    let both = joined(line.get(low..high)) && joined(case.reading.text.get(first.0..second.0));
    both.then_some(first.1 < second.1)
}

/// A place that is about the same and says otherwise.
fn refuted(case: &Case<'_, '_, '_>, fits: &[Fit]) -> Option<Ruling> {
    let reading = case.reading;
    let strict = reading.bits(Term::is_strict);
    let is_about = |fit: &&Fit| {
        (fit.candidate.near | fit.decided) & strict == strict
            && has_words(reading, fit.found)
            && is_in_stretch(case, fit)
    };
    let about: Vec<&Fit> = fits.iter().filter(is_about).collect();
    let refuting: Vec<&&Fit> = about
        .iter()
        .filter(|fit| !fit.refutations.is_empty() && !is_of_another_time(case, fit))
        .collect();
    let demands = reading.bits(|term| matches!(term.role, Role::Demand(_)));
    if let Some(fit) = refuting.first()
        && demands == 0
        && !reading.has_alternatives()
    {
        // Without a name in the claim, or with one that several things bear, only unanimity refutes.
        let named = strict != 0;
        let dissent = about.iter().any(|other| {
            let supports = other.refutations.is_empty() && !other.supports.is_empty();
            supports && (!named || other.open <= fit.open)
        });
        let several = distinct_things(case, &refuting) > 1 && !reading.figures.figures.is_empty();
        if !several && !dissent && !stands_beside(case, fit) {
            let cites = fit.refutations.iter().map(|(cite, _)| *cite).collect();
            let says = fit.refutations.first().map_or_else(String::new, |(_, says)| says.clone());
            return Some(Ruling::contradicted(Basis::Stated, cites, says));
        }
    }
    if let Some(field) = about.iter().find_map(|fit| other_direction(case, fit)) {
        return Some(Ruling::contradicted(
            Basis::Stated,
            vec![Cite::Field(field)],
            note::says(case, field),
        ));
    }
    let reversed = about.iter().filter(|fit| fit.open == 0).find_map(|fit| {
        names_in_order(case, fit).filter(|(same, _)| !same).map(|(_, field)| field)
    });
    if let Some(field) = reversed {
        return Some(Ruling::contradicted(
            Basis::Stated,
            vec![Cite::Field(field)],
            note::says(case, field),
        ));
    }
    let denied = about.iter().find_map(|fit| flat_denial(case, fit))?;
    Some(Ruling::contradicted(Basis::Stated, vec![Cite::Field(denied)], note::says(case, denied)))
}

/// Whether a claim states a time of which a place says nothing, and that is not when it was collected.
fn is_of_another_time(case: &Case<'_, '_, '_>, place: &Fit) -> bool {
    const NEAR: i64 = 120;
    let [time] = case.reading.figures.times.as_slice() else { return false };
    let without = fit(case, place.candidate, Except { figure: None, times: true });
    if without.open >= place.open {
        return false;
    }
    let item = case.corpus.item(absence::item_of(case, place.candidate.target));
    let Some(collected) = item.and_then(|item| item.collected_at) else { return false };
    let of_day = collected.as_micros().div_euclid(1_000_000).rem_euclid(86_400);
    let apart = (of_day - i64::from(time.seconds_of_day)).abs();
    apart.min(86_400 - apart) > NEAR
}

/// Whether a row beside the one that refutes has the claim's figure under the same key, and the claim names neither.
fn stands_beside(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    const MOST: usize = 2_000;
    let corpus = case.corpus;
    let Some((Cite::Field(refuting), _)) = fit.refutations.first() else { return false };
    let Some(found) = corpus.field(*refuting) else { return false };
    let record = corpus.record(found.object);
    let names = case.reading.bits(Term::is_strict);
    let parent = corpus.object(record).and_then(|record| corpus.object(record.parent));
    let Some(parent) = parent.filter(|_| case.marks.content(record) & names == 0) else {
        return false;
    };
    let name = corpus.name(*refuting);
    let agrees = |field: u32| {
        case.cache.values(corpus, field).iter().any(|value| {
            case.reading
                .figures
                .figures
                .iter()
                .any(|figure| compare(figure, &value.figure) == Agreement::Same)
        })
    };
    !name.is_empty()
        && (parent.fields.0..parent.fields.1)
            .take(MOST)
            .any(|field| corpus.name(field) == name && agrees(field))
}

/// Whether a place falls into the stretch of time that the claim speaks of, if it speaks of one.
fn is_in_stretch(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    match fit.candidate.target {
        Target::Object(record) => !scope::is_stretch(case) || scope::is_in_scope(case, record),
        Target::Line(_) => true,
    }
}

/// A line that marks the other direction: `down` where the claim says that it rose.
fn other_direction(case: &Case<'_, '_, '_>, fit: &Fit) -> Option<u32> {
    let Target::Line(field) = fit.candidate.target else { return None };
    let demand = case.reading.terms.iter().enumerate().find_map(|(place, term)| match term.role {
        Role::Demand(sense @ (Sense::Raise | Sense::Lower)) => Some((place, sense)),
        _ => None,
    });
    let (place, sense) = demand?;
    let other = if sense == Sense::Raise { "down" } else { "up" };
    let marked = words(case.corpus.value(field)).any(|word| word.is(other));
    let complete =
        fit.open == 0 && fit.refutations.is_empty() && case.marks.field(field) >> place & 1 == 0;
    (marked && complete).then_some(field)
}

/// A short line that has every word and name of the claim with the contrary polarity.
fn flat_denial(case: &Case<'_, '_, '_>, fit: &Fit) -> Option<u32> {
    const LONGEST: usize = 14;
    const LACKING: [&str; 6] = ["insufficient", "lack", "lacks", "short", "exceeded", "unable"];
    let reading = case.reading;
    let all = reading.bits(|term| !matches!(term.role, Role::Kind));
    if !fit.polarity_differs
        || fit.parts > 0
        || reading.bits(Term::is_strict) == 0
        || all.count_ones() < 2
    {
        return None;
    }
    fit::fields(case.corpus, fit.candidate.target).find(|field| {
        let value = case.corpus.value(*field);
        let item = case.corpus.item(case.corpus.item_of(*field));
        // A question to the agent denies nothing.
        item.is_some_and(|item| item.kind != EvidenceKind::Signal)
            && case.marks.field(*field) & all == all
            && case.cache.polarity(case.corpus, *field).denies != reading.denies
            && polarity::denies(link_of(reading, value)) != reading.denies
            && words(value).count() <= LONGEST
            && !(reading.denies
                && words(value).any(|word| LACKING.iter().any(|lack| word.is(lack))))
    })
}

/// The links of a chain of errors that a claim's words stand in: "aborted" of "aborted: could not write".
fn link_of<'v>(reading: &Reading<'_>, value: &'v str) -> &'v str {
    let told = |link: &str| {
        words(link).any(|word| {
            let key = key(word.text);
            reading.terms.iter().any(|term| term.role != Role::Kind && term.keys.contains(&key))
        })
    };
    let mut end = value.len();
    while let Some(at) = value.get(..end).and_then(|links| links.rfind(": ")) {
        if value.get(at..end).is_none_or(told) {
            break;
        }
        end = at;
    }
    value.get(..end).unwrap_or(value)
}

/// How many different outer records some fits belong to.
fn distinct_things(case: &Case<'_, '_, '_>, fits: &[&&Fit]) -> usize {
    let mut seen = Vec::new();
    for fit in fits {
        let record = match fit.candidate.target {
            Target::Line(_) => continue,
            Target::Object(object) => case.corpus.outer_record(object),
        };
        let is_root = case.corpus.object(record).is_none_or(|object| object.parent == NONE);
        if !is_root && !seen.contains(&record) {
            seen.push(record);
        }
    }
    seen.len()
}

/// What hedges, causal links and reported deeds demand beyond a fitting place.
fn is_allowed(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    let reading = case.reading;
    if ruling.cites.is_empty() || ruling.cites.iter().any(|cite| is_inferred(case, *cite)) {
        return false;
    }
    if ruling.class == Class::Contradicted {
        return !reading.has(MarkerKind::Hedge)
            && !unread::may_mean_more(reading, ruling.basis)
            && !guards::is_about_another(case, ruling)
            && !guards::is_stated_beside(case, ruling)
            && !guards::is_stated_as_counted(case, ruling)
            && !guards::is_about_something_else(case, ruling);
    }
    if guards::is_beside_the_claim(case, ruling) {
        return false;
    }
    if reading.is_causal() && !ruling.cites.iter().any(|cite| states_cause(case, *cite)) {
        return false;
    }
    if denials::record_denies(case, &ruling.cites) {
        return false;
    }
    // That a series "recovered" is no deed.
    ruling.basis == Basis::Measured
        || !reading.has(MarkerKind::ActionDone)
        || ruling.cites.iter().any(|cite| shows_deed(case, *cite))
}

pub(crate) fn item_of<'a>(case: &Case<'a, '_, '_>, cite: Cite) -> Option<&'a EvidenceItem> {
    case.corpus.item(item_number(case, cite))
}

/// The number of the item that is cited.
pub(crate) fn item_number(case: &Case<'_, '_, '_>, cite: Cite) -> u32 {
    match cite {
        Cite::Field(field) => case.corpus.item_of(field),
        Cite::Sample { series, .. } => {
            let series = case.corpus.series.get(series as usize);
            series
                .and_then(|series| case.corpus.object(series.object))
                .map_or(0, |object| object.item)
        }
        Cite::Item(item) => item,
    }
}

/// What a language model inferred is no evidence, either way.
fn is_inferred(case: &Case<'_, '_, '_>, cite: Cite) -> bool {
    item_of(case, cite).is_none_or(|item| !item.lane.is_hard())
}

/// Whether one line states a cause, and not only what happened at the same time.
fn states_cause(case: &Case<'_, '_, '_>, cite: Cite) -> bool {
    match cite {
        Cite::Field(field) => causal_link(case.corpus.value(field)).is_some(),
        Cite::Sample { .. } | Cite::Item(_) => false,
    }
}

/// "Rolled back", "fixed": shown by a change, a check, or a record that uses the word itself.
fn shows_deed(case: &Case<'_, '_, '_>, cite: Cite) -> bool {
    let Some(item) = item_of(case, cite) else { return false };
    let by_kind = matches!(item.kind, EvidenceKind::Change | EvidenceKind::Verification)
        || matches!(item.lane, Lane::Change | Lane::Verification);
    let Cite::Field(field) = cite else { return by_kind };
    let deed = case.reading.bits(|term| {
        case.reading.markers.iter().any(|marker| {
            marker.kind == MarkerKind::ActionDone
                && marker.span.start <= term.span.start
                && term.span.end <= marker.span.end
        })
    });
    let record = case.corpus.field(field).map(|found| case.corpus.record(found.object));
    let in_record = record
        .filter(|record| case.corpus.object(*record).is_some_and(|object| object.parent != NONE));
    let stated = case.marks.field(field) | in_record.map_or(0, |record| case.marks.content(record));
    by_kind || deed != 0 && stated & deed != 0
}

/// The type that the cited items allow.
fn evidence_type(case: &Case<'_, '_, '_>, ruling: &Ruling) -> EvidenceType {
    if ruling.basis == Basis::Absent {
        return EvidenceType::NegEvidence;
    }
    let mut items: Vec<u32> = ruling.cites.iter().map(|cite| item_number(case, *cite)).collect();
    items.dedup();
    if ruling.basis == Basis::Derived || items.len() != 1 {
        return EvidenceType::Synthesis;
    }
    match items.first().and_then(|item| case.corpus.item(*item)).map(|item| item.kind) {
        Some(EvidenceKind::ToolOutput | EvidenceKind::Change | EvidenceKind::Verification) => {
            EvidenceType::ToolMatch
        }
        Some(EvidenceKind::StepOutput) => EvidenceType::SpecificData,
        Some(EvidenceKind::Signal) => EvidenceType::SignalMatch,
        Some(EvidenceKind::PriorClaim) | None => EvidenceType::Synthesis,
    }
}

fn ungrounded(case: &Case<'_, '_, '_>) -> Verdict {
    let reading = case.reading;
    let is_observation = (!reading.figures.is_empty() || reading.bits(Term::is_strict) != 0)
        && !reading.has(MarkerKind::Hedge)
        && !reading.is_causal();
    let evidence_type =
        if is_observation { EvidenceType::ToolMatch } else { EvidenceType::Inference };
    Verdict { class: Class::Ungrounded, evidence_type, cites: Vec::new(), note: reason(case) }
}

/// Why nothing decided.
fn reason(case: &Case<'_, '_, '_>) -> String {
    let reading = case.reading;
    if !reading.is_english {
        return "the rules read English only".to_owned();
    }
    let anywhere = case.marks.anywhere();
    let missing: Vec<&str> = reading
        .terms
        .iter()
        .enumerate()
        .filter(|(place, term)| {
            anywhere >> place & 1 == 0 && !matches!(term.role, Role::Kind | Role::Common)
        })
        .map(|(_, term)| term.text)
        .take(4)
        .collect();
    if !missing.is_empty() {
        return note::not_mentioned(case, &missing);
    }
    if reading.is_causal() {
        return "nothing in the evidence states this causal link".to_owned();
    }
    if reading.has(MarkerKind::Hedge) {
        return "stated as a guess, and nothing in the evidence states it".to_owned();
    }
    if reading.has_open_order() {
        return "no single record shows this order of events".to_owned();
    }
    "its words stand in the evidence, but no record states all of it".to_owned()
}
