//! Reads evaluations and their evidence contents.

use std::num::NonZeroU64;

use deadpool_postgres::Object;
use tokio_postgres::{Error, Row};

use super::{grades, visibility};
use crate::data_owner::Owner;
use crate::ledger::record::{StoredEvaluation, Summary};
use crate::ledger::selection::{
    Count, Cursor, Entry, IS_GRADED, MAX_COUNTS, PAGE_BYTES, Page, PageRequest, Reports, Selection,
};
use crate::storage::postgres::query::{self, Conditions};

/// The columns that [`summary`] reads, and the sequence.
const SUMMARY_COLUMNS: &str = "evaluations.sequence, evaluations.evaluation_id, evaluations.evaluated_at_micros, \
     evaluations.owner, report_id, investigation_id, policy, judge, outcome, tier, score_numerator, score_denominator, claims, \
     grounded, in_shadow, fell_back";

/// Selects reports that could be sent with unproven claims. Must equal the condition of the partial index. 1 is
/// `TIER_PROCEED`.
const IS_UNPROVEN: &str =
    "((tier = 1 AND (grounded IS NULL OR grounded < claims)) OR (in_shadow AND tier <> 1))";

pub(super) async fn list(
    client: &mut Object,
    owner: &Owner,
    request: &PageRequest,
) -> Result<Page<Summary>, Error> {
    let page_rows = rows(client, owner, request, SUMMARY_COLUMNS).await?;
    let evaluations = page_rows.get(..request.limit.get()).unwrap_or(&page_rows);
    let last = evaluations.last().filter(|_| page_rows.len() > evaluations.len());
    Ok(Page {
        next: last.map(|row| request.cursor.after_row(row.get("sequence"))),
        evaluations: evaluations.iter().map(summary).collect(),
    })
}

/// Reads one page of evaluations with their documents, up to about [`PAGE_BYTES`] of documents.
pub(super) async fn entries(
    client: &mut Object,
    owner: &Owner,
    request: &PageRequest,
    reports: Reports,
) -> Result<Page<Entry>, Error> {
    // Reads the sizes first, to fetch only the documents that fit.
    let report = reports.column("NULL::bytea");
    let sizes = format!(
        "sequence, (coalesce(length({report}), 0) + length(response) \
         + (SELECT octet_length(toml) FROM policies WHERE policies.id = policy_id))::bigint"
    );
    let sizes = rows(client, owner, request, &sizes).await?;
    let mut sequences = sequences_that_fit(&sizes);
    sequences.truncate(request.limit.get());
    let last = sequences.last().filter(|_| sizes.len() > sequences.len());
    let next = last.map(|sequence| request.cursor.after_row(*sequence));
    let documents = format!(
        "SELECT {SUMMARY_COLUMNS}, {report} AS report, response, toml FROM evaluations JOIN policies ON policies.id = policy_id \
         WHERE sequence = ANY($1) {}",
        request.cursor.order()
    );
    let page_rows = query::all(&*client, &documents, &[&sequences]).await?;
    let mut grades = grades::read(&*client, &sequences).await?;
    let entry = |row: &Row| {
        let sequence = row.get("sequence");
        Entry {
            sequence,
            summary: summary(row),
            report: row.get("report"),
            response: row.get("response"),
            policy_toml: row.get("toml"),
            grades: grades.remove(&sequence).unwrap_or_default(),
        }
    };
    Ok(Page { evaluations: page_rows.iter().map(entry).collect(), next })
}

/// Reads the rows of a page, and the next row if there is one.
async fn rows(
    client: &mut Object,
    owner: &Owner,
    request: &PageRequest,
    columns: &str,
) -> Result<Vec<Row>, Error> {
    let PageRequest { selection, cursor, limit } = request;
    let mut conditions = conditions(owner, selection);
    conditions.add(cursor.condition(), cursor.sequence());
    if let Cursor::After(_) = cursor {
        // Holds back evaluations that follow one that is not visible yet, so that no page skips an
        // evaluation.
        conditions.add("sequence <= ?", visibility::last_visible_sequence(&*client).await?);
    }
    let sql = format!(
        "SELECT {columns} FROM evaluations WHERE {} {} LIMIT {}",
        conditions.sql,
        cursor.order(),
        limit.get().saturating_add(1)
    );
    query::all(&*client, &sql, &conditions.parameters()).await
}

/// Returns the sequences of the evaluations that fit on a page. The first one always fits.
fn sequences_that_fit(sizes: &[Row]) -> Vec<i64> {
    let mut total_bytes = 0_usize;
    let fits = |row: &&Row| {
        let has_room = total_bytes < PAGE_BYTES;
        total_bytes =
            total_bytes.saturating_add(usize::try_from(row.get::<_, i64>(1)).unwrap_or(usize::MAX));
        has_room
    };
    sizes.iter().take_while(fits).map(|row| row.get(0)).collect()
}

pub(super) async fn counts(
    client: &mut Object,
    owner: &Owner,
    selection: &Selection,
    interval_micros: Option<NonZeroU64>,
) -> Result<Vec<Count>, Error> {
    let mut conditions = conditions(owner, selection);
    let interval_start = match interval_micros {
        None => "0::bigint".to_owned(),
        Some(interval) => {
            let interval = conditions.bind(i64::try_from(interval.get()).unwrap_or(i64::MAX));
            format!("evaluated_at_micros / {interval} * {interval}")
        }
    };
    let sql = format!(
        "SELECT {interval_start} AS from_micros, policy, judge, outcome, tier, in_shadow, fell_back, count(*) AS evaluations \
         FROM evaluations WHERE {} GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7 LIMIT {}",
        conditions.sql,
        MAX_COUNTS + 1
    );
    let rows = query::all(&*client, &sql, &conditions.parameters()).await?;
    let count = |row: &Row| Count {
        from_micros: row.get("from_micros"),
        policy: row.get("policy"),
        judge: row.get("judge"),
        outcome: row.get("outcome"),
        tier: row.get("tier"),
        in_shadow: row.get("in_shadow"),
        fell_back: row.get("fell_back"),
        evaluations: u64::try_from(row.get::<_, i64>("evaluations")).unwrap_or(0),
    };
    Ok(rows.iter().map(count).collect())
}

/// Returns SQL conditions for a selection, restricted to what an owner may see.
fn conditions(owner: &Owner, selection: &Selection) -> Conditions {
    let mut conditions = Conditions { sql: "true".to_owned(), values: Vec::new() };
    for (condition, text) in [
        ("owner = ? AND owner <> ''", owner.only()),
        ("owner = ?", selection.principal.as_deref()),
        ("report_id = ? AND report_id <> ''", selection.report_id.as_deref()),
        ("investigation_id = ? AND investigation_id <> ''", selection.investigation_id.as_deref()),
        ("policy = ?", selection.policy.as_deref()),
        ("judge = ?", selection.judge.as_deref()),
    ] {
        if let Some(text) = text {
            conditions.add(condition, text.to_owned());
        }
    }
    for (condition, micros) in [
        ("evaluated_at_micros >= ?", selection.from_micros),
        ("evaluated_at_micros < ?", selection.before_micros),
    ] {
        if let Some(micros) = micros {
            conditions.add(condition, micros);
        }
    }
    if let Some(tier) = selection.tier {
        conditions.add("tier = ?", tier);
    }
    if let Some(graded) = selection.graded {
        conditions.require(&format!("{}{IS_GRADED}", if graded { "" } else { "NOT " }));
    }
    if selection.unproven_only {
        conditions.require(IS_UNPROVEN);
    }
    conditions
}

pub(super) async fn evaluation(
    client: &mut Object,
    owner: &Owner,
    evaluation_id: &str,
) -> Result<Option<StoredEvaluation>, Error> {
    let sql = format!(
        "SELECT {SUMMARY_COLUMNS}, idempotency_key, request_digest, report, response, evidence, toml \
         FROM evaluation_ids AS ids JOIN evaluations USING (sequence, evaluated_at_micros) \
         JOIN policies ON policies.id = policy_id JOIN evidence_sets ON evidence_sets.id = evidence_set_id \
         WHERE ids.evaluation_id = $1 AND ($2::text IS NULL OR ids.owner = $2)"
    );
    let Some(row) = query::optional(&*client, &sql, &[&evaluation_id, &owner.only()]).await? else {
        return Ok(None);
    };
    let sequence = row.get("sequence");
    let mut grades = grades::read(&*client, &[sequence]).await?;
    Ok(Some(StoredEvaluation {
        summary: summary(&row),
        idempotency_key: row.get("idempotency_key"),
        request_digest: digest(row.get("request_digest")),
        report: row.get("report"),
        response: row.get("response"),
        evidence: row.get("evidence"),
        policy_toml: row.get("toml"),
        grades: grades.remove(&sequence).unwrap_or_default(),
    }))
}

pub(super) async fn content(
    client: &mut Object,
    owner: &Owner,
    evaluation_id: &str,
    digest: &[u8; 32],
) -> Result<Option<Vec<u8>>, Error> {
    const PACKED: &str = "SELECT packed FROM evaluation_ids AS ids \
         JOIN evaluations USING (sequence, evaluated_at_micros) \
         JOIN evidence_set_contents ON set_id = evidence_set_id JOIN contents ON contents.id = content_id \
         WHERE ids.evaluation_id = $1 AND contents.digest = $2 AND ($3::text IS NULL OR ids.owner = $3)";
    let row =
        query::optional(&*client, PACKED, &[&evaluation_id, &digest.as_slice(), &owner.only()])
            .await?;
    Ok(row.map(|row| row.get(0)))
}

/// Reads the contents of an evaluation in compressed form, ordered by digest.
pub(super) async fn contents(
    client: &mut Object,
    owner: &Owner,
    evaluation_id: &str,
) -> Result<Vec<([u8; 32], Vec<u8>)>, Error> {
    const PACKED: &str = "SELECT contents.digest, packed FROM evaluation_ids AS ids \
         JOIN evaluations USING (sequence, evaluated_at_micros) \
         JOIN evidence_set_contents ON set_id = evidence_set_id JOIN contents ON contents.id = content_id \
         WHERE ids.evaluation_id = $1 AND ($2::text IS NULL OR ids.owner = $2) ORDER BY contents.digest";
    let rows = query::all(&*client, PACKED, &[&evaluation_id, &owner.only()]).await?;
    Ok(rows.iter().map(|row| (digest(row.get(0)), row.get(1))).collect())
}

/// Converts a column that the schema restricts to 32 bytes.
pub(super) fn digest(bytes: &[u8]) -> [u8; 32] {
    bytes.try_into().unwrap_or_default()
}

/// Converts a row with [`SUMMARY_COLUMNS`].
fn summary(row: &Row) -> Summary {
    let numerator: Option<i64> = row.get("score_numerator");
    let denominator: Option<i64> = row.get("score_denominator");
    Summary {
        owner: row.get("owner"),
        evaluation_id: row.get("evaluation_id"),
        evaluated_at_micros: row.get("evaluated_at_micros"),
        report_id: row.get("report_id"),
        investigation_id: row.get("investigation_id"),
        policy: row.get("policy"),
        judge: row.get("judge"),
        outcome: row.get("outcome"),
        tier: row.get("tier"),
        score: numerator.map(i64::cast_unsigned).zip(denominator.map(i64::cast_unsigned)),
        claims: u32::try_from(row.get::<_, i64>("claims")).unwrap_or(u32::MAX),
        grounded: row
            .get::<_, Option<i64>>("grounded")
            .map(|grounded| u32::try_from(grounded).unwrap_or(u32::MAX)),
        in_shadow: row.get("in_shadow"),
        fell_back: row.get("fell_back"),
    }
}
