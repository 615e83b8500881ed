//! This module tells which shape a content has and hands it to the module that reads it.

use super::builder::Builder;
use super::model::{Facts, Item};

impl<'a> Facts<'a> {
    /// Reads all items. The same items in the same order give the same facts.
    #[must_use]
    pub fn read(items: impl IntoIterator<Item = Item<'a>>) -> Self {
        let mut builder = Builder::new();
        for item in items {
            builder.item(item);
        }
        builder.finish()
    }
}
