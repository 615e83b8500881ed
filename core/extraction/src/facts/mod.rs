//! Reads evidence into facts: which subject has which value of which attribute, at what time, and where that is
//! written. Does not depend on claims or classes.
//!
//! JSON and JSON lines, logs, runs of `key=value`, tables with and without bars, separated values, YAML and `describe`
//! output, XML, diffs, commands with their output, and running text all become the same model. A [`Record`] is one
//! statement about one subject: a row, an object, a line, a clause of a line, a sample. It contains [`Cell`]s, each an
//! attribute with its value, and may have a parent whose cells apply to it as well: the labels of a series apply to its
//! samples, the host and time of a line to its clauses. Records of one list, table or series share a [`Group`].
//!
//! ```
//! use gsar_extraction::facts::{Facts, Item};
//!
//! let content = r#"{"pods": [{"name": "cart-1", "restarts": 4}]}"#;
//! let item = Item { tool: "", query: "", content, exhaustive: true };
//! let facts = Facts::extract([item], &gsar_extraction::budget::Budget::unlimited());
//! let restarts = facts.facts().find(|fact| fact.attribute() == ["restarts"]).unwrap();
//! assert_eq!(restarts.cell.text, "4");
//! assert!(restarts.subject().any(|name| name == "cart-1"));
//! ```

mod builder;
mod diff;
mod document;
mod extract;
mod keys;
mod lines;
mod message;
mod model;
mod names;
mod prompt;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod times;
mod tree;

pub(crate) use diff::{AFTER, BEFORE};
pub use model::{Cell, Fact, Facts, Form, Group, GroupId, Item, ItemId, Record, RecordId};

/// The maximum number of records read from all items. The rest of the evidence is not read into facts.
pub const MAX_RECORDS: usize = 1 << 20;
