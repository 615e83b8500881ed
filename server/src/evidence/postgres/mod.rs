//! Corpora in PostgreSQL, shared by any number of servers. Vectors require pgvector.
//!
//! Completing an item locks the corpus's row, which serialises conflicting changes. All functions block.

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

pub(crate) const SCHEMA: PostgresSchema =
    PostgresSchema { part: "evidence", sql: include_str!("schema.sql") };

/// A database connection pool for blocking threads.
#[derive(Clone, Debug)]
pub(super) struct Blocking {
    database: Database,
    runtime: Handle,
}

impl Blocking {
    fn run<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'a> Fn(&'a mut Object, u32) -> BoxFuture<'a, Result<T, Error>>
            + Send
            + Sync
            + 'static,
    {
        let result = self.runtime.block_on(self.database.run(work));
        result.map_err(|failure| StoreError::from_database(&failure))
    }

    fn sweep(&self) {
        let database = self.database.clone();
        self.runtime.spawn(async move {
            if let Err(failure) = sweep::sweep(&database).await {
                tracing::warn!(%failure, "sweeping deleted evidence failed");
            }
        });
    }
}

#[derive(Debug)]
pub(super) struct PostgresCorpora {
    blocking: Blocking,
    vectors_unavailable: Option<String>,
}

impl PostgresCorpora {
    /// Opens the corpora in a database that has its tables.
    pub(super) fn open(database: Database, runtime: Handle) -> Result<Self, StoreError> {
        let blocking = Blocking { database, runtime };
        let vectors_unavailable =
            blocking.run(|client, _| Box::pin(vectors::unavailable_reason(client)))?;
        if let Some(reason) = &vectors_unavailable {
            tracing::warn!(reason, "search is lexical only");
        }
        Ok(Self { blocking, vectors_unavailable })
    }

    pub(super) fn vector_cache(&self) -> SharedVectors {
        SharedVectors(self.blocking.clone())
    }
}

impl CorpusStore for PostgresCorpora {
    fn corpus(&self, name: &CorpusName, create: bool) -> Result<Arc<dyn Corpus>, StoreError> {
        let requested = name.clone();
        let number = self.blocking.run(move |client, _| {
            let name = requested.clone();
            Box::pin(async move { find_or_create(client, &name, create).await })
        })?;
        let number =
            number.ok_or_else(|| StoreError::UnknownCorpus { corpus: name.to_string() })?;
        Ok(Arc::new(PostgresCorpus::new(self.blocking.clone(), name.clone(), number)))
    }

    fn summaries(&self, names: &[CorpusName]) -> Result<Vec<Summary>, StoreError> {
        let names: Vec<String> = names.iter().map(CorpusName::to_string).collect();
        let rows = self.blocking.run(move |client, _| {
            let names = names.clone();
            Box::pin(async move { query::all(client, corpus::SUMMARIES, &[&names]).await })
        })?;
        rows.iter().map(|row| Ok(corpus::summary(CorpusName::new(row.get("name"))?, row))).collect()
    }

    /// Returns the database's time, so that all servers agree on it.
    fn now(&self) -> Result<i64, StoreError> {
        const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
        let row = self.blocking.run(|client, _| Box::pin(query::one(client, NOW, &[])))?;
        Ok(row.get(0))
    }

    fn names(&self) -> Result<Vec<CorpusName>, StoreError> {
        const NAMES: &str =
            "SELECT name FROM evidence_corpora WHERE name IS NOT NULL ORDER BY name";
        let rows = self.blocking.run(|client, _| Box::pin(query::all(client, NAMES, &[])))?;
        rows.iter().map(|row| CorpusName::new(row.get(0))).collect()
    }

    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError> {
        const SIZE: &str = "SELECT coalesce(sum(size), 0)::bigint FROM evidence_corpora \
             WHERE name <> $1";
        let name = name.clone();
        let size: i64 = self.blocking.run(move |client, _| {
            let name = name.clone();
            Box::pin(async move { Ok(query::one(client, SIZE, &[&name.as_str()]).await?.get(0)) })
        })?;
        Ok(head::unsigned(size))
    }

    fn delete(&self, name: &CorpusName) -> Result<(), StoreError> {
        // The sweep deletes its rows in short transactions.
        const MARK_DELETED: &str = "UPDATE evidence_corpora SET name = NULL WHERE name = $1";
        let requested = name.clone();
        let is_deleted = self.blocking.run(move |client, attempt| {
            let name = requested.clone();
            Box::pin(async move {
                let marked_count = query::execute(client, MARK_DELETED, &[&name.as_str()]).await?;
                Ok(marked_count > 0 || attempt > 1)
            })
        })?;
        if !is_deleted {
            return Err(StoreError::UnknownCorpus { corpus: name.to_string() });
        }
        self.blocking.sweep();
        Ok(())
    }

    fn sweep(&self) -> Result<(), StoreError> {
        let result = self.blocking.runtime.block_on(sweep::sweep(&self.blocking.database));
        result.map_err(|failure| StoreError::from_database(&failure))
    }

    fn vectors_unavailable(&self) -> Option<&str> {
        self.vectors_unavailable.as_deref()
    }
}

/// Returns the number of a corpus. If it does not exist, creates it if `create` is set.
async fn find_or_create(
    client: &mut Object,
    name: &CorpusName,
    create: bool,
) -> Result<Option<i64>, Error> {
    const FIND: &str = "SELECT number FROM evidence_corpora WHERE name = $1";
    const INSERT: &str = "INSERT INTO evidence_corpora (name, created_at, revision) \
         VALUES ($1, $2, nextval('evidence_revisions')) ON CONFLICT (name) DO NOTHING RETURNING number";
    loop {
        if let Some(row) = query::optional(client, FIND, &[&name.as_str()]).await? {
            return Ok(Some(row.get(0)));
        }
        if !create {
            return Ok(None);
        }
        if let Some(row) = query::optional(client, INSERT, &[&name.as_str(), &now()]).await? {
            return Ok(Some(row.get(0)));
        }
    }
}
