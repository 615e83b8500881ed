//! Reduces an evidence item to the quoted bytes and their context, such as headers, keys and hunks.
//!
//! ```
//! use gsar_core::context::Excerpt;
//! # use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, Lane};
//! # let row = |index: usize| format!("cart-{index:03}  1/1    Running             {index}\n");
//! # let rows: String = (0..200).map(row).collect();
//! # let content = format!("NAME      READY  STATUS             RESTARTS\n{rows}cart-777  0/1    CrashLoopBackOff   12\n{rows}");
//! # let id = EvidenceId::new("e").unwrap();
//! # let item = EvidenceItem::new(id, Lane::StaticInfra, Content::Text(content));
//! let content = item.content.as_str();
//! let start = content.find("CrashLoopBackOff").unwrap();
//! let mut excerpt = Excerpt::new(&item);
//! excerpt.add_quote(start..start + 16);
//! let rendered = excerpt.render();
//! assert!(rendered.contains("NAME      READY  STATUS"));
//! assert!(rendered.contains("cart-777  0/1    CrashLoopBackOff"));
//! assert!(!rendered.contains("cart-100") && rendered.len() < 400);
//! ```

mod hunks;
mod json;
mod lines;
mod names;
mod parsed_text;
mod quantify;
mod ranges;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use core::ops::Range;
use std::borrow::Cow;

use crate::evidence::EvidenceItem;
use crate::text::part;

use parsed_text::ParsedText;
pub use quantify::quantifies;
pub(crate) use ranges::Ranges;

/// The maximum size of an item that [`Excerpt::add_quote`] adds as a whole, in bytes.
pub const MAX_SMALL: usize = 1_536;
/// The maximum size of an item that [`Excerpt::add_whole`] adds as a whole, in bytes.
pub const MAX_WHOLE: usize = 16 * 1_024;
/// The approximate size of each end that [`Excerpt::add_whole`] adds if the item is longer, in bytes.
pub const MAX_END: usize = 1_024;
/// The approximate maximum size of a quote's context, in bytes, excluding the quote.
pub const MAX_CONTEXT: usize = 4 * 1_024;

/// An excerpt of an evidence item: a set of disjoint byte ranges of its content.
#[derive(Clone, Debug)]
pub struct Excerpt<'e> {
    item: &'e EvidenceItem,
    ranges: Ranges,
    parsed: Option<Box<ParsedText<'e>>>,
}

impl<'e> Excerpt<'e> {
    /// Creates an empty excerpt.
    #[must_use]
    pub const fn new(item: &'e EvidenceItem) -> Self {
        Self { item, ranges: Ranges::new(), parsed: None }
    }

    /// The excerpted item.
    #[must_use]
    pub const fn item(&self) -> &'e EvidenceItem {
        self.item
    }

    /// Adds the quoted bytes, at character boundaries, with about [`MAX_CONTEXT`] bytes of context.
    pub fn add_quote(&mut self, bytes: Range<usize>) {
        let content = self.content();
        if content.len() <= MAX_SMALL {
            self.ranges.add(0..content.len());
            return;
        }
        let start = content.floor_char_boundary(bytes.start);
        let end = content.ceil_char_boundary(bytes.end.min(content.len())).max(start);
        let parsed =
            self.parsed.get_or_insert_with(|| Box::new(ParsedText::new(Cow::Borrowed(content))));
        for range in parsed.context(&(start..end), MAX_CONTEXT).as_slice() {
            self.ranges.add(range.clone());
        }
    }

    /// Adds the whole item, or only its beginning and its end if it exceeds [`MAX_WHOLE`] bytes.
    pub fn add_whole(&mut self) {
        let content = self.content();
        if content.len() <= MAX_WHOLE {
            self.ranges.add(0..content.len());
            return;
        }
        let head = content.floor_char_boundary(MAX_END);
        let head = part(content, 0..head).rfind('\n').map_or(head, |newline| newline + 1);
        let tail = content.ceil_char_boundary(content.len() - MAX_END);
        // The tail starts after a line break, so that it does not begin with a partial line.
        let search_start = tail.saturating_sub(1);
        let bytes = content.as_bytes().get(search_start..content.len() - 1).unwrap_or_default();
        let tail = memchr::memchr(b'\n', bytes).map_or(tail, |newline| search_start + newline + 1);
        self.ranges.add(0..head);
        self.ranges.add(tail..content.len());
    }

    /// Returns `true` if the excerpt contains the whole item.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        match self.ranges.as_slice() {
            [] => self.content().is_empty(),
            [all] => *all == (0..self.content().len()),
            _ => false,
        }
    }

    /// Returns `true` if the excerpt is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.as_slice().is_empty()
    }

    /// The length of the text returned by [`Self::render`], in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        let mut bytes = 0;
        ranges::write(self.content(), self.ranges(), &mut |part| bytes += part.len());
        bytes
    }

    /// Renders the excerpt with `…` for each gap. The mark is on a separate line where whole lines are omitted.
    #[must_use]
    pub fn render(&self) -> String {
        let mut rendered = String::new();
        ranges::write(self.content(), self.ranges(), &mut |part| rendered.push_str(part));
        rendered
    }

    /// The content ranges in the excerpt.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        self.ranges.as_slice()
    }

    pub(crate) const fn replace(&mut self, ranges: Ranges) -> Ranges {
        core::mem::replace(&mut self.ranges, ranges)
    }

    pub(crate) fn clone_ranges(&self) -> Ranges {
        self.ranges.clone()
    }

    fn content(&self) -> &'e str {
        self.item.content.as_str()
    }
}
