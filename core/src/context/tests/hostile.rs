use proptest::prelude::*;

use super::*;
use crate::context::{MAX_END, MAX_SMALL, MAX_WHOLE};

#[test]
fn accepts_empty_items_and_empty_excerpts() {
    let item = item("");
    let mut excerpt = Excerpt::new(&item);
    excerpt.add_quote(3..9);
    excerpt.add_whole();
    assert!(excerpt.is_empty() && excerpt.is_whole());
    assert_eq!(excerpt.render(), "");
    let item = super::item("x");
    let excerpt = Excerpt::new(&item);
    assert!(excerpt.is_empty() && !excerpt.is_whole());
    assert_eq!((excerpt.render().as_str(), excerpt.len()), ("", 0));
}

#[test]
fn shows_small_items_as_a_whole_and_both_ends_of_large_items() {
    let line = "0123456789012345678\n";
    let small = item(&line.repeat(MAX_SMALL / line.len()));
    let mut excerpt = Excerpt::new(&small);
    excerpt.add_quote(40..42);
    assert!(excerpt.is_whole());
    for count in [MAX_WHOLE / line.len(), MAX_WHOLE / line.len() + 1] {
        let item = item(&line.repeat(count));
        let mut excerpt = Excerpt::new(&item);
        excerpt.add_whole();
        check(&excerpt);
        assert_eq!(excerpt.is_whole(), item.content.as_str().len() <= MAX_WHOLE);
        if !excerpt.is_whole() {
            let lines = line.repeat(MAX_END / line.len());
            assert_eq!(excerpt.render(), format!("{lines}…\n{lines}"));
        }
    }
}

#[test]
fn accepts_deep_and_malformed_documents() {
    for content in [
        "[".repeat(200_000),
        "[1,\n".repeat(50_000),
        "{\"a\":".repeat(100_000),
        "[{\"".repeat(100_000),
        "- ".repeat(100_000),
        "\\".repeat(100_000),
        (0..2_000).map(|depth| format!("{}key:\n", " ".repeat(depth % 500))).collect(),
        format!("{{\"a\": \"{}\"}}", "\\\"".repeat(100_000)),
        format!("[{}1]", "1,".repeat(200_000)),
    ] {
        let item = item(&content);
        let mut excerpt = Excerpt::new(&item);
        for quote in 0..200 {
            let start = content.len() / 200 * quote;
            excerpt.add_quote(start..start + 3);
        }
        check_bounded(&excerpt);
    }
}

fn check_bounded(excerpt: &Excerpt<'_>) {
    assert_eq!(excerpt.len(), excerpt.render().len());
    assert!(!excerpt.is_empty());
}

proptest! {
    #[test]
    fn any_quote_from_any_item_is_shown(
        part in "([a-z]{1,6}[:=,]|[0-9]{1,5}|\n| |\"|\\\\n|\\\\\"|\\{\"|\\{|\\}|\\[|\\]|- |@@ -1,3 \\+1,3 @@\n|\\+|---|\t|\\PC){0,120}",
        repetitions in 1_usize..60,
        quotes in prop::collection::vec((0_usize..6_000, 0_usize..200), 1..6),
    ) {
        let content = part.repeat(repetitions);
        let item = item(&content);
        let mut excerpt = Excerpt::new(&item);
        for (start, bytes) in quotes {
            excerpt.add_quote(start..start + bytes);
            check(&excerpt);
            let start = content.floor_char_boundary(start);
            let end = content.floor_char_boundary((start + bytes).min(content.len()));
            if start < end {
                let is_shown = excerpt.ranges().iter().any(|range| range.start <= start && end <= range.end);
                prop_assert!(is_shown);
            }
        }
        let excerpt_before = excerpt.clone();
        excerpt.add_whole();
        check(&excerpt);
        prop_assert!(excerpt.len() + 8 >= excerpt_before.len());
    }
}
