//! HNSW vector indexes for large corpora (Malkov and Yashunin 2016). Each covers one corpus and one model,
//! because pgvector applies conditions only after it finds the nearest vectors.

use deadpool_postgres::{Object, Transaction};
use pgvector::Vector;
use tokio_postgres::{Error, Row};

use crate::evidence::store::VectorSpace;
use crate::storage::postgres::query;
use crate::storage::postgres::{Database, Failure};

/// The minimum number of vectors for an index. Comparing fewer vectors one by one takes about ten
/// milliseconds.
const MIN_VECTORS: i64 = 20_000;
/// The number of candidates per search. More candidates increase recall and time.
const CANDIDATES: i64 = 200;
/// The maximum number of candidates that pgvector supports.
const MAX_CANDIDATES: i64 = 1_000;
/// The maximum memory for building an index, in megabytes; PostgreSQL builds larger indexes on disk.
const MAX_MEMORY: i64 = 4_096;
/// The first key of the advisory lock for builders, `gsav` in ASCII; the second is the corpus number.
const LOCK: i32 = 0x6773_6176;

/// The index of a corpus, which may not exist yet.
#[derive(Clone, Debug)]
pub(in crate::evidence) struct Index {
    corpus: i64,
    dimension: usize,
    /// The digest of the model in hexadecimal.
    model: String,
}

impl Index {
    pub(in crate::evidence) fn new(corpus: i64, space: &VectorSpace) -> Self {
        let model = space.model.chars().filter(char::is_ascii_hexdigit).collect();
        Self { corpus, dimension: space.dimension, model }
    }

    fn name(&self) -> String {
        let model = self.model.get(..8).unwrap_or_default();
        format!("evidence_vectors_of_{}_{model}", self.corpus)
    }

    /// Returns the index's condition. The planner uses the index only for queries that contain the same
    /// condition.
    fn condition(&self) -> String {
        format!("corpus = {} AND model = '{}'", self.corpus, self.model)
    }

    /// Returns the memory needed to build the index, in megabytes: `f32` vectors, and about 700 bytes of
    /// links per vector.
    fn build_memory(&self, vector_count: i64) -> i64 {
        let bytes_per_vector = i64::try_from(self.dimension * 4).unwrap_or(MAX_MEMORY) + 700;
        (vector_count.saturating_mul(bytes_per_vector) >> 20).clamp(64, MAX_MEMORY)
    }

    pub(super) async fn is_ready(&self, transaction: &Transaction<'_>) -> Result<bool, Error> {
        const READY: &str = "SELECT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid)";
        Ok(query::one(transaction, READY, &[&self.name()]).await?.get(0))
    }

    pub(super) async fn nearest(
        &self,
        transaction: &Transaction<'_>,
        vector: &Vector,
        limit: i64,
    ) -> Result<Vec<Row>, Error> {
        let candidates = CANDIDATES.max(limit * 2).min(MAX_CANDIDATES);
        transaction
            .batch_execute(&format!(
                "SET LOCAL hnsw.ef_search = {candidates}; SET LOCAL enable_sort = off"
            ))
            .await?;
        let (condition, dimension) = (self.condition(), self.dimension);
        let sql = format!(
            "SELECT passage, 1 - (embedding::vector({dimension}) <=> $1::vector({dimension})) \
             FROM evidence_vectors WHERE {condition} \
             ORDER BY embedding::vector({dimension}) <=> $1::vector({dimension}) LIMIT $2"
        );
        let nearest = transaction.query(&sql, &[vector, &limit]).await?;
        transaction.batch_execute("SET LOCAL enable_sort = on").await?;
        Ok(nearest)
    }

    /// Builds the index, unless the corpus is small or another server is building it. Does not block writers.
    pub(super) async fn build(self, database: &Database) -> Result<(), Failure> {
        self.build_with_minimum(database, MIN_VECTORS).await
    }

    /// Like [`build`](Self::build), but builds the index if the corpus has at least `min_vectors` vectors.
    pub(in crate::evidence) async fn build_with_minimum(
        self,
        database: &Database,
        min_vectors: i64,
    ) -> Result<(), Failure> {
        database
            .run_long((self, min_vectors), |client, (index, min_vectors), _| {
                Box::pin(index.build_alone(client, *min_vectors))
            })
            .await
    }

    async fn build_alone(&self, client: &mut Object, min_vectors: i64) -> Result<(), Error> {
        const COUNT: &str = "SELECT count(*) FROM (SELECT 1 FROM evidence_vectors \
             WHERE corpus = $1 AND model = $2 LIMIT $3) AS counted";
        const LOCK_INDEX: &str = "SELECT pg_try_advisory_lock($1, hashint8($2))";
        const UNLOCK_INDEX: &str = "SELECT pg_advisory_unlock($1, hashint8($2))";
        let count: i64 =
            query::one(client, COUNT, &[&self.corpus, &self.model, &min_vectors]).await?.get(0);
        if count < min_vectors {
            return Ok(());
        }
        let is_locked: bool = query::one(client, LOCK_INDEX, &[&LOCK, &self.corpus]).await?.get(0);
        if !is_locked {
            return Ok(());
        }
        let result = self.build_locked(client).await;
        query::one(client, UNLOCK_INDEX, &[&LOCK, &self.corpus]).await?;
        result
    }

    async fn build_locked(&self, client: &Object) -> Result<(), Error> {
        const STATE: &str = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)";
        const COUNT: &str =
            "SELECT count(*) FROM evidence_vectors WHERE corpus = $1 AND model = $2";
        const TIMEOUTS: &str =
            "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')";
        let name = self.name();
        match query::optional(client, STATE, &[&name]).await?.map(|row| row.get(0)) {
            Some(true) => return Ok(()),
            // An interrupted build left an invalid index.
            Some(false) => client.batch_execute(&format!("DROP INDEX CONCURRENTLY {name}")).await?,
            None => {}
        }
        let timeouts = query::one(client, TIMEOUTS, &[]).await?;
        let count: i64 = query::one(client, COUNT, &[&self.corpus, &self.model]).await?.get(0);
        let (statement_timeout, lock_timeout): (&str, &str) = (timeouts.get(0), timeouts.get(1));
        let (condition, dimension) = (self.condition(), self.dimension);
        let memory = self.build_memory(count);
        // A separate statement, because `CONCURRENTLY` cannot run in a transaction.
        client
            .batch_execute(&format!(
                "SET statement_timeout = 0; SET lock_timeout = 0; SET maintenance_work_mem = '{memory}MB'"
            ))
            .await?;
        let result = client
            .batch_execute(&format!(
                "CREATE INDEX CONCURRENTLY {name} ON evidence_vectors \
                 USING hnsw ((embedding::vector({dimension})) vector_cosine_ops) WHERE {condition}"
            ))
            .await;
        client
            .batch_execute(&format!(
                "SET statement_timeout = '{statement_timeout}'; SET lock_timeout = '{lock_timeout}'; RESET maintenance_work_mem"
            ))
            .await?;
        result
    }
}

pub(super) async fn drop_all(client: &Object, corpus: i64) -> Result<(), Error> {
    const NAMES: &str = "SELECT indexrelid::regclass::text FROM pg_index \
         WHERE indrelid = to_regclass('evidence_vectors') \
         AND starts_with(indexrelid::regclass::text, $1)";
    let prefix = format!("evidence_vectors_of_{corpus}_");
    for row in query::all(client, NAMES, &[&prefix]).await? {
        let name: &str = row.get(0);
        client.batch_execute(&format!("DROP INDEX CONCURRENTLY IF EXISTS {name}")).await?;
    }
    Ok(())
}
