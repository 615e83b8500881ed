//! This module chooses what is kept of a JSON document around a quote: the keys that lead to it, what names the objects
//! it stands in, the names of columns, and what stands at the same place of lists beside it.

use super::names::{holds_columns, is_naming};
use super::ranges::Keep;
use super::text::MAX_RECORD;
use super::tree::{Kind, Node, Tree};
use crate::text::byte_at;

/// The most bytes of a member that is kept for what it says of others.
const MAX_MEMBER: usize = 200;
/// Smaller containers beside the path are kept whole.
const MAX_SMALL: usize = 300;
/// The most bytes of a list of columns that is kept whole.
const MAX_COLUMNS: usize = 1_024;
/// The most bytes of the members of one object that name nothing.
const MAX_OTHER: usize = 1_024;
/// The most members of one object that are looked at.
const MAX_LOOKED_AT: usize = 512;
/// The most bytes of a row's neighbour.
const MAX_NEIGHBOUR: usize = 100;

/// Keeps the value that a quote stands in, as far as it is small, and the keys and brackets that lead to it.
pub(super) fn add_path(text: &str, tree: &Tree, innermost: usize, keep: &mut Keep) {
    let Some(node) = tree.node(innermost) else { return };
    if node.is_container() || node.span().len() > super::reading::MAX_STRING {
        let key = node.span().start..node.value().start;
        keep.add(key.start..key.end + 1);
        keep.add(node.span().end.saturating_sub(1)..node.span().end);
    } else {
        keep.add(node.span());
    }
    for id in path(tree, innermost) {
        let Some(node) = tree.node(id) else { continue };
        keep.add(node.opening());
        if tree.is_complete {
            let end = node.span().end;
            keep.add(end.saturating_sub(1)..behind_comma(text, end));
        }
    }
}

/// Keeps what tells whose a value is: what names the objects around it first, then its record, then what stands beside.
pub(super) fn add_members(text: &str, tree: &Tree, innermost: usize, keep: &mut Keep) {
    let containers: Vec<usize> = path(tree, innermost).collect();
    let mut rules = Rules { text, tree, keep };
    let places: Vec<usize> = containers
        .iter()
        .zip(core::iter::once(&innermost).chain(&containers))
        .filter(|(container, _)| {
            tree.node(**container).is_some_and(|node| node.kind == Kind::Array)
        })
        .filter_map(|(_, child)| tree.node(*child).map(|node| node.index as usize))
        .collect();
    let on_path = |id: usize| id == innermost || containers.contains(&id);
    for container in &containers {
        rules.naming(*container, &on_path, &places);
    }
    let mut child = innermost;
    for container in &containers {
        rules.beside(*container, child, &on_path);
        child = *container;
    }
    rules.record(&containers);
    for container in &containers {
        rules.others(*container, &on_path);
    }
}

/// The containers that a value stands in, the innermost first; itself where it is one.
fn path(tree: &Tree, innermost: usize) -> impl Iterator<Item = usize> {
    let is_container = tree.node(innermost).is_some_and(Node::is_container);
    let first = if is_container { Some(innermost) } else { tree.parent(innermost) };
    core::iter::successors(first, |id| tree.parent(*id))
}

/// Behind the comma at an offset, where there is one.
fn behind_comma(text: &str, end: usize) -> usize {
    end + usize::from(byte_at(text, end) == b',')
}

struct Rules<'t, 'k> {
    text: &'t str,
    tree: &'t Tree,
    keep: &'k mut Keep,
}

impl Rules<'_, '_> {
    fn is_object(&self, id: usize) -> bool {
        self.tree.node(id).is_some_and(|node| node.kind == Kind::Object)
    }

    /// A value with its key and the comma behind it, cut.
    fn member(&mut self, node: &Node, max_bytes: usize) -> bool {
        let span = node.span();
        if span.len() <= max_bytes {
            return self.keep.add(span.start..behind_comma(self.text, span.end));
        }
        self.keep
            .add(span.start..self.text.floor_char_boundary(span.start + max_bytes).max(span.start))
    }

    /// The members of an object that name it, and those of small containers in it.
    fn naming(&mut self, object: usize, on_path: &impl Fn(usize) -> bool, places: &[usize]) {
        if !self.is_object(object) {
            return;
        }
        let tree = self.tree;
        for (id, node) in tree.children(object).take(MAX_LOOKED_AT).filter(|(id, _)| !on_path(*id))
        {
            let key = node.key(self.text);
            if holds_columns(key) {
                self.columns(id, node, places);
            } else if is_naming(key) {
                self.named(id, node);
            }
        }
    }

    /// A member that names something: a value, a small container, or the values of an object.
    fn named(&mut self, id: usize, node: &Node) {
        if !node.is_container() {
            self.member(node, MAX_MEMBER);
        } else if node.span().len() <= MAX_SMALL {
            self.member(node, MAX_SMALL);
        } else {
            self.opened(id, node);
        }
    }

    /// The values of an object that is too large, what names it first.
    fn opened(&mut self, id: usize, node: &Node) {
        if !self.keep.add(node.opening()) {
            return;
        }
        self.keep.add(node.span().end.saturating_sub(1)..node.span().end);
        if node.kind != Kind::Object {
            return;
        }
        let tree = self.tree;
        let values =
            || tree.children(id).take(MAX_LOOKED_AT).filter(|(_, node)| !node.is_container());
        for (_, value) in values().filter(|(_, node)| is_naming(node.key(self.text))) {
            self.member(value, MAX_MEMBER);
        }
        let mut room = MAX_OTHER.min(self.keep.left());
        for (_, value) in values() {
            let Some(left) = room.checked_sub(value.span().len().min(MAX_MEMBER)) else { break };
            room = left;
            self.member(value, MAX_MEMBER);
        }
    }

    /// A list of columns: whole, or the columns at the places of the quote.
    fn columns(&mut self, id: usize, node: &Node, places: &[usize]) {
        if node.span().len() <= MAX_COLUMNS && self.member(node, MAX_COLUMNS) {
            return;
        }
        self.keep.add(node.opening());
        let tree = self.tree;
        let lists = tree.children(id).take(MAX_LOOKED_AT).filter(|(_, list)| list.is_container());
        let lists: Vec<usize> =
            if node.kind == Kind::Array { vec![id] } else { lists.map(|(list, _)| list).collect() };
        for list in lists {
            for place in places {
                if let Some((column, node)) = tree.children(list).nth(*place) {
                    self.named(column, node);
                }
            }
        }
    }

    /// What stands beside a value in its list, at its place in the lists beside that, and the first row of rows.
    fn beside(&mut self, container: usize, child: usize, on_path: &impl Fn(usize) -> bool) {
        let (tree, is_array) = (self.tree, !self.is_object(container));
        let Some(node) = tree.node(child).filter(|_| is_array && child != container) else {
            return;
        };
        let index = node.index as usize;
        if !node.is_container() {
            self.flat_beside(container, index);
            let Some(parent) = tree.parent(container).filter(|_| self.is_column(container)) else {
                return;
            };
            for (list, node) in tree.children(parent).take(MAX_LOOKED_AT) {
                if node.kind == Kind::Array && !on_path(list) {
                    self.keep.add(node.opening());
                    if let Some(element) = tree.flat_element(list, index) {
                        let element = *element;
                        self.member(&element, MAX_MEMBER);
                    }
                }
            }
            return;
        }
        let first = tree.children(container).next();
        if let Some((id, first)) = first.filter(|(id, _)| *id != child)
            && node.kind == Kind::Array
            && first.kind == Kind::Array
            && tree.children(id).all(|(_, cell)| cell.kind == Kind::String)
        {
            self.member(first, 2 * MAX_SMALL);
        }
    }

    /// Whether a list holds values of one kind for many things, rather than many values of one thing: a member of an
    /// object, or one of few long lists.
    fn is_column(&self, list: usize) -> bool {
        const MAX_LISTS: u32 = 16;
        let parent = self.tree.parent(list).and_then(|parent| self.tree.node(parent));
        let length = self.tree.node(list).map_or(0, |node| node.children);
        parent.is_some_and(|parent| {
            parent.kind == Kind::Object || parent.children <= MAX_LISTS && length > MAX_LISTS
        })
    }

    fn flat_beside(&mut self, array: usize, index: usize) {
        for beside in [index.checked_sub(1), index.checked_add(1)].into_iter().flatten() {
            if let Some(element) = self.tree.flat_element(array, beside) {
                let element = *element;
                if element.span().len() <= MAX_NEIGHBOUR {
                    self.member(&element, MAX_NEIGHBOUR);
                }
            }
        }
    }

    /// The largest container around the value that is small enough.
    fn record(&mut self, containers: &[usize]) {
        let room = self.keep.left().min(MAX_RECORD);
        let spans = containers.iter().filter_map(|id| self.tree.node(*id)).map(Node::span);
        if let Some(span) = spans.take_while(|span| span.len() <= room).last() {
            self.keep.add(span);
        }
    }

    /// What else an object says: values, small containers, and the values of larger ones.
    fn others(&mut self, object: usize, on_path: &impl Fn(usize) -> bool) {
        if !self.is_object(object) {
            return;
        }
        let tree = self.tree;
        let mut room = MAX_OTHER;
        for (id, node) in tree.children(object).take(MAX_LOOKED_AT).filter(|(id, _)| !on_path(*id))
        {
            let bytes = match (node.is_container(), node.span().len()) {
                (false, bytes) => bytes.min(MAX_MEMBER),
                (true, bytes) if bytes <= MAX_SMALL => bytes,
                (true, _) => node.opening().len() + 1,
            };
            let Some(left) = room.checked_sub(bytes) else { break };
            room = left;
            self.named(id, node);
        }
    }
}
