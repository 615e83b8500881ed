//! A parsed JSON, YAML or XML value with source positions.
//!
//! Nodes are in text order. Each node contains the index after its last descendant, so traversal needs no recursion.

pub(super) mod json;
mod json_parser;
mod objects;
mod series;
pub(super) mod xml;
pub(super) mod yaml;

use core::ops::{Deref, DerefMut, Range};
use std::borrow::Cow;

use crate::budget::Budget;

pub(super) const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug)]
pub(super) struct Node<'t> {
    pub(super) key: Option<(Cow<'t, str>, Range<usize>)>,
    pub(super) value: Value<'t>,
    /// The byte range. For a string, it excludes the quotes.
    pub(super) span: Range<usize>,
    /// The index after the last descendant.
    pub(super) after: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value<'t> {
    Object,
    Array,
    Text(Cow<'t, str>),
    /// A number, `true`, `false` or `null`.
    Bare,
}

/// The nodes in a tree, with their memory charged to a budget.
#[derive(Debug)]
pub(super) struct Nodes<'t> {
    list: Vec<Node<'t>>,
    budget: Budget,
}

impl<'t> Nodes<'t> {
    pub(super) fn new(budget: &Budget) -> Self {
        Self { list: Vec::new(), budget: budget.clone() }
    }

    pub(super) fn push(&mut self, node: Node<'t>) -> Option<()> {
        const UNITS: usize = 32;
        let can_continue = self.budget.spend(UNITS) && self.budget.allocate(size_of::<Node<'t>>());
        can_continue.then(|| self.list.push(node))
    }
}

impl<'t> Deref for Nodes<'t> {
    type Target = Vec<Node<'t>>;

    fn deref(&self) -> &Vec<Node<'t>> {
        &self.list
    }
}

impl DerefMut for Nodes<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.list
    }
}

impl Drop for Nodes<'_> {
    fn drop(&mut self) {
        self.budget.release(self.list.len() * size_of::<Node<'_>>());
    }
}

#[derive(Debug)]
pub(super) struct Tree<'t> {
    pub(super) nodes: Nodes<'t>,
    pub(super) end: usize,
    pub(super) closed: bool,
}

impl<'t> Tree<'t> {
    pub(super) fn node(&self, index: usize) -> Option<&Node<'t>> {
        self.nodes.get(index)
    }

    pub(super) fn members(&self, index: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let end = self.node(index).map_or(0, |node| node.after);
        let first = Some(index + 1).filter(|first| *first < end);
        core::iter::successors(first, move |index| {
            self.node(*index).map(|node| node.after).filter(|after| *after < end)
        })
    }

    pub(super) fn is_scalar(&self, index: usize) -> bool {
        self.node(index).is_some_and(|node| matches!(node.value, Value::Text(_) | Value::Bare))
    }

    pub(super) fn is_object(&self, index: usize) -> bool {
        self.node(index).is_some_and(|node| node.value == Value::Object)
    }

    pub(super) fn is_array(&self, index: usize) -> bool {
        self.node(index).is_some_and(|node| node.value == Value::Array)
    }

    pub(super) fn key(&self, index: usize) -> &str {
        self.node(index).and_then(|node| node.key.as_ref()).map_or("", |(key, _)| key)
    }

    pub(super) fn member(&self, index: usize, key: &str) -> Option<usize> {
        self.members(index).find(|member| self.key(*member) == key)
    }
}
