//! Searches a corpus by terms (FTS5) and by vectors.

use gsar_vectors::VectorIndex;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::content::content;
use super::corpus::{HEAD_COLUMNS, head};
use crate::evidence::search::{
    CANDIDATES_PER_HIT, Filter, Hit, Hits, Method, Query, query_terms, select_best,
};
use crate::evidence::store::{signed, unsigned};

pub(super) fn search(
    connection: &Connection,
    query: &Query<'_>,
    meaning: Option<(&[f32], Result<&VectorIndex, String>)>,
    filter: &Filter,
    limit: usize,
) -> rusqlite::Result<Hits> {
    let candidate_limit = limit.saturating_mul(CANDIDATES_PER_HIT);
    let (by_meaning, degraded) = match meaning {
        None => (None, None),
        Some((_, Err(reason))) => (None, Some(reason)),
        Some((_, Ok(index))) if index.is_empty() => {
            (None, Some("no passage of the corpus has a vector yet".to_owned()))
        }
        Some((vector, Ok(index))) => {
            let allowed = allowed_passages(connection, filter)?;
            match index.search(vector, candidate_limit, allowed.as_deref()) {
                Ok(hits) => (Some(hits), None),
                Err(error) => (None, Some(error.to_string())),
            }
        }
    };
    let method = query.method(by_meaning.is_some());
    let by_terms: Vec<u64> = match method {
        Method::Vector => Vec::new(),
        Method::Lexical | Method::Hybrid => {
            rank_by_terms(connection, query.text, filter, candidate_limit)?
                .into_iter()
                .map(unsigned)
                .collect()
        }
    };
    let hits = select_best(&by_terms, &by_meaning.unwrap_or_default(), limit, |passage| {
        hit(connection, signed(passage))
    })?;
    Ok(Hits { hits, method, degraded })
}

/// Returns passages by number, in the given order and without ranks. Skips deleted passages.
pub(super) fn passages(connection: &Connection, numbers: &[i64]) -> rusqlite::Result<Vec<Hit>> {
    numbers.iter().filter_map(|number| hit(connection, *number).transpose()).collect()
}

/// Returns the numbers of passages that match any term of a query, best first; ties are ordered by number.
fn rank_by_terms(
    connection: &Connection,
    query: &str,
    filter: &Filter,
    limit: usize,
) -> rusqlite::Result<Vec<i64>> {
    let alternatives: Vec<String> = query_terms(query).iter().map(|term| quote(term)).collect();
    if alternatives.is_empty() {
        return Ok(Vec::new());
    }
    let mut expression = alternatives.join(" OR ");
    for term in required_terms(filter) {
        expression = format!("({expression}) AND {term}");
    }
    let (conditions, values) = item_conditions(filter);
    let mut values: Vec<Value> = std::iter::once(Value::Text(expression)).chain(values).collect();
    values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    let restriction = match conditions.as_str() {
        "" => String::new(),
        conditions => format!(" AND rowid IN ({PASSAGES_OF_ITEMS}{conditions})"),
    };
    let mut statement = connection.prepare(&format!(
        "SELECT rowid FROM terms WHERE terms MATCH ?{restriction} ORDER BY rank, rowid LIMIT ?"
    ))?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    rows.collect()
}

/// Returns the passages that match a filter, or `None` if the filter allows all passages.
fn allowed_passages(
    connection: &Connection,
    filter: &Filter,
) -> rusqlite::Result<Option<Vec<u64>>> {
    let (conditions, mut values) = item_conditions(filter);
    let required = required_terms(filter).join(" AND ");
    if conditions.is_empty() && required.is_empty() {
        return Ok(None);
    }
    let mut sql = format!("{PASSAGES_OF_ITEMS}{conditions}");
    if !required.is_empty() {
        sql.push_str(" AND passages.number IN (SELECT rowid FROM terms WHERE terms MATCH ?)");
        values.push(Value::Text(required));
    }
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0).map(unsigned))?;
    rows.collect::<rusqlite::Result<_>>().map(Some)
}

/// Selects passage numbers; conditions on their items can be appended.
const PASSAGES_OF_ITEMS: &str =
    "SELECT passages.number FROM passages JOIN items ON items.number = passages.item WHERE 1";

/// Returns the terms that passages must contain, quoted for FTS5.
fn required_terms(filter: &Filter) -> Vec<String> {
    filter.entity_terms().map(|term| quote(&term)).collect()
}

/// Returns SQL conditions on items, each preceded by `AND`, and their values.
fn item_conditions(filter: &Filter) -> (String, Vec<Value>) {
    let (mut conditions, mut values) = (String::new(), Vec::new());
    let mut add_alternatives = |column: &str, names: Vec<&'static str>| {
        if !names.is_empty() {
            let placeholders = vec!["?"; names.len()].join(", ");
            conditions.push_str(&format!(" AND items.{column} IN ({placeholders})"));
            values.extend(names.into_iter().map(|name| Value::Text(name.to_owned())));
        }
    };
    add_alternatives("kind", filter.kinds.iter().map(|kind| kind.name()).collect());
    add_alternatives("lane", filter.lanes.iter().map(|lane| lane.name()).collect());
    if let Some(window) = filter.window {
        conditions.push_str(" AND items.collected_at BETWEEN ? AND ?");
        values.push(Value::Integer(window.start().as_micros()));
        values.push(Value::Integer(window.end().as_micros()));
    }
    (conditions, values)
}

fn quote(term: &str) -> String {
    format!("\"{}\"", term.replace('"', ""))
}

fn hit(connection: &Connection, number: i64) -> rusqlite::Result<Option<Hit>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT item, start, end, first_line, last_line, pointer, {HEAD_COLUMNS}
         FROM passages JOIN items ON items.number = passages.item WHERE passages.number = ?1"
    ))?;
    let mut rows = statement.query([number])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let item: i64 = row.get(0)?;
    let bytes = (unsigned(row.get(1)?), unsigned(row.get(2)?));
    Ok(Some(Hit {
        passage: number,
        item,
        head: head(row, 6)?,
        pointer: row.get(5)?,
        lines: (unsigned(row.get(3)?), unsigned(row.get(4)?)),
        bytes,
        text: content(connection, item, bytes.0, bytes.1)?,
        lexical_rank: 0,
        vector_rank: 0,
        score: 0,
        similarity: None,
    }))
}
