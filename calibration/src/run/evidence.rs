//! Retrieves the evidence for each row from the evidence of all rows, through a corpus on the server.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use futures_util::{StreamExt as _, TryStreamExt as _};
use gsar_client::Client;
use gsar_proto::v1;

use crate::corpus::store;
use crate::rows::{Item, Row};

pub(super) const MAX_CONCURRENT: usize = 8;

/// The maximum number of hits per search.
const MAX_HITS: u32 = 50;

/// Retrieved evidence in rounds of decreasing rank.
pub(super) type Retrieved = Vec<Vec<Item>>;

/// Replaces each row's evidence with the top `k` of `items` for each of its claims. Also returns the items that rank
/// next, in up to `further` rounds of `k` per claim. Stores the items in a temporary corpus.
pub(super) async fn find_evidence(
    client: &Client,
    rows: Vec<Row>,
    items: &[Item],
    k: u32,
    further: u32,
) -> Result<Vec<(Row, Retrieved)>> {
    let corpus = corpus_id(items);
    store(client, &corpus, items.iter().map(Item::message)).await?;
    let most = (k * (1 + further)).min(MAX_HITS);
    let searches = rows.into_iter().map(async |mut row| {
        let mut rounds = retrieve(client, &corpus, items, &row, k, most).await?.into_iter();
        row.evidence = rounds.next().unwrap_or_default();
        anyhow::Ok((row, rounds.collect()))
    });
    let found = futures_util::stream::iter(searches).buffered(MAX_CONCURRENT).try_collect().await?;
    client.delete_corpus(&corpus).await?;
    Ok(found)
}

/// Returns the distinct evidence items of all rows, with new ids.
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

/// Searches for each claim, and returns the top `most` items in rounds of `k` per claim.
async fn retrieve(
    client: &Client,
    corpus: &str,
    items: &[Item],
    row: &Row,
    k: u32,
    most: u32,
) -> Result<Retrieved> {
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
    let item = |id: &str| by_id.get(id).copied().cloned();
    let rounds = interleave(&ranked, k as usize).into_iter();
    Ok(rounds.map(|round| round.into_iter().filter_map(item).collect()).collect())
}

/// Interleaves the lists in rounds of `k` ranks, without duplicates.
fn interleave(ranked: &[Vec<String>], k: usize) -> Vec<Vec<&str>> {
    let mut selected: HashSet<&str> = HashSet::new();
    let longest = ranked.iter().map(Vec::len).max().unwrap_or(0);
    let ranks: Vec<usize> = (0..longest).collect();
    let round = |ranks: &[usize]| {
        let ids = ranks.iter().flat_map(|rank| ranked.iter().filter_map(|list| list.get(*rank)));
        ids.map(String::as_str).filter(|id| selected.insert(id)).collect()
    };
    ranks.chunks(k.max(1)).map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaves_lists_without_duplicates() {
        let list = |ids: &str| ids.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let ranked = [list("a b c d"), list("b e")];
        assert_eq!(interleave(&ranked, 3), [vec!["a", "b", "e", "c"], vec!["d"]]);
        assert_eq!(interleave(&ranked, 1)[..2], [vec!["a", "b"], vec!["e"]]);
    }
}
