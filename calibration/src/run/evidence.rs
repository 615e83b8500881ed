//! Retrieves the evidence for each row from all rows' evidence, through a server corpus.

use std::collections::HashMap;

use anyhow::Result;
use futures_util::{StreamExt as _, TryStreamExt as _};
use gsar_client::Client;
use gsar_proto::v1;

use crate::corpus::store;
use crate::rows::{Item, Row};

const MAX_CONCURRENT: usize = 8;

/// Replaces each row's evidence with the top `k` of `items`, distributed evenly over its claims. Stores the
/// items in a temporary corpus.
pub(super) async fn find_evidence(
    client: &Client,
    rows: &mut [Row],
    items: &[Item],
    k: u32,
) -> Result<()> {
    let corpus = corpus_id(items);
    store(client, &corpus, items.iter().map(Item::message)).await?;
    let searches = rows.iter().map(|row| retrieve(client, &corpus, items, row, k));
    let retrieved: Vec<Vec<Item>> =
        futures_util::stream::iter(searches).buffered(MAX_CONCURRENT).try_collect().await?;
    client.delete_corpus(&corpus).await?;
    for (row, items) in rows.iter_mut().zip(retrieved) {
        row.evidence = items;
    }
    Ok(())
}

/// Returns the distinct evidence in all rows, with new ids.
pub(super) fn distinct(rows: &[Row]) -> Vec<Item> {
    let mut indexes: HashMap<&str, usize> = HashMap::new();
    let mut items = Vec::new();
    for item in rows.iter().flat_map(|row| &row.evidence) {
        let next = items.len();
        if *indexes.entry(&item.text).or_insert(next) == next {
            items.push(Item::text(format!("p{next}"), item.text.clone()));
        }
    }
    items
}

fn corpus_id(items: &[Item]) -> String {
    let mut digest = blake3::Hasher::new();
    for item in items {
        digest.update(item.text.as_bytes()).update(&[0]);
    }
    format!("calibrate-{}", digest.finalize().to_hex().get(..16).unwrap_or_default())
}

async fn retrieve(
    client: &Client,
    corpus: &str,
    items: &[Item],
    row: &Row,
    k: u32,
) -> Result<Vec<Item>> {
    let mut ranked: Vec<Vec<String>> = Vec::new();
    for claim in &row.claims {
        let request = v1::SearchRequest {
            corpus_id: corpus.to_owned(),
            query: claim.text.clone(),
            most: k,
            ..Default::default()
        };
        let hits = client.search(request).await?.hits;
        ranked.push(hits.into_iter().map(|hit| hit.evidence_id).collect());
    }
    let by_id: HashMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    let selected = interleave(&ranked, k as usize);
    Ok(selected.into_iter().filter_map(|id| by_id.get(id).copied().cloned()).collect())
}

/// Interleaves the lists up to depth `k`, without duplicates.
fn interleave(ranked: &[Vec<String>], k: usize) -> Vec<&str> {
    let mut selected: Vec<&str> = Vec::new();
    for rank in 0..k {
        for id in ranked.iter().filter_map(|list| list.get(rank)) {
            if !selected.contains(&id.as_str()) {
                selected.push(id);
            }
        }
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaves_lists_without_duplicates() {
        let list = |ids: &str| ids.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let ranked = [list("a b c d"), list("b e")];
        assert_eq!(interleave(&ranked, 3), ["a", "b", "e", "c"]);
        assert!(interleave(&ranked, 0).is_empty());
    }
}
