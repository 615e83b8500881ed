//! One corpus in a database. Reads its state on every call, because other servers change it.

use std::collections::HashMap;

use deadpool_postgres::Object;
use gsar_core::evidence::EvidenceItem;
use gsar_embedding::Vector;
use gsar_vectors::Hit as Nearest;
use tokio_postgres::{Error, Row};

use super::head::head;
use super::index::Index;
use super::write::{Columns, ItemState};
use super::{Blocking, lexical, read, vectors, write};
use crate::evidence::characters::whole_characters;
use crate::evidence::error::StoreError;
use crate::evidence::name::CorpusName;
use crate::evidence::search::{CANDIDATES_PER_HIT, Filter, Hit, Hits, Query, select_best};
use crate::evidence::snapshot::{ItemRef, Part, Snapshot};
use crate::evidence::store::{
    Batch, Corpus, Head, ItemTotals, StoreOutcome, Summary, VectorSpace, build_item, signed,
    supersedes, unsigned,
};
use crate::storage::postgres::query;

/// Selects the summaries of corpora by name.
pub(super) const SUMMARIES: &str = "SELECT name, items, passages, size, created_at, expires_at, embedded_by \
     FROM evidence_corpora WHERE name = ANY($1)";

pub(super) fn summary(name: CorpusName, row: &Row) -> Summary {
    Summary {
        name,
        items: unsigned(row.get("items")),
        passages: unsigned(row.get("passages")),
        size: unsigned(row.get("size")),
        created_at: row.get("created_at"),
        expires_at: row.get("expires_at"),
        embedded_by: row.get("embedded_by"),
    }
}

/// A corpus, identified by its number, because its name can be reused after it is deleted.
#[derive(Debug)]
pub(super) struct PostgresCorpus {
    blocking: Blocking,
    name: CorpusName,
    number: i64,
}

impl PostgresCorpus {
    pub(super) fn new(blocking: Blocking, name: CorpusName, number: i64) -> Self {
        Self { blocking, name, number }
    }

    fn unknown_corpus(&self) -> StoreError {
        StoreError::UnknownCorpus { corpus: self.name.to_string() }
    }

    fn update<T>(&self, sql: &'static str, value: T) -> Result<(), StoreError>
    where
        T: tokio_postgres::types::ToSql + Send + Sync + 'static,
    {
        self.blocking.run((sql, self.number, value), |client, (sql, number, value), _| {
            Box::pin(async move { query::execute(client, sql, &[number, value]).await.map(drop) })
        })
    }
}

impl Corpus for PostgresCorpus {
    fn name(&self) -> &CorpusName {
        &self.name
    }

    fn revision(&self) -> Result<u64, StoreError> {
        const REVISION: &str = "SELECT revision FROM evidence_corpora WHERE number = $1";
        let row = self.blocking.run(self.number, |client, number, _| {
            Box::pin(async move { query::optional(client, REVISION, &[number]).await })
        })?;
        row.map(|row| unsigned(row.get(0))).ok_or_else(|| self.unknown_corpus())
    }

    fn summary(&self) -> Result<Summary, StoreError> {
        const SUMMARY: &str = "SELECT items, passages, size, created_at, expires_at, embedded_by \
             FROM evidence_corpora WHERE number = $1 AND name IS NOT NULL";
        let row = self.blocking.run(self.number, |client, number, _| {
            Box::pin(async move { query::optional(client, SUMMARY, &[number]).await })
        })?;
        row.map(|row| summary(self.name.clone(), &row)).ok_or_else(|| self.unknown_corpus())
    }

    fn expire(&self, expires_at: Option<i64>) -> Result<(), StoreError> {
        self.update("UPDATE evidence_corpora SET expires_at = $2 WHERE number = $1", expires_at)
    }

    fn begin(&self, head: &Head) -> Result<i64, StoreError> {
        self.blocking.run((self.number, head.clone()), |client, (number, head), _| {
            Box::pin(write::begin(client, *number, head))
        })
    }

    fn append(&self, item: i64, batch: &Batch) -> Result<(), StoreError> {
        let arguments = (self.number, item, Columns::new(self.number, batch));
        let is_stored = self.blocking.run(arguments, |client, (number, item, columns), _| {
            Box::pin(write::append(client, *number, *item, columns))
        })?;
        is_stored.then_some(()).ok_or_else(|| self.unknown_corpus())
    }

    fn complete(
        &self,
        item: i64,
        head: &Head,
        totals: &ItemTotals,
    ) -> Result<StoreOutcome, StoreError> {
        let arguments = (self.number, item, head.clone(), totals.clone());
        let outcome = self.blocking.run(arguments, |client, (number, item, head, totals), _| {
            Box::pin(complete(client, *number, *item, head, totals))
        })?;
        if !matches!(outcome, Ok(Some((StoreOutcome::New, false)))) {
            self.blocking.sweep();
        }
        match outcome? {
            Some((outcome, _)) => Ok(outcome),
            None => Err(self.unknown_corpus()),
        }
    }

    fn discard(&self, item: i64) -> Result<(), StoreError> {
        // Runs in the background, because the caller may be a thread that must not block.
        let blocking = self.blocking.clone();
        self.blocking.runtime.spawn(async move {
            let discard_task = blocking.database.run(item, |client, item, _| {
                Box::pin(write::discard(&*client, *item))
            });
            match discard_task.await {
                Ok(()) => blocking.sweep(),
                Err(failure) => {
                    tracing::warn!(%failure, "failed to discard an incomplete item; the sweep will delete it after an hour");
                }
            }
        });
        Ok(())
    }

    /// Does nothing, because every batch is already durable.
    fn make_durable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn items(&self) -> Result<Vec<EvidenceItem>, StoreError> {
        let rows = self
            .blocking
            .run(self.number, |client, number, _| Box::pin(read::items(client, *number)))?;
        rows.into_iter()
            .map(|(row, bytes)| {
                let head = head(&row, 2)?;
                let is_intact =
                    blake3::hash(&bytes).as_bytes().as_slice() == row.get::<_, &[u8]>(1);
                match String::from_utf8(bytes) {
                    Ok(text) if is_intact => Ok(build_item(head, text)),
                    _ => Err(StoreError::Damaged {
                        place: format!("corpus `{}` in the database", self.name),
                        reason: format!("item `{}` does not match its digest", head.id),
                    }),
                }
            })
            .collect()
    }

    fn snapshot(&self, item: &ItemRef, part: Part) -> Result<Option<Snapshot>, StoreError> {
        let arguments = (self.number, item.clone(), part);
        let snapshot = self.blocking.run(arguments, |client, (number, item, part), _| {
            Box::pin(read::snapshot(client, *number, item, *part))
        })?;
        let Some((row, start, content)) = snapshot else { return Ok(None) };
        let digest: &[u8] = row.get(1);
        Ok(Some(Snapshot {
            head: head(&row, 3)?,
            digest: digest.try_into().unwrap_or_default(),
            size: unsigned(row.get(2)),
            content,
            start,
        }))
    }

    fn search(
        &self,
        query: &Query<'_>,
        meaning: Option<(&[f32], Result<VectorSpace, String>)>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Hits, StoreError> {
        let (meaning, mut degraded) = match meaning {
            None => (None, None),
            Some((_, Err(reason))) => (None, Some(reason)),
            Some((vector, Ok(space))) => (Some((vector.to_vec(), space)), None),
        };
        let wants_meaning = meaning.is_some();
        let search = Search {
            corpus: self.number,
            text: query.text.to_owned(),
            by_terms: query.by_terms,
            meaning,
            filter: filter.clone(),
            limit: i64::try_from(limit.saturating_mul(CANDIDATES_PER_HIT)).unwrap_or(i64::MAX),
        };
        let rankings = self
            .blocking
            .run(search, |client, search, _| Box::pin(rank_passages(client, search)))?;
        if wants_meaning && rankings.by_meaning.is_none() {
            degraded = Some("no passage of the corpus has a vector yet".to_owned());
        }
        let method = query.method(rankings.by_meaning.is_some());
        let mut passages = by_passage(&rankings.rows)?;
        let by_terms: Vec<u64> = rankings.by_terms.into_iter().map(unsigned).collect();
        let hits =
            select_best(&by_terms, &rankings.by_meaning.unwrap_or_default(), limit, |passage| {
                Ok::<_, StoreError>(passages.remove(&signed(passage)))
            })?;
        Ok(Hits { hits, method, degraded })
    }

    fn passages(&self, numbers: &[i64]) -> Result<Vec<Hit>, StoreError> {
        let arguments = (self.number, numbers.to_vec());
        let rows = self.blocking.run(arguments, |client, (number, numbers), _| {
            Box::pin(read::passages(&*client, *number, numbers))
        })?;
        let hits = by_passage(&rows)?;
        Ok(numbers.iter().filter_map(|number| hits.get(number).cloned()).collect())
    }

    fn passages_without_vector(
        &self,
        space: &VectorSpace,
        after_number: i64,
    ) -> Result<Vec<(i64, String)>, String> {
        let arguments = (self.number, space.model.clone(), after_number);
        let rows = self.blocking.run(arguments, |client, (number, model, after_number), _| {
            Box::pin(vectors::passages_without_vector(client, *number, model, *after_number))
        });
        let rows = rows.map_err(|error| error.to_string())?;
        let passage = |row: &Row| {
            let bytes: Option<&[u8]> = row.get(1);
            (row.get(0), whole_characters(bytes.unwrap_or_default()).1.to_owned())
        };
        Ok(rows.iter().map(passage).collect())
    }

    fn add_vectors(&self, space: &VectorSpace, vectors: Vec<(i64, Vector)>) -> Result<(), String> {
        let (passages, vectors): (Vec<i64>, Vec<pgvector::Vector>) = vectors
            .into_iter()
            .map(|(passage, vector)| (passage, pgvector::Vector::from(vector.to_vec())))
            .unzip();
        let arguments = (self.number, space.model.clone(), passages, vectors);
        let result =
            self.blocking.run(arguments, |client, (number, model, passages, vectors), _| {
                Box::pin(vectors::add(client, *number, model, passages, vectors))
            });
        result.map_err(|error| error.to_string())
    }

    fn save_vectors(&self, _space: &VectorSpace) -> Result<(), String> {
        Ok(())
    }

    fn mark_embedded(&self, space: &VectorSpace) -> Result<(), StoreError> {
        self.update(
            "UPDATE evidence_corpora SET embedded_by = $2 WHERE number = $1",
            space.model.clone(),
        )?;
        let (index, database) = (Index::new(self.number, space), self.blocking.database.clone());
        let name = self.name.clone();
        self.blocking.runtime.spawn(async move {
            if let Err(failure) = index.build(&database).await {
                tracing::warn!(corpus = %name, %failure, "failed to build the vector index; semantic search remains slow");
            }
        });
        Ok(())
    }
}

/// Completes an item. Returns the outcome, with `true` if the item replaced another one. Returns `None` if
/// the corpus or the item was deleted.
async fn complete(
    client: &mut Object,
    corpus: i64,
    item: i64,
    new_item: &Head,
    totals: &ItemTotals,
) -> Result<Result<Option<(StoreOutcome, bool)>, StoreError>, Error> {
    let transaction = client.transaction().await?;
    let existing = match write::lock_item(&transaction, corpus, item, new_item.id.as_str()).await? {
        ItemState::Gone => return Ok(Ok(None)),
        ItemState::Completed => return Ok(Ok(Some((StoreOutcome::New, true)))),
        ItemState::Open(existing) => existing,
    };
    let is_same = |row: &Row| {
        let has_digest = row.get::<_, &[u8]>(1) == totals.digest.as_slice();
        head(row, 2).map(|existing_head| has_digest && supersedes(&existing_head, new_item))
    };
    match existing.as_ref().map(is_same).transpose() {
        Err(damage) => return Ok(Err(damage)),
        Ok(Some(true)) => {
            write::discard(&transaction, item).await?;
            transaction.commit().await?;
            return Ok(Ok(Some((StoreOutcome::Unchanged, false))));
        }
        Ok(_) => {}
    }
    let duplicate_id = write::find_duplicate(&transaction, corpus, new_item, totals).await?;
    if let Some(existing) = &existing {
        write::remove_item(&transaction, existing.get(0)).await?;
    }
    let outcome = match duplicate_id {
        Some(duplicate_id) => {
            write::discard(&transaction, item).await?;
            StoreOutcome::SameAs(duplicate_id)
        }
        None => {
            write::add_item(&transaction, corpus, item, totals).await?;
            StoreOutcome::New
        }
    };
    transaction.commit().await?;
    Ok(Ok(Some((outcome, existing.is_some()))))
}

struct Search {
    corpus: i64,
    text: String,
    by_terms: bool,
    meaning: Option<(Vec<f32>, VectorSpace)>,
    filter: Filter,
    limit: i64,
}

struct Rankings {
    by_terms: Vec<i64>,
    /// `None` if the corpus has no vectors or the search did not request them.
    by_meaning: Option<Vec<Nearest>>,
    rows: Vec<Row>,
}

async fn rank_passages(client: &mut Object, search: &Search) -> Result<Rankings, Error> {
    let Search { corpus, text, filter, limit, .. } = search;
    let transaction = client.transaction().await?;
    let by_meaning = match &search.meaning {
        None => None,
        Some((vector, space)) => {
            vectors::nearest(&transaction, *corpus, space, vector, filter, *limit).await?
        }
    };
    let by_terms = match search.by_terms || by_meaning.is_none() {
        true => lexical::search(&transaction, *corpus, text, filter, *limit).await?,
        false => Vec::new(),
    };
    let meaning_numbers = by_meaning.iter().flatten().map(|hit| signed(hit.key));
    let numbers: Vec<i64> = by_terms.iter().copied().chain(meaning_numbers).collect();
    let rows = read::passages(&transaction, *corpus, &numbers).await?;
    transaction.commit().await?;
    Ok(Rankings { by_terms, by_meaning, rows })
}

/// Converts passage rows to hits, keyed by the number of the passage.
fn by_passage(rows: &[Row]) -> Result<HashMap<i64, Hit>, StoreError> {
    rows.iter().map(|row| read::hit(row).map(|hit| (hit.passage, hit))).collect()
}
