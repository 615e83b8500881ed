//! Searches the evidence of each row among that of all rows, in one corpus of the server.

use std::collections::HashMap;

use anyhow::Result;
use futures_util::{StreamExt as _, TryStreamExt as _};
use gsar_client::Client;
use gsar_proto::v1;

use crate::corpus::store;
use crate::rows::{Item, Row};

/// The maximum number of searches in progress.
const MAX_AT_ONCE: usize = 8;

/// Replaces the evidence of each row by the `most` of `items` that bear on its claims most, those of each claim in turn. They
/// are a corpus of the server meanwhile.
pub(super) async fn find_evidence(
    client: &Client,
    rows: &mut [Row],
    items: &[Item],
    most: u32,
) -> Result<()> {
    let corpus = corpus_id(items);
    store(client, &corpus, items.iter().map(Item::message)).await?;
    let searches = rows.iter().map(|row| found(client, &corpus, items, row, most));
    let found: Vec<Vec<Item>> =
        futures_util::stream::iter(searches).buffered(MAX_AT_ONCE).try_collect().await?;
    client.delete_corpus(&corpus).await?;
    for (row, found) in rows.iter_mut().zip(found) {
        row.evidence = found;
    }
    Ok(())
}

/// The evidence of all rows, each text once; ids are its place.
pub(super) fn distinct(rows: &[Row]) -> Vec<Item> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut items = Vec::new();
    for item in rows.iter().flat_map(|row| &row.evidence) {
        let next = items.len();
        if *places.entry(&item.text).or_insert(next) == next {
            items.push(Item::text(format!("p{next}"), item.text.clone()));
        }
    }
    items
}

/// A name that no corpus with other items has.
fn corpus_id(items: &[Item]) -> String {
    let mut digest = blake3::Hasher::new();
    for item in items {
        digest.update(item.text.as_bytes()).update(&[0]);
    }
    format!("calibrate-{}", digest.finalize().to_hex().get(..16).unwrap_or_default())
}

async fn found(
    client: &Client,
    corpus: &str,
    items: &[Item],
    row: &Row,
    most: u32,
) -> Result<Vec<Item>> {
    let mut ranked: Vec<Vec<String>> = Vec::new();
    for claim in &row.claims {
        let request = v1::SearchRequest {
            corpus_id: corpus.to_owned(),
            query: claim.text.clone(),
            most,
            ..Default::default()
        };
        let hits = client.search(request).await?.hits;
        ranked.push(hits.into_iter().map(|hit| hit.evidence_id).collect());
    }
    let by_id: HashMap<&str, &Item> = items.iter().map(|item| (item.id.as_str(), item)).collect();
    let taken = in_turn(&ranked, most as usize);
    Ok(taken.into_iter().filter_map(|id| by_id.get(id).copied().cloned()).collect())
}

/// The first of each list, then the second of each, and so on: `most` different ones for each list.
fn in_turn(ranked: &[Vec<String>], most: usize) -> Vec<&str> {
    let mut taken: Vec<&str> = Vec::new();
    for rank in 0..most {
        for id in ranked.iter().filter_map(|list| list.get(rank)) {
            if !taken.contains(&id.as_str()) {
                taken.push(id);
            }
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_taken_in_turn_and_nothing_twice() {
        let list = |ids: &str| ids.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let ranked = [list("a b c d"), list("b e")];
        assert_eq!(in_turn(&ranked, 3), ["a", "b", "e", "c"]);
        assert!(in_turn(&ranked, 0).is_empty());
    }
}
