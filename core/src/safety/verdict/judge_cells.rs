//! Judges the facts of a tool result cell by cell. Prose is judged by [`statement`].

use std::collections::{BTreeMap, BTreeSet};

use gsar_extraction::facts::{Cell, Facts, Form, Group, Item, Record, RecordId};

use super::findings::FindingKind;
use super::judge_value::{Context, EMPTY, NOT_A_NUMBER, Reference, Sample, is_not_a_number};
use super::lexicon::{Bound, LEXICON, Level, Sense, State};
use super::numbers::is_failing_code;
use super::quantity::Quantity;
use super::record_context::{CellContext, RecordContext, field, is_past, key, ratio};
use super::signal::{is_generic, polarity_of, words};
use super::summary::excerpt;
use super::{Polarity, statement};
use crate::budget::Budget;

pub(super) fn judge(content: &str, context: &mut Context<'_>, budget: &Budget) {
    let item = Item { tool: "", query: "", content, exhaustive: true };
    let facts = Facts::extract([item], budget);
    if facts.facts().any(|fact| key(fact.cell) == "errorType") {
        return context.add_doubt("the tool itself failed");
    }
    // The labels of a series are not evidence by themselves.
    let series = facts.groups().iter().filter(|group| group.form == Form::Series);
    let samples = series.flat_map(|group| &group.records);
    let labels: BTreeSet<RecordId> = samples.filter_map(|id| facts.record(*id)?.parent).collect();
    let is_single = facts.groups().len() < 2;
    let contexts = RecordContext::for_all(&facts);
    let mut fact_judge =
        FactJudge { facts: &facts, contexts: &contexts, content, context, is_single };
    for group in facts.groups() {
        if group.form == Form::Series {
            fact_judge.judge_series(group);
        } else {
            for id in group.records.iter().filter(|id| !labels.contains(id)) {
                fact_judge.judge_record(*id);
            }
        }
    }
}

struct FactJudge<'f, 'a, 'c, 'e> {
    facts: &'f Facts<'a>,
    contexts: &'f [RecordContext<'f>],
    content: &'a str,
    context: &'c mut Context<'e>,
    /// `true` if the result contains at most one object or list.
    is_single: bool,
}

fn parse_truth(text: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

impl<'f> FactJudge<'f, '_, '_, '_> {
    fn judge_series(&mut self, group: &'f Group<'_>) {
        let records = group.records.iter().filter_map(|id| self.facts.record(*id));
        let mut series: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for cell in records.flat_map(|record| &record.cells) {
            series.entry(key(cell)).or_default().push(&cell.text);
        }
        for (name, values) in series {
            if self.context.is_measured(name) {
                self.context.judge_series(name, values.into_iter());
            }
        }
    }

    fn judge_record(&mut self, id: RecordId) {
        let (Some(record), Some(inherited)) = (self.facts.record(id), self.contexts.get(id.0))
        else {
            return;
        };
        if inherited.is_past || self.judge_condition(record) || self.judge_named_sample(record) {
            return;
        }
        let cell_context = CellContext::new(record);
        for cell in &record.cells {
            if cell.attribute.is_empty() {
                if !self.judge_prose(id, record, &cell.text, inherited.level, &cell_context) {
                    return;
                }
            } else if !cell.attribute.iter().any(|key| is_past(key)) {
                self.judge_cell(record, cell, inherited, &cell_context);
            }
        }
    }

    /// Judges a record's prose. Returns `true` if its cells should be judged too.
    fn judge_prose(
        &mut self,
        id: RecordId,
        record: &Record<'_>,
        text: &str,
        level: Level,
        cell_context: &CellContext<'_>,
    ) -> bool {
        let heading = record.path.last();
        if cell_context.is_request || heading.is_some_and(|key| self.judge_state(key, text)) {
            return true;
        }
        // A line directly above numbers is a heading.
        let next = self.facts.record(RecordId(id.0 + 1)).filter(|next| next.group == record.group);
        let number_below =
            next.and_then(|next| next.cells.first()).filter(|cell| cell.attribute.is_empty());
        if number_below.is_some_and(|cell| !cell.text.contains(char::is_alphabetic)) {
            self.context.add_doubt("a heading is inconclusive");
            return true;
        }
        statement::judge_text(text, level, self.context)
    }

    /// Judges a condition such as `{"type": "Ready", "status": "False"}`. Returns `false` if the record is not a
    /// condition.
    fn judge_condition(&mut self, record: &Record<'_>) -> bool {
        let value_of = |name: &str| {
            let mut cells = record.cells.iter();
            cells.find(|cell| key(cell).eq_ignore_ascii_case(name)).map(|cell| &*cell.text)
        };
        let (Some(name), Some(status)) = (value_of("type"), value_of("status")) else {
            return false;
        };
        match parse_truth(status) {
            Some(is_true) => {
                self.context.judge_condition(name, is_true);
            }
            None if status == "Unknown" => {
                self.context.add_doubt("a condition with unknown status is inconclusive");
            }
            None => return false,
        }
        true
    }

    /// Judges a value that has its own name or threshold. Returns `false` if the record contains no such value.
    fn judge_named_sample(&mut self, record: &'f Record<'_>) -> bool {
        let Some(value) = record.cells.iter().find(|cell| LEXICON.is_field("value", key(cell)))
        else {
            return false;
        };
        let has_reference = record.cells.iter().any(|cell| LEXICON.references.has(key(cell)));
        let mut cells = record.cells.iter();
        let threshold = cells.find_map(|cell| {
            Some((Quantity::parse(&cell.text)?, LEXICON.references.get(key(cell))?))
        });
        let name = field(record, "name");
        if !has_reference && name.is_none() {
            return false;
        }
        let unit = record.cells.iter().find(|cell| key(cell) == "unit").map(|cell| &*cell.text);
        let unit = unit.and_then(gsar_extraction::text::figures::Unit::from_name);
        let name = name.unwrap_or_else(|| specific_name(record, value));
        let Some(mut sample) = Quantity::parse(&value.text).map(|value| Sample::new(name, value))
        else {
            self.context.add_doubt(NOT_A_NUMBER);
            return true;
        };
        sample.value = unit.map_or(sample.value, |unit| sample.value.with_default_unit(unit));
        if has_reference {
            let Some((quantity, bound)) = threshold else {
                self.context.add_doubt("a threshold that is not a number is inconclusive");
                return true;
            };
            // A threshold without a unit has the same unit as the value.
            let bound = field(record, "comparator").and_then(comparator).unwrap_or(bound);
            sample.reference =
                Some(Reference { quantity: quantity.with_default_unit(sample.value.unit), bound });
        }
        self.context.judge_sample(&sample);
        true
    }

    fn judge_cell(
        &mut self,
        record: &'f Record<'_>,
        cell: &'f Cell<'_>,
        inherited: &RecordContext<'f>,
        cell_context: &CellContext<'f>,
    ) {
        let mut name = specific_name(record, cell);
        if is_generic(name) {
            name = inherited.signal.unwrap_or(name);
        }
        let text = cell.text.trim();
        let has_word = |word: &str| words(name).any(|part| part.eq_ignore_ascii_case(word));
        if LEXICON.is_field("lifetime", name) || name == "RESTARTS" {
            if !cell_context.is_completed {
                self.judge_lifetime(name, text);
            }
            return;
        }
        if let Some(value) = Quantity::parse(text) {
            if has_word("code") || name.eq_ignore_ascii_case("status") {
                if is_failing_code(text, has_word("exit")) {
                    self.context
                        .add_finding(FindingKind::StatedFault, || format!("{name} is {text}"));
                }
            } else if self.context.is_measured(name) {
                let reference = reference(name, inherited, cell_context);
                let is_skipped =
                    cell_context.is_completed && polarity_of(name) == Some(Polarity::Stock);
                if !is_skipped {
                    self.context.judge_sample(&Sample { reference, ..Sample::new(name, value) });
                }
            }
            return;
        }
        let is_measured = self.context.is_measured(name);
        if is_measured && text.contains(' ') && text.starts_with(|c: char| c.is_ascii_digit()) {
            // `8.12s (threshold 1.5s)`
            statement::judge_text(&format!("{name} {text}"), inherited.level, self.context);
            return;
        }
        if text == "[]" {
            return self.context.add_doubt(EMPTY);
        }
        if is_measured && let Some((value, quantity)) = ratio(text) {
            if !cell_context.is_completed {
                let reference = Some(Reference { quantity, bound: Bound::Whole });
                self.context.judge_sample(&Sample { reference, ..Sample::new(name, value) });
            }
            return;
        }
        if parse_truth(text).is_some_and(|is_true| {
            cell_context.is_completed || self.context.judge_condition(name, is_true)
        }) {
            return;
        }
        if !self.judge_state(name, text) {
            self.judge_words(record, name, text, cell, inherited.level);
        }
    }

    /// Judges a count over a lifetime (`41 (2m ago)`), which is conclusive only if it is 0 or recent.
    fn judge_lifetime(&mut self, name: &str, text: &str) {
        let (count, age) = text.split_once('(').unwrap_or((text, "d"));
        let Some(value) = Quantity::parse(count) else { return };
        if value.is_zero() || !age.contains(['h', 'd', 'y', 'w']) {
            self.context.judge_sample(&Sample::new(name, value));
        } else {
            self.context.add_doubt("a count since creation is inconclusive");
        }
    }

    /// Judges a state. Returns `false` if the state is unknown.
    fn judge_state(&mut self, name: &str, text: &str) -> bool {
        let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        if !LEXICON.is_field("state", name) {
            return false;
        }
        let first = text.split([':', ',', ' ']).next().unwrap_or_default();
        let bracketed_state = text.split_inclusive(')').next().unwrap_or_default();
        let state = LEXICON.states.get(bracketed_state).or_else(|| LEXICON.states.get(first));
        let kind = match state {
            Some(State::Fault) => FindingKind::SignalFault,
            Some(State::Well) if text.contains("Disabled") => return true,
            Some(State::Well) if text == "Ready" => FindingKind::SignalHealth,
            Some(State::Well) => FindingKind::StatedHealth,
            Some(State::Ended) => FindingKind::Recovered,
            // A service that answers is healthy, but its answer may report a fault.
            Some(State::Answered) if self.is_single => FindingKind::StatedHealth,
            Some(State::Over | State::Answered) => return true,
            None => return false,
        };
        self.context.add_finding(kind, || format!("{name} is {}", excerpt(text, 120)));
        true
    }

    fn judge_words(
        &mut self,
        record: &Record<'_>,
        name: &str,
        text: &str,
        cell: &Cell<'_>,
        level: Level,
    ) {
        let is_about_fault = statement::sense(name) == Some(Sense::Fault);
        let group = self.facts.group(record.group);
        let is_row = group.is_some_and(|group| group.form == Form::Rows);
        if is_about_fault || polarity_of(name) == Some(Polarity::Fault) {
            match statement::sense(text) {
                Some(Sense::None) => {
                    return self
                        .context
                        .add_finding(FindingKind::StatedAbsence, || format!("{name} is {text}"));
                }
                Some(Sense::Absent) => {
                    return self.context.add_doubt("an absent value is inconclusive");
                }
                _ => {}
            }
        }
        if cell.attribute.iter().rev().skip(1).any(|key| LEXICON.is_field("label", key)) {
            return;
        }
        let previous_byte =
            cell.span.start.checked_sub(1).and_then(|index| self.content.as_bytes().get(index));
        let is_unquoted = previous_byte != Some(&b'"') && !LEXICON.is_field("label", name);
        let is_prose = is_unquoted && text.contains(' ');
        if is_unquoted && is_row && LEXICON.states.get(text) == Some(State::Fault) {
            return self
                .context
                .add_finding(FindingKind::StatedFault, || format!("{name} is {text}"));
        }
        // `Up/Down` lists two states.
        if !text.contains(' ') && text.contains('/') {
            return;
        }
        if is_about_fault || is_prose || LEXICON.is_field("prose", name) {
            statement::judge_text(text, level, self.context);
        } else if self.context.is_measured(name) && is_not_a_number(text) {
            self.context.add_doubt(NOT_A_NUMBER);
        }
    }
}

/// Returns a cell's name, or the nearest enclosing specific key if the name is generic.
fn specific_name<'f>(record: &'f Record<'_>, cell: &'f Cell<'_>) -> &'f str {
    let keys = record.path.iter().chain(&cell.attribute).rev().map(|key| &**key);
    let mut specific_keys = keys.filter(|key| !is_generic(key));
    if is_generic(key(cell)) {
        specific_keys.next().unwrap_or_else(|| key(cell))
    } else {
        key(cell)
    }
}

/// Returns the reference for a value: a threshold among the neighbouring cells, or the desired number of replicas.
fn reference<'f>(
    name: &str,
    inherited: &RecordContext<'f>,
    cell_context: &CellContext<'f>,
) -> Option<Reference<'f>> {
    const REPLICAS: [&str; 9] =
        ["ready", "available", "healthy", "online", "replicas", "pods", "number", "nodes", "count"];
    if let Some(quantity) =
        cell_context.thresholds.get(name).or_else(|| cell_context.thresholds.get(""))
    {
        return Some(Reference { quantity: *quantity, bound: Bound::ByPolarity });
    }
    let counts_replicas = polarity_of(name) == Some(Polarity::Stock)
        && words(name).all(|word| REPLICAS.iter().any(|part| part.eq_ignore_ascii_case(word)));
    let desired = cell_context.ratio_total.or(inherited.desired).filter(|_| counts_replicas);
    desired.map(|quantity| Reference { quantity, bound: Bound::Whole })
}

/// Returns the faulty side of a threshold, given the comparison that raises an alarm.
fn comparator(name: &str) -> Option<Bound> {
    let name = name.to_ascii_lowercase();
    let starts_with_any =
        |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if starts_with_any(&[">", "gt", "ge", "greater", "above", "over"]) {
        Some(Bound::Upper)
    } else if starts_with_any(&["<", "lt", "le", "less", "below", "under"]) {
        Some(Bound::Lower)
    } else {
        None
    }
}
