//! Selects the context of a quote in a JSON document.

use super::names::{is_column_key, is_naming_key};
use super::ranges::RangeBuilder;
use super::text::MAX_RECORD;
use super::tree::{Kind, Node, Tree};
use crate::text::byte_at;

// Size limits for added context, in bytes.
const MAX_MEMBER: usize = 200;
const MAX_SMALL: usize = 300;
const MAX_COLUMNS: usize = 1_024;
const MAX_OTHER: usize = 1_024;
const MAX_NEIGHBOUR: usize = 100;

const MAX_INSPECTED_MEMBERS: usize = 512;

/// Adds the path to the quoted value, and the value if it is small.
pub(super) fn add_path(text: &str, tree: &Tree, innermost: usize, builder: &mut RangeBuilder) {
    let Some(node) = tree.node(innermost) else { return };
    if node.is_container() || node.span().len() > super::parsed_text::MAX_STRING {
        let key = node.span().start..node.value().start;
        builder.add(key.start..key.end + 1);
        builder.add(node.span().end.saturating_sub(1)..node.span().end);
    } else {
        builder.add(node.span());
    }
    for id in path(tree, innermost) {
        let Some(node) = tree.node(id) else { continue };
        builder.add(node.opening());
        if tree.is_complete {
            let end = node.span().end;
            builder.add(end.saturating_sub(1)..after_comma(text, end));
        }
    }
}

/// Adds the members that identify a value: first naming members, then the value's record, then other members.
pub(super) fn add_members(text: &str, tree: &Tree, innermost: usize, builder: &mut RangeBuilder) {
    let containers: Vec<usize> = path(tree, innermost).collect();
    let mut selector = MemberSelector { text, tree, builder };
    let indices: Vec<usize> = containers
        .iter()
        .zip(core::iter::once(&innermost).chain(&containers))
        .filter(|(container, _)| {
            tree.node(**container).is_some_and(|node| node.kind == Kind::Array)
        })
        .filter_map(|(_, child)| tree.node(*child).map(|node| node.index as usize))
        .collect();
    let is_on_path = |id: usize| id == innermost || containers.contains(&id);
    for container in &containers {
        selector.add_naming(*container, &is_on_path, &indices);
    }
    let mut child = innermost;
    for container in &containers {
        selector.add_siblings(*container, child, &is_on_path);
        child = *container;
    }
    selector.add_record(&containers);
    for container in &containers {
        selector.add_others(*container, &is_on_path);
    }
}

/// Returns the enclosing containers, innermost first. The value itself comes first if it is a container.
fn path(tree: &Tree, innermost: usize) -> impl Iterator<Item = usize> {
    let is_container = tree.node(innermost).is_some_and(Node::is_container);
    let first = if is_container { Some(innermost) } else { tree.parent(innermost) };
    core::iter::successors(first, |id| tree.parent(*id))
}

fn after_comma(text: &str, end: usize) -> usize {
    end + usize::from(byte_at(text, end) == b',')
}

struct MemberSelector<'t, 'k> {
    text: &'t str,
    tree: &'t Tree,
    builder: &'k mut RangeBuilder,
}

impl MemberSelector<'_, '_> {
    fn is_object(&self, id: usize) -> bool {
        self.tree.node(id).is_some_and(|node| node.kind == Kind::Object)
    }

    /// Adds a member with its key and trailing comma. A member longer than `max_bytes` is truncated.
    fn add_member(&mut self, node: &Node, max_bytes: usize) -> bool {
        let span = node.span();
        if span.len() <= max_bytes {
            return self.builder.add(span.start..after_comma(self.text, span.end));
        }
        self.builder
            .add(span.start..self.text.floor_char_boundary(span.start + max_bytes).max(span.start))
    }

    fn add_naming(
        &mut self,
        object: usize,
        is_on_path: &impl Fn(usize) -> bool,
        indices: &[usize],
    ) {
        if !self.is_object(object) {
            return;
        }
        let tree = self.tree;
        for (id, node) in
            tree.children(object).take(MAX_INSPECTED_MEMBERS).filter(|(id, _)| !is_on_path(*id))
        {
            let key = node.key(self.text);
            if is_column_key(key) {
                self.add_columns(id, node, indices);
            } else if is_naming_key(key) {
                self.add_value(id, node);
            }
        }
    }

    /// Adds a scalar, a small container, or a larger object's scalars.
    fn add_value(&mut self, id: usize, node: &Node) {
        if !node.is_container() {
            self.add_member(node, MAX_MEMBER);
        } else if node.span().len() <= MAX_SMALL {
            self.add_member(node, MAX_SMALL);
        } else {
            self.add_scalars(id, node);
        }
    }

    fn add_scalars(&mut self, id: usize, node: &Node) {
        if !self.builder.add(node.opening()) {
            return;
        }
        self.builder.add(node.span().end.saturating_sub(1)..node.span().end);
        if node.kind != Kind::Object {
            return;
        }
        let tree = self.tree;
        let scalars = || {
            tree.children(id).take(MAX_INSPECTED_MEMBERS).filter(|(_, node)| !node.is_container())
        };
        for (_, value) in scalars().filter(|(_, node)| is_naming_key(node.key(self.text))) {
            self.add_member(value, MAX_MEMBER);
        }
        let mut room = MAX_OTHER.min(self.builder.remaining());
        for (_, value) in scalars() {
            let Some(remaining_room) = room.checked_sub(value.span().len().min(MAX_MEMBER)) else {
                break;
            };
            room = remaining_room;
            self.add_member(value, MAX_MEMBER);
        }
    }

    /// Adds a column list. If the list is too large, adds only the columns at the quote's indices.
    fn add_columns(&mut self, id: usize, node: &Node, indices: &[usize]) {
        if node.span().len() <= MAX_COLUMNS && self.add_member(node, MAX_COLUMNS) {
            return;
        }
        self.builder.add(node.opening());
        let tree = self.tree;
        let lists =
            tree.children(id).take(MAX_INSPECTED_MEMBERS).filter(|(_, list)| list.is_container());
        let lists: Vec<usize> =
            if node.kind == Kind::Array { vec![id] } else { lists.map(|(list, _)| list).collect() };
        for list in lists {
            for index in indices {
                if let Some((column, node)) = tree.children(list).nth(*index) {
                    self.add_value(column, node);
                }
            }
        }
    }

    /// Adds the element's neighbours in the array, the elements at the same index in sibling arrays, and the first row.
    fn add_siblings(
        &mut self,
        container: usize,
        child: usize,
        is_on_path: &impl Fn(usize) -> bool,
    ) {
        let (tree, is_array) = (self.tree, !self.is_object(container));
        let Some(node) = tree.node(child).filter(|_| is_array && child != container) else {
            return;
        };
        let index = node.index as usize;
        if !node.is_container() {
            self.add_neighbours(container, index);
            let Some(parent) = tree.parent(container).filter(|_| self.is_column(container)) else {
                return;
            };
            for (list, node) in tree.children(parent).take(MAX_INSPECTED_MEMBERS) {
                if node.kind == Kind::Array && !is_on_path(list) {
                    self.builder.add(node.opening());
                    if let Some(element) = tree.flat_element(list, index) {
                        let element = *element;
                        self.add_member(&element, MAX_MEMBER);
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
            self.add_member(first, 2 * MAX_SMALL);
        }
    }

    /// Returns `true` if an array is a table column, that is, an object member or one of a few long arrays.
    fn is_column(&self, list: usize) -> bool {
        const MAX_LISTS: u32 = 16;
        let parent = self.tree.parent(list).and_then(|parent| self.tree.node(parent));
        let length = self.tree.node(list).map_or(0, |node| node.children);
        parent.is_some_and(|parent| {
            parent.kind == Kind::Object || parent.children <= MAX_LISTS && length > MAX_LISTS
        })
    }

    fn add_neighbours(&mut self, array: usize, index: usize) {
        for neighbour in [index.checked_sub(1), index.checked_add(1)].into_iter().flatten() {
            if let Some(element) = self.tree.flat_element(array, neighbour) {
                let element = *element;
                if element.span().len() <= MAX_NEIGHBOUR {
                    self.add_member(&element, MAX_NEIGHBOUR);
                }
            }
        }
    }

    /// Adds the largest enclosing container that fits into the budget.
    fn add_record(&mut self, containers: &[usize]) {
        let room = self.builder.remaining().min(MAX_RECORD);
        let spans = containers.iter().filter_map(|id| self.tree.node(*id)).map(Node::span);
        if let Some(span) = spans.take_while(|span| span.len() <= room).last() {
            self.builder.add(span);
        }
    }

    fn add_others(&mut self, object: usize, is_on_path: &impl Fn(usize) -> bool) {
        if !self.is_object(object) {
            return;
        }
        let tree = self.tree;
        let mut room = MAX_OTHER;
        for (id, node) in
            tree.children(object).take(MAX_INSPECTED_MEMBERS).filter(|(id, _)| !is_on_path(*id))
        {
            let bytes = match (node.is_container(), node.span().len()) {
                (false, bytes) => bytes.min(MAX_MEMBER),
                (true, bytes) if bytes <= MAX_SMALL => bytes,
                (true, _) => node.opening().len() + 1,
            };
            let Some(remaining_room) = room.checked_sub(bytes) else { break };
            room = remaining_room;
            self.add_value(id, node);
        }
    }
}
