//! This module reads items one by one. [`document`] recognises what their contents are.

use super::builder::Builder;
use super::document;
use super::model::{Facts, Item};
use super::prompt::is_cut;
use super::text::{Frame, Text};
use crate::budget::Budget;

/// How many texts may stand in each other: a document in a string of a value in a line.
const MAX_DEPTH: u8 = 4;

impl<'a> Facts<'a> {
    /// Reads all items. The same items in the same order give the same facts. Not whole where the budget stops it.
    #[must_use]
    pub fn read(items: impl IntoIterator<Item = Item<'a>>, budget: &Budget) -> Self {
        let mut builder = Builder::new(budget);
        for item in items {
            let frame = Frame {
                item: builder.item(item),
                scope: Vec::new(),
                parent: None,
                path: Vec::new(),
                exhaustive: item.exhaustive,
                cut: is_cut(item.tool) || is_cut(item.query),
                depth: MAX_DEPTH,
            };
            document::read(&mut builder, &frame, Text::content(item.content));
        }
        builder.finish()
    }
}
