//! The evidence of one verification: items by id, and what is computed of each at most once.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::bearing::stems;
use crate::evidence::{Content, EvidenceId, EvidenceItem};
use crate::text::figures::{Figures, figures};
use crate::text::fold::Folded;

/// The evidence items of a request, by id. Of items that share an id the first counts.
#[derive(Clone, Debug)]
pub struct Corpus<'a> {
    items: &'a [EvidenceItem],
    by_id: Vec<(&'a EvidenceId, usize)>,
}

impl<'a> Corpus<'a> {
    /// Indexes the items.
    #[must_use]
    pub fn new(items: &'a [EvidenceItem]) -> Self {
        let mut by_id: Vec<_> = items.iter().enumerate().map(|(at, item)| (&item.id, at)).collect();
        by_id.sort_unstable();
        Self { items, by_id }
    }

    /// The item of that id.
    #[must_use]
    pub fn item(&self, id: &EvidenceId) -> Option<&'a EvidenceItem> {
        self.position(id).and_then(|position| self.items.get(position))
    }

    /// Every item, in the order given.
    #[must_use]
    pub fn items(&self) -> &'a [EvidenceItem] {
        self.items
    }

    pub(super) fn position(&self, id: &EvidenceId) -> Option<usize> {
        let from = self.by_id.partition_point(|(known, _)| *known < id);
        self.by_id.get(from).filter(|(known, _)| *known == id).map(|(_, position)| *position)
    }
}

/// What verification computes of items, each at most once.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    items: &'a [EvidenceItem],
    read: BTreeMap<usize, Reading<'a>>,
    /// How many bytes may still be searched for quotes that do not stand there as they are. Beyond, such
    /// quotes count as not found, so that a flood of forged quotes costs a bounded time.
    search_budget: usize,
}

/// Enough for some thousand slow searches in items of ordinary size.
const SEARCH_BUDGET: usize = 64 << 20;

#[derive(Debug, Default)]
struct Reading<'a> {
    folded: Option<Folded<'a>>,
    figures: Option<Figures>,
    asked: Option<[Figures; 2]>,
    lower_case: Option<String>,
    stems: Option<Vec<u64>>,
    document: Option<Option<Value>>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(corpus: &Corpus<'a>) -> Self {
        Self { items: corpus.items, read: BTreeMap::new(), search_budget: SEARCH_BUDGET }
    }

    /// Takes a slow search of an item off the budget; whether it may be made.
    pub(super) fn may_search(&mut self, position: usize) -> bool {
        const LEAST: usize = 4_096;
        let cost = self.content(position).len().max(LEAST);
        let left = self.search_budget.checked_sub(cost);
        self.search_budget = left.unwrap_or(0);
        left.is_some()
    }

    pub(super) fn item(&self, position: usize) -> Option<&'a EvidenceItem> {
        self.items.get(position)
    }

    pub(super) fn content(&self, position: usize) -> &'a str {
        self.item(position).map_or("", |item| item.content.as_str())
    }

    pub(super) fn folded(&mut self, position: usize) -> &Folded<'a> {
        let content = self.content(position);
        self.read.entry(position).or_default().folded.get_or_insert_with(|| Folded::new(content))
    }

    pub(super) fn figures(&mut self, position: usize) -> &Figures {
        let content = self.content(position);
        self.read.entry(position).or_default().figures.get_or_insert_with(|| figures(content))
    }

    /// The figures of the tool line and of the query.
    pub(super) fn figures_asked_for(&mut self, position: usize) -> &[Figures; 2] {
        let item = self.item(position);
        let read =
            |text: fn(&EvidenceItem) -> &str| item.map(text).map(figures).unwrap_or_default();
        let asked = || [read(|item| &item.tool), read(|item| &item.query)];
        self.read.entry(position).or_default().asked.get_or_insert_with(asked)
    }

    /// The content with ASCII letters in lower case; bytes stand where they stood.
    pub(super) fn lower_case(&mut self, position: usize) -> &str {
        let content = self.content(position);
        let lower = || content.to_ascii_lowercase();
        self.read.entry(position).or_default().lower_case.get_or_insert_with(lower)
    }

    /// The stems of the words of the content, the tool line and the query, in order.
    pub(super) fn stems(&mut self, position: usize) -> &[u64] {
        let item = self.item(position);
        let read = || {
            let texts = item.map(|item| [item.content.as_str(), &item.tool, &item.query]);
            let mut stems: Vec<u64> = texts.into_iter().flatten().flat_map(stems).collect();
            stems.sort_unstable();
            stems.dedup();
            stems
        };
        self.read.entry(position).or_default().stems.get_or_insert_with(read)
    }

    /// The parsed document of a JSON item.
    pub(super) fn document(&mut self, position: usize) -> Option<&Value> {
        let content = match self.item(position).map(|item| &item.content) {
            Some(Content::Json(json)) => json.as_str(),
            _ => return None,
        };
        let parse = || serde_json::from_str(content).ok();
        self.read.entry(position).or_default().document.get_or_insert_with(parse).as_ref()
    }

    /// The text of a field of a JSON item: a string as it reads, anything else as JSON.
    pub(super) fn field(&mut self, position: usize, pointer: &str) -> Option<String> {
        pointed_at(self.document(position)?, pointer).map(|value| match value {
            Value::String(text) => text.clone(),
            other => alloc::string::ToString::to_string(other),
        })
    }
}

/// The value that a JSON pointer points at; a pointer without escapes is followed without copying its parts.
fn pointed_at<'v>(document: &'v Value, pointer: &str) -> Option<&'v Value> {
    if pointer.contains('~') {
        return document.pointer(pointer);
    }
    if pointer.is_empty() {
        return Some(document);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(document, |value, token| match value {
        Value::Object(fields) => fields.get(token),
        Value::Array(values) => {
            let is_index = token == "0" || !token.starts_with(['0', '+']);
            values.get(token.parse::<usize>().ok().filter(|_| is_index)?)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{json, tool};
    use super::*;

    #[test]
    fn items_are_found_by_id_and_fields_by_pointer() {
        let items = [tool("e2", "x"), json("e1", r#"{"a": [{"b": "c\nd"}, 5]}"#)];
        let corpus = Corpus::new(&items);
        assert_eq!(corpus.item(&items[1].id), Some(&items[1]));
        assert_eq!(corpus.item(&EvidenceId::new("e3").unwrap()), None);
        let mut sources = Sources::new(&corpus);
        assert_eq!(sources.field(1, "/a/0/b").as_deref(), Some("c\nd"));
        assert_eq!(sources.field(1, "/a/1").as_deref(), Some("5"));
        assert_eq!(sources.field(1, "/a/2"), None);
        assert_eq!(sources.field(0, "/a"), None);
    }

    #[test]
    fn pointers_are_followed_as_the_standard_says() {
        let document =
            serde_json::json!({"": 1, "a": [[2, 3], {"b/c": 4, "~": 5}], "0": {"01": 6}});
        for pointer in [
            "",
            "/",
            "//",
            "a",
            "/a",
            "/a/0",
            "/a/0/1",
            "/a/0/01",
            "/a/0/+1",
            "/a/0/-",
            "/a/0/2",
            "/a/0/1/0",
            "/a/1/b~1c",
            "/a/1/~0",
            "/a/1/b/c",
            "/0/01",
            "/0/1",
            "/a/",
            "/a/0/",
        ] {
            assert_eq!(pointed_at(&document, pointer), document.pointer(pointer), "{pointer}");
        }
    }
}
