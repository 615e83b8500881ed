//! Extracts facts from evidence: subject, attribute, value, time and source position. The extraction does not depend
//! on claims or classes.
//!
//! JSON, JSON lines, logs, `key=value` pairs, tables, CSV, YAML, `describe` output, XML, diffs, command
//! transcripts and prose all map to the same model. A [`Record`] is a statement about a subject: a row, an
//! object, a line, a clause or a sample. Its [`Cell`]s are attributes with values. A record inherits the
//! cells of its parent: samples inherit the labels of a series, and clauses inherit the host and time of a line. The
//! records of a list, table or series share a [`Group`].
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

/// The maximum number of records for all items. Evidence beyond this limit is ignored.
pub const MAX_RECORDS: usize = 1 << 20;
