//! This module reads evaluations: lists of them, one in full, the contents of its evidence.

use std::num::NonZeroU64;

use deadpool_postgres::Object;
use tokio_postgres::{Error, Row};

use super::{grades, scan};
use crate::ledger::error::LedgerError;
use crate::ledger::filter::{AnswerPage, Answered, Count, Filter, MAX_COUNTS, Page, answer_page};
use crate::ledger::page_token;
use crate::ledger::record::{StoredEvaluation, Summary};
use crate::owner::Owner;
use crate::storage::postgres::query::{self, Conditions};

/// The columns of [`summary`], and the sequence.
pub(super) const SUMMARY_COLUMNS: &str = "evaluations.sequence, evaluations.evaluation_id, evaluations.evaluated_at_micros, \
     evaluations.owner, report_id, investigation_id, policy, judge, outcome, tier, score_numerator, score_denominator, claims, \
     grounded, in_shadow, fell_back";

/// Whether a row of `evaluations` has grades.
pub(super) const IS_GRADED: &str =
    "EXISTS (SELECT 1 FROM grades WHERE grades.sequence = evaluations.sequence)";

/// Whether a report could go out without every claim grounded, as the index says it. 1 is `TIER_PROCEED`.
const IS_UNPROVEN: &str =
    "((tier = 1 AND (grounded IS NULL OR grounded < claims)) OR (in_shadow AND tier <> 1))";

/// Adds what an owner sees.
pub(super) fn see(conditions: &mut Conditions, owner: &Owner) {
    if let Some(owner) = owner.only() {
        conditions.add("owner = ? AND owner <> ''", owner.to_owned());
    }
}

/// The sequence below which a page begins.
pub(super) fn begin(filter: &Filter) -> Result<i64, LedgerError> {
    match &filter.page_token {
        Some(token) => page_token::decode(token, filter),
        None => Ok(i64::MAX),
    }
}

/// One page of a list.
pub(super) async fn page(
    client: &mut Object,
    owner: &Owner,
    filter: &Filter,
    below: i64,
) -> Result<Page, Error> {
    let list = restricted(owner, filter, below);
    let one_more = filter.page_size.saturating_add(1);
    let sql = format!(
        "SELECT {SUMMARY_COLUMNS} FROM evaluations WHERE {} ORDER BY sequence DESC LIMIT {one_more}",
        list.sql
    );
    let rows = query::all(&*client, &sql, &list.parameters()).await?;
    let shown = rows.get(..filter.page_size);
    let last = shown.and_then(<[Row]>::last).filter(|_| rows.len() > filter.page_size);
    Ok(Page {
        next_page_token: last.map(|row| page_token::encode(row.get("sequence"), filter)),
        evaluations: shown.unwrap_or(&rows).iter().map(summary).collect(),
    })
}

/// One page of evaluations with what was answered.
pub(super) async fn answers(
    client: &mut Object,
    owner: &Owner,
    filter: &Filter,
    below: i64,
) -> Result<AnswerPage, Error> {
    let list = restricted(owner, filter, below);
    let one_more = filter.page_size.saturating_add(1);
    // How large each is first, so that no more is fetched than a page takes.
    let sizes = format!(
        "SELECT sequence, (length(report) + length(response))::bigint FROM evaluations WHERE {} \
         ORDER BY sequence DESC LIMIT {one_more}",
        list.sql
    );
    let sizes = query::all(&*client, &sizes, &list.parameters()).await?;
    let mut sequences = scan::fitting(&sizes);
    sequences.truncate(filter.page_size);
    let documents = format!(
        "SELECT {SUMMARY_COLUMNS}, report, response, toml FROM evaluations JOIN policies ON policies.id = policy_id \
         WHERE sequence = ANY($1) ORDER BY sequence DESC"
    );
    let rows = query::all(&*client, &documents, &[&sequences]).await?;
    let answered = |row: &Row| {
        let answered = Answered {
            summary: summary(row),
            report: row.get("report"),
            response: row.get("response"),
            policy_toml: row.get("toml"),
        };
        (row.get("sequence"), answered)
    };
    let has_more = sizes.len() > sequences.len();
    Ok(answer_page(rows.iter().map(answered).collect(), has_more, filter))
}

/// How many evaluations there are, of each interval and kind of decision.
pub(super) async fn counts(
    client: &mut Object,
    owner: &Owner,
    filter: &Filter,
    interval_micros: Option<NonZeroU64>,
) -> Result<Vec<Count>, Error> {
    let mut counted = restricted(owner, filter, i64::MAX);
    let from = match interval_micros {
        None => "0::bigint".to_owned(),
        Some(interval) => {
            let interval = counted.place(i64::try_from(interval.get()).unwrap_or(i64::MAX));
            format!("evaluated_at_micros / {interval} * {interval}")
        }
    };
    let sql = format!(
        "SELECT {from} AS from_micros, policy, judge, outcome, tier, in_shadow, fell_back, count(*) AS evaluations \
         FROM evaluations WHERE {} GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7 LIMIT {}",
        counted.sql,
        MAX_COUNTS + 1
    );
    let rows = query::all(&*client, &sql, &counted.parameters()).await?;
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

/// What an owner sees of evaluations that fit, below a sequence.
fn restricted(owner: &Owner, filter: &Filter, below: i64) -> Conditions {
    let mut list = Conditions { sql: "true".to_owned(), values: Vec::new() };
    if below < i64::MAX {
        list.add("sequence < ?", below);
    }
    see(&mut list, owner);
    for (condition, name) in [
        ("owner = ?", &filter.principal),
        ("report_id = ? AND report_id <> ''", &filter.report_id),
        ("investigation_id = ? AND investigation_id <> ''", &filter.investigation_id),
        ("policy = ?", &filter.policy),
        ("judge = ?", &filter.judge),
    ] {
        if let Some(name) = name {
            list.add(condition, name.clone());
        }
    }
    if let Some(from) = filter.from_micros {
        list.add("evaluated_at_micros >= ?", from);
    }
    if let Some(before) = filter.before_micros {
        list.add("evaluated_at_micros < ?", before);
    }
    if let Some(tier) = filter.tier {
        list.add("tier = ?", tier);
    }
    if let Some(graded) = filter.graded {
        list.require(&format!("{}{IS_GRADED}", if graded { "" } else { "NOT " }));
    }
    if filter.unproven_only {
        list.require(IS_UNPROVEN);
    }
    list
}

/// One evaluation in full.
pub(super) async fn stored(
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

/// A content of an evaluation as it is packed.
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

/// The contents of an evaluation, by their digests, as they are packed.
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

/// A column of which the schema says that it has 32 bytes.
pub(super) fn digest(bytes: &[u8]) -> [u8; 32] {
    bytes.try_into().unwrap_or_default()
}

/// A row of [`SUMMARY_COLUMNS`].
pub(super) fn summary(row: &Row) -> Summary {
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
