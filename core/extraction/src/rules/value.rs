//! Compares the value in a statement with all records of the entity.
//!
//! Supports the statement if all records with the attribute agree, refutes it if all differ, and is silent
//! otherwise. Samples and log lines never refute a statement, because another record may agree with it.

use super::names::{AttributeWords, ExpectedWords, is_kind, is_state, record_name};
use super::statement::Statement;
use super::{Index, Location, Outcome, Rule};
use crate::facts::{Cell, Form, Record, RecordId};
use crate::text::figures::{Agreement, Figure, System, Unit, agree};
use crate::text::part;
use crate::text::tokens::{Shape, Word, words};

/// The maximum number of records per name. The rule is silent if there are more.
const MAX_RECORDS: usize = 256;

struct Finding {
    agreement: Agreement,
    rule: Rule,
    location: Location,
}

pub(super) fn check(statement: &Statement<'_>, index: &Index<'_>) -> Outcome {
    let mut findings: Vec<Finding> = Vec::new();
    for (position, subject) in statement.words.iter().enumerate() {
        let records = index.records_named(subject.text);
        if records.len() > MAX_RECORDS {
            return Outcome::Silent;
        }
        let kind = position.checked_sub(1).and_then(|previous| statement.words.get(previous));
        let kind =
            kind.filter(|kind| is_kind(kind.text) && is_adjacent(statement.text, kind, subject));
        if records.is_empty() {
            continue;
        }
        let rest: Vec<&Word<'_>> =
            statement.words.iter().filter(|word| *word != subject && Some(*word) != kind).collect();
        let rest = Rest::new(&rest);
        for record in records {
            findings.extend(compare_record(statement, *record, kind, &rest, index));
        }
    }
    combine(findings)
}

fn combine(findings: Vec<Finding>) -> Outcome {
    let all_are = |expected| findings.iter().all(|finding| finding.agreement == expected);
    let (is_same, is_different) = (all_are(Agreement::Same), all_are(Agreement::Different));
    match findings.into_iter().next() {
        Some(first) if is_same => Outcome::Supports(first.rule, first.location),
        Some(first) if is_different => Outcome::Refutes(first.rule, first.location),
        _ => Outcome::Silent,
    }
}

fn is_adjacent(text: &str, before: &Word<'_>, after: &Word<'_>) -> bool {
    before.span.end <= after.span.start
        && part(text, before.span.end..after.span.start).trim().is_empty()
}

/// The words of a statement other than the entity and its kind.
struct Rest<'a> {
    all: ExpectedWords<'a>,
    last: Option<&'a Word<'a>>,
    all_but_last: ExpectedWords<'a>,
}

impl<'a> Rest<'a> {
    fn new(words: &[&'a Word<'a>]) -> Self {
        let (last, all_but_last) = match words.split_last() {
            Some((last, all_but_last)) => (Some(*last), all_but_last),
            None => (None, words),
        };
        Self {
            all: ExpectedWords::new(words),
            last,
            all_but_last: ExpectedWords::new(all_but_last),
        }
    }
}

/// Compares a statement with one record.
fn compare_record(
    statement: &Statement<'_>,
    id: RecordId,
    kind: Option<&Word<'_>>,
    rest: &Rest<'_>,
    index: &Index<'_>,
) -> Vec<Finding> {
    let facts = index.facts();
    let (Some(record), Some(name)) = (facts.record(id), record_name(id, facts)) else {
        return Vec::new();
    };
    if let (Some(kind), Some(name_kind)) = (kind, name.kind)
        && !words(name_kind).next().is_some_and(|word| word.same(kind))
    {
        return Vec::new();
    }
    let is_state = facts
        .group(record.group)
        .is_some_and(|group| matches!(group.form, Form::Rows | Form::Object));
    let may_refute = is_state && facts.time_of(id).is_none();
    let compared: Vec<(&Cell<'_>, Agreement, Rule)> = match &statement.figure {
        Some(figure) => compare_figures(figure, rest, record),
        None => compare_states(statement, rest, record, index),
    };
    let finding = |(cell, agreement, rule): (&Cell<'_>, Agreement, Rule)| {
        let agreement = match agreement {
            Agreement::Different if !may_refute => Agreement::Incomparable,
            agreement => agreement,
        };
        let name_span = name.cell.map(|cell| cell.span.clone());
        let spans = name_span.into_iter().chain([cell.span.clone()]).collect();
        Finding { agreement, rule, location: Location { record: id, spans } }
    };
    compared.into_iter().map(finding).collect()
}

fn compare_figures<'f, 'a>(
    figure: &Figure,
    rest: &Rest<'_>,
    record: &'f Record<'a>,
) -> Vec<(&'f Cell<'a>, Agreement, Rule)> {
    let is_named = |cell: &&Cell<'_>| rest.all.match_attribute(&cell.attribute);
    let compare_cell = |cell: &'f Cell<'a>| match cell.figure() {
        Some(cell_figure) => (cell, compare(figure, &cell_figure), rule_of(figure, &cell_figure)),
        None => (cell, Agreement::Incomparable, Rule::Value),
    };
    record.cells.iter().filter(is_named).map(compare_cell).collect()
}

/// Compares two figures. Sizes that agree if "MB" is read as MiB do not count as different, because many writers mean
/// MiB.
fn compare(claimed: &Figure, actual: &Figure) -> Agreement {
    let agreement = agree(claimed, actual);
    let binary = || {
        let power = claimed.unit.factor.checked_ilog(1000)?;
        let unit =
            Unit { factor: 1024_u64.checked_pow(power)?, system: System::Binary, ..claimed.unit };
        Some(Figure { unit, ..claimed.clone() })
    };
    match agreement {
        Agreement::Different if claimed.unit.system == System::Decimal => match binary() {
            Some(binary) if agree(&binary, actual) == Agreement::Same => Agreement::Incomparable,
            _ => agreement,
        },
        _ => agreement,
    }
}

/// Returns the rule for two figures. Equal numbers with different units fall under [`Rule::Unit`].
fn rule_of(claimed: &Figure, actual: &Figure) -> Rule {
    let is_same_number = claimed.value.is_same_number(actual.value);
    if is_same_number && claimed.unit != actual.unit { Rule::Unit } else { Rule::Value }
}

/// Compares the states that the statement can mean. Either its last word is the value of the attribute that the other
/// words name (the entity's state if there are none), or all its words name a boolean.
fn compare_states<'f, 'a>(
    statement: &Statement<'_>,
    rest: &Rest<'_>,
    record: &'f Record<'a>,
    index: &Index<'_>,
) -> Vec<(&'f Cell<'a>, Agreement, Rule)> {
    if let Some(condition) = Condition::from_record(record) {
        return condition.compare(rest).into_iter().collect();
    }
    let Some(value) = rest.last else { return Vec::new() };
    let mut found = Vec::new();
    for cell in &record.cells {
        let is_named = || match rest.all_but_last.is_empty() {
            true => is_state(&cell.attribute),
            false => rest.all_but_last.match_attribute(&cell.attribute),
        };
        if rest.all.match_attribute(&cell.attribute) {
            found.push((cell, truth(&cell.text), Rule::Value));
        } else if is_named() {
            found.push((cell, same_state(statement, value, cell, record, index), Rule::Value));
        }
    }
    found
}

/// A Kubernetes condition: `{"type": "Ready", "status": "False"}`.
struct Condition<'f, 'a> {
    kind: &'f Cell<'a>,
    status: &'f Cell<'a>,
}

impl<'f, 'a> Condition<'f, 'a> {
    fn from_record(record: &'f Record<'a>) -> Option<Self> {
        let cell = |expected: &str| {
            let matches_key = |cell: &&Cell<'_>| matches!(cell.attribute.as_slice(), [key] if key.eq_ignore_ascii_case(expected));
            record.cells.iter().find(matches_key)
        };
        let is_truth = |cell: &&Cell<'_>| {
            ["true", "false", "unknown"]
                .iter()
                .any(|truth| cell.text.trim().eq_ignore_ascii_case(truth))
        };
        Some(Self { kind: cell("type")?, status: cell("status").filter(is_truth)? })
    }

    fn compare(&self, rest: &Rest<'_>) -> Option<(&'f Cell<'a>, Agreement, Rule)> {
        let attribute_words = AttributeWords::from_name(&self.kind.text, "status");
        if attribute_words.match_all(&rest.all) {
            return Some((self.status, truth(&self.status.text), Rule::Value));
        }
        let value = rest.last?;
        let is_same = self.status.text.trim().eq_ignore_ascii_case(value.text);
        let agreement = if is_same { Agreement::Same } else { Agreement::Incomparable };
        attribute_words.match_all(&rest.all_but_last).then_some((
            self.status,
            agreement,
            Rule::Value,
        ))
    }
}

fn truth(text: &str) -> Agreement {
    match text.trim() {
        text if text.eq_ignore_ascii_case("true") => Agreement::Same,
        text if text.eq_ignore_ascii_case("false") => Agreement::Different,
        _ => Agreement::Incomparable,
    }
}

/// Compares a cell with a state. They differ only if one negates the other, or if a sibling has the claimed state.
fn same_state(
    statement: &Statement<'_>,
    claimed: &Word<'_>,
    cell: &Cell<'_>,
    record: &Record<'_>,
    index: &Index<'_>,
) -> Agreement {
    let actual = cell.text.trim();
    if actual.eq_ignore_ascii_case(claimed.text) {
        return Agreement::Same;
    }
    let is_one_word =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphabetic());
    if !statement.is_present || !is_one_word(actual) || !is_one_word(claimed.text) {
        return Agreement::Incomparable;
    }
    let is_excluded = is_negated_form(actual, claimed.text)
        || is_negated_form(claimed.text, actual)
        || sibling_has_state(claimed, cell, record, index);
    if is_excluded { Agreement::Different } else { Agreement::Incomparable }
}

/// Returns `true` if one state negates the other: `NotReady`, `unhealthy`, `inactive`.
fn is_negated_form(denied: &str, plain: &str) -> bool {
    ["not", "un", "in", "dis"].iter().any(|prefix| {
        let split = denied.split_at_checked(prefix.len());
        split.is_some_and(|(start, ending)| {
            start.eq_ignore_ascii_case(prefix) && ending.eq_ignore_ascii_case(plain)
        })
    })
}

fn sibling_has_state(
    claimed: &Word<'_>,
    cell: &Cell<'_>,
    record: &Record<'_>,
    index: &Index<'_>,
) -> bool {
    let facts = index.facts();
    let Some(group) = facts.group(record.group) else { return false };
    let siblings = group.records.iter().take(MAX_RECORDS).filter_map(|id| facts.record(*id));
    let mut cells = siblings.flat_map(|sibling| &sibling.cells);
    claimed.shape() != Shape::Number
        && cells.any(|other| {
            other.attribute == cell.attribute
                && other.text.trim().eq_ignore_ascii_case(claimed.text)
        })
}
