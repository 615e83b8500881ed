//! Reads items one by one. [`document`] recognizes the formats of their contents.

use super::builder::Builder;
use super::document;
use super::model::{Facts, Item};
use super::prompt::limits_output;
use super::text::{Context, Text};
use crate::budget::Budget;

/// The maximum number of nested texts: a document in a string of a value in a line.
const MAX_DEPTH: u8 = 4;

impl<'a> Facts<'a> {
    /// Reads all items. The same items in the same order give the same facts. Incomplete if the budget stops it.
    #[must_use]
    pub fn extract(items: impl IntoIterator<Item = Item<'a>>, budget: &Budget) -> Self {
        let mut builder = Builder::new(budget);
        for item in items {
            let context = Context {
                item: builder.item(item),
                scope: Vec::new(),
                parent: None,
                path: Vec::new(),
                exhaustive: item.exhaustive,
                truncated: limits_output(item.tool) || limits_output(item.query),
                depth: MAX_DEPTH,
            };
            document::read(&mut builder, &context, Text::content(item.content));
        }
        builder.finish()
    }
}
