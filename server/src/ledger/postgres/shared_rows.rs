//! This module writes the rows that evaluations share, each once: policies, sets of evidence and their contents. Each is
//! committed by itself, before what refers to it; one that nothing refers to is swept away later.

use std::sync::Arc;

use deadpool_postgres::GenericClient;
use moka::sync::Cache;
use tokio_postgres::Error;

use crate::ledger::content::Content;
use crate::ledger::record::Record;
use crate::storage::postgres::query;

type Digest = [u8; 32];

/// Rows used lately by digest. What is known costs no query.
#[derive(Debug)]
pub(super) struct KnownRows {
    policies: Cache<Digest, i64>,
    evidence_sets: Cache<Digest, i64>,
}

impl Default for KnownRows {
    fn default() -> Self {
        Self { policies: Cache::new(256), evidence_sets: Cache::new(4_096) }
    }
}

impl KnownRows {
    /// Forgets every row: after some were deleted, or one turned out to be gone.
    pub(super) fn forget(&self) {
        self.policies.invalidate_all();
        self.evidence_sets.invalidate_all();
    }
}

/// The rows that an evaluation refers to.
pub(super) struct SharedRows {
    pub(super) policy: i64,
    pub(super) evidence_set: i64,
}

/// The rows of a record, which are written where there are none.
pub(super) async fn rows(
    client: &impl GenericClient,
    known: &KnownRows,
    record: &Record,
) -> Result<SharedRows, Error> {
    Ok(SharedRows {
        policy: policy(client, known, &record.policy_toml).await?,
        evidence_set: evidence_set(client, known, &record.evidence, &record.contents).await?,
    })
}

async fn policy(
    client: &impl GenericClient,
    known: &KnownRows,
    toml: &Arc<str>,
) -> Result<i64, Error> {
    const NEW: &str = "INSERT INTO policies (digest, toml) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING RETURNING id";
    const FOUND: &str = "SELECT id FROM policies WHERE digest = $1";
    let digest = *blake3::hash(toml.as_bytes()).as_bytes();
    if let Some(id) = known.policies.get(&digest) {
        return Ok(id);
    }
    let id = match query::optional(client, FOUND, &[&digest.as_slice()]).await? {
        Some(row) => row.get(0),
        None => match query::optional(client, NEW, &[&digest.as_slice(), &toml.as_ref()]).await? {
            Some(row) => row.get(0),
            None => query::one(client, FOUND, &[&digest.as_slice()]).await?.get(0),
        },
    };
    known.policies.insert(digest, id);
    Ok(id)
}

/// The row of a set of evidence. The same `evidence` has the same contents: it names their digests and whether they are
/// kept.
async fn evidence_set(
    client: &impl GenericClient,
    known: &KnownRows,
    evidence: &[u8],
    contents: &[Content],
) -> Result<i64, Error> {
    // The set and its members are there together or not at all.
    const NEW: &str = "WITH new AS (INSERT INTO evidence_sets (digest, evidence) VALUES ($1, $2) \
         ON CONFLICT (digest) DO NOTHING RETURNING id), \
         members AS (INSERT INTO evidence_set_contents (set_id, content_id) \
         SELECT DISTINCT new.id, content_id FROM new, unnest($3::bigint[]) AS content_id) SELECT id FROM new";
    const FOUND: &str = "SELECT id FROM evidence_sets WHERE digest = $1";
    let digest = *blake3::hash(evidence).as_bytes();
    if let Some(id) = known.evidence_sets.get(&digest) {
        return Ok(id);
    }
    let id = match query::optional(client, FOUND, &[&digest.as_slice()]).await? {
        Some(row) => row.get(0),
        None => {
            let members = content_rows(client, contents).await?;
            match query::optional(client, NEW, &[&digest.as_slice(), &evidence, &members]).await? {
                Some(row) => row.get(0),
                None => query::one(client, FOUND, &[&digest.as_slice()]).await?.get(0),
            }
        }
    };
    known.evidence_sets.insert(digest, id);
    Ok(id)
}

async fn content_rows(
    client: &impl GenericClient,
    contents: &[Content],
) -> Result<Vec<i64>, Error> {
    const NEW: &str =
        "INSERT INTO contents (digest, packed) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING";
    const FOUND: &str = "SELECT digest, id FROM contents WHERE digest = ANY($1)";
    let digests: Vec<&[u8]> = contents.iter().map(|content| content.digest().as_slice()).collect();
    let found = query::all(client, FOUND, &[&digests]).await?;
    let is_there =
        |content: &Content| found.iter().any(|row| row.get::<_, &[u8]>(0) == content.digest());
    if contents.iter().all(is_there) {
        return Ok(found.iter().map(|row| row.get(1)).collect());
    }
    for content in contents.iter().filter(|content| !is_there(content)) {
        query::execute(client, NEW, &[&content.digest().as_slice(), &content.packed()]).await?;
    }
    let found = query::all(client, FOUND, &[&digests]).await?;
    Ok(found.iter().map(|row| row.get(1)).collect())
}
