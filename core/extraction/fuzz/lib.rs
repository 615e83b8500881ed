//! Invariants for any input: spans are valid, parents precede children, and rules refer to existing records.

use std::ops::Range;

use gsar_extraction::budget::Budget;
use gsar_extraction::facts::{Facts, GroupId, Item, MAX_RECORDS, RecordId};
use gsar_extraction::rules::{Index, Outcome};

/// Extracts the facts from an item and checks them.
pub fn facts(content: &str) -> Facts<'_> {
    let facts = Facts::extract([Item { tool: "collect", query: "", content, exhaustive: true }], &Budget::unlimited());
    assert!(facts.records().count() <= MAX_RECORDS);
    for (id, record) in facts.records() {
        text_at(content, &record.span);
        assert!(record.parent.is_none_or(|parent| parent < id), "{id:?} precedes its parent");
        assert!(facts.item_of(id).is_some());
        let _ = facts.time_of(id);
    }
    let mut grouped_count = 0;
    for (index, group) in facts.groups().iter().enumerate() {
        grouped_count += group.records.len();
        let is_in_group =
            |id: &RecordId| facts.record(*id).is_some_and(|record| record.group == GroupId(index));
        assert!(group.records.iter().all(is_in_group), "record belongs to another group");
    }
    assert_eq!(grouped_count, facts.records().count(), "record in no group or in two");
    for fact in facts.facts() {
        text_at(content, &fact.cell.span);
        if let Some(figure) = fact.cell.figure() {
            text_at(&fact.cell.text, &figure.span);
        }
        let _ = fact.cell.time();
        fact.subject().for_each(drop);
    }
    facts
}

/// Checks a statement.
pub fn rule(text: &str, index: &Index<'_>) {
    let (Outcome::Supports(_, location) | Outcome::Refutes(_, location)) = index.check(text) else {
        return;
    };
    let facts = index.facts();
    let content = facts.item_of(location.record).and_then(|item| facts.item(item)).map(|item| item.content);
    let content = content.unwrap_or_else(|| panic!("record has no item"));
    assert!(!location.spans.is_empty(), "outcome has no spans");
    for span in &location.spans {
        self::text_at(content, span);
    }
}

/// Returns a range of a text. Panics if the range is invalid.
pub fn text_at<'t>(text: &'t str, span: &Range<usize>) -> &'t str {
    text.get(span.clone()).unwrap_or_else(|| panic!("invalid span {span:?}"))
}
