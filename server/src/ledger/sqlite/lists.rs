//! This module reads lists of evaluations, newest first, and counts them. It changes nothing.

use std::num::NonZeroU64;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::reader::{IS_GRADED, SUMMARY_COLUMNS, summary};
use crate::ledger::error::LedgerError;
use crate::ledger::filter::{AnswerPage, Answered, Count, Filter, MAX_COUNTS, Page, answer_page};
use crate::ledger::page_token;
use crate::ledger::scan::PAGE_BYTES;
use crate::owner::Owner;

/// Whether a report could go out without every claim grounded, as the index says it. 1 is `TIER_PROCEED`.
const IS_UNPROVEN: &str =
    "((tier = 1 AND (grounded IS NULL OR grounded < claims)) OR (in_shadow = 1 AND tier <> 1))";

/// The sequence below which a page begins.
pub(super) fn begin(filter: &Filter) -> Result<i64, LedgerError> {
    match &filter.page_token {
        Some(token) => page_token::decode(token, filter),
        None => Ok(i64::MAX),
    }
}

/// One page of a list.
pub(super) fn page(
    connection: &Connection,
    owner: &Owner,
    filter: &Filter,
    below: i64,
) -> rusqlite::Result<Page> {
    let (sql, parameters) = list_query(SUMMARY_COLUMNS, owner, filter, below);
    let mut list = connection.prepare_cached(&sql)?;
    let mut found = list.query_and_then(params_from_iter(parameters), |row| {
        Ok::<_, rusqlite::Error>((row.get::<_, i64>("sequence")?, summary(row)?))
    })?;
    let rows = found.by_ref().take(filter.page_size).collect::<rusqlite::Result<Vec<_>>>()?;
    let has_more = found.next().transpose()?.is_some();
    let last = rows.last().map(|(sequence, _)| *sequence).filter(|_| has_more);
    Ok(Page {
        evaluations: rows.into_iter().map(|(_, summary)| summary).collect(),
        next_page_token: last.map(|sequence| page_token::encode(sequence, filter)),
    })
}

/// One page of evaluations with what was answered.
pub(super) fn answers(
    connection: &Connection,
    owner: &Owner,
    filter: &Filter,
    below: i64,
) -> rusqlite::Result<AnswerPage> {
    let columns = format!(
        "{SUMMARY_COLUMNS}, report, response, (SELECT toml FROM policies WHERE policies.id = policy_id) AS toml"
    );
    let (sql, parameters) = list_query(&columns, owner, filter, below);
    let mut list = connection.prepare_cached(&sql)?;
    let mut found = list.query(params_from_iter(parameters))?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        if rows.len() == filter.page_size || bytes >= PAGE_BYTES {
            return Ok(answer_page(rows, true, filter));
        }
        let answered = Answered {
            summary: summary(row)?,
            report: row.get("report")?,
            response: row.get("response")?,
            policy_toml: row.get("toml")?,
        };
        bytes += answered.report.len() + answered.response.len() + answered.policy_toml.len();
        rows.push((row.get("sequence")?, answered));
    }
    Ok(answer_page(rows, false, filter))
}

/// How many evaluations there are, of each interval and kind of decision.
pub(super) fn counts(
    connection: &Connection,
    owner: &Owner,
    filter: &Filter,
    interval_micros: Option<NonZeroU64>,
) -> rusqlite::Result<Vec<Count>> {
    let (sql, parameters) = count_query(owner, filter, interval_micros);
    let mut counted = connection.prepare_cached(&sql)?;
    let counts = counted.query_map(params_from_iter(parameters), |row| {
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

/// The query of a list and its parameters. A report or an investigation restricts more than a tier does, so
/// with one of them the tier is looked at row by row (the `+` keeps its index out), and so is the time, which would have to be
/// sorted.
fn list_query(columns: &str, owner: &Owner, filter: &Filter, below: i64) -> (String, Vec<Value>) {
    let by_name = filter.report_id.is_some() || filter.investigation_id.is_some();
    let tier = if by_name || filter.unproven_only { "+tier" } else { "tier" };
    let (mut sql, mut parameters) =
        conditions(owner, filter, &Columns { tier, owner: "owner", time: "+evaluated_at_micros" });
    sql.insert_str(0, &format!("SELECT {columns} FROM evaluations WHERE sequence < ?"));
    parameters.insert(0, Value::Integer(below));
    sql.push_str(" ORDER BY sequence DESC LIMIT ?");
    let one_more = i64::try_from(filter.page_size).unwrap_or(i64::MAX).saturating_add(1);
    parameters.push(Value::Integer(one_more));
    (sql, parameters)
}

/// The query of counts and its parameters: by time, whose index has all that is counted.
fn count_query(
    owner: &Owner,
    filter: &Filter,
    interval_micros: Option<NonZeroU64>,
) -> (String, Vec<Value>) {
    let columns = Columns { tier: "+tier", owner: "+owner", time: "evaluated_at_micros" };
    let (sql, mut parameters) = conditions(owner, filter, &columns);
    let from = match interval_micros {
        None => "0",
        Some(interval) => {
            let interval = i64::try_from(interval.get()).unwrap_or(i64::MAX);
            parameters.splice(0..0, [Value::Integer(interval), Value::Integer(interval)]);
            "evaluated_at_micros / ? * ?"
        }
    };
    let most = MAX_COUNTS + 1;
    let sql = format!(
        "SELECT {from} AS from_micros, policy, judge, outcome, tier, in_shadow, fell_back, count(*) AS evaluations \
         FROM evaluations WHERE true{sql} \
         GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7 LIMIT {most}"
    );
    (sql, parameters)
}

/// Columns that conditions look at; with a `+` in front no index is used for them.
struct Columns {
    tier: &'static str,
    owner: &'static str,
    time: &'static str,
}

/// What an owner sees of evaluations that fit, as conditions that follow others.
fn conditions(owner: &Owner, filter: &Filter, columns: &Columns) -> (String, Vec<Value>) {
    let Columns { tier, owner: owner_column, time } = columns;
    let (mut sql, mut parameters) = (String::new(), Vec::new());
    let mut restrict = |condition: String, value: Option<Value>| {
        if let Some(value) = value {
            sql.push_str(" AND ");
            sql.push_str(&condition);
            parameters.push(value);
        }
    };
    let text = |text: Option<&str>| text.map(|text| Value::Text(text.to_owned()));
    restrict(format!("{owner_column} = ? AND owner <> ''"), text(owner.only()));
    restrict(format!("{owner_column} = ?"), text(filter.principal.as_deref()));
    restrict("report_id = ? AND report_id <> ''".to_owned(), text(filter.report_id.as_deref()));
    let investigation = "investigation_id = ? AND investigation_id <> ''".to_owned();
    restrict(investigation, text(filter.investigation_id.as_deref()));
    restrict("policy = ?".to_owned(), text(filter.policy.as_deref()));
    restrict("judge = ?".to_owned(), text(filter.judge.as_deref()));
    restrict(format!("{time} >= ?"), filter.from_micros.map(Value::Integer));
    restrict(format!("{time} < ?"), filter.before_micros.map(Value::Integer));
    restrict(format!("{tier} = ?"), filter.tier.map(|tier| Value::Integer(i64::from(tier))));
    if let Some(graded) = filter.graded {
        sql.push_str(if graded { " AND " } else { " AND NOT " });
        sql.push_str(IS_GRADED);
    }
    if filter.unproven_only {
        sql.push_str(" AND ");
        sql.push_str(IS_UNPROVEN);
    }
    (sql, parameters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::sqlite::schema::SCHEMA;

    fn plan(filter: &Filter) -> String {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.create(&mut connection).unwrap();
        let (sql, parameters) = list_query(SUMMARY_COLUMNS, &Owner::default(), filter, 7);
        let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = explain
            .query_map(params_from_iter(parameters), |row| row.get::<_, String>("detail"))
            .unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_list_is_read_in_order_from_an_index() {
        let report = Some("r".to_owned());
        let investigation = Some("i".to_owned());
        let tier = Some(3);
        let policy = Some("strict".to_owned());
        for (filter, index) in [
            (Filter::default(), "INTEGER PRIMARY KEY"),
            (Filter { tier, ..Filter::default() }, "evaluations_by_tier"),
            (Filter { graded: Some(true), ..Filter::default() }, "INTEGER PRIMARY KEY"),
            (Filter { graded: Some(false), tier, ..Filter::default() }, "evaluations_by_tier"),
            (Filter { policy, from_micros: Some(7), ..Filter::default() }, "INTEGER PRIMARY KEY"),
            (Filter { unproven_only: true, ..Filter::default() }, "evaluations_unproven"),
            (Filter { unproven_only: true, tier, ..Filter::default() }, "evaluations_unproven"),
            (Filter { report_id: report.clone(), ..Filter::default() }, "evaluations_by_report"),
            (
                Filter { report_id: report.clone(), tier, ..Filter::default() },
                "evaluations_by_report",
            ),
            (
                Filter { investigation_id: investigation.clone(), tier, ..Filter::default() },
                "evaluations_by_investigation",
            ),
        ] {
            let plan = plan(&filter);
            assert!(plan.contains(index), "{filter:?}: {plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{filter:?}: {plan}");
        }
    }

    #[test]
    fn counts_are_read_off_an_index() {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.create(&mut connection).unwrap();
        let day = NonZeroU64::new(86_400_000_000);
        for filter in [
            Filter::default(),
            Filter { from_micros: Some(7), before_micros: Some(9), ..Filter::default() },
            Filter { tier: Some(1), judge: Some("j".to_owned()), ..Filter::default() },
            Filter { principal: Some("ada".to_owned()), ..Filter::default() },
        ] {
            let (sql, parameters) = count_query(&Owner::default(), &filter, day);
            let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let plan = explain
                .query_map(params_from_iter(parameters), |row| row.get::<_, String>("detail"))
                .unwrap()
                .map(Result::unwrap)
                .collect::<Vec<_>>()
                .join("\n");
            assert!(plan.contains("COVERING INDEX evaluations_by_time"), "{filter:?}: {plan}");
        }
    }
}
