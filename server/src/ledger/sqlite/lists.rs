//! Lists and counts evaluations.

use std::num::NonZeroU64;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::grades;
use super::reader::{SUMMARY_COLUMNS, summary};
use crate::data_owner::Owner;
use crate::ledger::record::Summary;
use crate::ledger::selection::{
    Count, Entry, IS_GRADED, MAX_COUNTS, PAGE_BYTES, Page, PageRequest, Reports, Selection,
};

/// Selects reports that could be sent with unproven claims. Must equal the condition of the partial index. 1 is
/// `TIER_PROCEED`.
const IS_UNPROVEN: &str =
    "((tier = 1 AND (grounded IS NULL OR grounded < claims)) OR (in_shadow = 1 AND tier <> 1))";

pub(super) fn list(
    connection: &Connection,
    owner: &Owner,
    request: &PageRequest,
) -> rusqlite::Result<Page<Summary>> {
    page(connection, SUMMARY_COLUMNS, owner, request, |row| Ok((summary(row)?, 0)))
}

/// Reads one page of evaluations with their documents, up to about [`PAGE_BYTES`] of documents.
pub(super) fn entries(
    connection: &Connection,
    owner: &Owner,
    request: &PageRequest,
    reports: Reports,
) -> rusqlite::Result<Page<Entry>> {
    let report = reports.column("NULL AS report");
    let columns = format!(
        "{SUMMARY_COLUMNS}, {report}, response, (SELECT toml FROM policies WHERE policies.id = policy_id) AS toml, {IS_GRADED} AS graded"
    );
    page(connection, &columns, owner, request, |row| {
        let sequence = row.get("sequence")?;
        let grades = match row.get("graded")? {
            true => grades::read(connection, sequence)?,
            false => Vec::new(),
        };
        let entry = Entry {
            sequence,
            summary: summary(row)?,
            report: row.get("report")?,
            response: row.get("response")?,
            policy_toml: row.get("toml")?,
            grades,
        };
        let report_bytes = entry.report.as_ref().map_or(0, Vec::len);
        let bytes = report_bytes + entry.response.len() + entry.policy_toml.len();
        Ok((entry, bytes))
    })
}

/// Reads one page of rows. `convert_row` converts a row and returns the size of its documents.
fn page<T>(
    connection: &Connection,
    columns: &str,
    owner: &Owner,
    request: &PageRequest,
    convert_row: impl Fn(&Row<'_>) -> rusqlite::Result<(T, usize)>,
) -> rusqlite::Result<Page<T>> {
    let (sql, parameters) = page_query(columns, owner, request);
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(parameters))?;
    let (mut evaluations, mut bytes, mut cursor) = (Vec::new(), 0, request.cursor);
    while let Some(row) = rows.next()? {
        if evaluations.len() == request.limit.get() || bytes >= PAGE_BYTES {
            return Ok(Page { evaluations, next: Some(cursor) });
        }
        let (evaluation, size) = convert_row(row)?;
        evaluations.push(evaluation);
        bytes += size;
        cursor = cursor.after_row(row.get("sequence")?);
    }
    Ok(Page { evaluations, next: None })
}

pub(super) fn counts(
    connection: &Connection,
    owner: &Owner,
    selection: &Selection,
    interval_micros: Option<NonZeroU64>,
) -> rusqlite::Result<Vec<Count>> {
    let (sql, parameters) = count_query(owner, selection, interval_micros);
    let mut statement = connection.prepare_cached(&sql)?;
    let counts = statement.query_map(params_from_iter(parameters), |row| {
        Ok(Count {
            from_micros: row.get("from_micros")?,
            policy: row.get("policy")?,
            judge: row.get("judge")?,
            outcome: row.get("outcome")?,
            tier: row.get("tier")?,
            in_shadow: row.get("in_shadow")?,
            fell_back: row.get("fell_back")?,
            evaluations: row.get::<_, i64>("evaluations")?.cast_unsigned(),
        })
    })?;
    counts.collect()
}

/// Returns the query for a page and its parameters. A `+` before a column prevents the use of its index: the
/// time index would require a sort, and a report or investigation selects fewer rows than a tier.
fn page_query(columns: &str, owner: &Owner, request: &PageRequest) -> (String, Vec<Value>) {
    let PageRequest { selection, cursor, limit } = request;
    let has_id_filter = selection.report_id.is_some() || selection.investigation_id.is_some();
    let tier = if has_id_filter || selection.unproven_only { "+tier" } else { "tier" };
    let column_hints = Columns { tier, owner: "owner", time: "+evaluated_at_micros" };
    let (conditions, mut parameters) = conditions(owner, selection, &column_hints);
    let sql = format!(
        "SELECT {columns} FROM evaluations WHERE {}{conditions} {} LIMIT ?",
        cursor.condition(),
        cursor.order()
    );
    parameters.insert(0, Value::Integer(cursor.sequence()));
    let row_limit = i64::try_from(limit.get()).unwrap_or(i64::MAX).saturating_add(1);
    parameters.push(Value::Integer(row_limit));
    (sql, parameters)
}

/// Returns the query for counts and its parameters. The time index covers this query.
fn count_query(
    owner: &Owner,
    selection: &Selection,
    interval_micros: Option<NonZeroU64>,
) -> (String, Vec<Value>) {
    let columns = Columns { tier: "+tier", owner: "+owner", time: "evaluated_at_micros" };
    let (sql, mut parameters) = conditions(owner, selection, &columns);
    let interval_start = match interval_micros {
        None => "0",
        Some(interval) => {
            let interval = i64::try_from(interval.get()).unwrap_or(i64::MAX);
            parameters.splice(0..0, [Value::Integer(interval), Value::Integer(interval)]);
            "evaluated_at_micros / ? * ?"
        }
    };
    let limit = MAX_COUNTS + 1;
    let sql = format!(
        "SELECT {interval_start} AS from_micros, policy, judge, outcome, tier, in_shadow, fell_back, count(*) AS evaluations \
         FROM evaluations WHERE true{sql} \
         GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7 LIMIT {limit}"
    );
    (sql, parameters)
}

/// The column expressions for conditions. A `+` before a column prevents the use of its index.
struct Columns {
    tier: &'static str,
    owner: &'static str,
    time: &'static str,
}

/// Returns SQL conditions for a selection, restricted to what an owner may see. Each is preceded by `AND`.
fn conditions(owner: &Owner, selection: &Selection, columns: &Columns) -> (String, Vec<Value>) {
    let Columns { tier, owner: owner_column, time } = columns;
    let (mut sql, mut parameters) = (String::new(), Vec::new());
    let mut add_condition = |condition: String, value: Option<Value>| {
        if let Some(value) = value {
            sql.push_str(" AND ");
            sql.push_str(&condition);
            parameters.push(value);
        }
    };
    let text_value = |text: Option<&str>| text.map(|text| Value::Text(text.to_owned()));
    add_condition(format!("{owner_column} = ? AND owner <> ''"), text_value(owner.only()));
    add_condition(format!("{owner_column} = ?"), text_value(selection.principal.as_deref()));
    add_condition(
        "report_id = ? AND report_id <> ''".to_owned(),
        text_value(selection.report_id.as_deref()),
    );
    let investigation = "investigation_id = ? AND investigation_id <> ''".to_owned();
    add_condition(investigation, text_value(selection.investigation_id.as_deref()));
    add_condition("policy = ?".to_owned(), text_value(selection.policy.as_deref()));
    add_condition("judge = ?".to_owned(), text_value(selection.judge.as_deref()));
    add_condition(format!("{time} >= ?"), selection.from_micros.map(Value::Integer));
    add_condition(format!("{time} < ?"), selection.before_micros.map(Value::Integer));
    add_condition(
        format!("{tier} = ?"),
        selection.tier.map(|tier| Value::Integer(i64::from(tier))),
    );
    if let Some(graded) = selection.graded {
        sql.push_str(if graded { " AND " } else { " AND NOT " });
        sql.push_str(IS_GRADED);
    }
    if selection.unproven_only {
        sql.push_str(" AND ");
        sql.push_str(IS_UNPROVEN);
    }
    (sql, parameters)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::ledger::selection::Cursor;
    use crate::ledger::sqlite::schema::SCHEMA;

    fn query_plan((sql, parameters): (String, Vec<Value>)) -> String {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.create(&mut connection).unwrap();
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = statement
            .query_map(params_from_iter(parameters), |row| row.get::<_, String>("detail"))
            .unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn pages_use_an_index_without_sorting() {
        let text = |text: &str| Some(text.to_owned());
        let tier = Some(3);
        let time =
            Selection { from_micros: Some(7), before_micros: Some(9), ..Selection::default() };
        for (selection, index) in [
            (Selection::default(), "INTEGER PRIMARY KEY"),
            (Selection { tier, ..Selection::default() }, "evaluations_by_tier"),
            (Selection { graded: Some(true), ..Selection::default() }, "INTEGER PRIMARY KEY"),
            (Selection { graded: Some(false), tier, ..time.clone() }, "evaluations_by_tier"),
            (Selection { policy: text("strict"), ..time.clone() }, "INTEGER PRIMARY KEY"),
            (Selection { unproven_only: true, ..Selection::default() }, "evaluations_unproven"),
            (Selection { unproven_only: true, tier, ..time.clone() }, "evaluations_unproven"),
            (Selection { report_id: text("r"), ..Selection::default() }, "evaluations_by_report"),
            (Selection { report_id: text("r"), tier, ..time.clone() }, "evaluations_by_report"),
            (
                Selection { investigation_id: text("i"), tier, graded: Some(true), ..time },
                "evaluations_by_investigation",
            ),
        ] {
            for cursor in [Cursor::Before(7), Cursor::After(7)] {
                let request =
                    PageRequest { selection: selection.clone(), cursor, limit: NonZeroUsize::MIN };
                let plan = query_plan(page_query(SUMMARY_COLUMNS, &Owner::default(), &request));
                assert!(plan.contains(index), "{request:?}: {plan}");
                assert!(!plan.contains("TEMP B-TREE"), "{request:?}: {plan}");
            }
        }
    }

    #[test]
    fn counts_use_a_covering_index() {
        let day = NonZeroU64::new(86_400_000_000);
        for selection in [
            Selection::default(),
            Selection { from_micros: Some(7), before_micros: Some(9), ..Selection::default() },
            Selection { tier: Some(1), judge: Some("j".to_owned()), ..Selection::default() },
            Selection { principal: Some("ada".to_owned()), ..Selection::default() },
        ] {
            let plan = query_plan(count_query(&Owner::default(), &selection, day));
            assert!(plan.contains("COVERING INDEX evaluations_by_time"), "{selection:?}: {plan}");
        }
    }
}
