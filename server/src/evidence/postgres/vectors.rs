//! Stores and compares the vectors of passages. Requires pgvector.

use deadpool_postgres::{Object, Transaction};
use gsar_vectors::Hit as Nearest;
use pgvector::Vector;
use tokio_postgres::{Error, Row};

use super::index::Index;
use super::lexical::required_terms;
use super::read::restrict;
use crate::evidence::search::Filter;
use crate::evidence::store::{VectorSpace, unsigned};
use crate::storage::postgres::query::{self, Conditions};
use crate::storage::postgres::{Database, PostgresSchema, SchemaFailure};

const SCHEMA: PostgresSchema = PostgresSchema { part: "vectors", sql: include_str!("vectors.sql") };

/// The maximum number of passages in a text that is embedded completely.
const LONG_TEXT: i64 = 64;
const BATCH: i64 = 256;
/// The maximum number of bytes embedded per passage; the model ignores the rest.
const MAX_EMBEDDED_BYTES: i64 = 2_048;

/// Creates the vector table if the database has pgvector. With `migrate`, tries to install the extension first.
pub(crate) async fn prepare(database: &Database, migrate: bool) -> Result<(), SchemaFailure> {
    if migrate {
        let created = database.run((), |client, (), _| {
            Box::pin(client.batch_execute("CREATE EXTENSION IF NOT EXISTS vector"))
        });
        if let Err(failure) = created.await {
            tracing::debug!(%failure, "pgvector is not available");
        }
    }
    if database.run((), |client, (), _| Box::pin(has_vector_type(client))).await? {
        SCHEMA.create(database, migrate).await?;
    }
    Ok(())
}

async fn has_vector_type(client: &mut Object) -> Result<bool, Error> {
    Ok(client.query_one("SELECT to_regtype('vector') IS NOT NULL", &[]).await?.get(0))
}

pub(super) async fn unavailable_reason(client: &mut Object) -> Result<Option<String>, Error> {
    const EXISTS: &str = "SELECT to_regclass('evidence_vectors') IS NOT NULL";
    let exists: bool = client.query_one(EXISTS, &[]).await?.get(0);
    Ok((!exists).then(|| {
        "the database has no pgvector; let its owner run CREATE EXTENSION vector, then restart the server".to_owned()
    }))
}

pub(super) async fn passages_without_vector(
    client: &mut Object,
    corpus: i64,
    model: &str,
    after_number: i64,
) -> Result<Vec<Row>, Error> {
    const FIND_MISSING: &str = "SELECT passages.number, (SELECT string_agg(substring(contents.bytes \
             FROM (greatest(passages.start - contents.start, 0) + 1)::integer \
             FOR (greatest(least(passages.stop, passages.start + $6) - greatest(passages.start, contents.start), 0))::integer), \
             ''::bytea ORDER BY contents.start) \
           FROM evidence_contents AS contents WHERE contents.item = passages.item \
           AND contents.start < passages.stop AND contents.start > passages.start - 65536) \
         FROM evidence_passages AS passages JOIN evidence_items AS items ON items.number = passages.item \
         WHERE items.corpus = $1 AND items.state = 'complete' AND passages.number > $3 \
         AND (items.is_json OR items.passages <= $4 OR EXISTS (SELECT 1 FROM evidence_new_lines AS new_lines \
             WHERE new_lines.item = passages.item AND new_lines.line BETWEEN passages.first_line AND passages.last_line)) \
         AND NOT EXISTS (SELECT 1 FROM evidence_vectors AS vectors \
             WHERE vectors.passage = passages.number AND vectors.model = $2) \
         ORDER BY passages.number LIMIT $5";
    let parameters: query::Parameters<'_> =
        &[&corpus, &model, &after_number, &LONG_TEXT, &BATCH, &MAX_EMBEDDED_BYTES];
    query::all(client, FIND_MISSING, parameters).await
}

/// Adds the vectors of passages. Skips passages that were deleted.
pub(super) async fn add(
    client: &mut Object,
    corpus: i64,
    model: &str,
    passages: &[i64],
    vectors: &[Vector],
) -> Result<(), Error> {
    const ADD: &str = "INSERT INTO evidence_vectors (passage, model, corpus, embedding) \
         SELECT passage, $1, $2, embedding FROM unnest($3::bigint[], $4::vector[]) AS new (passage, embedding) \
         WHERE EXISTS (SELECT 1 FROM evidence_passages WHERE number = passage) \
         ON CONFLICT DO NOTHING";
    query::execute(client, ADD, &[&model, &corpus, &passages, &vectors]).await.map(drop)
}

/// Returns the passages with the nearest vectors, nearest first, or `None` if the corpus has no vectors.
/// Compares all vectors if there is a filter or no index.
pub(super) async fn nearest(
    transaction: &Transaction<'_>,
    corpus: i64,
    space: &VectorSpace,
    vector: &[f32],
    filter: &Filter,
    limit: i64,
) -> Result<Option<Vec<Nearest>>, Error> {
    const HAS_VECTORS: &str =
        "SELECT EXISTS (SELECT 1 FROM evidence_vectors WHERE corpus = $1 AND model = $2)";
    if !query::one(transaction, HAS_VECTORS, &[&corpus, &space.model]).await?.get::<_, bool>(0) {
        return Ok(None);
    }
    let vector = Vector::from(vector.to_vec());
    let index = Index::new(corpus, space);
    let rows = match filter.is_empty() && index.is_ready(transaction).await? {
        true => index.nearest(transaction, &vector, limit).await?,
        false => compare_all(transaction, corpus, space, &vector, filter, limit).await?,
    };
    let nearest =
        |row: &Row| Nearest { key: unsigned(row.get(0)), similarity: row.get::<_, f64>(1) as f32 };
    Ok(Some(rows.iter().map(nearest).collect()))
}

async fn compare_all(
    transaction: &Transaction<'_>,
    corpus: i64,
    space: &VectorSpace,
    vector: &Vector,
    filter: &Filter,
    limit: i64,
) -> Result<Vec<Row>, Error> {
    let mut conditions = Conditions { sql: "true".to_owned(), values: Vec::new() };
    conditions.add("vectors.corpus = ?", corpus);
    conditions.add("vectors.model = ?", space.model.clone());
    let mut joins = "";
    if !filter.is_empty() {
        joins = "JOIN evidence_passages AS passages ON passages.number = vectors.passage \
             JOIN evidence_items AS items ON items.number = passages.item";
        restrict(&mut conditions, filter);
        if let Some(required) = required_terms(corpus, filter) {
            conditions.add("passages.words @@ ?::text::tsquery", required);
        }
    }
    let where_clause = conditions.sql.clone();
    let (vector, limit) = (conditions.bind(vector.clone()), conditions.bind(limit));
    let sql = format!(
        "WITH compared AS MATERIALIZED (SELECT passage, embedding <=> {vector} AS distance \
             FROM evidence_vectors AS vectors {joins} WHERE {where_clause}) \
         SELECT passage, 1 - distance FROM compared ORDER BY distance, passage LIMIT {limit}"
    );
    query::all(transaction, &sql, &conditions.parameters()).await
}
