//! This module is one corpus of a database. What stands in it is asked of the database each time, since other servers
//! change it.

use std::collections::HashMap;
use std::sync::Arc;

use deadpool_postgres::{Object, Transaction};
use gsar_core::evidence::EvidenceItem;
use gsar_embedding::Vector;
use gsar_vectors::Hit as Nearest;
use tokio_postgres::{Error, Row};

use super::head::{head, signed, unsigned};
use super::index::Index;
use super::write::{Columns, Place};
use super::{Blocking, lexical, read, vectors, write};
use crate::evidence::characters::whole_characters;
use crate::evidence::error::StoreError;
use crate::evidence::name::CorpusName;
use crate::evidence::search::{Filter, Hit, Hits, Method, Query, RANKED_FOR_EACH, best_of};
use crate::evidence::snapshot::{Named, Part, Snapshot};
use crate::evidence::store::{
    Batch, Corpus, Head, Kept, Received, Summary, VectorSpace, item, stands_for,
};
use crate::storage::postgres::query;

/// The corpora of those names.
pub(super) const SUMMARIES: &str = "SELECT name, items, passages, size, created_at, expires_at, embedded_by \
     FROM evidence_corpora WHERE name = ANY($1)";

/// What a row says of a corpus.
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

/// A corpus by its number: one that was deleted and made anew under the same name is another one.
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

    fn unknown(&self) -> StoreError {
        StoreError::UnknownCorpus { corpus: self.name.to_string() }
    }

    /// Changes the row of the corpus.
    fn set<T>(&self, sql: &'static str, value: T) -> Result<(), StoreError>
    where
        T: tokio_postgres::types::ToSql + Clone + Send + Sync + 'static,
    {
        let number = self.number;
        self.blocking.ask(move |client, _| {
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
        let row = self.blocking.ask(move |client, _| {
            Box::pin(async move { query::optional(client, REVISION, &[&number]).await })
        })?;
        row.map(|row| unsigned(row.get(0))).ok_or_else(|| self.unknown())
    }

    fn summary(&self) -> Result<Summary, StoreError> {
        const SUMMARY: &str = "SELECT items, passages, size, created_at, expires_at, embedded_by \
             FROM evidence_corpora WHERE number = $1 AND name IS NOT NULL";
        let number = self.number;
        let row = self.blocking.ask(move |client, _| {
            Box::pin(async move { query::optional(client, SUMMARY, &[&number]).await })
        })?;
        row.map(|row| summary(self.name.clone(), &row)).ok_or_else(|| self.unknown())
    }

    fn expire(&self, at: Option<i64>) -> Result<(), StoreError> {
        self.set("UPDATE evidence_corpora SET expires_at = $2 WHERE number = $1", at)
    }

    fn begin(&self, head: &Head) -> Result<i64, StoreError> {
        let (number, head) = (self.number, Arc::new(head.clone()));
        self.blocking.ask(move |client, _| {
            let head = Arc::clone(&head);
            Box::pin(async move { write::begin(client, number, &head).await })
        })
    }

    fn append(&self, item: i64, batch: &Batch) -> Result<(), StoreError> {
        let (number, columns) = (self.number, Arc::new(Columns::new(self.number, batch)));
        let is_stored = self.blocking.ask(move |client, _| {
            let columns = Arc::clone(&columns);
            Box::pin(async move { write::append(client, number, item, &columns).await })
        })?;
        is_stored.then_some(()).ok_or_else(|| self.unknown())
    }

    fn complete(&self, item: i64, head: &Head, received: &Received) -> Result<Kept, StoreError> {
        let number = self.number;
        let new = Arc::new((head.clone(), received.clone()));
        let kept = self.blocking.ask(move |client, _| {
            let new = Arc::clone(&new);
            Box::pin(async move { complete(client, number, item, &new.0, &new.1).await })
        })?;
        if !matches!(kept, Ok(Some((Kept::New, false)))) {
            self.blocking.sweep();
        }
        match kept? {
            Some((kept, _)) => Ok(kept),
            None => Err(self.unknown()),
        }
    }

    fn give_up(&self, item: i64) -> Result<(), StoreError> {
        // Not waited for: this may be the end of a call whose thread must not block.
        let blocking = self.blocking.clone();
        self.blocking.runtime.spawn(async move {
            let given_up = blocking.database.run(move |client, _| {
                Box::pin(async move { write::give_up(&*client, item).await })
            });
            match given_up.await {
                Ok(()) => blocking.sweep(),
                Err(failure) => {
                    tracing::warn!(%failure, "what was received in part stays for an hour");
                }
            }
        });
        Ok(())
    }

    /// Every batch was durable when its transaction ended.
    fn make_durable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn items(&self) -> Result<Vec<EvidenceItem>, StoreError> {
        let number = self.number;
        let rows = self.blocking.ask(move |client, _| Box::pin(read::items(client, number)))?;
        rows.into_iter()
            .map(|(row, bytes)| {
                let head = head(&row, 2)?;
                let is_right = blake3::hash(&bytes).as_bytes().as_slice() == row.get::<_, &[u8]>(1);
                match String::from_utf8(bytes) {
                    Ok(text) if is_right => Ok(item(head, text)),
                    _ => Err(StoreError::Damaged {
                        place: format!("corpus `{}` in the database", self.name),
                        reason: format!("item `{}` is not what was stored", head.id),
                    }),
                }
            })
            .collect()
    }

    fn snapshot(&self, named: &Named, part: Part) -> Result<Option<Snapshot>, StoreError> {
        let (number, named) = (self.number, named.clone());
        let found = self.blocking.ask(move |client, _| {
            let named = named.clone();
            Box::pin(async move { read::snapshot(client, number, &named, part).await })
        })?;
        let Some((row, start, content)) = found else { return Ok(None) };
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
        most: usize,
    ) -> Result<Hits, StoreError> {
        let (meaning, mut degraded) = match meaning {
            None => (None, None),
            Some((_, Err(reason))) => (None, Some(reason)),
            Some((vector, Ok(space))) => (Some((vector.to_vec(), space)), None),
        };
        let wants_meaning = meaning.is_some();
        let asked = Arc::new(Asked {
            corpus: self.number,
            text: query.text.to_owned(),
            by_terms: query.by_terms,
            meaning,
            filter: filter.clone(),
            most: i64::try_from(most.saturating_mul(RANKED_FOR_EACH)).unwrap_or(i64::MAX),
        });
        let found = self.blocking.ask(move |client, _| {
            let asked = Arc::clone(&asked);
            Box::pin(async move { ranked(client, &asked).await })
        })?;
        if wants_meaning && found.meant.is_none() {
            degraded = Some("no passage of the corpus has a vector yet".to_owned());
        }
        let method = match (&found.meant, query.by_terms) {
            (None, _) => Method::Lexical,
            (Some(_), true) => Method::Hybrid,
            (Some(_), false) => Method::Vector,
        };
        let mut passages = HashMap::new();
        for row in &found.rows {
            let hit = read::hit(row)?;
            passages.insert(unsigned(hit.passage), hit);
        }
        let said: Vec<u64> = found.said.into_iter().map(unsigned).collect();
        let hits = best_of(&said, &found.meant.unwrap_or_default(), most, |passage| {
            Ok::<_, StoreError>(passages.remove(&passage))
        })?;
        Ok(Hits { hits, method, degraded })
    }

    fn passages(&self, numbers: &[i64]) -> Result<Vec<Hit>, StoreError> {
        let (number, wanted) = (self.number, numbers.to_vec());
        let rows = self.blocking.ask(move |client, _| {
            let wanted = wanted.clone();
            Box::pin(async move { read::passages(&*client, number, &wanted).await })
        })?;
        let mut hits = HashMap::new();
        for row in &rows {
            let hit = read::hit(row)?;
            hits.insert(hit.passage, hit);
        }
        Ok(numbers.iter().filter_map(|number| hits.get(number).cloned()).collect())
    }

    fn without_vector(
        &self,
        space: &VectorSpace,
        after: i64,
    ) -> Result<Vec<(i64, String)>, String> {
        let (number, model) = (self.number, space.model.clone());
        let rows = self.blocking.ask(move |client, _| {
            let model = model.clone();
            Box::pin(async move { vectors::without(client, number, &model, after).await })
        });
        let rows = rows.map_err(|error| error.to_string())?;
        let passage = |row: &Row| {
            let bytes: Option<&[u8]> = row.get(1);
            (row.get(0), whole_characters(bytes.unwrap_or_default()).1.to_owned())
        };
        Ok(rows.iter().map(passage).collect())
    }

    fn add_vectors(&self, space: &VectorSpace, added: Vec<(i64, Vector)>) -> Result<(), String> {
        let (number, model) = (self.number, space.model.clone());
        let (passages, vectors): (Vec<i64>, Vec<pgvector::Vector>) = added
            .into_iter()
            .map(|(passage, vector)| (passage, pgvector::Vector::from(vector.to_vec())))
            .unzip();
        let added = Arc::new((passages, vectors));
        let done = self.blocking.ask(move |client, _| {
            let (model, added) = (model.clone(), Arc::clone(&added));
            Box::pin(async move { vectors::add(client, number, &model, &added.0, &added.1).await })
        });
        done.map_err(|error| error.to_string())
    }

    /// Each was durable when it was added.
    fn save_vectors(&self, _space: &VectorSpace) -> Result<(), String> {
        Ok(())
    }

    fn mark_embedded(&self, space: &VectorSpace) -> Result<(), StoreError> {
        self.set(
            "UPDATE evidence_corpora SET embedded_by = $2 WHERE number = $1",
            space.model.clone(),
        )?;
        let (index, database) = (Index::new(self.number, space), self.blocking.database.clone());
        let name = self.name.clone();
        self.blocking.runtime.spawn(async move {
            if let Err(failure) = index.build(&database).await {
                tracing::warn!(corpus = %name, %failure, "searches by meaning stay slow");
            }
        });
        Ok(())
    }
}

/// Completes an item; what became of it, and whether another one left its place. `None` where the corpus or the item is
/// gone.
async fn complete(
    client: &mut Object,
    corpus: i64,
    item: i64,
    new: &Head,
    received: &Received,
) -> Result<Result<Option<(Kept, bool)>, StoreError>, Error> {
    let transaction = client.transaction().await?;
    let before = match write::take_place(&transaction, corpus, item, new.id.as_str()).await? {
        Place::Gone => return Ok(Ok(None)),
        Place::Taken => return Ok(Ok(Some((Kept::New, true)))),
        Place::Open(before) => before,
    };
    let is_same = |row: &Row| {
        let has_digest = row.get::<_, &[u8]>(1) == received.digest.as_slice();
        head(row, 2).map(|known| has_digest && stands_for(&known, new))
    };
    match before.as_ref().map(is_same).transpose() {
        Err(damage) => return Ok(Err(damage)),
        Ok(Some(true)) => {
            write::give_up(&transaction, item).await?;
            transaction.commit().await?;
            return Ok(Ok(Some((Kept::Unchanged, false))));
        }
        Ok(_) => {}
    }
    let same = write::same_as(&transaction, corpus, new, received).await?;
    if let Some(before) = &before {
        write::take_out(&transaction, before.get(0)).await?;
    }
    let kept = match same {
        Some(same) => {
            write::give_up(&transaction, item).await?;
            Kept::SameAs(same)
        }
        None => {
            write::put_in(&transaction, corpus, item, received).await?;
            Kept::New
        }
    };
    transaction.commit().await?;
    Ok(Ok(Some((kept, before.is_some()))))
}

/// What is looked for in a corpus.
struct Asked {
    corpus: i64,
    text: String,
    by_terms: bool,
    meaning: Option<(Vec<f32>, VectorSpace)>,
    filter: Filter,
    most: i64,
}

/// The two rankings, and the passages in them.
struct Ranked {
    said: Vec<i64>,
    /// `None` where the corpus has no vectors, or they were not asked for.
    meant: Option<Vec<Nearest>>,
    rows: Vec<Row>,
}

async fn ranked(client: &mut Object, asked: &Asked) -> Result<Ranked, Error> {
    let transaction = client.transaction().await?;
    let meant = match &asked.meaning {
        None => None,
        Some((vector, space)) => nearest(&transaction, asked, space, vector).await?,
    };
    let said = match asked.by_terms || meant.is_none() {
        true => {
            let Asked { corpus, text, filter, most, .. } = asked;
            lexical::search(&transaction, *corpus, text, filter, *most).await?
        }
        false => Vec::new(),
    };
    let meant_numbers = meant.iter().flatten().map(|near| signed(near.key));
    let numbers: Vec<i64> = said.iter().copied().chain(meant_numbers).collect();
    let rows = read::passages(&transaction, asked.corpus, &numbers).await?;
    transaction.commit().await?;
    Ok(Ranked { said, meant, rows })
}

async fn nearest(
    transaction: &Transaction<'_>,
    asked: &Asked,
    space: &VectorSpace,
    vector: &[f32],
) -> Result<Option<Vec<Nearest>>, Error> {
    vectors::nearest(transaction, asked.corpus, space, vector, &asked.filter, asked.most).await
}
