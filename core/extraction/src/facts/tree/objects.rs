//! Converts objects and arrays to records. A value belongs to the nearest object that it describes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::json::read_embedded;
use super::{Tree, Value};
use crate::facts::builder::Builder;
use crate::facts::document;
use crate::facts::message;
use crate::facts::model::{Form, GroupId, RecordId};
use crate::facts::names::{is_aspect, is_time_name};
use crate::facts::text::{Context, Text, truncate};
use crate::facts::times::whole_time;
use crate::text::{byte_at, part};

pub(super) struct Objects<'w, 't, 'a> {
    pub(super) out: &'w mut Builder<'a>,
    pub(super) context: &'w Context<'a>,
    pub(super) text: Text<'t, 'a>,
    pub(super) tree: &'w Tree<'w>,
    pub(super) scope: Vec<Cow<'a, str>>,
    pub(super) complete: bool,
}

impl<'w, 'a> Objects<'w, '_, 'a> {
    pub(super) fn add_root(&mut self, group: Option<GroupId>) {
        let (parent, path) = (self.context.parent, self.context.path.clone());
        if self.tree.is_object(0) {
            if let Some(text) = self.content_block(0) {
                self.content_text(text, parent);
            } else if let Some(group) = group {
                self.object(0, group, parent, path);
            }
        } else {
            self.array(0, parent, path);
        }
    }

    /// Returns the text in `{"type": "text", "text": "…"}`.
    fn content_block(&self, index: usize) -> Option<usize> {
        let is_text =
            self.tree.member(index, "type").and_then(|kind| self.string(kind)) == Some("text");
        self.tree.member(index, "text").filter(|text| is_text && self.string(*text).is_some())
    }

    fn content_text(&mut self, index: usize, parent: Option<RecordId>) {
        let Some(context) = self.context.nested() else { return };
        let context = Context { parent, scope: self.scope.clone(), path: Vec::new(), ..context };
        self.with_text(index, |objects, text| document::read(objects.out, &context, text));
    }

    fn object(
        &mut self,
        index: usize,
        group: GroupId,
        parent: Option<RecordId>,
        path: Vec<Cow<'a, str>>,
    ) -> Option<RecordId> {
        let span = self.tree.node(index)?.span.clone();
        let record = self.out.add_record(group, parent, path, self.text.span(span))?;
        if self.series(index, record) {
            return Some(record);
        }
        self.time_of(index, record);
        let tree = self.tree;
        let scalars = tree.members(index).filter(|member| tree.is_scalar(*member)).count();
        self.out.reserve_cells(record, scalars);
        if tree.members(index).count() == scalars {
            tree.members(index).for_each(|member| self.member_scalar(record, member));
        } else {
            self.members(index, record, scalars > 0);
        }
        Some(record)
    }

    fn member_scalar(&mut self, record: RecordId, member: usize) {
        let key = self.key(member);
        self.scalar(record, if key.is_empty() { Vec::new() } else { vec![key] }, member);
    }

    /// Converts the members of an object that also has non-scalar members.
    fn members(&mut self, index: usize, record: RecordId, has_scalars: bool) {
        let rows = self.rows_by_key(index);
        let zipped = self.zip_arrays(index, record);
        let repeated = self.repeated_keys(index);
        let mut row_group = None;
        let tree = self.tree;
        for member in tree.members(index) {
            let key = self.key(member);
            let is_repeated = repeated.contains(tree.key(member));
            if tree.is_scalar(member) {
                self.member_scalar(record, member);
            } else if tree.is_array(member) {
                if zipped.binary_search(&member).is_err() {
                    self.member_array(index, member, record, key);
                }
            } else if is_repeated || rows.binary_search(&member).is_ok() {
                let group = *row_group.get_or_insert_with(|| self.group(Form::Rows));
                self.object(member, group, Some(record), vec![key]);
            } else if self.describes_parent(member, has_scalars) {
                self.flatten(record, member, vec![key]);
            } else {
                self.name_parent(member, record);
                self.scope.push(key.clone());
                let group = self.group(Form::Object);
                self.object(member, group, Some(record), vec![key]);
                self.scope.pop();
            }
        }
    }

    /// Adds the name in `metadata` to the parent's record, so that it applies to all members.
    fn name_parent(&mut self, index: usize, record: RecordId) {
        let tree = self.tree;
        let name = tree.member(index, "name").filter(|name| tree.is_scalar(*name));
        if let Some(name) = name.filter(|_| tree.key(index) == "metadata") {
            let attribute = vec![self.key(index), self.key(name)];
            self.scalar(record, attribute, name);
        }
    }

    fn repeated_keys(&self, index: usize) -> BTreeSet<&'w str> {
        let tree = self.tree;
        let mut seen = BTreeSet::new();
        let objects = tree.members(index).filter(|member| tree.is_object(*member));
        objects.map(|member| tree.key(member)).filter(|key| !seen.insert(*key)).collect()
    }

    fn member_array(&mut self, object: usize, index: usize, record: RecordId, key: Cow<'a, str>) {
        if self.tree.members(index).next().is_none() {
            let span = self.tree.node(index).map(|node| node.span.clone()).unwrap_or_default();
            self.out.write_cell(record, vec![key.clone()], self.text, span.clone());
        }
        if self.labels(index, record, &key) {
            return;
        }
        self.scope.push(key.clone());
        if !self.with_columns(object, index, record) {
            self.array(index, Some(record), vec![key]);
        }
        self.scope.pop();
    }

    /// Converts an array. Objects become rows; other values belong to the parent, if there is one.
    fn array(&mut self, index: usize, parent: Option<RecordId>, path: Vec<Cow<'a, str>>) {
        let tree = self.tree;
        let has_rows =
            parent.is_none() || tree.members(index).any(|member| !tree.is_scalar(member));
        let is_empty = tree.members(index).next().is_none();
        let row_group = (has_rows || is_empty).then(|| self.group(Form::Rows));
        for member in tree.members(index) {
            match (row_group, parent) {
                (Some(_), _) if self.content_block(member).is_some() => {
                    let text = self.content_block(member).unwrap_or(member);
                    self.content_text(text, parent);
                }
                (Some(row_group), _) if tree.is_object(member) => {
                    self.object(member, row_group, parent, path.clone());
                }
                (Some(row_group), _) if tree.is_array(member) || parent.is_none() => {
                    self.tuple(member, row_group, parent, &path);
                }
                (_, Some(parent)) => self.scalar(parent, path.clone(), member),
                _ => {}
            }
        }
    }

    /// Converts a row without column names. Its cells have no attribute.
    fn tuple(
        &mut self,
        index: usize,
        group: GroupId,
        parent: Option<RecordId>,
        path: &[Cow<'a, str>],
    ) {
        let Some(span) = self.tree.node(index).map(|node| self.text.span(node.span.clone())) else {
            return;
        };
        let Some(record) = self.out.add_record(group, parent, path.to_vec(), span) else { return };
        let tree = self.tree;
        if tree.is_scalar(index) {
            self.scalar(record, Vec::new(), index);
        }
        for member in tree.members(index) {
            if tree.is_scalar(member) {
                self.scalar(record, Vec::new(), member);
            } else {
                self.array(member, Some(record), Vec::new());
            }
        }
    }

    /// Adds the scalars in an object and its nested objects as cells.
    fn flatten(&mut self, record: RecordId, index: usize, attribute: Vec<Cow<'a, str>>) {
        let tree = self.tree;
        if tree.members(index).next().is_none() {
            let span = tree.node(index).map(|node| node.span.clone()).unwrap_or_default();
            let (text, bytes) = (self.text.cow(span.clone()), self.text.span(span));
            self.out.push_cell(record, attribute, text, bytes);
            return;
        }
        for member in tree.members(index) {
            let mut attribute = attribute.clone();
            attribute.extend(Some(self.key(member)).filter(|key| !key.is_empty()));
            self.scalar(record, attribute, member);
        }
    }

    /// Returns `true` if an object describes its parent: `"limits": {"memory": "512Mi"}`.
    fn describes_parent(&self, index: usize, parent_has_scalars: bool) -> bool {
        let only_scalars = self.tree.members(index).all(|member| self.tree.is_scalar(member));
        only_scalars
            && (parent_has_scalars
                || is_aspect(self.tree.key(index))
                || self.has_only_aspects(index))
    }

    fn has_only_aspects(&self, index: usize) -> bool {
        self.tree.members(index).all(|member| is_aspect(self.tree.key(member)))
    }

    /// Returns the members of an object that are similar objects keyed by name.
    fn rows_by_key(&self, index: usize) -> Vec<usize> {
        let is_row = |member: &usize| {
            self.tree.is_object(*member)
                && !is_aspect(self.tree.key(*member))
                && !self.has_only_aspects(*member)
        };
        let rows: Vec<usize> = self.tree.members(index).filter(is_row).collect();
        let Some((first, other_rows)) = rows.split_first() else { return rows };
        let keys: Vec<&str> =
            self.tree.members(*first).map(|index| self.tree.key(index)).take(16).collect();
        let is_similar = |other: &usize| {
            let shared_keys =
                self.tree.members(*other).filter(|index| keys.contains(&self.tree.key(*index)));
            shared_keys.count() * 2 >= keys.len().max(1)
        };
        if other_rows.is_empty() || keys.is_empty() || !other_rows.iter().all(is_similar) {
            return Vec::new();
        }
        rows
    }

    fn time_of(&mut self, index: usize, record: RecordId) {
        let tree = self.tree;
        for member in tree.members(index).filter(|member| is_time_name(tree.key(*member))) {
            let inner = tree.members(member).next().filter(|inner| tree.is_scalar(*inner));
            let scalar = if tree.is_scalar(member) { Some(member) } else { inner };
            let Some(node) = scalar.and_then(|index| tree.node(index)) else { continue };
            let span = node.span.clone();
            if let Some(time) = whole_time(self.text.part(span.clone()).str) {
                self.out.set_time(record, self.text.part(span).time(time));
                return;
            }
        }
    }

    /// Adds a scalar as a cell. A string with structured content is extracted separately.
    pub(super) fn scalar(&mut self, record: RecordId, attribute: Vec<Cow<'a, str>>, index: usize) {
        let Some(node) = self.tree.node(index) else { return };
        if let Value::Text(text_value) = &node.value {
            let is_text = text_value.len() >= 4
                && text_value.bytes().any(|byte| matches!(byte, b' ' | b'\n' | b'{' | b'='));
            if is_text && self.read_nested(record, &attribute, index, text_value) {
                return;
            }
        }
        let (text, span) = (self.value(index), self.text.span(node.span.clone()));
        self.out.push_cell(record, attribute, text, span);
    }

    /// Extracts a string that is a document, a value or several statements. Returns `false` for any other string.
    fn read_nested(
        &mut self,
        record: RecordId,
        attribute: &[Cow<'a, str>],
        index: usize,
        string: &str,
    ) -> bool {
        let Some(context) = self.context.nested() else { return false };
        let scope = core::mem::take(&mut self.scope);
        let context = Context { scope, ..context };
        let is_document = string.trim().contains('\n');
        let is_extracted = self.with_text(index, |objects, text| {
            let child_context = || context.child(record, attribute.to_vec());
            if is_document {
                document::read(objects.out, &child_context(), text);
                return true;
            }
            let starts_as_json = matches!(byte_at(text.str.trim_start(), 0), b'{' | b'[');
            (starts_as_json && read_embedded(objects.out, &child_context(), text))
                || message::write_clauses_under_key(objects.out, &context, record, attribute, text)
        });
        self.scope = context.scope;
        is_extracted
    }

    fn with_text<R: Default>(
        &mut self,
        index: usize,
        read: impl FnOnce(&mut Self, Text<'_, 'a>) -> R,
    ) -> R {
        let tree = self.tree;
        let Some(node) = tree.node(index) else { return R::default() };
        let Value::Text(string) = &node.value else { return R::default() };
        let text = if part(self.text.str, node.span.clone()) == string {
            self.text.part(node.span.clone())
        } else {
            self.text.unescaped(node.span.clone(), string)
        };
        read(self, text)
    }

    pub(super) fn string(&self, index: usize) -> Option<&str> {
        match &self.tree.node(index)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn value(&self, index: usize) -> Cow<'a, str> {
        let Some(node) = self.tree.node(index) else { return Cow::Borrowed("") };
        match &node.value {
            Value::Text(string) if part(self.text.str, node.span.clone()) != string => {
                Cow::Owned(string.clone().into_owned())
            }
            _ => self.text.cow(node.span.clone()),
        }
    }

    pub(super) fn key(&self, index: usize) -> Cow<'a, str> {
        match self.tree.node(index).and_then(|node| node.key.as_ref()) {
            Some((key, span)) if part(self.text.str, span.clone()) == key => {
                self.text.name(span.clone())
            }
            Some((key, _)) => Cow::Owned(truncate(key, 256).to_owned()),
            None => Cow::Borrowed(""),
        }
    }

    pub(super) fn group(&mut self, form: Form) -> GroupId {
        self.out.add_group(self.context.item, form, self.scope.clone(), self.complete)
    }
}
