//! One corpus in a database. Reads its state on every call, because other servers change it.

use std::collections::HashMap;
use std::sync::Arc;

use deadpool_postgres::{Object, Transaction};
use gsar_core::evidence::EvidenceItem;
use gsar_embedding::Vector;
use gsar_vectors::Hit as Nearest;
use tokio_postgres::{Error, Row};

use super::head::{head, signed, unsigned};
use super::index::Index;
use super::write::{Columns, ItemState};
use super::{Blocking, lexical, read, vectors, write};
use crate::evidence::characters::whole_characters;
use crate::evidence::error::StoreError;
use crate::evidence::name::CorpusName;
use crate::evidence::search::{CANDIDATES_PER_HIT, Filter, Hit, Hits, Method, Query, select_best};
use crate::evidence::snapshot::{ItemRef, Part, Snapshot};
use crate::evidence::store::{
    Batch, Corpus, Head, ItemTotals, StoreOutcome, Summary, VectorSpace, build_item, supersedes,
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

/// A corpus. Its number identifies it, because a name can be reused after a deletion.
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
        T: tokio_postgres::types::ToSql + Clone + Send + Sync + 'static,
    {
        let number = self.number;
        self.blocking.run(move |client, _| {
            let value = value.clone();
            Box::pin(async move { query::execute(client, sql, &[&number, &value]).await.map(drop) })
        })
    }
}

impl Corpus for PostgresCorpus {
    fn name(&self) -> &CorpusName {
        &self.name
    }

    fn revision(&self) -> Result<u64, StoreError> {
        const REVISION: &str = "SELECT revision FROM evidence_corpora WHERE number = $1";
        let number = self.number;
        let row = self.blocking.run(move |client, _| {
            Box::pin(async move { query::optional(client, REVISION, &[&number]).await })
        })?;
        row.map(|row| unsigned(row.get(0))).ok_or_else(|| self.unknown_corpus())
    }

    fn summary(&self) -> Result<Summary, StoreError> {
        const SUMMARY: &str = "SELECT items, passages, size, created_at, expires_at, embedded_by \
             FROM evidence_corpora WHERE number = $1 AND name IS NOT NULL";
        let number = self.number;
        let row = self.blocking.run(move |client, _| {
            Box::pin(async move { query::optional(client, SUMMARY, &[&number]).await })
        })?;
        row.map(|row| summary(self.name.clone(), &row)).ok_or_else(|| self.unknown_corpus())
    }

    fn expire(&self, expires_at: Option<i64>) -> Result<(), StoreError> {
        self.update("UPDATE evidence_corpora SET expires_at = $2 WHERE number = $1", expires_at)
    }

    fn begin(&self, head: &Head) -> Result<i64, StoreError> {
        let (number, head) = (self.number, Arc::new(head.clone()));
        self.blocking.run(move |client, _| {
            let head = Arc::clone(&head);
            Box::pin(async move { write::begin(client, number, &head).await })
        })
    }

    fn append(&self, item: i64, batch: &Batch) -> Result<(), StoreError> {
        let (number, columns) = (self.number, Arc::new(Columns::new(self.number, batch)));
        let is_stored = self.blocking.run(move |client, _| {
            let columns = Arc::clone(&columns);
            Box::pin(async move { write::append(client, number, item, &columns).await })
        })?;
        is_stored.then_some(()).ok_or_else(|| self.unknown_corpus())
    }

    fn complete(
        &self,
        item: i64,
        head: &Head,
        totals: &ItemTotals,
    ) -> Result<StoreOutcome, StoreError> {
        let number = self.number;
        let new_item = Arc::new((head.clone(), totals.clone()));
        let outcome = self.blocking.run(move |client, _| {
            let new_item = Arc::clone(&new_item);
            Box::pin(async move { complete(client, number, item, &new_item.0, &new_item.1).await })
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
            let discard_task = blocking.database.run(move |client, _| {
                Box::pin(async move { write::discard(&*client, item).await })
            });
            match discard_task.await {
                Ok(()) => blocking.sweep(),
                Err(failure) => {
                    tracing::warn!(%failure, "failed to discard an incomplete item; the sweep deletes it after an hour");
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
        let number = self.number;
        let rows = self.blocking.run(move |client, _| Box::pin(read::items(client, number)))?;
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
        let (number, item) = (self.number, item.clone());
        let snapshot = self.blocking.run(move |client, _| {
            let item = item.clone();
            Box::pin(async move { read::snapshot(client, number, &item, part).await })
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
        let search = Arc::new(Search {
            corpus: self.number,
            text: query.text.to_owned(),
            by_terms: query.by_terms,
            meaning,
            filter: filter.clone(),
            limit: i64::try_from(limit.saturating_mul(CANDIDATES_PER_HIT)).unwrap_or(i64::MAX),
        });
        let rankings = self.blocking.run(move |client, _| {
            let search = Arc::clone(&search);
            Box::pin(async move { rank_passages(client, &search).await })
        })?;
        if wants_meaning && rankings.by_meaning.is_none() {
            degraded = Some("no passage of the corpus has a vector yet".to_owned());
        }
        let method = match (&rankings.by_meaning, query.by_terms) {
            (None, _) => Method::Lexical,
            (Some(_), true) => Method::Hybrid,
            (Some(_), false) => Method::Vector,
        };
        let mut passages = HashMap::new();
        for row in &rankings.rows {
            let hit = read::hit(row)?;
            passages.insert(unsigned(hit.passage), hit);
        }
        let by_terms: Vec<u64> = rankings.by_terms.into_iter().map(unsigned).collect();
        let hits =
            select_best(&by_terms, &rankings.by_meaning.unwrap_or_default(), limit, |passage| {
                Ok::<_, StoreError>(passages.remove(&passage))
            })?;
        Ok(Hits { hits, method, degraded })
    }

    fn passages(&self, numbers: &[i64]) -> Result<Vec<Hit>, StoreError> {
        let (number, numbers_to_read) = (self.number, numbers.to_vec());
        let rows = self.blocking.run(move |client, _| {
            let numbers = numbers_to_read.clone();
            Box::pin(async move { read::passages(&*client, number, &numbers).await })
        })?;
        let mut hits = HashMap::new();
        for row in &rows {
            let hit = read::hit(row)?;
            hits.insert(hit.passage, hit);
        }
        Ok(numbers.iter().filter_map(|number| hits.get(number).cloned()).collect())
    }

    fn passages_without_vector(
        &self,
        space: &VectorSpace,
        after_number: i64,
    ) -> Result<Vec<(i64, String)>, String> {
        let (number, model) = (self.number, space.model.clone());
        let rows = self.blocking.run(move |client, _| {
            let model = model.clone();
            Box::pin(async move {
                vectors::passages_without_vector(client, number, &model, after_number).await
            })
        });
        let rows = rows.map_err(|error| error.to_string())?;
        let passage = |row: &Row| {
            let bytes: Option<&[u8]> = row.get(1);
            (row.get(0), whole_characters(bytes.unwrap_or_default()).1.to_owned())
        };
        Ok(rows.iter().map(passage).collect())
    }

    fn add_vectors(&self, space: &VectorSpace, vectors: Vec<(i64, Vector)>) -> Result<(), String> {
        let (number, model) = (self.number, space.model.clone());
        let (passages, vectors): (Vec<i64>, Vec<pgvector::Vector>) = vectors
            .into_iter()
            .map(|(passage, vector)| (passage, pgvector::Vector::from(vector.to_vec())))
            .unzip();
        let vectors = Arc::new((passages, vectors));
        let result = self.blocking.run(move |client, _| {
            let (model, vectors) = (model.clone(), Arc::clone(&vectors));
            Box::pin(
                async move { vectors::add(client, number, &model, &vectors.0, &vectors.1).await },
            )
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
                tracing::warn!(corpus = %name, %failure, "building the vector index failed; semantic search stays slow");
            }
        });
        Ok(())
    }
}

/// Completes an item. Returns the outcome, and `true` if it replaced another item; `None` if the corpus or the
/// item was deleted.
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
    let transaction = client.transaction().await?;
    let by_meaning = match &search.meaning {
        None => None,
        Some((vector, space)) => nearest(&transaction, search, space, vector).await?,
    };
    let by_terms = match search.by_terms || by_meaning.is_none() {
        true => {
            let Search { corpus, text, filter, limit, .. } = search;
            lexical::search(&transaction, *corpus, text, filter, *limit).await?
        }
        false => Vec::new(),
    };
    let meaning_numbers = by_meaning.iter().flatten().map(|hit| signed(hit.key));
    let numbers: Vec<i64> = by_terms.iter().copied().chain(meaning_numbers).collect();
    let rows = read::passages(&transaction, search.corpus, &numbers).await?;
    transaction.commit().await?;
    Ok(Rankings { by_terms, by_meaning, rows })
}

async fn nearest(
    transaction: &Transaction<'_>,
    search: &Search,
    space: &VectorSpace,
    vector: &[f32],
) -> Result<Option<Vec<Nearest>>, Error> {
    vectors::nearest(transaction, search.corpus, space, vector, &search.filter, search.limit).await
}
