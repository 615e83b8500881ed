//! Deletes the oldest evaluations by age and by size, and releases free pages. The writer calls [`step`]
//! between batches.

use std::collections::BTreeSet;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) max_age: Option<Duration>,
    pub(super) max_bytes: Option<u64>,
}

impl Limits {
    pub(super) fn is_unlimited(self) -> bool {
        self.max_age.is_none() && self.max_bytes.is_none()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) by_age: u64,
    pub(super) by_size: u64,
    /// `true` if more steps are needed.
    pub(super) is_unfinished: bool,
}

/// The minimum total size of the free pages that remain in the file for new records.
const SLACK_BYTES: u64 = 1 << 20;
const MAX_RELEASED_PAGES: u64 = 256;
const ROW_BYTES: u64 = 512;

/// Deletes up to `max_rows` evaluations for each limit, and releases some free pages.
pub(super) fn step(
    connection: &mut Connection,
    limits: Limits,
    max_rows: u32,
    now_micros: i64,
) -> rusqlite::Result<Step> {
    let age_deletions = delete_aged(connection, limits.max_age, max_rows, now_micros)?;
    let size_deletions = delete_oversized(connection, limits.max_bytes, max_rows)?;
    let has_more_pages = release_pages(connection, limits.max_bytes)?;
    Ok(Step {
        by_age: age_deletions.evaluations,
        by_size: size_deletions.evaluations,
        is_unfinished: age_deletions.is_unfinished
            || size_deletions.is_unfinished
            || has_more_pages,
    })
}

#[derive(Default)]
struct Deletions {
    evaluations: u64,
    is_unfinished: bool,
}

fn delete_aged(
    connection: &mut Connection,
    max_age: Option<Duration>,
    max_rows: u32,
    now_micros: i64,
) -> rusqlite::Result<Deletions> {
    let Some(max_age) = max_age else { return Ok(Deletions::default()) };
    let oldest_kept =
        now_micros.saturating_sub(i64::try_from(max_age.as_micros()).unwrap_or(i64::MAX));
    delete_empty_investigations(connection, oldest_kept, max_rows)?;
    let oldest: Option<i64> = connection
        .prepare_cached("SELECT min(evaluated_at_micros) FROM evaluations")?
        .query_row([], |row| row.get(0))?;
    if oldest.is_none_or(|oldest| oldest >= oldest_kept) {
        return Ok(Deletions::default());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let deletions = delete(
        &transaction,
        "DELETE FROM evaluations WHERE sequence IN (SELECT sequence FROM evaluations \
         WHERE evaluated_at_micros < ?1 ORDER BY evaluated_at_micros LIMIT ?2) RETURNING policy_id",
        params![oldest_kept, max_rows],
    )?;
    transaction.commit()?;
    Ok(Deletions { is_unfinished: deletions.evaluations >= u64::from(max_rows), ..deletions })
}

/// Deletes old investigations without evaluations. Other investigations are deleted with their last evaluation.
fn delete_empty_investigations(
    connection: &Connection,
    oldest_kept: i64,
    max_rows: u32,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM investigations WHERE rowid IN (SELECT rowid \
             FROM investigations AS old WHERE started_at_micros < ?1 AND NOT EXISTS ( \
                 SELECT 1 FROM evaluations \
                 WHERE investigation_id = old.investigation_id AND owner = old.owner) LIMIT ?2)",
        )?
        .execute(params![oldest_kept, max_rows])?;
    Ok(())
}

fn delete_oversized(
    connection: &mut Connection,
    max_bytes: Option<u64>,
    max_rows: u32,
) -> rusqlite::Result<Deletions> {
    let Some(max_bytes) = max_bytes else { return Ok(Deletions::default()) };
    let used_bytes = Space::read(connection)?.used_bytes();
    if used_bytes <= max_bytes {
        return Ok(Deletions::default());
    }
    let target_bytes = max_bytes - max_bytes / 16;
    let Some(last_sequence) = last_of_oldest(connection, used_bytes - target_bytes, max_rows)?
    else {
        return Ok(Deletions::default());
    };
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let deletions = delete(
        &transaction,
        "DELETE FROM evaluations WHERE sequence <= ?1 RETURNING policy_id",
        [last_sequence],
    )?;
    transaction.commit()?;
    let is_unfinished = Space::read(connection)?.used_bytes() > max_bytes;
    Ok(Deletions { is_unfinished, ..deletions })
}

/// Returns the sequence of the last evaluation to delete in order to free `bytes`: at most `max_rows` evaluations,
/// and never the newest. Shared evidence counts for the last evaluation that refers to it.
fn last_of_oldest(
    connection: &Connection,
    bytes: u64,
    max_rows: u32,
) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT sequence, length(report) + length(response) + coalesce(( \
             SELECT length(evidence) FROM evidence_sets \
             WHERE id = oldest.evidence_set_id AND NOT EXISTS ( \
                 SELECT 1 FROM evaluations AS later \
                 WHERE later.evidence_set_id = id AND later.sequence > oldest.sequence)), 0) \
             + coalesce(( \
             SELECT sum(length(packed)) FROM evidence_set_contents AS had JOIN contents ON id = content_id \
             WHERE had.set_id = oldest.evidence_set_id AND NOT EXISTS ( \
                 SELECT 1 FROM evidence_set_contents AS also \
                 JOIN evaluations AS later ON later.evidence_set_id = also.set_id \
                 WHERE also.content_id = id AND later.sequence > oldest.sequence)), 0) \
         FROM evaluations AS oldest \
         WHERE sequence < (SELECT max(sequence) FROM evaluations) ORDER BY sequence LIMIT ?1",
    )?;
    let mut evaluations = statement.query([max_rows])?;
    let mut last_sequence = None;
    let mut freed = 0_u64;
    while freed < bytes
        && let Some(row) = evaluations.next()?
    {
        last_sequence = Some(row.get(0)?);
        freed = freed
            .saturating_add(u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0))
            .saturating_add(ROW_BYTES);
    }
    Ok(last_sequence)
}

/// Runs a deletion that returns the ids of policies, and deletes the policies that are no longer
/// referenced.
fn delete(
    transaction: &Transaction<'_>,
    sql: &'static str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Deletions> {
    let mut deletions = Deletions::default();
    let mut policies = BTreeSet::new();
    let mut statement = transaction.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        deletions.evaluations += 1;
        policies.insert(row.get::<_, i64>(0)?);
    }
    for policy in policies {
        delete_unused_policy(transaction, policy)?;
    }
    Ok(deletions)
}

/// Deletes a policy if it is not referenced.
pub(super) fn delete_unused_policy(
    transaction: &Transaction<'_>,
    policy: i64,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "DELETE FROM policies WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM evaluations WHERE policy_id = ?1)",
        )?
        .execute([policy])?;
    Ok(())
}

/// Releases surplus free pages. Returns `true` if surplus pages remain.
///
/// The surplus is the excess over the limit or over a quarter of the used pages. Other free pages remain for new
/// records, so that a ledger at its limit does not move pages.
fn release_pages(connection: &Connection, max_bytes: Option<u64>) -> rusqlite::Result<bool> {
    let before = Space::read(connection)?;
    let surplus = before.surplus_pages(max_bytes);
    if surplus == 0 {
        return Ok(false);
    }
    let pages = surplus.min(MAX_RELEASED_PAGES);
    let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    let mut progress = vacuum.query([])?;
    while progress.next()?.is_some() {}
    let after = Space::read(connection)?;
    let is_unfinished = after.free_pages < before.free_pages && after.surplus_pages(max_bytes) > 0;
    if !is_unfinished {
        checkpoint_passive(connection)?;
    }
    Ok(is_unfinished)
}

/// Checkpoints the part of the write-ahead log that no reader needs. Required for the file to shrink.
pub(super) fn checkpoint_passive(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

#[derive(Clone, Copy, Debug)]
struct Space {
    page_bytes: u64,
    pages: u64,
    free_pages: u64,
}

impl Space {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let query = |sql| {
            let number =
                connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0))?;
            Ok::<_, rusqlite::Error>(u64::try_from(number).unwrap_or(0))
        };
        Ok(Self {
            page_bytes: query("PRAGMA page_size")?,
            pages: query("PRAGMA page_count")?,
            free_pages: query("PRAGMA freelist_count")?,
        })
    }

    fn used_bytes(self) -> u64 {
        self.pages.saturating_sub(self.free_pages).saturating_mul(self.page_bytes)
    }

    fn surplus_pages(self, max_bytes: Option<u64>) -> u64 {
        let page_bytes = self.page_bytes.max(1);
        let slack_pages = SLACK_BYTES.max(self.used_bytes() / 4) / page_bytes;
        let over_slack = self.free_pages.saturating_sub(slack_pages);
        let over_limit = max_bytes.map_or(0, |bound| self.pages.saturating_sub(bound / page_bytes));
        over_slack.max(over_limit).min(self.free_pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(pages: u64, free_pages: u64) -> Space {
        Space { page_bytes: 4096, pages, free_pages }
    }

    #[test]
    fn keeps_some_free_pages() {
        assert_eq!(space(10_000, 256).surplus_pages(None), 0);
        assert_eq!(space(1_000, 256).surplus_pages(None), 0);
        assert_eq!(space(10_000, 2_000).surplus_pages(None), 0);
        assert_eq!(space(10_000, 2_001).surplus_pages(None), 2);
    }

    #[test]
    fn releases_pages_over_the_limit() {
        assert_eq!(space(1_000, 100).surplus_pages(Some(950 * 4096)), 50);
        assert_eq!(space(1_000, 100).surplus_pages(Some(800 * 4096)), 100, "no more than is free");
        assert_eq!(space(1_000, 100).surplus_pages(Some(1_000 * 4096)), 0);
    }

    #[test]
    fn free_pages_do_not_count_as_used() {
        assert_eq!(space(1_000, 100).used_bytes(), 900 * 4096);
        assert_eq!(space(0, 0).used_bytes(), 0);
    }
}
