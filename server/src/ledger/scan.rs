//! This module reads evaluations in the order in which they were recorded, a bounded page at a time. It keeps no place: the
//! caller says behind which sequence a page begins.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::grades::{self, StoredGrade};
use super::reader::{IS_GRADED, SUMMARY_COLUMNS, summary};
use super::record::Summary;

/// The most evaluations of a page.
const MAX_EVALUATIONS: usize = 64;
/// Bytes of documents after which a page takes no more.
const PAGE_BYTES: usize = 4 << 20;

/// Which evaluations to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The first instant at which they began, in microseconds since 1970-01-01T00:00:00Z; `None` for no bound.
    pub from_micros: Option<i64>,
    /// The instant before which they began, in the same unit; `None` for no bound.
    pub before_micros: Option<i64>,
    /// Only of this policy by name; `None` for all.
    pub policy: Option<String>,
    /// Only of this judge; `None` for all.
    pub judge: Option<String>,
    /// Only of this tier, as the number of a `gsar.v1.Tier`; `None` for all.
    pub tier: Option<i32>,
    /// Only of this investigation; `None` for all.
    pub investigation_id: Option<String>,
    /// Only with at least one grade.
    pub is_graded: bool,
}

/// One evaluation of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// Its place in the order of recording; never used twice.
    pub sequence: i64,
    /// The evaluation as in a list.
    pub summary: Summary,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// The policy that applied, as a file.
    pub policy_toml: String,
    /// What people said of it: of the report first, then by claim id and grader.
    pub grades: Vec<StoredGrade>,
}

/// The next evaluations behind a sequence; empty where there are no more.
pub(super) fn page(
    connection: &Connection,
    scan: &Scan,
    after: i64,
) -> rusqlite::Result<Vec<Scanned>> {
    let (sql, parameters) = query(scan, after);
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
fn query(scan: &Scan, after: i64) -> (String, Vec<Value>) {
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
    use super::*;
    use crate::ledger::schema::SCHEMA;

    #[test]
    fn every_page_is_read_in_order_from_an_index() {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.migrate(&mut connection).unwrap();
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
            let (sql, parameters) = query(&scan, 7);
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
