//! This module finds the passages of a corpus that bear on a query, by their terms (Okapi BM25: Robertson and
//! Zaragoza 2009), by their meaning (cosine of vectors), or by both.

use std::collections::{HashMap, HashSet};

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::time::Window;
use gsar_retrieval::fusion::fuse;
use gsar_retrieval::selection::diverse;
use gsar_retrieval::terms::terms;
use gsar_vectors::{Hit as Nearest, VectorIndex};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::content::content;
use super::corpus::{Corpus, HEAD_COLUMNS, Head, head, signed, unsigned};
use super::error::StoreError;

/// What restricts a search; every part that is given must hold.
#[derive(Clone, Debug, Default)]
pub struct Filter {
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
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its number in the corpus.
    pub passage: i64,
    /// The number of its item.
    pub item: i64,
    /// What its item is.
    pub head: Head,
    /// Its JSON pointer; empty for text.
    pub pointer: String,
    /// Its first and last line, from 1; zeros for JSON.
    pub lines: (u64, u64),
    /// Its bytes in the content, half-open.
    pub bytes: (u64, u64),
    /// What it says.
    pub text: String,
    /// Its rank among those found by their terms, from 1; 0 where it was not.
    pub lexical_rank: u32,
    /// Its rank among those found by their meaning, from 1; 0 where it was not.
    pub vector_rank: u32,
    /// The sum of reciprocal rank fusion over both rankings, in billionths.
    pub score: u64,
    /// The cosine of its vector and the query's, -1 to 1, where it was found by its meaning.
    pub similarity: Option<f32>,
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
/// The weight of the ranking by terms; that by meaning has weight 1. docs/EVALUATION.md, "How the rankings are
/// fused".
const WEIGHT_OF_TERMS: u32 = 4;
/// The most terms of a query that are looked for; a longer query is hardly one statement.
const MAX_TERMS: usize = 64;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// In plain words.
    pub text: &'q str,
    /// Its vector; `None` to look for terms only.
    pub vector: Option<&'q [f32]>,
    /// Whether terms count.
    pub by_terms: bool,
}

/// How passages were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By their terms.
    Lexical,
    /// By their meaning.
    Vector,
    /// By both.
    Hybrid,
}

impl Method {
    /// The word used in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Vector => "vector",
            Self::Hybrid => "hybrid",
        }
    }
}

/// What was found.
#[derive(Debug)]
pub struct Hits {
    /// The passages, the best first.
    pub hits: Vec<Hit>,
    /// How they were found.
    pub method: Method,
    /// Why meaning did not count, where it should have.
    pub degraded: Option<String>,
}

impl Corpus {
    /// The passages that bear on a query, the best first.
    pub(super) fn search(
        &self,
        query: &Query<'_>,
        index: Option<(&[f32], Result<&VectorIndex, String>)>,
        filter: &Filter,
        most: usize,
    ) -> Result<Hits, StoreError> {
        let connection = self.reader()?;
        let ranked = most.saturating_mul(RANKED_FOR_EACH);
        let (meant, degraded) = match index {
            None => (None, None),
            Some((_, Err(reason))) => (None, Some(reason)),
            Some((_, Ok(index))) if index.is_empty() => {
                (None, Some("no passage of the corpus has a vector yet".to_owned()))
            }
            Some((vector, Ok(index))) => {
                let allowed = allowed(&connection, filter).map_err(|error| self.failed(&error))?;
                match index.search(vector, ranked, allowed.as_deref()) {
                    Ok(hits) => (Some(hits), None),
                    Err(error) => (None, Some(error.to_string())),
                }
            }
        };
        let method = match (&meant, query.by_terms) {
            (None, _) => Method::Lexical,
            (Some(_), true) => Method::Hybrid,
            (Some(_), false) => Method::Vector,
        };
        let read = || -> rusqlite::Result<Vec<Hit>> {
            let said: Vec<u64> = match method {
                Method::Vector => Vec::new(),
                Method::Lexical | Method::Hybrid => {
                    let found = lexical(&connection, query.text, filter, ranked)?;
                    found.into_iter().map(unsigned).collect()
                }
            };
            best_of(&connection, &said, &meant.unwrap_or_default(), most)
        };
        let hits = read().map_err(|error| self.failed(&error))?;
        Ok(Hits { hits, method, degraded })
    }
}

impl Corpus {
    /// Passages by their numbers, in that order, not ranked; without those that were deleted.
    pub(super) fn passages(&self, numbers: &[i64]) -> Result<Vec<Hit>, StoreError> {
        let connection = self.reader()?;
        let read = |number: &i64| hit(&connection, *number).transpose();
        let found: rusqlite::Result<Vec<Hit>> = numbers.iter().filter_map(read).collect();
        found.map_err(|error| self.failed(&error))
    }
}

/// The best passages of two rankings that differ from one another.
fn best_of(
    connection: &Connection,
    said: &[u64],
    meant: &[Nearest],
    most: usize,
) -> rusqlite::Result<Vec<Hit>> {
    let by_terms: HashMap<u64, u32> = said.iter().copied().zip(1..).collect();
    let by_meaning: HashMap<u64, (u32, f32)> =
        (1..).zip(meant).map(|(rank, near)| (near.key, (rank, near.similarity))).collect();
    let meant: Vec<u64> = meant.iter().map(|near| near.key).collect();
    let mut hits = Vec::new();
    for fused in fuse(&[(WEIGHT_OF_TERMS, said), (1, &meant)]) {
        if hits.len() >= most.saturating_mul(RANKED_FOR_EACH) {
            break;
        }
        // A passage that was deleted may still have its vector.
        let Some(found) = hit(connection, signed(fused.key))? else { continue };
        let near = by_meaning.get(&fused.key);
        hits.push(Hit {
            lexical_rank: by_terms.get(&fused.key).copied().unwrap_or(0),
            vector_rank: near.map_or(0, |(rank, _)| *rank),
            score: fused.score,
            similarity: near.map(|(_, similarity)| *similarity),
            ..found
        });
    }
    let texts: Vec<HashSet<String>> =
        hits.iter().map(|hit: &Hit| terms(&hit.text).into_iter().collect()).collect();
    let mut chosen = diverse(&texts, most);
    chosen.sort_unstable();
    let mut hits: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
    Ok(chosen.into_iter().filter_map(|place| hits.get_mut(place)?.take()).collect())
}

/// The numbers of the passages that have terms of a query, the best first; equal ones in their order.
fn lexical(
    connection: &Connection,
    query: &str,
    filter: &Filter,
    most: usize,
) -> rusqlite::Result<Vec<i64>> {
    let mut wanted: Vec<String> = Vec::new();
    for term in terms(query) {
        if !wanted.contains(&term) && wanted.len() < MAX_TERMS {
            wanted.push(term);
        }
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let any = wanted.iter().map(|term| quoted(term)).collect::<Vec<_>>().join(" OR ");
    let mut asked = any;
    for name in named(filter) {
        asked = format!("({asked}) AND {name}");
    }
    let (condition, values) = condition(filter);
    let mut values: Vec<Value> = std::iter::once(Value::Text(asked)).chain(values).collect();
    values.push(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
    let restricted = match condition.as_str() {
        "" => String::new(),
        condition => format!(" AND rowid IN ({PASSAGES_OF_ITEMS}{condition})"),
    };
    let mut statement = connection.prepare(&format!(
        "SELECT rowid FROM terms WHERE terms MATCH ?{restricted} ORDER BY rank, rowid LIMIT ?"
    ))?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    rows.collect()
}

/// The passages that a filter leaves; `None` for all.
fn allowed(connection: &Connection, filter: &Filter) -> rusqlite::Result<Option<Vec<u64>>> {
    let (condition, mut values) = condition(filter);
    let named = named(filter).join(" AND ");
    if condition.is_empty() && named.is_empty() {
        return Ok(None);
    }
    let mut sql = format!("{PASSAGES_OF_ITEMS}{condition}");
    if !named.is_empty() {
        sql.push_str(" AND passages.number IN (SELECT rowid FROM terms WHERE terms MATCH ?)");
        values.push(Value::Text(named));
    }
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0).map(unsigned))?;
    rows.collect::<rusqlite::Result<_>>().map(Some)
}

/// Selects the numbers of passages by what their items are; conditions follow.
const PASSAGES_OF_ITEMS: &str =
    "SELECT passages.number FROM passages JOIN items ON items.number = passages.item WHERE 1";

/// What a passage must name, as FTS5 reads it.
fn named(filter: &Filter) -> Vec<String> {
    let first = |entity: &String| terms(entity).into_iter().next();
    filter.entities.iter().filter_map(first).map(|term| quoted(&term)).collect()
}

/// What items must be, as SQL behind other conditions, with its values.
fn condition(filter: &Filter) -> (String, Vec<Value>) {
    let (mut condition, mut values) = (String::new(), Vec::new());
    let mut one_of = |column: &str, names: Vec<&'static str>| {
        if !names.is_empty() {
            let places = vec!["?"; names.len()].join(", ");
            condition.push_str(&format!(" AND items.{column} IN ({places})"));
            values.extend(names.into_iter().map(|name| Value::Text(name.to_owned())));
        }
    };
    one_of("kind", filter.kinds.iter().map(|kind| kind.name()).collect());
    one_of("lane", filter.lanes.iter().map(|lane| lane.name()).collect());
    if let Some(window) = filter.window {
        condition.push_str(" AND items.collected_at BETWEEN ? AND ?");
        values.push(Value::Integer(window.start().as_micros()));
        values.push(Value::Integer(window.end().as_micros()));
    }
    (condition, values)
}

/// A term as FTS5 reads it; it has no quotation mark.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', ""))
}

/// A passage, not ranked.
fn hit(connection: &Connection, number: i64) -> rusqlite::Result<Option<Hit>> {
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
        lexical_rank: 0,
        vector_rank: 0,
        score: 0,
        similarity: None,
    }))
}
