//! Extracts facts from evidence items.

use super::builder::Builder;
use super::document;
use super::model::{Facts, Item};
use super::prompt::limits_output;
use super::text::{Context, Text};
use crate::budget::Budget;

/// The maximum nesting depth of texts, for example of a document inside a string inside a log line.
const MAX_DEPTH: u8 = 4;

impl<'a> Facts<'a> {
    /// Extracts the facts from all items. The extraction is deterministic. The result is incomplete if the budget
    /// stops it.
    #[must_use]
    pub fn extract(items: impl IntoIterator<Item = Item<'a>>, budget: &Budget) -> Self {
        let mut builder = Builder::new(budget);
        for item in items {
            let context = Context {
                item: builder.add_item(item),
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
