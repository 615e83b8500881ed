//! Tests that quotes are shown with their context in many kinds of generated evidence.

mod documents;
mod hostile;
mod lines;
mod tables;

use core::ops::Range;

use super::{Excerpt, MAX_CONTEXT};
use crate::evidence::EvidenceItem;
use crate::testing::tool;

pub(super) fn item(content: &str) -> EvidenceItem {
    tool("e", content)
}

pub(super) fn render_quote(content: &str, quote: Range<usize>) -> String {
    let item = item(content);
    let mut excerpt = Excerpt::new(&item);
    excerpt.add_quote(quote.clone());
    check(&excerpt);
    let quoted = content.get(quote).unwrap();
    let rendered = excerpt.render();
    assert!(rendered.contains(quoted), "{quoted} is not in {rendered}");
    let max = quoted.len() + 2 * MAX_CONTEXT;
    assert!(rendered.len() <= max, "rendered {} of {} bytes", rendered.len(), content.len());
    rendered
}

pub(super) fn check(excerpt: &Excerpt<'_>) {
    let content = excerpt.item().content.as_str();
    let rendered = excerpt.render();
    assert_eq!(rendered.len(), excerpt.len());
    assert_eq!(excerpt.is_empty(), excerpt.ranges().is_empty());
    assert!(excerpt.ranges().windows(2).all(|pair| pair[0].end < pair[1].start));
    let mut rest = rendered.as_str();
    for range in excerpt.ranges() {
        let part = content.get(range.clone()).unwrap();
        let start = rest.find(part).unwrap();
        rest = rest.split_at(start + part.len()).1;
    }
    if excerpt.is_whole() {
        assert_eq!(rendered, content);
    }
}

/// Checks that the first `quote` after `anchor` is shown with `expected_parts`.
pub(super) fn check_shown(content: &str, anchor: &str, quote: &str, expected_parts: &[String]) {
    let anchor_start =
        content.find(anchor).unwrap_or_else(|| panic!("{anchor} is not in {content}"));
    let start = anchor_start + content.split_at(anchor_start).1.find(quote).unwrap();
    let rendered = render_quote(content, start..start + quote.len());
    for part in expected_parts {
        assert!(rendered.contains(part.as_str()), "{part}\n--- is not in\n{rendered}");
    }
}

pub(super) fn strings(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_string()).collect()
}
