//! Converts JSON values that depend on position: time series, rows with separate column names, parallel
//! arrays and lists of labels.

use std::borrow::Cow;

use super::objects::Objects;
use super::{Tree, Value};
use crate::facts::model::{Form, RecordId};
use crate::facts::names::is_time_name;
use crate::facts::times::whole_time;
use crate::text::part;

impl<'a> Objects<'_, '_, 'a> {
    /// Converts `{"metric": {…}, "values": [[t, v], …]}`. The labels belong to the record, and the samples to its
    /// children.
    pub(super) fn series(&mut self, index: usize, record: RecordId) -> bool {
        const LABELS: [&str; 3] = ["metric", "stream", "target"];
        const SAMPLES: [&str; 4] = ["values", "value", "datapoints", "histogram"];
        let tree = self.tree;
        let labels = tree.members(index).find(|member| LABELS.contains(&tree.key(*member)));
        let samples = tree
            .members(index)
            .find(|member| SAMPLES.contains(&tree.key(*member)) && tree.is_array(*member));
        let (Some(labels), Some(samples)) = (labels, samples) else { return false };
        for member in tree.members(index).filter(|member| tree.is_scalar(*member)) {
            let key = self.key(member);
            self.scalar(record, vec![key], member);
        }
        for label in tree.members(labels).filter(|member| tree.is_scalar(*member)) {
            let key = self.key(label);
            self.scalar(record, vec![key], label);
        }
        let name = tree.member(labels, "__name__").map(|name| self.value(name));
        let name = name.or_else(|| tree.is_scalar(labels).then(|| self.value(labels)));
        self.samples(samples, record, name.unwrap_or(Cow::Borrowed("value")));
        true
    }

    fn samples(&mut self, index: usize, record: RecordId, name: Cow<'a, str>) {
        let tree = self.tree;
        let first = tree.members(index).next();
        let is_single = first.is_some_and(|first| tree.is_scalar(first));
        let rows: Vec<usize> = if is_single { vec![index] } else { tree.members(index).collect() };
        let is_text = first
            .and_then(|row| tree.members(row).nth(1))
            .is_some_and(|second| self.string(second).is_some_and(|text| text.contains(' ')));
        let form = if is_text { Form::Lines } else { Form::Series };
        let group = self.group(form);
        for row in rows {
            let pair: Vec<usize> = tree.members(row).take(2).collect();
            let &[first, second] = pair.as_slice() else { continue };
            let Some(span) = tree.node(row).map(|node| self.text.span(node.span.clone())) else {
                continue;
            };
            let Some(sample) = self.out.add_record(group, Some(record), Vec::new(), span) else {
                return;
            };
            let value = if self.time(sample, first) {
                second
            } else if self.time(sample, second) {
                first
            } else {
                continue;
            };
            let attribute = if is_text { Vec::new() } else { vec![name.clone()] };
            self.scalar(sample, attribute, value);
        }
    }

    fn time(&mut self, record: RecordId, index: usize) -> bool {
        let Some(span) = self.tree.node(index).map(|node| node.span.clone()) else { return false };
        let part = self.text.part(span);
        let Some(time) = whole_time(part.str) else { return false };
        self.out.set_time(record, part.time(time));
        true
    }

    /// Converts rows with separate column names: `"columns": ["time", "mean"], "values": [[…], …]`.
    pub(super) fn with_columns(&mut self, object: usize, index: usize, record: RecordId) -> bool {
        const COLUMNS: [&str; 5] = ["columns", "fields", "headers", "header", "column_names"];
        let tree = self.tree;
        let columns = tree.members(object).take(32).find(|member| {
            COLUMNS.contains(&tree.key(*member)) && *member != index && tree.is_array(*member)
        });
        let Some(columns) = columns else { return false };
        let names: Vec<Cow<'a, str>> = tree
            .members(columns)
            .map(|column| {
                let name_node = tree.member(column, "name").or_else(|| tree.member(column, "text"));
                self.value(name_node.unwrap_or(column))
            })
            .collect();
        let has_all_columns =
            |row: usize| tree.is_array(row) && tree.members(row).count() == names.len();
        if names.is_empty()
            || !tree.members(index).all(has_all_columns)
            || tree.members(index).next().is_none()
        {
            return false;
        }
        let group = self.group(Form::Rows);
        for row in tree.members(index) {
            let Some(span) = tree.node(row).map(|node| self.text.span(node.span.clone())) else {
                continue;
            };
            let Some(row_record) = self.out.add_record(group, Some(record), Vec::new(), span)
            else {
                return true;
            };
            for (cell, name) in tree.members(row).zip(&names) {
                if is_time_name(name) {
                    self.time(row_record, cell);
                }
                self.scalar(row_record, vec![name.clone()], cell);
            }
        }
        true
    }

    /// Converts parallel arrays to rows if the first one contains names or times. Returns the converted arrays.
    pub(super) fn zip_arrays(&mut self, index: usize, record: RecordId) -> Vec<usize> {
        let tree = self.tree;
        let arrays = tree.members(index).filter(|member| {
            tree.is_array(*member) && tree.members(*member).all(|item| tree.is_scalar(item))
        });
        let mut columns: Vec<(usize, usize)> =
            arrays.map(|array| (array, tree.members(array).count())).collect();
        let Some(length) = columns.first().map(|(_, length)| *length) else { return Vec::new() };
        columns.retain(|(_, count)| *count == length);
        let can_lead = |array: usize| {
            let key = tree.key(array);
            let singular = key.strip_suffix('s').unwrap_or(key);
            is_time_name(singular) || is_list_of_names(key) || self.lists_distinct_words(array)
        };
        let has_lead = columns.first().is_some_and(|(array, _)| can_lead(*array));
        if columns.len() < 2 || length < 2 || !has_lead {
            return Vec::new();
        }
        let columns: Vec<usize> = columns.into_iter().map(|(array, _)| array).collect();
        self.zip(&columns, record);
        columns
    }

    /// Returns `true` if an array under a plural key lists distinct words: `"pods": ["cart-1", "stock-1"]`.
    fn lists_distinct_words(&self, array: usize) -> bool {
        let tree = self.tree;
        let values =
            tree.members(array).map(|item| match tree.node(item).map(|node| &node.value) {
                Some(Value::Text(text)) => Some(&**text),
                _ => None,
            });
        let values: Option<std::collections::BTreeSet<&str>> = values.collect();
        tree.key(array).ends_with('s')
            && values.is_some_and(|values| values.len() == tree.members(array).count())
    }

    fn zip(&mut self, columns: &[usize], record: RecordId) {
        let tree = self.tree;
        let by_time =
            columns.first().and_then(|first| tree.members(*first).next()).is_some_and(|first| {
                tree.node(first)
                    .is_some_and(|node| whole_time(self.text.part(node.span.clone()).str).is_some())
            });
        let group = self.group(if by_time { Form::Series } else { Form::Rows });
        let keys: Vec<Cow<'a, str>> = columns.iter().map(|column| self.key(*column)).collect();
        let mut rows: Vec<_> = columns.iter().map(|column| tree.members(*column)).collect();
        loop {
            let cells: Vec<usize> = rows.iter_mut().filter_map(Iterator::next).collect();
            let Some(first) = cells.first().and_then(|first| tree.node(*first)) else { return };
            if cells.len() < columns.len() {
                return;
            }
            let span = self.text.span(first.span.clone());
            let Some(row) = self.out.add_record(group, Some(record), Vec::new(), span) else {
                return;
            };
            for (column, (cell, key)) in cells.into_iter().zip(&keys).enumerate() {
                let is_time = column == 0 && by_time && self.time(row, cell);
                if !is_time {
                    self.scalar(row, vec![key.clone()], cell);
                }
            }
        }
    }

    /// Adds a list of labels as cells: `"Tags": [{"Key": "Name", "Value": "web-1"}]`.
    pub(super) fn labels(&mut self, index: usize, record: RecordId, list: &str) -> bool {
        const LISTS: [&str; 9] = [
            "tags", "env", "labels", "dimensions", "attributes", "parameters", "annotations",
            "headers", "properties",
        ];
        if !LISTS.iter().any(|name| name.eq_ignore_ascii_case(list)) {
            return false;
        }
        let tree = self.tree;
        let parts = |label: usize| {
            let member_named = |names: &[&str]| {
                tree.members(label).find(|member| {
                    names.iter().any(|name| name.eq_ignore_ascii_case(tree.key(*member)))
                })
            };
            let value = member_named(&["value", "v"])?;
            let inner = tree.members(value).next();
            Some((member_named(&["key", "name", "k"])?, inner.unwrap_or(value)))
        };
        let labels: Option<Vec<_>> = tree.members(index).map(parts).collect();
        let Some(labels) = labels.filter(|labels| !labels.is_empty()) else { return false };
        for (name, value) in labels {
            let attribute = vec![self.key(index), self.value(name)];
            self.scalar(record, attribute, value);
        }
        true
    }
}

fn is_list_of_names(key: &str) -> bool {
    const LISTS: [&str; 12] = [
        "names", "pods", "hosts", "nodes", "services", "instances", "labels", "ids", "keys",
        "queues", "regions", "topics",
    ];
    LISTS.iter().any(|list| list.eq_ignore_ascii_case(key))
}

/// Returns `true` if a value contains a field that indicates a next page or a truncation.
pub(super) fn is_incomplete(tree: &Tree<'_>, text: &str) -> bool {
    #[rustfmt::skip]
    const MARKS: [&str; 11] = [
        "has_more", "hasmore", "truncated", "istruncated", "is_truncated", "next_token", "nexttoken", "next_cursor",
        "nextpagetoken", "remainingitemcount", "next_page",
    ];
    tree.nodes.iter().any(|node| {
        let Some((key, _)) = &node.key else { return false };
        let is_mark = (8..=18).contains(&key.len())
            && MARKS.iter().any(|mark| mark.eq_ignore_ascii_case(key));
        is_mark && !matches!(part(text, node.span.clone()), "false" | "null" | "" | "0")
    })
}
