//! A vector cache shared by all servers that use a database. It is keyed by the digest of model and text,
//! and does not contain texts.

use deadpool_postgres::Object;
use gsar_embedding::{Cache, CacheError, Key, Vector};
use tokio_postgres::Error;

use super::Blocking;
use crate::storage::postgres::Database;
use crate::storage::postgres::Failure;
use crate::storage::postgres::query;

/// The maximum number of vectors: about a gigabyte at 384 dimensions.
const MAX_VECTORS: i64 = 500_000;

#[derive(Clone, Debug)]
pub(in crate::evidence) struct SharedVectors(pub(super) Blocking);

impl Cache for SharedVectors {
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError> {
        const FIND: &str = "SELECT vector FROM unnest($1::bytea[]) WITH ORDINALITY AS requested (key, place) \
             LEFT JOIN evidence_vector_cache AS cache USING (key) ORDER BY place";
        let rows = self.0.run(key_bytes(keys.iter()), |client, keys, _| {
            Box::pin(async move { query::all(client, FIND, &[keys]).await })
        });
        let rows = rows.map_err(|error| CacheError::Other(error.to_string()))?;
        let vector = |bytes: &[u8]| -> Vector {
            bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
        };
        Ok(rows.iter().map(|row| row.get::<_, Option<&[u8]>>(0).map(vector)).collect())
    }

    fn put_many(&self, vectors: &[(Key, Vector)]) -> Result<(), CacheError> {
        const PUT: &str = "INSERT INTO evidence_vector_cache (key, vector) \
             SELECT * FROM unnest($1::bytea[], $2::bytea[]) ORDER BY 1 ON CONFLICT DO NOTHING";
        let keys = key_bytes(vectors.iter().map(|(key, _)| key));
        let values: Vec<Vec<u8>> = vectors
            .iter()
            .map(|(_, vector)| vector.iter().flat_map(|value| value.to_le_bytes()).collect())
            .collect();
        let result = self.0.run((keys, values), |client, (keys, values), _| {
            Box::pin(async move { query::execute(client, PUT, &[keys, values]).await })
        });
        result.map(drop).map_err(|error| CacheError::Other(error.to_string()))
    }
}

fn key_bytes<'k>(keys: impl Iterator<Item = &'k Key>) -> Vec<Vec<u8>> {
    keys.map(|key| key.as_bytes().to_vec()).collect()
}

pub(super) async fn evict(database: &Database) -> Result<(), Failure> {
    database.run((), |client, (), _| Box::pin(delete_oldest(client))).await
}

async fn delete_oldest(client: &mut Object) -> Result<(), Error> {
    const OLDEST: &str = "DELETE FROM evidence_vector_cache WHERE number <= \
         (SELECT max(number) FROM evidence_vector_cache) - $1";
    query::execute(client, OLDEST, &[&MAX_VECTORS]).await.map(drop)
}
