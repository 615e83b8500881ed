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
        place(content, &record.span);
        assert!(record.parent.is_none_or(|parent| parent < id), "{id:?} precedes its parent");
        assert!(facts.item_of(id).is_some());
        let _ = facts.time_of(id);
    }
    let mut grouped = 0;
    for (at, group) in facts.groups().iter().enumerate() {
        grouped += group.records.len();
        let mine =
            |id: &RecordId| facts.record(*id).is_some_and(|record| record.group == GroupId(at));
        assert!(group.records.iter().all(mine), "record belongs to another group");
    }
    assert_eq!(grouped, facts.records().count(), "record in no group or in two");
    for fact in facts.facts() {
        place(content, &fact.cell.span);
        if let Some(figure) = fact.cell.figure() {
            place(&fact.cell.text, &figure.span);
        }
        let _ = fact.cell.time();
        fact.subject().for_each(drop);
    }
    facts
}

/// Checks a statement.
pub fn rule(text: &str, index: &Index<'_>) {
    let (Outcome::Supports(_, place) | Outcome::Refutes(_, place)) = index.check(text) else {
        return;
    };
    let facts = index.facts();
    let content = facts.item_of(place.record).and_then(|item| facts.item(item)).map(|item| item.content);
    let content = content.unwrap_or_else(|| panic!("record has no item"));
    assert!(!place.spans.is_empty(), "outcome has no spans");
    for span in &place.spans {
        self::place(content, span);
    }
}

/// Returns a range of a text. Panics if the range is invalid.
pub fn place<'t>(text: &'t str, span: &Range<usize>) -> &'t str {
    text.get(span.clone()).unwrap_or_else(|| panic!("invalid span {span:?}"))
}
