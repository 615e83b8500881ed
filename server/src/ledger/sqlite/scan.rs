//! This module reads evaluations in the order in which they were recorded.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::grades;
use super::reader::{IS_GRADED, SUMMARY_COLUMNS, summary};
use crate::ledger::scan::{MAX_EVALUATIONS, PAGE_BYTES, Scan, Scanned};
use crate::owner::Owner;

/// The next evaluations behind a sequence; empty where there are no more.
pub(super) fn page(
    connection: &Connection,
    owner: &Owner,
    scan: &Scan,
    after: i64,
) -> rusqlite::Result<Vec<Scanned>> {
    let (sql, parameters) = query(owner, scan, after);
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(parameters))?;
    let (mut page, mut bytes) = (Vec::new(), 0);
    while page.len() < MAX_EVALUATIONS && bytes < PAGE_BYTES {
        let Some(row) = rows.next()? else { break };
        let found = scanned(connection, row)?;
        bytes += found.response.len() + found.policy_toml.len();
        page.push(found);
    }
    Ok(page)
}

fn scanned(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<Scanned> {
    let sequence = row.get("sequence")?;
    Ok(Scanned {
        sequence,
        summary: summary(row)?,
        response: row.get("response")?,
        policy_toml: row.get("toml")?,
        grades: grades::read(connection, sequence)?,
    })
}

/// The query of a page and its parameters. It is read in the order of recording: `+` keeps indexes out that would have
/// to be sorted, and that of the tier where an investigation restricts more.
fn query(owner: &Owner, scan: &Scan, after: i64) -> (String, Vec<Value>) {
    let mut sql = format!(
        "SELECT {SUMMARY_COLUMNS}, response, toml FROM evaluations JOIN policies ON policies.id = +policy_id \
         WHERE sequence > ?"
    );
    let mut parameters = vec![Value::Integer(after)];
    let mut restrict = |condition: &str, value: Option<Value>| {
        if let Some(value) = value {
            sql.push_str(" AND ");
            sql.push_str(condition);
            parameters.push(value);
        }
    };
    restrict("+evaluated_at_micros >= ?", scan.from_micros.map(Value::Integer));
    restrict("+evaluated_at_micros < ?", scan.before_micros.map(Value::Integer));
    restrict("+owner = ?", owner.only().map(str::to_owned).map(Value::Text));
    restrict("policy = ?", scan.policy.clone().map(Value::Text));
    restrict("judge = ?", scan.judge.clone().map(Value::Text));
    let tier = if scan.investigation_id.is_some() { "+tier = ?" } else { "tier = ?" };
    restrict(tier, scan.tier.map(i64::from).map(Value::Integer));
    let investigation = "investigation_id = ? AND investigation_id <> ''";
    restrict(investigation, scan.investigation_id.clone().map(Value::Text));
    if scan.is_graded {
        sql.push_str(" AND ");
        sql.push_str(IS_GRADED);
    }
    sql.push_str(" ORDER BY sequence");
    (sql, parameters)
}

#[cfg(test)]
mod tests {
    use super::super::schema::SCHEMA;
    use super::*;

    #[test]
    fn every_page_is_read_in_order_from_an_index() {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.create(&mut connection).unwrap();
        let all = Scan {
            from_micros: Some(1),
            before_micros: Some(2),
            policy: Some("strict".to_owned()),
            judge: Some("rules/2".to_owned()),
            tier: Some(1),
            investigation_id: Some("i".to_owned()),
            is_graded: true,
        };
        for (scan, index) in [
            (Scan::default(), "INTEGER PRIMARY KEY"),
            (Scan { from_micros: Some(1), ..Scan::default() }, "INTEGER PRIMARY KEY"),
            (Scan { is_graded: true, ..Scan::default() }, "INTEGER PRIMARY KEY"),
            (Scan { tier: Some(1), ..Scan::default() }, "evaluations_by_tier"),
            (all, "evaluations_by_investigation"),
        ] {
            let (sql, parameters) = query(&Owner::default(), &scan, 7);
            let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let plan = explain
                .query_map(params_from_iter(parameters), |row| row.get::<_, String>("detail"))
                .unwrap()
                .map(Result::unwrap)
                .collect::<Vec<_>>()
                .join("\n");
            assert!(plan.contains(index), "{scan:?}: {plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{scan:?}: {plan}");
        }
    }
}
