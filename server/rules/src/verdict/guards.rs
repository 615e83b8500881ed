//! What every finding for a claim has to pass: the cited places are about the claim's names and source, say nothing
//! else of its slots, and are no request repeated.
//!
//! The rules tie a claim's parts together; a part that a rule leaves out is held against the finding here.

use gsar_core::evidence::EvidenceKind;
use gsar_core::text::figures::{Agreement, Dimension, Figure};
use gsar_core::text::tokens::{Word, words};

use crate::claim::reading::Role;
use crate::evidence::values::compare;

use crate::matching::candidates::Target;
use crate::matching::fit::{Fit, LEAST_PROSE, best_fields};
use crate::matching::flags;
use crate::verdict::decide::{item_number, item_of};
use crate::verdict::rivals;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::verdict::sections;
use crate::verdict::unread;
use crate::vocabulary::denied_words::is_written_as_name;

/// Whether a finding passes over something that the claim says.
pub(crate) fn is_beside_the_claim(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    let reading = case.reading;
    let lines = ruling.cites.iter().filter_map(|cite| match cite {
        Cite::Field(field) => Some(case.corpus.line(*field)),
        Cite::Sample { .. } | Cite::Item(_) => None,
    });
    unread::says_more(reading)
        || unread::is_in_other_zone(reading, lines)
        || lacks_names(case, ruling)
        || rivals::say_otherwise(case, &ruling.cites)
        || flags::are_denied(case, cited_records(case, &ruling.cites))
        || is_of_another_source(case, ruling)
        || sections::are_of_another_number(case, &ruling.cites)
        || sections::are_of_a_part(case, &ruling.cites)
        || ruling.basis == Basis::Stated && sections::are_scattered(case, &ruling.cites)
}

/// Whether a claim is of something else than the cited places: of what people knew, or of a text that it quotes and
/// that stands elsewhere.
pub(crate) fn is_about_another(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    let text = case.reading.text;
    let all: Vec<Word<'_>> = words(text).collect();
    if unread::is_told_of_people(&all)
        || is_only_a_level(case, &all, ruling)
        || is_told_in_other_prose(case, ruling)
        || sections::are_of_another_number(case, &ruling.cites)
    {
        return true;
    }
    let Some(quoted) = quoted(text) else { return false };
    let in_field = |field: u32| has_words_of(case.corpus.line(field), quoted);
    let stands = case.marks.marked_fields().iter().any(|field| in_field(*field));
    stands
        && ruling.cites.iter().all(|cite| match cite {
            Cite::Field(field) => !in_field(*field),
            Cite::Sample { .. } | Cite::Item(_) => false,
        })
}

/// Whether a severity is held against a word that names a quantity: "error rate" is no severity.
fn is_only_a_level(case: &Case<'_, '_, '_>, all: &[Word<'_>], ruling: &Ruling) -> bool {
    const LEVELS: [&str; 7] = ["critical", "debug", "error", "errors", "fatal", "info", "warning"];
    const QUANTITIES: [&str; 16] = [
        "budget",
        "code",
        "codes",
        "count",
        "counts",
        "lines",
        "message",
        "messages",
        "percentage",
        "rate",
        "rates",
        "ratio",
        "response",
        "responses",
        "share",
        "threshold",
    ];
    let is_level = |cite: &Cite| match cite {
        Cite::Field(field) => words(case.corpus.name(*field)).last().is_some_and(|name| {
            ["severity", "level", "loglevel", "priority"].iter().any(|level| name.is(level))
        }),
        Cite::Sample { .. } | Cite::Item(_) => false,
    };
    let any = |word: Option<&Word<'_>>, table: &[&str]| {
        word.is_some_and(|word| table.iter().any(|entry| word.is(entry)))
    };
    let is_quantity = |(at, word): (usize, &Word<'_>)| {
        !any(Some(word), &LEVELS) || any(all.get(at + 1), &QUANTITIES)
    };
    ruling.cites.iter().all(is_level)
        && all.iter().any(|word| any(Some(word), &LEVELS))
        && all.iter().enumerate().all(is_quantity)
}

/// Whether prose is cited against a figure that prose of another item with as many of the claim's words states.
fn is_told_in_other_prose(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    const MOST: usize = 2_000;
    const LEAST_WORDS: u32 = 2;
    let is_amount = |figure: &&Figure| figure.unit.dimension != Dimension::Multiple;
    let mut amounts = case.reading.figures.figures.iter().filter(is_amount);
    let (Some(figure), None) = (amounts.next(), amounts.next()) else { return false };
    let corpus = case.corpus;
    let is_prose = |field: u32| words(corpus.value(field)).nth(LEAST_PROSE).is_some();
    let content = case.reading.bits(|term| term.is_strict() || term.role == Role::Word);
    let [Cite::Field(cited)] = ruling.cites.as_slice() else { return false };
    let shared = (case.marks.field(*cited) & content).count_ones();
    figure.unit.dimension != Dimension::Count
        && is_prose(*cited)
        && case.marks.marked_fields().iter().take(MOST).any(|field| {
            let here = (case.marks.field(*field) & content).count_ones();
            corpus.item_of(*field) != corpus.item_of(*cited)
                && here >= LEAST_WORDS.max(shared.saturating_sub(1))
                && is_prose(*field)
                && case
                    .cache
                    .values(corpus, *field)
                    .iter()
                    .any(|value| compare(figure, &value.figure) == Agreement::Same)
        })
}

/// Whether a record beside the cited one has the claim's figure under the same key, and the cited one lacks a word of
/// the claim: then it may be the other that is meant.
pub(crate) fn is_stated_beside(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    const MOST: usize = 4_000;
    let corpus = case.corpus;
    let [Cite::Field(cited)] = ruling.cites.as_slice() else { return false };
    let Some(found) = corpus.field(*cited).filter(|_| ruling.basis == Basis::Stated) else {
        return false;
    };
    let record = corpus.record(found.object);
    let content = case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name));
    let here =
        case.marks.content(record) | case.marks.around(corpus, record) | case.marks.field(*cited);
    let list = corpus.object(record).and_then(|record| corpus.object(record.parent));
    let (Some(list), name) = (list, corpus.name(*cited)) else { return false };
    !name.is_empty()
        && content & !here != 0
        && (list.fields.0..list.fields.1).take(MOST).any(|field| {
            corpus.name(field) == name && !corpus.holds(record, field) && states(case, field)
        })
}

/// Whether a field states one of the claim's figures.
fn states(case: &Case<'_, '_, '_>, field: u32) -> bool {
    case.cache.values(case.corpus, field).iter().any(|value| {
        case.reading
            .figures
            .figures
            .iter()
            .any(|figure| compare(figure, &value.figure) == Agreement::Same)
    })
}

/// Whether a number that things or lines were counted against stands in the evidence itself, beside words of the
/// claim: a list may show a part only, or other things.
pub(crate) fn is_stated_as_counted(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    const MOST: usize = 4_000;
    const TELLING: i128 = 100;
    if ruling.basis != Basis::Derived {
        return false;
    }
    let [figure] = case.reading.figures.figures.as_slice() else { return false };
    let is_telling = figure.unit.dimension == Dimension::Count && figure.value.mantissa >= TELLING
        || figure.unit.factor > 1;
    let content = case.reading.bits(|term| {
        matches!(term.role, Role::Word | Role::Name | Role::Kind) && !term.span.is_empty()
    });
    is_telling
        && case
            .marks
            .marked_fields()
            .iter()
            .take(MOST)
            .any(|field| case.marks.field(*field) & content != 0 && states(case, *field))
}

/// What stands between single quotation marks and has three words or more.
fn quoted(text: &str) -> Option<&str> {
    let (_, after) = text.split_once(" '")?;
    let end = after.rfind("' ").or_else(|| after.rfind("'."))?;
    let quoted = after.get(..end)?;
    words(quoted).nth(2).map(|_| quoted)
}

/// Whether a line has all words of a quotation, in their order.
fn has_words_of(line: &str, quoted: &str) -> bool {
    let mut rest = words(line);
    words(quoted).all(|wanted| rest.any(|word| word.text.eq_ignore_ascii_case(wanted.text)))
}

/// Whether a place that says otherwise is hardly about what the claim is about: besides the part in which they differ,
/// it and what stands around it lack a third of the claim's words.
pub(crate) fn is_about_something_else(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    const SHORT: u32 = 2;
    let reading = case.reading;
    if ruling.basis != Basis::Stated {
        return false;
    }
    let mut found =
        cited_records(case, &ruling.cites).fold(0, |bits, field| bits | case.marks.field(field));
    for cite in &ruling.cites {
        if let Cite::Field(field) = cite
            && let Some(stated) = case.corpus.field(*field)
        {
            found |= case.marks.around(case.corpus, stated.object);
        }
        found |= case.marks.tool(item_number(case, *cite));
    }
    let content = reading.bits(|term| matches!(term.role, Role::Word | Role::Name | Role::Entity));
    let missing = content & !found;
    // What a claim of few words is about, its kinds say.
    let kinds = reading.bits(|term| term.role == Role::Kind && !term.span.is_empty());
    let names = reading.bits(|term| term.is_strict() || is_written_as_name(term.text));
    let is_short = names & content == 0 && content.count_ones() <= SHORT;
    if is_short && kinds & !found == kinds && kinds != 0 {
        return true;
    }
    let differing = reading
        .terms
        .iter()
        .enumerate()
        .filter(|(place, _)| missing >> place & 1 == 1)
        .map(|(_, term)| term.weight())
        .max()
        .unwrap_or(0);
    (reading.weight(missing) - differing) * 3 > reading.weight(content)
}

/// The fields of the records that are cited.
fn cited_records<'a>(
    case: &'a Case<'_, '_, '_>,
    cites: &'a [Cite],
) -> impl Iterator<Item = u32> + 'a {
    const MOST: usize = 40;
    const MOST_CITES: usize = 8;
    cites.iter().take(MOST_CITES).flat_map(move |cite| {
        let (start, end) = match cite {
            Cite::Field(field) => {
                let found = case.corpus.field(*field).map(|found| case.corpus.record(found.object));
                let record = found.and_then(|record| case.corpus.object(record));
                let small = record.filter(|record| record.fields.1 - record.fields.0 <= 200);
                small.map_or((*field, *field + 1), |record| record.fields)
            }
            Cite::Sample { .. } | Cite::Item(_) => (0, 0),
        };
        (start..end).take(MOST)
    })
}

/// Whether the claim is about what the alert says, and no alert is cited.
fn is_of_another_source(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    const SAYING: [&str; 20] = [
        "blames",
        "blamed",
        "claims",
        "describes",
        "gives",
        "gave",
        "lists",
        "mentions",
        "named",
        "names",
        "puts",
        "put",
        "quotes",
        "reported",
        "reports",
        "said",
        "says",
        "shows",
        "states",
        "tells",
    ];
    let mut first = words(case.reading.text).skip_while(|word| word.is("the")).take(2);
    let is_alert = first.next().is_some_and(|word| word.is("alert") || word.is("page"));
    let says = first.next().is_some_and(|word| SAYING.iter().any(|verb| word.is(verb)));
    is_alert
        && says
        && !ruling.cites.iter().any(|cite| {
            item_of(case, *cite).is_some_and(|item| {
                item.kind == EvidenceKind::Signal
                    || words(&item.tool).any(|word| word.is("alert") || word.is("alerts"))
            })
        })
}

/// Whether a name or code of the claim stands in none of the cited items.
fn lacks_names(case: &Case<'_, '_, '_>, ruling: &Ruling) -> bool {
    let corpus = case.corpus;
    // "p99" stands in queries as a quantile of 0.99.
    let is_percentile = |text: &str| {
        text.strip_prefix(['p', 'P']).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let strict = case.reading.bits(|term| {
        term.is_strict()
            && !term.span.is_empty()
            && !(ruling.basis == Basis::Measured && is_percentile(term.text))
    });
    if ruling.basis == Basis::Absent || strict == 0 {
        return false;
    }
    let mut items: Vec<u32> = ruling.cites.iter().map(|cite| item_number(case, *cite)).collect();
    items.sort_unstable();
    items.dedup();
    let of_items =
        |bits, item: &u32| bits | case.marks.tool(*item) | case.marks.headings(corpus, *item);
    let mut shown = items.iter().fold(0, of_items);
    for field in case.marks.marked_fields() {
        if items.binary_search(&corpus.item_of(*field)).is_ok() {
            shown |= case.marks.field(*field);
        }
    }
    strict & !shown & case.marks.anywhere() != 0
}

/// Whether a place is what a tool was asked, as its answer repeats it: it shows nothing of what there is.
pub(crate) fn is_request(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    const LEADS: [&str; 8] = [
        "command executed:",
        "executing:",
        "running:",
        "query:",
        "$ ",
        "include filter:",
        "exclude filter:",
        "searched for:",
    ];
    const ASKING: [&str; 12] = [
        "asked",
        "command",
        "executed",
        "filter",
        "filtered",
        "query",
        "queried",
        "ran",
        "run",
        "search",
        "searched",
        "searching",
    ];
    let Target::Line(field) = fit.candidate.target else {
        let only = best_fields(case, fit);
        let [Cite::Field(field)] = only.as_slice() else { return false };
        let line = case.corpus.line(*field).trim_start();
        return leads(line, &LEADS) && !asks(case, &ASKING);
    };
    leads(case.corpus.line(field).trim_start(), &LEADS) && !asks(case, &ASKING)
}

fn asks(case: &Case<'_, '_, '_>, asking: &[&str]) -> bool {
    words(case.reading.text).any(|word| asking.iter().any(|entry| word.is(entry)))
}

/// Whether a line begins with one of some leads, a number of a list aside.
fn leads(line: &str, leads: &[&str]) -> bool {
    let line = line
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start_matches(['.', ')', ' ', '-']);
    leads
        .iter()
        .any(|lead| line.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead)))
}
