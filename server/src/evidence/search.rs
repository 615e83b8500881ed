//! Finding the passages of a corpus that bear on a query, by their terms (BM25).

use std::collections::HashSet;

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::time::Window;
use gsar_retrieval::fusion::fuse;
use gsar_retrieval::selection::diverse;
use gsar_retrieval::terms::terms;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::corpus::{Corpus, HEAD_COLUMNS, Head, content, head, signed, unsigned};
use super::error::StoreError;

/// What restricts a search; every part that is given must hold.
#[derive(Clone, Debug, Default)]
pub struct Restriction {
    /// Kinds of items; empty for all.
    pub kinds: Vec<EvidenceKind>,
    /// Lanes of items; empty for all.
    pub lanes: Vec<Lane>,
    /// What a passage or the tool of its item must name, all of them.
    pub entities: Vec<String>,
    /// When the item was collected; items without a time are in no window.
    pub window: Option<Window>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its number in the corpus.
    pub passage: i64,
    /// The number of its item.
    pub item: i64,
    /// What its item is.
    pub head: Head,
    /// Its JSON pointer; empty for text.
    pub pointer: String,
    /// Its first and last line; zeros for JSON.
    pub lines: (u64, u64),
    /// Its bytes in the content.
    pub bytes: (u64, u64),
    /// What it says.
    pub text: String,
    /// Its rank among those found by their terms, from 1; 0 where it was not.
    pub lexical_rank: u32,
    /// Its rank among those found by their meaning, from 1; 0 where it was not.
    pub vector_rank: u32,
}

impl Hit {
    /// Names the passage: `pods#/items/3`, `app-log#L120-143`.
    #[must_use]
    pub fn label(&self) -> String {
        let id = &self.head.id;
        match self.lines {
            (0, _) => format!("{id}#{}", self.pointer),
            (first, last) => format!("{id}#L{first}-{last}"),
        }
    }
}

/// How many passages are ranked for each one that is wanted, so that those that differ can be chosen.
const RANKED_FOR_EACH: usize = 4;
/// Terms of a query that are looked for; a longer query is hardly one statement.
const MOST_TERMS: usize = 64;

impl Corpus {
    /// The passages that bear on a query, the best first.
    pub(super) fn search(
        &self,
        query: &str,
        restriction: &Restriction,
        most: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let connection = self.reader()?;
        self.search_with(&connection, query, restriction, most)
    }

    /// As [`Corpus::search`], with a connection at hand.
    pub(super) fn search_with(
        &self,
        connection: &Connection,
        query: &str,
        restriction: &Restriction,
        most: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let read = || -> rusqlite::Result<Vec<Hit>> {
            let lexical = lexical(connection, query, restriction, most * RANKED_FOR_EACH)?;
            let ranking: Vec<u64> = lexical.iter().map(|number| unsigned(*number)).collect();
            let mut hits = Vec::new();
            for fused in fuse(&[&ranking]) {
                let number = signed(fused.key);
                let place = lexical.iter().position(|found| *found == number);
                let rank = place.and_then(|place| u32::try_from(place + 1).ok()).unwrap_or(0);
                hits.extend(hit(connection, number, rank)?);
            }
            let said: Vec<HashSet<String>> =
                hits.iter().map(|hit| terms(&hit.text).into_iter().collect()).collect();
            let mut chosen = diverse(&said, most);
            chosen.sort_unstable();
            let mut hits: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
            Ok(chosen.into_iter().filter_map(|place| hits.get_mut(place)?.take()).collect())
        };
        read().map_err(|error| self.failed(&error))
    }
}

/// The numbers of the passages that have terms of a query, the best first; equal ones in their order.
fn lexical(
    connection: &Connection,
    query: &str,
    restriction: &Restriction,
    most: usize,
) -> rusqlite::Result<Vec<i64>> {
    let mut wanted: Vec<String> = Vec::new();
    for term in terms(query) {
        if !wanted.contains(&term) && wanted.len() < MOST_TERMS {
            wanted.push(term);
        }
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let any = wanted.iter().map(|term| quoted(term)).collect::<Vec<_>>().join(" OR ");
    let named: Vec<String> = restriction
        .entities
        .iter()
        .flat_map(|entity| terms(entity).into_iter().take(1))
        .map(|term| quoted(&term))
        .collect();
    let asked = match named.as_slice() {
        [] => any,
        named => format!("({any}) AND {}", named.join(" AND ")),
    };
    let mut values = vec![Value::Text(asked)];
    let mut conditions = String::new();
    let mut one_of = |column: &str, names: Vec<&'static str>| {
        if !names.is_empty() {
            let places = vec!["?"; names.len()].join(", ");
            conditions.push_str(&format!(" AND items.{column} IN ({places})"));
            values.extend(names.into_iter().map(|name| Value::Text(name.to_owned())));
        }
    };
    one_of("kind", restriction.kinds.iter().map(|kind| kind.name()).collect());
    one_of("lane", restriction.lanes.iter().map(|lane| lane.name()).collect());
    if let Some(window) = restriction.window {
        conditions.push_str(" AND items.collected_at BETWEEN ? AND ?");
        values.push(Value::Integer(window.start().as_micros()));
        values.push(Value::Integer(window.end().as_micros()));
    }
    values.push(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
    let restricted = if conditions.is_empty() {
        String::new()
    } else {
        format!(
            " AND rowid IN (SELECT passages.number FROM passages JOIN items ON items.number = passages.item
              WHERE 1{conditions})"
        )
    };
    let mut statement = connection.prepare(&format!(
        "SELECT rowid FROM terms WHERE terms MATCH ?{restricted} ORDER BY rank, rowid LIMIT ?"
    ))?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    rows.collect()
}

/// A term as FTS5 reads it; it has no quotation mark.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', ""))
}

fn hit(connection: &Connection, number: i64, lexical_rank: u32) -> rusqlite::Result<Option<Hit>> {
    let mut asked = connection.prepare_cached(&format!(
        "SELECT item, start, end, first_line, last_line, pointer, {HEAD_COLUMNS}
         FROM passages JOIN items ON items.number = passages.item WHERE passages.number = ?1"
    ))?;
    let mut rows = asked.query([number])?;
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
        lexical_rank,
        vector_rank: 0,
    }))
}
