//! Claims about series of samples: a peak, a least value, a value at a time, a range over a window, a bound
//! that held throughout.
//!
//! A series is meant when it has every name and code of the claim in its labels or query, and most of its
//! words. One sample outside refutes "throughout"; the peak is the greatest sample of the stated window, else
//! of the series. Times are as exact as the samples are dense.

use gsar_core::Class;
use gsar_core::text::figures::{Agreement, Comparator, Figure, Figures, Unit, agree, figures};

use crate::claim::reading::{Role, Term};
use crate::evidence::observations::{Corpus, Sample, Series};
use crate::evidence::values::{agree_with_sample, moment, unit_of_series};
use crate::matching::candidates::Target;
use crate::rules::counts::as_figure as count;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::lexicon::Sense;

/// A series that the claim may speak of.
struct Meant<'a> {
    number: u32,
    samples: &'a [Sample],
    first: u32,
    /// Terms in its labels and query.
    terms: u64,
    unit: Option<Unit>,
    /// The usual distance of two samples, in microseconds.
    step: i64,
}

/// Which stretch of time a claim speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    At(i64),
    Between(i64, i64),
}

/// Decides a claim about series.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    if case.corpus.series.is_empty() || case.reading.figures.figures.is_empty() {
        return None;
    }
    let when = when(case)?;
    let (things, figures): (Vec<&Figure>, Vec<&Figure>) =
        case.reading.figures.figures.iter().partition(|figure| counts_things(case, figure));
    let meant = meant(case);
    let best = meant.first()?.terms;
    let selected: Vec<&Meant<'_>> = meant
        .iter()
        .filter(|series| series.terms == best && !series.within(when).is_empty())
        .collect();
    if things.iter().any(|figure| agree(figure, &count(selected.len())) != Agreement::Same) {
        return None;
    }
    let words = case.reading.bits(|term| term.role == Role::Word);
    let has_all_words = words & !best == 0;
    if case.reading.has_open_order() {
        return None;
    }
    let ruling = judge(case, &selected, when, &figures)?;
    let firm = has_all_words && case.reading.bits(Term::is_strict) != 0;
    (ruling.class == Class::Grounded || firm).then_some(ruling)
}

fn judge(
    case: &Case<'_, '_, '_>,
    selected: &[&Meant<'_>],
    when: When,
    figures: &[&Figure],
) -> Option<Ruling> {
    let reading = case.reading;
    if let [low, high] = figures {
        return if reading.means(Sense::Raise) || reading.means(Sense::Lower) {
            rose(case, selected, (low, high))
        } else {
            range(case, selected, when, (low, high))
        };
    }
    let [figure] = figures else { return None };
    let [series] = selected else { return None };
    let samples = series.within(when);
    if reading.means(Sense::Peak) || reading.means(Sense::Trough) {
        let peak = reading.means(Sense::Peak);
        return extreme(case, series, figure, when, peak);
    }
    if reading.means(Sense::Sustained)
        || reading.means(Sense::Compare)
        || figure.comparator.is_some()
    {
        return bound(case, series, &samples, figure);
    }
    let When::At(instant) = when else { return None };
    let nearest =
        samples.iter().copied().min_by_key(|number| series.micros(*number).abs_diff(instant))?;
    let cite = vec![series.cite(nearest)];
    match series.compare(case.corpus, figure, nearest) {
        Agreement::Same => Some(Ruling::grounded(
            Basis::Stated,
            cite,
            note::sample(case, series.number, series.first + nearest),
        )),
        Agreement::Different => Some(Ruling::contradicted(
            Basis::Stated,
            cite,
            note::sample(case, series.number, series.first + nearest),
        )),
        Agreement::Incomparable => None,
    }
}

/// Whether a figure only says how many things the claim speaks of: "the three old pods".
fn counts_things(case: &Case<'_, '_, '_>, figure: &Figure) -> bool {
    let noun = case.reading.noun(&figure.span);
    figure.unit == Unit::COUNT && case.reading.bits(|term| term.role == Role::Kind) & noun != 0
}

/// The claim's greatest or least value against that of the window.
fn extreme(
    case: &Case<'_, '_, '_>,
    series: &Meant<'_>,
    figure: &Figure,
    when: When,
    peak: bool,
) -> Option<Ruling> {
    let whole = match when {
        When::At(_) => When::Always,
        other => other,
    };
    let samples = series.within(whole);
    let by_value = |a: &u32, b: &u32| series.value(*a).total_cmp(&series.value(*b));
    let found = if peak {
        samples.iter().copied().max_by(by_value)?
    } else {
        samples.iter().copied().min_by(by_value)?
    };
    let cite = vec![series.cite(found)];
    let says = note::extreme(case, series.number, series.first + found, peak);
    match series.compare(case.corpus, figure, found) {
        Agreement::Same => {
            let in_time = match when {
                When::At(instant) => {
                    let agrees_there = series.within(When::At(instant)).iter().any(|number| {
                        series.compare(case.corpus, figure, *number) == Agreement::Same
                    });
                    agrees_there
                        || series.micros(found).abs_diff(instant) <= series.step.unsigned_abs()
                }
                When::Always | When::Between(..) => true,
            };
            if in_time {
                Some(Ruling::grounded(Basis::Derived, cite, says))
            } else {
                Some(Ruling::contradicted(Basis::Derived, cite, says))
            }
        }
        Agreement::Different => Some(Ruling::contradicted(Basis::Derived, cite, says)),
        Agreement::Incomparable => None,
    }
}

/// A bound that every sample of the window has to keep.
fn bound(
    case: &Case<'_, '_, '_>,
    series: &Meant<'_>,
    samples: &[u32],
    figure: &Figure,
) -> Option<Ruling> {
    let comparator = figure.comparator.or_else(|| comparator(case))?;
    let bounded = Figure { comparator: Some(comparator), ..figure.clone() };
    if !case.reading.means(Sense::Sustained) || samples.is_empty() {
        return None;
    }
    let compared = |number: &u32| series.compare(case.corpus, &bounded, *number);
    let outside = samples.iter().find(|number| compared(number) == Agreement::Different);
    if let Some(outside) = outside {
        let says = note::sample(case, series.number, series.first + outside);
        return Some(Ruling::contradicted(Basis::Derived, vec![series.cite(*outside)], says));
    }
    let all = samples.iter().all(|number| compared(number) == Agreement::Same);
    let ends = [samples.first()?, samples.last()?];
    all.then(|| {
        Ruling::grounded(
            Basis::Derived,
            ends.iter().map(|number| series.cite(**number)).collect(),
            note::all_samples(case, series.number, samples.len()),
        )
    })
}

fn comparator(case: &Case<'_, '_, '_>) -> Option<Comparator> {
    let text = case.reading.text;
    let word = |wanted: &[&str]| {
        gsar_core::text::tokens::words(text).any(|word| wanted.iter().any(|entry| word.is(entry)))
    };
    if word(&["above", "over", "exceeded", "exceeding"]) {
        Some(Comparator::Over)
    } else if word(&["below", "under"]) {
        Some(Comparator::Under)
    } else {
        None
    }
}

/// "between A and B": the least and the greatest sample of the window over all the series.
fn range(
    case: &Case<'_, '_, '_>,
    selected: &[&Meant<'_>],
    when: When,
    figures: (&Figure, &Figure),
) -> Option<Ruling> {
    let text = case.reading.text;
    let between = text.get(figures.0.span.end..figures.1.span.start)?.trim();
    if !matches!(between, "and" | "to" | "-" | "–") {
        return None;
    }
    let mut least: Option<(&Meant<'_>, u32)> = None;
    let mut greatest: Option<(&Meant<'_>, u32)> = None;
    for series in selected {
        for number in series.within(when) {
            let value = series.value(number);
            if least.is_none_or(|(other, at)| value < other.value(at)) {
                least = Some((series, number));
            }
            if greatest.is_none_or(|(other, at)| value > other.value(at)) {
                greatest = Some((series, number));
            }
        }
    }
    let ((low, low_at), (high, high_at)) = (least?, greatest?);
    let compared = [
        low.compare(case.corpus, figures.0, low_at),
        high.compare(case.corpus, figures.1, high_at),
    ];
    let cites = vec![low.cite(low_at), high.cite(high_at)];
    let says = note::between(case, low.first + low_at, high.first + high_at, low.number);
    if compared.iter().all(|agreement| *agreement == Agreement::Same) {
        Some(Ruling::grounded(Basis::Derived, cites, says))
    } else if compared.contains(&Agreement::Different) && selected.len() == 1 {
        Some(Ruling::contradicted(Basis::Derived, cites, says))
    } else {
        None
    }
}

/// "rose from A to B": a sample of A and a later one of B.
fn rose(
    case: &Case<'_, '_, '_>,
    selected: &[&Meant<'_>],
    figures: (&Figure, &Figure),
) -> Option<Ruling> {
    let [series] = selected else { return None };
    let all = series.within(When::Always);
    let same = |figure: &Figure, number: u32| {
        series.compare(case.corpus, figure, number) == Agreement::Same
    };
    let from = all.iter().copied().find(|number| same(figures.0, *number))?;
    let to = all.iter().copied().find(|number| *number > from && same(figures.1, *number))?;
    let says = note::between(case, series.first + from, series.first + to, series.number);
    Some(Ruling::grounded(Basis::Derived, vec![series.cite(from), series.cite(to)], says))
}

impl Meant<'_> {
    fn within(&self, when: When) -> Vec<u32> {
        let inside = |micros: i64| match when {
            When::Always => true,
            When::At(instant) => micros.abs_diff(instant) <= self.step.unsigned_abs(),
            When::Between(start, end) => start <= micros && micros <= end,
        };
        (0_u32..)
            .zip(self.samples)
            .filter(|(_, sample)| inside(sample.micros))
            .map(|(number, _)| number)
            .collect()
    }

    fn micros(&self, number: u32) -> i64 {
        self.samples.get(number as usize).map_or(0, |sample| sample.micros)
    }

    fn value(&self, number: u32) -> f64 {
        self.samples.get(number as usize).map_or(f64::NAN, |sample| sample.value)
    }

    fn cite(&self, number: u32) -> Cite {
        Cite::Sample { series: self.number, sample: self.first + number }
    }

    fn compare(&self, corpus: &Corpus<'_>, claim: &Figure, number: u32) -> Agreement {
        let Some(sample) = self.samples.get(number as usize) else {
            return Agreement::Incomparable;
        };
        let item =
            corpus.series.get(self.number as usize).and_then(|series| corpus.object(series.object));
        let text = corpus.text(item.map_or(0, |object| object.item));
        let written = text.get(sample.number.0 as usize..sample.number.1 as usize).unwrap_or("");
        let Figures { figures, .. } = figures(written);
        let Some(value) = figures.first() else { return Agreement::Incomparable };
        agree_with_sample(claim, value, self.unit)
    }
}

/// The series that have every name and code of the claim and most of its words, the best first.
fn meant<'a>(case: &Case<'a, '_, '_>) -> Vec<Meant<'a>> {
    const LEAST_COVERAGE: u32 = 60;
    let reading = case.reading;
    let strict = reading.bits(Term::is_strict);
    let words = reading.bits(|term| term.role == Role::Word);
    let mut found = Vec::new();
    for (number, series) in (0_u32..).zip(&case.corpus.series) {
        let record = case.corpus.record(series.object);
        let candidate = case.marks.candidate(case.corpus, Target::Object(record));
        let root = case
            .corpus
            .object(record)
            .is_some_and(|object| object.parent == crate::evidence::observations::NONE);
        let terms = if root {
            case.marks.around(case.corpus, series.object)
                | case.marks.tool(case.corpus.object(record).map_or(0, |object| object.item))
        } else {
            candidate.terms
        };
        let covered = reading.weight(terms & words) * 100 >= reading.weight(words) * LEAST_COVERAGE;
        if terms & strict != strict || !covered || terms & words == 0 {
            continue;
        }
        if let Some(meant) = open(case.corpus, number, series, terms) {
            found.push(meant);
        }
    }
    found.sort_by_key(|series| std::cmp::Reverse(reading.weight(series.terms)));
    found
}

fn open<'a>(corpus: &'a Corpus<'_>, number: u32, series: &Series, terms: u64) -> Option<Meant<'a>> {
    let samples = corpus.samples.get(series.samples.0 as usize..series.samples.1 as usize)?;
    let step = samples
        .first()
        .zip(samples.get(1))
        .map_or(60_000_000, |(first, second)| second.micros.saturating_sub(first.micros));
    Some(Meant {
        number,
        samples,
        first: series.samples.0,
        terms,
        unit: unit_of_series(corpus, series),
        step,
    })
}

/// The window that the claim's times span; `None` when a time is on no known day.
fn when(case: &Case<'_, '_, '_>) -> Option<When> {
    let moments: Option<Vec<i64>> =
        case.reading.figures.times.iter().map(|time| moment(time, case.day)).collect();
    match moments?.as_slice() {
        [] => Some(When::Always),
        [at] => Some(When::At(*at)),
        [start, end] if start <= end => Some(When::Between(*start, *end)),
        _ => None,
    }
}
