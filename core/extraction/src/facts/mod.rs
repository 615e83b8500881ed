//! This module reads evidence into facts: who has which value of which attribute, when, and where that is written.
//! It knows nothing of claims and of classes, and it decides nothing.
//!
//! JSON and JSON lines, logs, runs of `key=value`, tables with bars and without, separated values, YAML and `describe`
//! output, XML, diffs, commands with what they printed, and running text: every shape becomes the same model. A
//! [`Record`] is one thing said of one subject: a row, an object, a line, a clause of a line, a sample. It holds
//! [`Cell`]s, an attribute with its value each, and stands under a parent whose cells hold for it as well: the labels
//! of a series for its samples, the host and time of a line for its clauses. Records of one list, table or series
//! share a [`Group`].
//!
//! ```
//! use gsar_extraction::facts::{Facts, Item};
//!
//! let item = Item { tool: "", query: "", content: r#"{"pods": [{"name": "cart-1", "restarts": 4}]}"#, exhaustive: true };
//! let facts = Facts::read([item], &gsar_extraction::budget::Budget::unlimited());
//! let restarts = facts.facts().find(|fact| fact.attribute() == ["restarts"]).unwrap();
//! assert_eq!(restarts.cell.text, "4");
//! assert!(restarts.subject().any(|name| name == "cart-1"));
//! ```

mod builder;
mod diff;
mod document;
mod keys;
mod lines;
mod message;
mod model;
mod names;
mod prompt;
mod read;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod times;
mod tree;

pub(crate) use diff::{AFTER, BEFORE};
pub use model::{Cell, Fact, Facts, Form, Group, GroupId, Item, ItemId, Record, RecordId};

/// The most records read of all items together; what follows is text that no rule speaks about.
pub const MAX_RECORDS: usize = 1 << 20;
