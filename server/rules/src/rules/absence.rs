//! Claims that something is not there.
//!
//! An absence counts only where it would have shown: in an item that lists everything or answers a search,
//! whose tool or query has the thing looked for, or the sort of record that the claim names. A record that
//! has the thing refutes the claim.

use gsar_core::evidence::{EvidenceItem, EvidenceKind};
use gsar_core::text::figures::figures;
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::reading::{Role, Term};
use crate::evidence::observations::first_line;
use crate::evidence::observations::{Corpus, NONE, Object, ValueKind};
use crate::evidence::values::moment;
use crate::matching::candidates::{Target, is_line};
use crate::matching::magnitudes::bits_in;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// Decides a claim of absence.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if !reading.has(MarkerKind::Negation) && !reading.has(MarkerKind::None) {
        return None;
    }
    if reading.bits(|term| matches!(term.role, Role::Demand(_))) != 0 {
        return None;
    }
    let denied = reading.bits(|term| term.negated && matches!(term.role, Role::Word | Role::Name));
    let content = reading.bits(|term| matches!(term.role, Role::Word | Role::Name));
    // "a search for FATAL found none" denies what was searched for.
    let searched = denied == 0;
    let denied = if searched { content } else { denied };
    if denied == 0 {
        return None;
    }
    // "No event came more than 40 minutes late" denies the figure, not the events.
    let denies_figure = !reading.figures.figures.is_empty();
    // "No longer": that it was once there says nothing against it.
    let speaks_of_now =
        words(reading.text).any(|word| word.is("longer") || word.is("anymore") || word.is("more"));
    if !searched
        && !denies_figure
        && !speaks_of_now
        && let Some(field) = shown(case, denied)
    {
        return Some(Ruling::contradicted(
            Basis::Stated,
            vec![Cite::Field(field)],
            note::says(case, field),
        ));
    }
    for (number, item) in (0_u32..).zip(case.corpus.evidence) {
        if item.shows_absence()
            && is_scope(case, number, denied, searched)
            && covers_times(case, number)
        {
            return Some(Ruling::grounded(
                Basis::Absent,
                vec![Cite::Item(number)],
                note::absent(case, number),
            ));
        }
    }
    None
}

/// A line, or a row's cell, that has all of what the claim denies, about the same names, and does not deny it.
fn shown(case: &Case<'_, '_, '_>, denied: u64) -> Option<u32> {
    let others = case.reading.bits(Term::is_strict) & !denied;
    case.marks.marked_fields().iter().copied().find(|field| {
        let Some(found) = case.corpus.field(*field) else { return false };
        let line = is_line(case.corpus, *field);
        let record = case.corpus.record(found.object);
        let is_row =
            !line && case.corpus.object(record).is_some_and(|object| object.parent != NONE);
        let target = if line { Target::Line(*field) } else { Target::Object(record) };
        let near = case.marks.candidate(case.corpus, target).near;
        let few_words = words(case.corpus.value(*field)).count() <= 2;
        let is_telling = denied.count_ones() >= 2
            || case.reading.bits(|term| term.role == Role::Name) & denied != 0
            || is_row && few_words;
        // The heading of a table bears none of the names, a container beside another only those of that.
        let named = if line {
            case.marks.field(*field) & others != 0 || !is_heading(case.corpus.value(*field))
        } else {
            found.object == record || is_named_around(case, found.object, record, others)
        };
        case.marks.field(*field) & denied == denied
            && named
            && is_telling
            && (line || is_row)
            && others & !near == 0
            && others != 0
            && !case.cache.polarity(case.corpus, *field).denies
            && !case.cache.polarity(case.corpus, *field).fails
            && case
                .corpus
                .item(case.corpus.item_of(*field))
                .is_some_and(|item| item.kind != EvidenceKind::Signal)
            && !is_nothing(case.corpus.value(*field))
            && !is_false_condition(case, record, denied)
    })
}

/// Whether a line has words only, each a column of its own.
fn is_heading(line: &str) -> bool {
    line.contains("  ") && !line.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether an object within a record bears the names of a claim itself, where any object of the record does.
fn is_named_around(case: &Case<'_, '_, '_>, object: u32, record: u32, names: u64) -> bool {
    let within = case.corpus.around(object).take_while(|(number, _)| *number != record);
    let heading = |(_, object): (u32, &Object)| {
        bits_in(case.reading, case.corpus.heading_words(object), names)
    };
    let own = within.map(heading).fold(0, |bits, found| bits | found) | case.marks.content(object);
    let elsewhere = case.marks.content(record) & names & !own;
    elsewhere == 0
}

/// Whether the record says of what the claim denies that it is false: `MemoryPressure False`.
fn is_false_condition(case: &Case<'_, '_, '_>, record: u32, denied: u64) -> bool {
    let Some((start, end)) = case.corpus.object(record).map(|object| object.fields) else {
        return false;
    };
    (start..end).take(40).any(|field| {
        let is_false = case.corpus.field(field).is_some_and(|found| found.kind == ValueKind::False);
        is_false && case.marks.field(field) & denied == denied
    })
}

fn is_nothing(value: &str) -> bool {
    matches!(value, "0" | "false" | "False" | "<none>" | "none" | "null" | "[]" | "")
}

/// Whether an item would show what the claim denies, and does not.
fn is_scope(case: &Case<'_, '_, '_>, item: u32, denied: u64, searched: bool) -> bool {
    let tool = case.marks.tool(item);
    let reading = case.reading;
    let Some(root) = case.corpus.roots.get(item as usize).copied() else { return false };
    let inside = case.marks.content(root);
    let others = reading.bits(Term::is_strict) & !denied;
    if others & !(tool | inside) != 0 {
        return false;
    }
    let has_denied = case.marks.marked_fields().iter().any(|field| {
        case.corpus.item_of(*field) == item
            && case.marks.field(*field) & denied & content(case) != 0
    });
    if searched {
        let words = reading.weight(denied);
        return reading.weight(denied & tool) * 100 >= words * 60 && is_empty(case, root);
    }
    let asked_for = denied & tool == denied;
    // That a list of something else does not say "logs" says nothing of the logs.
    if denied & !reading.bits(is_sort_of_record) == 0 {
        return asked_for && is_empty(case, root);
    }
    let sort_is_named = reading
        .bits(|term| !term.negated && matches!(term.role, Role::Word | Role::Kind | Role::Entity))
        & tool;
    let names_records = reading
        .terms
        .iter()
        .enumerate()
        .any(|(place, term)| sort_is_named >> place & 1 == 1 && is_sort_of_record(term));
    let lists_all =
        case.corpus.item(item).is_some_and(|item| item.exhaustive && !is_filtered(item));
    !has_denied && (asked_for || names_records && lists_all)
}

/// The request that an item answers, as it is written: the first line where that repeats it, else its tool.
pub(crate) fn request<'e>(corpus: &Corpus<'e>, item: u32) -> &'e str {
    let Some(found) = corpus.item(item) else { return "" };
    let first = first_line(corpus.text(item));
    let tool = words(&found.tool).next().map_or("", |word| word.text);
    let repeats = first.starts_with("$ ") || !tool.is_empty() && first.starts_with(tool);
    if repeats { first } else { &found.tool }
}

/// The item of a target.
pub(crate) fn item_of(case: &Case<'_, '_, '_>, target: Target) -> u32 {
    match target {
        Target::Line(field) => case.corpus.item_of(field),
        Target::Object(object) => case.corpus.object(object).map_or(0, |object| object.item),
    }
}

/// Whether the request of an item keeps only some records.
pub(crate) fn is_filtered_item(corpus: &Corpus<'_>, item: u32) -> bool {
    corpus.item(item).is_some_and(is_filtered) || request(corpus, item).contains("grep ")
}

/// Whether the request keeps only records with certain words: then it lists everything of those, and of no others.
fn is_filtered(item: &EvidenceItem) -> bool {
    ["|=", "|~", "grep ", "field-selector", "filter", " where "].iter().any(|mark| {
        item.tool.to_ascii_lowercase().contains(mark)
            || item.query.to_ascii_lowercase().contains(mark)
    })
}

fn content(case: &Case<'_, '_, '_>) -> u64 {
    case.reading.bits(|term| matches!(term.role, Role::Word | Role::Name))
}

/// Words for what a tool lists.
fn is_sort_of_record(term: &Term<'_>) -> bool {
    [
        "events",
        "event",
        "log",
        "logs",
        "alerts",
        "alert",
        "pods",
        "pod",
        "commits",
        "deployments",
        "changes",
        "nodes",
        "node",
        "traces",
        "spans",
        "rollouts",
        "kernel",
        "journal",
        "changelog",
        "queries",
        "sessions",
    ]
    .iter()
    .any(|sort| term.text.eq_ignore_ascii_case(sort))
}

/// Whether a document answers with an empty list: every list in it is empty, or it says so.
fn is_empty(case: &Case<'_, '_, '_>, root: u32) -> bool {
    let Some(object) = case.corpus.object(root) else { return false };
    let text = case.corpus.text(object.item).trim();
    let says_none = [
        "No resources found",
        "no results",
        "No results",
        "no matches",
        "not found",
        "0 rows",
        "[]",
    ]
    .iter()
    .any(|empty| text.starts_with(empty));
    let empty_list = (object.fields.0..object.fields.1)
        .take(400)
        .any(|field| case.corpus.value(field) == "[]" && is_result(case.corpus.name(field)));
    text.is_empty() || says_none || empty_list
}

fn is_result(name: &str) -> bool {
    [
        "result", "results", "items", "data", "hits", "values", "events", "logs", "rows",
        "entries", "streams",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether the times of the claim lie in what the tool was asked for.
pub(crate) fn covers_times(case: &Case<'_, '_, '_>, item: u32) -> bool {
    // A time without seconds is any within its minute.
    let claimed: Vec<(i64, i64)> = (case.reading.figures.times.iter())
        .filter_map(|time| Some((moment(time, case.day)?, i64::from(time.grain) * 1_000_000)))
        .collect();
    if claimed.len() != case.reading.figures.times.len() {
        return false;
    }
    let request = request(case.corpus, item);
    let Some(item) = case.corpus.item(item) else { return false };
    let mut asked: Vec<i64> = [item.tool.as_str(), &item.query, request]
        .into_iter()
        .flat_map(|text| figures(text).times)
        .filter_map(|time| moment(&time, case.day))
        .collect();
    asked.extend(item.collected_at.map(gsar_core::time::Timestamp::as_micros));
    let has_start = asked.len() >= 2;
    match (asked.iter().min(), asked.iter().max()) {
        (Some(from), Some(to)) => {
            claimed.iter().all(|(at, grain)| at <= to && (!has_start || *from < at + grain.max(&1)))
        }
        _ => claimed.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Grounded, Ungrounded};

    use crate::tests::{exhaustive, expect, text};

    #[test]
    fn a_list_of_something_else_does_not_show_that_there_are_no_logs() {
        let pods = text("pods", "kubectl get pods -n shop", "NAME  READY\ncart-1  1/1\n");
        let none = text("logs", "kubectl logs cart-1 -n shop", "");
        expect(&[exhaustive(pods.clone())], &[("The pod has written no logs.", Ungrounded)]);
        expect(
            &[exhaustive(pods), exhaustive(none)],
            &[("The pod cart-1 has written no logs.", Grounded)],
        );
    }
}
