//! Writes the rows that evaluations share: policies, evidence sets and contents. Each row is committed
//! before the evaluation that refers to it. Background maintenance deletes unreferenced rows.

use std::sync::Arc;

use deadpool_postgres::GenericClient;
use moka::sync::Cache;
use tokio_postgres::Error;

use crate::ledger::evidence_content::Content;
use crate::ledger::record::Record;
use crate::storage::postgres::query;

type Digest = [u8; 32];

/// The ids of recently used rows, by digest.
#[derive(Debug)]
pub(super) struct RowCache {
    policies: Cache<Digest, i64>,
    evidence_sets: Cache<Digest, i64>,
}

impl Default for RowCache {
    fn default() -> Self {
        Self { policies: Cache::new(256), evidence_sets: Cache::new(4_096) }
    }
}

impl RowCache {
    /// Clears the cache, because a cached row may have been deleted.
    pub(super) fn clear(&self) {
        self.policies.invalidate_all();
        self.evidence_sets.invalidate_all();
    }
}

pub(super) struct SharedRows {
    pub(super) policy_id: i64,
    pub(super) evidence_set_id: i64,
}

/// Returns the shared rows of a record. Creates rows that are missing.
pub(super) async fn find_or_create(
    client: &impl GenericClient,
    cache: &RowCache,
    record: &Record,
) -> Result<SharedRows, Error> {
    Ok(SharedRows {
        policy_id: policy_id(client, cache, &record.policy_toml).await?,
        evidence_set_id: evidence_set_id(client, cache, &record.evidence, &record.contents).await?,
    })
}

async fn policy_id(
    client: &impl GenericClient,
    cache: &RowCache,
    toml: &Arc<str>,
) -> Result<i64, Error> {
    const INSERT: &str = "INSERT INTO policies (digest, toml) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING RETURNING id";
    const FIND: &str = "SELECT id FROM policies WHERE digest = $1";
    let digest = *blake3::hash(toml.as_bytes()).as_bytes();
    if let Some(id) = cache.policies.get(&digest) {
        return Ok(id);
    }
    let id = match query::optional(client, FIND, &[&digest.as_slice()]).await? {
        Some(row) => row.get(0),
        None => match query::optional(client, INSERT, &[&digest.as_slice(), &toml.as_ref()]).await?
        {
            Some(row) => row.get(0),
            None => query::one(client, FIND, &[&digest.as_slice()]).await?.get(0),
        },
    };
    cache.policies.insert(digest, id);
    Ok(id)
}

/// Returns the id of an evidence set. Creates the set if it is missing. Equal `evidence` implies equal
/// contents, because it includes their digests and whether they are stored in full.
async fn evidence_set_id(
    client: &impl GenericClient,
    cache: &RowCache,
    evidence: &[u8],
    contents: &[Content],
) -> Result<i64, Error> {
    const INSERT: &str = "WITH new AS (INSERT INTO evidence_sets (digest, evidence) VALUES ($1, $2) \
         ON CONFLICT (digest) DO NOTHING RETURNING id), \
         members AS (INSERT INTO evidence_set_contents (set_id, content_id) \
         SELECT DISTINCT new.id, content_id FROM new, unnest($3::bigint[]) AS content_id) SELECT id FROM new";
    const FIND: &str = "SELECT id FROM evidence_sets WHERE digest = $1";
    let digest = *blake3::hash(evidence).as_bytes();
    if let Some(id) = cache.evidence_sets.get(&digest) {
        return Ok(id);
    }
    let id = match query::optional(client, FIND, &[&digest.as_slice()]).await? {
        Some(row) => row.get(0),
        None => {
            let members = content_ids(client, contents).await?;
            match query::optional(client, INSERT, &[&digest.as_slice(), &evidence, &members])
                .await?
            {
                Some(row) => row.get(0),
                None => query::one(client, FIND, &[&digest.as_slice()]).await?.get(0),
            }
        }
    };
    cache.evidence_sets.insert(digest, id);
    Ok(id)
}

async fn content_ids(client: &impl GenericClient, contents: &[Content]) -> Result<Vec<i64>, Error> {
    const INSERT: &str =
        "INSERT INTO contents (digest, packed) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING";
    const FIND: &str = "SELECT digest, id FROM contents WHERE digest = ANY($1)";
    let digests: Vec<&[u8]> = contents.iter().map(|content| content.digest().as_slice()).collect();
    let rows = query::all(client, FIND, &[&digests]).await?;
    let exists =
        |content: &Content| rows.iter().any(|row| row.get::<_, &[u8]>(0) == content.digest());
    if contents.iter().all(exists) {
        return Ok(rows.iter().map(|row| row.get(1)).collect());
    }
    for content in contents.iter().filter(|content| !exists(content)) {
        query::execute(client, INSERT, &[&content.digest().as_slice(), &content.pack()]).await?;
    }
    let rows = query::all(client, FIND, &[&digests]).await?;
    Ok(rows.iter().map(|row| row.get(1)).collect())
}
