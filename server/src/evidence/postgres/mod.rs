//! Corpora in PostgreSQL, shared by any number of servers. Vectors require pgvector.
//!
//! Completing an item locks the corpus's row, which serialises conflicting changes. The methods of the
//! store and its corpora block.

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
use tokio::runtime::Handle;
use tokio_postgres::Error;

use super::error::StoreError;
use super::name::CorpusName;
use super::store::{Corpus, CorpusStore, Summary, unsigned};
use crate::storage::postgres::query;
use crate::storage::postgres::{Database, PostgresSchema, Work};
use crate::wall_clock::now_micros;
use corpus::PostgresCorpus;
#[cfg(test)]
pub(super) use index::Index;
pub(super) use vector_cache::SharedVectors;
pub(crate) use vectors::prepare as prepare_vectors;

pub(crate) const SCHEMA: PostgresSchema =
    PostgresSchema { part: "evidence", sql: include_str!("schema.sql") };

/// A database connection pool for threads that may block.
#[derive(Clone, Debug)]
pub(super) struct Blocking {
    database: Database,
    runtime: Handle,
}

impl Blocking {
    fn run<A, T>(&self, arguments: A, work: Work<A, T>) -> Result<T, StoreError>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
    {
        let result = self.runtime.block_on(self.database.run(arguments, work));
        result.map_err(|failure| StoreError::from_database(&failure))
    }

    fn sweep(&self) {
        let database = self.database.clone();
        self.runtime.spawn(async move {
            if let Err(failure) = sweep::sweep(&database).await {
                tracing::warn!(%failure, "failed to sweep deleted evidence");
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
    /// Opens the corpora in a database, in which the tables must exist.
    pub(super) fn open(database: Database, runtime: Handle) -> Result<Self, StoreError> {
        let blocking = Blocking { database, runtime };
        let vectors_unavailable =
            blocking.run((), |client, (), _| Box::pin(vectors::unavailable_reason(client)))?;
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
        let number = self.blocking.run((name.clone(), create), |client, (name, create), _| {
            Box::pin(find_or_create(client, name, *create))
        })?;
        let number =
            number.ok_or_else(|| StoreError::UnknownCorpus { corpus: name.to_string() })?;
        Ok(Arc::new(PostgresCorpus::new(self.blocking.clone(), name.clone(), number)))
    }

    fn summaries(&self, names: &[CorpusName]) -> Result<Vec<Summary>, StoreError> {
        let names: Vec<String> = names.iter().map(CorpusName::to_string).collect();
        let rows = self.blocking.run(names, |client, names, _| {
            Box::pin(async move { query::all(client, corpus::SUMMARIES, &[names]).await })
        })?;
        rows.iter().map(|row| Ok(corpus::summary(CorpusName::new(row.get("name"))?, row))).collect()
    }

    /// Returns the database's time, so that all servers agree on it.
    fn now(&self) -> Result<i64, StoreError> {
        const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
        let row = self.blocking.run((), |client, (), _| Box::pin(query::one(client, NOW, &[])))?;
        Ok(row.get(0))
    }

    fn names(&self) -> Result<Vec<CorpusName>, StoreError> {
        const NAMES: &str =
            "SELECT name FROM evidence_corpora WHERE name IS NOT NULL ORDER BY name";
        let rows =
            self.blocking.run((), |client, (), _| Box::pin(query::all(client, NAMES, &[])))?;
        rows.iter().map(|row| CorpusName::new(row.get(0))).collect()
    }

    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError> {
        const SIZE: &str = "SELECT coalesce(sum(size), 0)::bigint FROM evidence_corpora \
             WHERE name <> $1";
        let size: i64 = self.blocking.run(name.clone(), |client, name, _| {
            Box::pin(async move { Ok(query::one(client, SIZE, &[&name.as_str()]).await?.get(0)) })
        })?;
        Ok(unsigned(size))
    }

    fn delete(&self, name: &CorpusName) -> Result<(), StoreError> {
        // The sweep deletes its rows in short transactions.
        const MARK_DELETED: &str = "UPDATE evidence_corpora SET name = NULL WHERE name = $1";
        let is_deleted = self.blocking.run(name.clone(), |client, name, attempt| {
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

/// Returns the number of a corpus. Creates the corpus if it does not exist and `create` is set.
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
        if let Some(row) = query::optional(client, INSERT, &[&name.as_str(), &now_micros()]).await?
        {
            return Ok(Some(row.get(0)));
        }
    }
}
