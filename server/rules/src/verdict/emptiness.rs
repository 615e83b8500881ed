//! Places that only name what a claim says is there: under a key with a zero, as a condition that is false or unknown,
//! in a heading.

use crate::claim::reading::Role;
use crate::matching::candidates::Target;
use crate::matching::fit::{self, Fit};
use crate::matching::magnitudes::bits_in;
use crate::verdict::ruling::Case;
use crate::vocabulary::words::evidence_keys;

/// Whether a place only names what a claim says is there, and gives nothing for it: `evicted_keys:0`,
/// `MemoryPressure Unknown`.
pub(crate) fn is_nothing_there(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let (reading, corpus) = (case.reading, case.corpus);
    if fit.parts > 0 || reading.denies {
        return false;
    }
    let content = reading.bits(|term| term.role == Role::Word || term.role == Role::Name);
    if is_only_named(case, fit) {
        return true;
    }
    let (mut empty, mut stated) = (0_u64, 0_u64);
    for field in fit::fields(corpus, fit.candidate.target) {
        let Some(found) = corpus.field(field) else { continue };
        let keyed = bits_in(reading, corpus.key_words(found), content);
        let valued = bits_in(reading, corpus.value_words(found), content);
        let named = if corpus.name(field).is_empty() {
            emptied(case, corpus.value(field), content)
        } else if is_condition_without_status(case, field) {
            valued
        } else if is_nothing(corpus.value(field)) {
            keyed
        } else {
            0
        };
        empty |= named;
        stated |= (keyed | valued) & !named;
    }
    empty & !stated != 0
}

/// Whether a place is a heading or the labels of a series, and all words of the claim stand in the request.
fn is_only_named(case: &Case<'_, '_, '_>, fit: &Fit) -> bool {
    let (corpus, target) = (case.corpus, fit.candidate.target);
    let names_only = match target {
        Target::Line(field) => {
            let line = corpus.value(field).trim();
            line.starts_with(['#', '=']) || line.ends_with(':')
        }
        Target::Object(object) => corpus
            .series
            .iter()
            .any(|series| series.object == object || corpus.record(series.object) == object),
    };
    let asked = case.reading.bits(|term| term.role == Role::Word);
    let told = || fit::fields(corpus, target).fold(0, |bits, field| bits | case.marks.field(field));
    names_only && asked != 0 && asked & told() == 0
}

/// Whether a value says that there is nothing, or that nobody knows.
fn is_nothing(value: &str) -> bool {
    const NOTHING: [&str; 11] =
        ["0", "0.0", "false", "none", "null", "unknown", "<none>", "[]", "no", "n/a", "-"];
    NOTHING.iter().any(|entry| value.trim().eq_ignore_ascii_case(entry))
}

/// The terms that the first word of a line names, where nothing follows: `evicted_keys:0`.
fn emptied(case: &Case<'_, '_, '_>, line: &str, terms: u64) -> u64 {
    let is_gap = |c: char| c.is_whitespace() || matches!(c, ':' | '=');
    let mut columns = line.split(is_gap).filter(|part| !part.is_empty());
    let (Some(first), Some(second)) = (columns.next(), columns.next()) else { return 0 };
    if !is_nothing(second) {
        return 0;
    }
    let mut keys = Vec::new();
    evidence_keys(first, |key| keys.push(key));
    bits_in(case.reading, &keys, terms)
}

/// Whether a field names a condition whose status beside it is false or unknown.
fn is_condition_without_status(case: &Case<'_, '_, '_>, field: u32) -> bool {
    const MOST: usize = 40;
    let corpus = case.corpus;
    let is_called = |field: u32, names: &[&str]| {
        names.iter().any(|name| corpus.name(field).eq_ignore_ascii_case(name))
    };
    let Some(object) = corpus.field(field).map(|found| found.object) else { return false };
    let fields = corpus.object(object).map_or((0, 0), |object| object.fields);
    is_called(field, &["type", "condition", "check"])
        && (fields.0..fields.1).take(MOST).any(|beside| {
            is_called(beside, &["status", "result", "value", "state"])
                && is_nothing(corpus.value(beside))
        })
}
