//! Formats stored items, corpora and search results.

use gsar_client::text::{one_line, truncate_end, width};
use gsar_proto::v1;

use super::labels;
use super::page::{BOLD, DIM, Page, count, padded, styled};

/// The number of lines shown per passage.
const MAX_LINES: usize = 6;

/// Formats the stored items and the resulting state of the corpus.
pub(crate) fn stored(answer: &v1::PutEvidenceResponse, columns: usize) -> String {
    let mut page = Page::new(columns);
    let names: Vec<String> = answer
        .items
        .iter()
        .map(|item| truncate_end(&one_line(&item.evidence_id), 40).into_owned())
        .collect();
    let column = names.iter().map(|name| width(name)).max().unwrap_or(0);
    for (item, name) in answer.items.iter().zip(&names) {
        let description = match () {
            () if item.unchanged => "unchanged".to_owned(),
            () if !item.same_as.is_empty() => format!("duplicate of {}", one_line(&item.same_as)),
            () if item.lines > 0 => format!(
                "{} in {}, {} repeated",
                count(item.lines, "line"),
                count(item.passages, "passage"),
                item.repeated_lines
            ),
            () => count(item.passages, "passage"),
        };
        page.add_line(&format!(
            "  {}  {:>8}  {description}",
            padded(name, column),
            size(item.size)
        ));
    }
    if answer.more_items > 0 {
        let (unchanged, duplicates) = (answer.unchanged_items, answer.duplicate_items);
        page.add_line(&format!(
            "  and {}; in total, {unchanged} unchanged and {duplicates} duplicates",
            count(answer.more_items, "more item")
        ));
    }
    if let Some(corpus) = &answer.corpus {
        page.add_gap();
        page.add_labelled("corpus", &corpus_state(corpus));
    }
    page.into_text()
}

pub(crate) fn corpora(list: &[v1::CorpusSummary]) -> String {
    let column = list.iter().map(|corpus| width(&corpus.corpus_id)).max().unwrap_or(0);
    list.iter()
        .map(|corpus| {
            let expiry = corpus.expires_at.as_ref().map(labels::instant);
            let expiry = expiry.map(|instant| format!("until {instant}")).unwrap_or_default();
            format!(
                "{}  {:>8}  {:>10}  {:>14}  {}\n",
                padded(&one_line(&corpus.corpus_id), column),
                size(corpus.size),
                count(corpus.items, "item"),
                count(corpus.passages, "passage"),
                styled(DIM, &expiry),
            )
        })
        .collect()
}

fn corpus_state(corpus: &v1::CorpusSummary) -> String {
    let expiry = corpus.expires_at.as_ref().map(labels::instant);
    let expiry = expiry.map(|instant| format!(", expires {instant}")).unwrap_or_default();
    format!(
        "{} contains {} in {}, {}{expiry}",
        corpus.corpus_id,
        count(corpus.items, "item"),
        count(corpus.passages, "passage"),
        size(corpus.size)
    )
}

/// Formats passages, each as its label and the lines that match the query best.
pub(crate) fn hits(answer: &v1::SearchResponse, query: &str, columns: usize) -> String {
    let mut page = Page::new(columns);
    for hit in &answer.hits {
        page.add_line(&styled(BOLD, &one_line(&hit.label)));
        let lines: Vec<&str> = hit.text.lines().filter(|line| !line.trim().is_empty()).collect();
        for line in best_lines(&lines, query) {
            page.add_line(&format!(
                "  {}",
                truncate_end(&one_line(line.trim()), columns.saturating_sub(2))
            ));
        }
        if let Some(further) = lines.len().checked_sub(MAX_LINES).filter(|further| *further > 0) {
            page.add_line(&styled(
                DIM,
                &format!("  and {}", count(further as u64, "further line")),
            ));
        }
    }
    if !answer.degraded.is_empty() {
        page.add_gap();
        page.add_labelled("note", &format!("searched by words only: {}", answer.degraded));
    }
    page.into_text()
}

/// Selects the lines that share the most words with the query, preserving their order.
fn best_lines<'t>(lines: &[&'t str], query: &str) -> Vec<&'t str> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut ranked: Vec<(usize, usize)> = lines
        .iter()
        .map(|line| line.to_lowercase())
        .map(|line| words.iter().filter(|word| line.contains(word.as_str())).count())
        .enumerate()
        .collect();
    ranked.sort_by_key(|(index, shared)| (std::cmp::Reverse(*shared), *index));
    ranked.truncate(MAX_LINES);
    ranked.sort_unstable();
    ranked.into_iter().filter_map(|(index, _)| lines.get(index).copied()).collect()
}

/// Formats a size: `812 B`, `3.4 kB`, `200.0 MB`.
pub(crate) fn size(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", tenths(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => format!("{} GB", tenths(1_000_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_units() {
        let sizes = [0, 999, 1_000, 3_449, 200_000_000, 2_147_483_648].map(size);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "3.4 kB", "200.0 MB", "2.1 GB"]);
    }

    #[test]
    fn formats_stored_items_corpora_and_hits() {
        let instant = prost_types::Timestamp { seconds: 1_773_324_000, nanos: 0 };
        let corpus = v1::CorpusSummary {
            corpus_id: "inc-7".to_owned(),
            items: 2,
            passages: 41,
            size: 3_449,
            created_at: Some(instant),
            expires_at: Some(instant),
            embedded: false,
        };
        let item = |id: &str, lines, unchanged, same_as: &str| v1::StoredItem {
            evidence_id: id.to_owned(),
            size: 1_024,
            passages: 3,
            lines,
            repeated_lines: lines / 2,
            same_as: same_as.to_owned(),
            unchanged,
            ..Default::default()
        };
        let items = vec![
            item("app.log", 42, false, ""),
            item("pods.json", 0, false, ""),
            item("events.txt", 9, true, ""),
            item("again.txt", 9, false, "events.txt"),
        ];
        let put_response = v1::PutEvidenceResponse {
            corpus: Some(corpus.clone()),
            items,
            more_items: 2,
            unchanged_items: 1,
            duplicate_items: 3,
        };
        let hit = |label: &str, text: &str| v1::SearchHit {
            label: label.to_owned(),
            text: text.to_owned(),
            ..Default::default()
        };
        let long: String =
            (1..=9).map(|line| format!("line {line} \u{1b}[31mred {}\n", "x".repeat(90))).collect();
        let search_response = v1::SearchResponse {
            hits: vec![
                hit("app.log#L1-9", &long),
                hit("pods.json#/items/3", "{\"phase\": \"Running\"}"),
            ],
            method: "lexical".to_owned(),
            degraded: "no model is installed; make models".to_owned(),
        };
        insta::assert_snapshot!(anstream::adapter::strip_str(&format!(
            "{}\n---\n{}---\n{}",
            stored(&put_response, 80),
            corpora(&[corpus]),
            hits(&search_response, "line 7 and 9", 80)
        )));
    }
}
