//! This module reads evaluations in the order in which they were recorded.

use deadpool_postgres::Object;
use tokio_postgres::{Error, Row};

use super::read::{IS_GRADED, SUMMARY_COLUMNS, see, summary};
use super::{grades, settled};
use crate::ledger::scan::{MAX_EVALUATIONS, PAGE_BYTES, Scan, Scanned};
use crate::owner::Owner;
use crate::storage::postgres::query::{self, Conditions};

/// The next evaluations behind a sequence. One that is not visible yet holds back those after it: what is behind a
/// sequence was read, all of it.
pub(super) async fn page(
    client: &mut Object,
    owner: &Owner,
    scan: &Scan,
    after: i64,
) -> Result<Vec<Scanned>, Error> {
    let bound = settled::bound(&*client).await?;
    let wanted = conditions(owner, scan, after, bound);
    // How large each is first, so that no more is fetched than a page takes.
    let sizes = format!(
        "SELECT sequence, (length(response) + length(toml))::bigint FROM evaluations \
         JOIN policies ON policies.id = policy_id WHERE {} ORDER BY sequence LIMIT {MAX_EVALUATIONS}",
        wanted.sql
    );
    let sizes = query::all(&*client, &sizes, &wanted.parameters()).await?;
    let sequences = fitting(&sizes);
    let documents = format!(
        "SELECT {SUMMARY_COLUMNS}, response, toml FROM evaluations JOIN policies ON policies.id = policy_id \
         WHERE sequence = ANY($1) ORDER BY sequence"
    );
    let rows = query::all(&*client, &documents, &[&sequences]).await?;
    let mut grades = grades::read(&*client, &sequences).await?;
    Ok(rows
        .iter()
        .map(|row| {
            let sequence = row.get("sequence");
            Scanned {
                sequence,
                summary: summary(row),
                response: row.get("response"),
                policy_toml: row.get("toml"),
                grades: grades.remove(&sequence).unwrap_or_default(),
            }
        })
        .collect())
}

/// The sequences that a page takes, of rows with their sizes: at least one.
pub(super) fn fitting(sizes: &[Row]) -> Vec<i64> {
    let mut bytes = 0_usize;
    let fits = |row: &&Row| {
        let is_room = bytes < PAGE_BYTES;
        bytes = bytes.saturating_add(usize::try_from(row.get::<_, i64>(1)).unwrap_or(usize::MAX));
        is_room
    };
    sizes.iter().take_while(fits).map(|row| row.get(0)).collect()
}

fn conditions(owner: &Owner, scan: &Scan, after: i64, bound: i64) -> Conditions {
    let mut wanted = Conditions { sql: "true".to_owned(), values: Vec::new() };
    wanted.add("sequence > ?", after);
    wanted.add("sequence <= ?", bound);
    see(&mut wanted, owner);
    if let Some(from) = scan.from_micros {
        wanted.add("evaluated_at_micros >= ?", from);
    }
    if let Some(before) = scan.before_micros {
        wanted.add("evaluated_at_micros < ?", before);
    }
    if let Some(policy) = &scan.policy {
        wanted.add("policy = ?", policy.clone());
    }
    if let Some(judge) = &scan.judge {
        wanted.add("judge = ?", judge.clone());
    }
    if let Some(tier) = scan.tier {
        wanted.add("tier = ?", tier);
    }
    if let Some(investigation) = &scan.investigation_id {
        wanted.add("investigation_id = ? AND investigation_id <> ''", investigation.clone());
    }
    if scan.is_graded {
        wanted.require(IS_GRADED);
    }
    wanted
}
