//! Parses JSON iteratively into a tree of spans. If a document is truncated, the tree contains the parsed part.

use core::ops::Range;

use crate::escapes::{offset, skip_space};
use crate::text::{byte_at, part};

/// The maximum nesting depth. Deeper documents are truncated.
const MAX_DEPTH: usize = 256;
/// The maximum number of values per document. Longer documents are truncated.
const MAX_NODES: usize = 1 << 20;
const MAX_DOCUMENTS: usize = 100_000;
/// The maximum number of positions per line at which parsing a document is attempted.
const MAX_ATTEMPTS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Other,
}

/// A value in a document. Offsets are relative to the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The offset of the key's quotation mark, or of the value if it has no key.
    start: u32,
    value: u32,
    end: u32,
    parent: u32,
    /// The index of the first node after this one and its descendants.
    next: u32,
    pub(super) index: u32,
    pub(super) children: u32,
}

impl Node {
    pub(super) const fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) const fn value(&self) -> Range<usize> {
        self.value as usize..self.end as usize
    }

    /// The byte range of a container's key, colon and opening bracket.
    pub(super) const fn opening(&self) -> Range<usize> {
        self.start as usize..self.value as usize + 1
    }

    pub(super) const fn is_container(&self) -> bool {
        matches!(self.kind, Kind::Object | Kind::Array)
    }

    /// The key without quotation marks, still escaped.
    pub(super) fn key<'t>(&self, text: &'t str) -> &'t str {
        let raw = part(text, self.start as usize..self.value as usize);
        raw.trim_end_matches([' ', '\n', '\r', '\t', ':']).trim_matches('"')
    }
}

/// The values of a document in document order, so that parents come first.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    pub(super) is_complete: bool,
}

const NONE: u32 = u32::MAX;

impl Tree {
    pub(super) fn span(&self) -> Range<usize> {
        self.node(0).map_or(0..0, |root| root.span())
    }

    pub(super) fn node(&self, id: usize) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub(super) fn parent(&self, id: usize) -> Option<usize> {
        self.nodes
            .get(id)
            .map(|node| node.parent)
            .filter(|parent| *parent != NONE)
            .map(|id| id as usize)
    }

    pub(super) fn innermost(&self, range: &Range<usize>) -> Option<usize> {
        let started = self.nodes.partition_point(|node| node.start as usize <= range.start);
        let mut id = started.checked_sub(1)?;
        while self.node(id).is_some_and(|node| (node.end as usize) < range.end) {
            id = self.parent(id)?;
        }
        while self.node(id).is_some_and(|node| node.end as usize <= range.start) {
            id = self.parent(id)?;
        }
        Some(id)
    }

    pub(super) fn children(&self, id: usize) -> impl Iterator<Item = (usize, &Node)> {
        let end = self.nodes.get(id).map_or(0, |node| node.next as usize);
        let mut position = id + 1;
        core::iter::from_fn(move || {
            let node = self.nodes.get(position).filter(|_| position < end)?;
            let child = position;
            position = (node.next as usize).max(position + 1);
            Some((child, node))
        })
    }

    pub(super) fn flat_element(&self, array: usize, index: usize) -> Option<&Node> {
        let id = array.checked_add(1)?.checked_add(index)?;
        let node = self.nodes.get(id)?;
        (node.parent as usize == array && node.index as usize == index).then_some(node)
    }

    fn has_member(&self) -> bool {
        self.nodes.iter().any(|node| node.start != node.value && !node.is_container())
    }
}

/// Finds the JSON documents in a text, in order. A document may span the text or lie within a line.
pub(super) fn documents(text: &str) -> Vec<Tree> {
    let mut trees: Vec<Tree> = Vec::new();
    let max_wasted = text.len().saturating_mul(2).saturating_add(1 << 16);
    let (mut position, mut wasted_bytes, mut attempts) = (0, 0_usize, 0);
    let mut line_end = end_of_line(text, 0);
    while position < text.len() && trees.len() < MAX_DOCUMENTS && wasted_bytes <= max_wasted {
        let start = document_start(text, position..line_end).filter(|_| attempts < MAX_ATTEMPTS);
        let Some(start) = start else {
            position = line_end + 1;
            line_end = end_of_line(text, position);
            attempts = 0;
            continue;
        };
        attempts += 1;
        let (tree, end) = scan(text, start);
        if tree.is_complete || tree.has_member() {
            position = end.max(start + 1);
            trees.push(tree);
        } else {
            wasted_bytes = wasted_bytes.saturating_add(end - start);
            position = start + 1;
        }
        if position > line_end {
            (line_end, attempts) = (end_of_line(text, position), 0);
        }
    }
    trees
}

fn end_of_line(text: &str, position: usize) -> usize {
    let rest = text.as_bytes().get(position..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(text.len(), |length| position + length)
}

/// Returns the first offset at which a document may start: the start of a line, or a bracket followed by a quotation
/// mark or by an object.
fn document_start(text: &str, range: Range<usize>) -> Option<usize> {
    let is_line_start = range.start == 0 || byte_at(text, range.start - 1) == b'\n';
    let first = skip_space(text, range.start, range.end);
    if is_line_start && matches!(byte_at(text, first), b'{' | b'[') && first < range.end {
        return Some(first);
    }
    let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
    memchr::memchr2_iter(b'{', b'[', bytes).map(|bracket| range.start + bracket).find(|position| {
        let next_byte = byte_at(text, skip_space(text, position + 1, range.end));
        next_byte == b'"' || byte_at(text, *position) == b'[' && next_byte == b'{'
    })
}

struct Scanner<'t> {
    text: &'t str,
    position: usize,
    nodes: Vec<Node>,
    open_nodes: Vec<usize>,
}

fn scan(text: &str, start: usize) -> (Tree, usize) {
    let mut scanner = Scanner { text, position: start, nodes: Vec::new(), open_nodes: Vec::new() };
    let is_complete = scanner.value().is_some();
    let end = scanner.position.min(text.len());
    while let Some(id) = scanner.open_nodes.pop() {
        scanner.close(id, end);
    }
    (Tree { nodes: scanner.nodes, is_complete }, end)
}

impl Scanner<'_> {
    fn value(&mut self) -> Option<()> {
        let mut key = None;
        loop {
            self.space();
            let start = key.take().unwrap_or(self.position);
            let kind = match self.byte() {
                b'{' => Kind::Object,
                b'[' => Kind::Array,
                b'"' => Kind::String,
                _ => Kind::Other,
            };
            let value = self.position;
            match kind {
                Kind::Object | Kind::Array => {
                    self.position += 1;
                    let id = self.node(kind, start, value)?;
                    if self.open_nodes.len() >= MAX_DEPTH {
                        return None;
                    }
                    self.open_nodes.push(id);
                    self.space();
                    if !matches!(self.byte(), b'}' | b']') {
                        key = self.key(kind)?;
                        continue;
                    }
                }
                Kind::String => {
                    self.string()?;
                    self.node(kind, start, value)?;
                }
                Kind::Other => {
                    self.literal()?;
                    self.node(kind, start, value)?;
                }
            }
            loop {
                let Some(open) = self.open_nodes.last().copied() else { return Some(()) };
                let kind = self.nodes.get(open)?.kind;
                self.space();
                match (self.byte(), kind) {
                    (b',', _) => {
                        self.position += 1;
                        self.space();
                        key = self.key(kind)?;
                        break;
                    }
                    (b'}', Kind::Object) | (b']', Kind::Array) => {
                        self.position += 1;
                        self.open_nodes.pop();
                        self.close(open, self.position);
                    }
                    _ => return None,
                }
            }
        }
    }

    fn byte(&self) -> u8 {
        byte_at(self.text, self.position)
    }

    fn space(&mut self) {
        self.position = skip_space(self.text, self.position, self.text.len());
    }

    /// Parses the next key of an object and returns its start. Does nothing in an array.
    fn key(&mut self, kind: Kind) -> Option<Option<usize>> {
        if kind != Kind::Object {
            return Some(None);
        }
        let start = self.position;
        self.string()?;
        self.space();
        let has_colon = self.byte() == b':';
        self.position += usize::from(has_colon);
        has_colon.then_some(Some(start))
    }

    fn string(&mut self) -> Option<()> {
        if self.byte() != b'"' {
            return None;
        }
        let mut position = self.position + 1;
        loop {
            let rest = self.text.as_bytes().get(position..)?;
            position += memchr::memchr3(b'"', b'\\', b'\n', rest)?;
            match byte_at(self.text, position) {
                b'"' => break,
                b'\\' => position += 2,
                _ => return None,
            }
        }
        self.position = position + 1;
        Some(())
    }

    fn literal(&mut self) -> Option<()> {
        const LITERALS: [&str; 5] = ["true", "false", "null", "NaN", "Infinity"];
        let rest = self.text.as_bytes().get(self.position..).unwrap_or_default();
        let is_literal_byte =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let end = self.position + rest.iter().take_while(is_literal_byte).count();
        let literal = part(self.text, self.position..end).trim_start_matches('-');
        let is_number = literal.starts_with(|c: char| c.is_ascii_digit());
        let is_value = is_number || LITERALS.contains(&literal);
        is_value.then(|| self.position = end)
    }

    fn node(&mut self, kind: Kind, start: usize, value: usize) -> Option<usize> {
        let id = self.nodes.len();
        if id >= MAX_NODES {
            return None;
        }
        let parent = self.open_nodes.last().copied();
        let mut index = 0;
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(parent)) {
            index = parent.children;
            parent.children += 1;
        }
        self.nodes.push(Node {
            kind,
            start: offset(start),
            value: offset(value),
            end: offset(self.position),
            parent: parent.map_or(NONE, offset),
            next: offset(id + 1),
            index,
            children: 0,
        });
        Some(id)
    }

    fn close(&mut self, id: usize, end: usize) {
        let next = offset(self.nodes.len());
        if let Some(node) = self.nodes.get_mut(id) {
            (node.end, node.next) = (offset(end), next);
        }
    }
}
