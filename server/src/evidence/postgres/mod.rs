//! This module keeps corpora in PostgreSQL, which any number of servers share: contents, passages with their terms, and,
//! where the database has pgvector, vectors.
//!
//! What two servers must not both do is decided by the row of the corpus, which is locked where an item is completed.
//! Everything here blocks, on threads that may.

mod corpus;
mod head;
mod index;
mod lexical;
mod read;
mod sweep;
mod vector_cache;
mod vectors;
mod write;

use std::sync::Arc;

use deadpool_postgres::Object;
use futures_util::future::BoxFuture;
use tokio::runtime::Handle;
use tokio_postgres::Error;

use super::error::StoreError;
use super::name::CorpusName;
use super::now;
use super::store::{Corpus, CorpusStore, Summary};
use crate::storage::postgres::query;
use crate::storage::postgres::{Database, PostgresSchema};
use corpus::PostgresCorpus;
#[cfg(test)]
pub(super) use index::Index;
pub(super) use vector_cache::SharedVectors;
pub(crate) use vectors::prepare as prepare_vectors;

/// The tables of corpora.
pub(crate) const SCHEMA: PostgresSchema =
    PostgresSchema { part: "evidence", sql: include_str!("schema.sql") };

/// A database, asked from threads that may block.
#[derive(Clone, Debug)]
pub(super) struct Blocking {
    database: Database,
    runtime: Handle,
}

impl Blocking {
    fn ask<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'a> Fn(&'a mut Object, u32) -> BoxFuture<'a, Result<T, Error>>
            + Send
            + Sync
            + 'static,
    {
        let done = self.runtime.block_on(self.database.run(work));
        done.map_err(|failure| StoreError::of_database(&failure))
    }

    /// Sweeps away what is gone, beside everything else.
    fn sweep(&self) {
        let database = self.database.clone();
        self.runtime.spawn(async move {
            if let Err(failure) = sweep::sweep(&database).await {
                tracing::warn!(%failure, "evidence that was deleted still takes room");
            }
        });
    }
}

/// All corpora in a database.
#[derive(Debug)]
pub(super) struct PostgresCorpora {
    blocking: Blocking,
    /// Why it keeps no vectors.
    without_vectors: Option<String>,
}

impl PostgresCorpora {
    /// Corpora in a database whose schema is there.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    pub(super) fn open(database: Database, runtime: Handle) -> Result<Self, StoreError> {
        let blocking = Blocking { database, runtime };
        let without_vectors = blocking.ask(|client, _| Box::pin(vectors::missing(client)))?;
        if let Some(reason) = &without_vectors {
            tracing::warn!(reason, "search is by words only");
        }
        Ok(Self { blocking, without_vectors })
    }

    /// Vectors that all servers have computed.
    pub(super) fn vector_cache(&self) -> SharedVectors {
        SharedVectors(self.blocking.clone())
    }
}

impl CorpusStore for PostgresCorpora {
    fn corpus(&self, name: &CorpusName, make: bool) -> Result<Arc<dyn Corpus>, StoreError> {
        let wanted = name.clone();
        let number = self.blocking.ask(move |client, _| {
            let name = wanted.clone();
            Box::pin(async move { number(client, &name, make).await })
        })?;
        let number =
            number.ok_or_else(|| StoreError::UnknownCorpus { corpus: name.to_string() })?;
        Ok(Arc::new(PostgresCorpus::new(self.blocking.clone(), name.clone(), number)))
    }

    fn summaries(&self, names: &[CorpusName]) -> Result<Vec<Summary>, StoreError> {
        let wanted: Vec<String> = names.iter().map(CorpusName::to_string).collect();
        let rows = self.blocking.ask(move |client, _| {
            let wanted = wanted.clone();
            Box::pin(async move { query::all(client, corpus::SUMMARIES, &[&wanted]).await })
        })?;
        rows.iter().map(|row| Ok(corpus::summary(CorpusName::new(row.get("name"))?, row))).collect()
    }

    /// The clock of the database, since servers share what expires.
    fn now(&self) -> Result<i64, StoreError> {
        const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
        let row = self.blocking.ask(|client, _| Box::pin(query::one(client, NOW, &[])))?;
        Ok(row.get(0))
    }

    fn names(&self) -> Result<Vec<CorpusName>, StoreError> {
        const NAMES: &str =
            "SELECT name FROM evidence_corpora WHERE name IS NOT NULL ORDER BY name";
        let rows = self.blocking.ask(|client, _| Box::pin(query::all(client, NAMES, &[])))?;
        rows.iter().map(|row| CorpusName::new(row.get(0))).collect()
    }

    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError> {
        const SIZE: &str = "SELECT coalesce(sum(size), 0)::bigint FROM evidence_corpora \
             WHERE name <> $1";
        let name = name.clone();
        let size: i64 = self.blocking.ask(move |client, _| {
            let name = name.clone();
            Box::pin(async move { Ok(query::one(client, SIZE, &[&name.as_str()]).await?.get(0)) })
        })?;
        Ok(head::unsigned(size))
    }

    fn delete(&self, name: &CorpusName) -> Result<(), StoreError> {
        // What it holds is many rows: they go after it, bit by bit.
        const GONE: &str = "UPDATE evidence_corpora SET name = NULL WHERE name = $1";
        let wanted = name.clone();
        let is_done = self.blocking.ask(move |client, attempt| {
            let name = wanted.clone();
            Box::pin(async move {
                let gone = query::execute(client, GONE, &[&name.as_str()]).await?;
                Ok(gone > 0 || attempt > 1)
            })
        })?;
        if !is_done {
            return Err(StoreError::UnknownCorpus { corpus: name.to_string() });
        }
        self.blocking.sweep();
        Ok(())
    }

    fn sweep(&self) -> Result<(), StoreError> {
        let swept = self.blocking.runtime.block_on(sweep::sweep(&self.blocking.database));
        swept.map_err(|failure| StoreError::of_database(&failure))
    }

    fn without_vectors(&self) -> Option<&str> {
        self.without_vectors.as_deref()
    }
}

/// The number of a corpus, made where that is wanted and there is none.
async fn number(client: &mut Object, name: &CorpusName, make: bool) -> Result<Option<i64>, Error> {
    const FOUND: &str = "SELECT number FROM evidence_corpora WHERE name = $1";
    const MADE: &str = "INSERT INTO evidence_corpora (name, created_at, revision) \
         VALUES ($1, $2, nextval('evidence_revisions')) ON CONFLICT (name) DO NOTHING RETURNING number";
    loop {
        if let Some(row) = query::optional(client, FOUND, &[&name.as_str()]).await? {
            return Ok(Some(row.get(0)));
        }
        if !make {
            return Ok(None);
        }
        if let Some(row) = query::optional(client, MADE, &[&name.as_str(), &now()]).await? {
            return Ok(Some(row.get(0)));
        }
    }
}
