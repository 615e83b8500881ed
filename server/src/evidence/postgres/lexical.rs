//! This module finds passages by their terms, ranked by Okapi BM25 (Robertson and Zaragoza 2009) with the constants of
//! SQLite's FTS5, so that both engines rank alike.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use gsar_retrieval::terms::terms;
use tokio_postgres::Error;

use super::read::restrict;
use crate::evidence::search::{Filter, MAX_TERMS};
use crate::storage::postgres::query::{self, Conditions};

/// How soon more of one term counts for less.
const K1: f64 = 1.2;
/// How much longer passages count for less.
const B: f64 = 0.75;
/// What a term counts for that stands in half of all passages, or more.
const LEAST: f64 = 1e-6;
/// Up to how many passages a term is counted in; of a term in more it is known about.
const COUNTED: i64 = 2_000;
/// About how many passages are ranked: those with the rarest terms of a query.
const RANKED: i64 = 5_000;
/// The most passages that are ranked where even its rarest term stands in more.
const MAX_RANKED: i64 = 20_000;
/// How many of these are ranked by how often terms stand in them; the rest is behind by which terms do.
const RANKED_IN_FULL: i64 = 1_000;
/// How often a term counts at most in one passage: PostgreSQL keeps 256 positions.
const MAX_COUNT: u16 = 255;
/// The most bytes of the terms of one passage; PostgreSQL takes a megabyte.
const MAX_WORDS: usize = 512 << 10;

/// How often each term stands in a passage.
pub(super) struct Counted<'w> {
    pub(super) terms: BTreeMap<&'w str, u16>,
    /// How many terms there are, repeated ones as well.
    pub(super) length: i32,
}

/// Counts terms that are parted by spaces.
pub(super) fn counted(words: &str) -> Counted<'_> {
    let (mut terms, mut length, mut bytes) = (BTreeMap::new(), 0, 0);
    for term in words.split(' ').filter(|term| !term.is_empty()) {
        bytes += term.len();
        if bytes > MAX_WORDS {
            break;
        }
        length += 1;
        let count: &mut u16 = terms.entry(term).or_default();
        *count = count.saturating_add(1);
    }
    Counted { terms, length }
}

/// Terms as PostgreSQL reads a `tsvector`.
pub(super) fn tsvector(corpus: i64, terms: &BTreeMap<&str, u16>) -> String {
    let mut written = String::new();
    for (term, count) in terms {
        let separator = if written.is_empty() { "" } else { " " };
        written.push_str(&format!("{separator}{}:1", lexeme(corpus, term)));
        for place in 2..=MAX_COUNT.min(*count) {
            written.push_str(&format!(",{place}"));
        }
    }
    written
}

/// A term of a corpus, in quotes; it has none itself.
fn lexeme(corpus: i64, term: &str) -> String {
    format!("'{corpus} {}'", term.replace(['\'', '\\'], ""))
}

/// What a passage must name, as PostgreSQL reads a `tsquery`.
pub(super) fn named(corpus: i64, filter: &Filter) -> Option<String> {
    let first = |entity: &String| terms(entity).into_iter().next();
    let named: Vec<String> =
        filter.entities.iter().filter_map(first).map(|term| lexeme(corpus, &term)).collect();
    (!named.is_empty()).then(|| named.join(" & "))
}

/// The numbers of the passages that have terms of a query, the best first; equal ones in their order.
pub(super) async fn search(
    transaction: &Transaction<'_>,
    corpus: i64,
    text: &str,
    filter: &Filter,
    most: i64,
) -> Result<Vec<i64>, Error> {
    const SIZE: &str = "SELECT passages, words FROM evidence_corpora WHERE number = $1";
    let known = known(transaction, corpus, text).await?;
    let Some((_, most_common)) = known.last() else { return Ok(Vec::new()) };
    let size = query::one(transaction, SIZE, &[&corpus]).await?;
    let passages = size.get::<_, i64>(0).max(*most_common);
    let length = size.get::<_, i64>(1).max(1) as f64 / passages.max(1) as f64;
    let candidates = match passages <= RANKED || !filter.is_empty() {
        true => known.as_slice(),
        false => rarest(&known),
    };
    let any: Vec<String> = candidates.iter().map(|(term, _)| lexeme(corpus, term)).collect();
    let any = match named(corpus, filter) {
        Some(named) => format!("({}) & {named}", any.join(" | ")),
        None => any.join(" | "),
    };
    let lexemes: Vec<String> = known.iter().map(|(term, _)| format!("{corpus} {term}")).collect();
    let weights: Vec<f64> = known.iter().map(|(_, count)| weight(passages, *count)).collect();

    let mut asked = Conditions { sql: "items.state <> 'gone'".to_owned(), values: Vec::new() };
    restrict(&mut asked, filter);
    let conditions = asked.sql.clone();
    let any = asked.place(any);
    let terms: Vec<String> =
        known.iter().map(|(term, _)| asked.place(lexeme(corpus, term))).collect();
    let heavy: Vec<String> = weights.iter().map(|weight| asked.place(*weight)).collect();
    let (lexemes, weights) = (asked.place(lexemes), asked.place(weights));
    let (length, most) = (asked.place(length), asked.place(most));
    let (ranked, in_full) = (asked.place(MAX_RANKED), asked.place(RANKED_IN_FULL));
    let queries: String = terms
        .iter()
        .enumerate()
        .map(|(number, term)| format!(", {term}::text::tsquery AS t{number}"))
        .collect();
    let has: Vec<String> = heavy
        .iter()
        .enumerate()
        .map(|(number, weight)| {
            format!("CASE WHEN passages.words @@ t{number} THEN {weight}::float8 ELSE 0 END")
        })
        .collect();
    let has = has.join(" + ");
    let sql = format!(
        "WITH queries AS MATERIALIZED (SELECT {any}::text::tsquery AS wanted{queries}), \
         found AS MATERIALIZED (SELECT passages.number, passages.words, \
             1 - {B} + {B} * passages.length / {length}::float8 AS length, {has} AS weight \
             FROM queries JOIN evidence_passages AS passages ON passages.words @@ queries.wanted \
             JOIN evidence_items AS items ON items.number = passages.item WHERE {conditions} LIMIT {ranked}), \
         best AS MATERIALIZED (SELECT * FROM found ORDER BY weight / (1 + {K1} * length) DESC, number LIMIT {in_full}), \
         terms AS (SELECT * FROM unnest({lexemes}::text[], {weights}::float8[]) AS terms (lexeme, weight)) \
         SELECT number, sum(terms.weight * count * ({K1} + 1) / (count + {K1} * length)) AS score \
         FROM best, LATERAL (SELECT lexeme, cardinality(positions)::float8 AS count FROM unnest(words)) AS said \
         JOIN terms USING (lexeme) GROUP BY number ORDER BY score DESC, number LIMIT {most}"
    );
    let rows = query::all(transaction, &sql, &asked.parameters()).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// The terms of a query that stand anywhere, with the passages that each stands in, the rarest first.
async fn known(
    transaction: &Transaction<'_>,
    corpus: i64,
    text: &str,
) -> Result<Vec<(String, i64)>, Error> {
    const KNOWN: &str = "SELECT wanted.term, CASE WHEN counted.count < $4 THEN counted.count \
             ELSE greatest(counted.count, common.passages) END AS count \
         FROM unnest($2::text[], $3::text[]) AS wanted (term, query) \
         CROSS JOIN LATERAL (SELECT count(*) AS count FROM (SELECT 1 FROM evidence_passages \
             WHERE words @@ wanted.query::tsquery LIMIT $4) AS few) AS counted \
         LEFT JOIN evidence_common_terms AS common ON common.corpus = $1 AND common.term = wanted.term \
         WHERE counted.count > 0 ORDER BY count, term";
    let mut wanted: Vec<String> = Vec::new();
    for term in terms(text) {
        if !wanted.contains(&term) && wanted.len() < MAX_TERMS {
            wanted.push(term);
        }
    }
    let lexemes: Vec<String> = wanted.iter().map(|term| lexeme(corpus, term)).collect();
    let rows = query::all(transaction, KNOWN, &[&corpus, &wanted, &lexemes, &COUNTED]).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// The rarest terms, which stand in [`RANKED`] passages or a few more; at least one.
fn rarest(known: &[(String, i64)]) -> &[(String, i64)] {
    let mut sum = 0;
    let within = known.iter().take_while(|(_, count)| {
        let is_within = sum == 0 || sum + count <= RANKED;
        sum += count;
        is_within
    });
    known.get(..within.count()).unwrap_or(known)
}

/// What a term counts for that stands in `count` of all passages.
fn weight(passages: i64, count: i64) -> f64 {
    let (passages, count) = (passages as f64, count as f64);
    let weight = ((passages - count + 0.5) / (count + 0.5)).ln();
    if weight > 0.0 { weight } else { LEAST }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_and_written_for_their_corpus() {
        let counted = counted("pod cart-1 pod oom ");
        assert_eq!(counted.length, 4);
        assert_eq!(tsvector(7, &counted.terms), "'7 cart-1':1 '7 oom':1 '7 pod':1,2");
    }

    #[test]
    fn a_passage_without_end_keeps_what_a_tsvector_takes() {
        let long = "word ".repeat(1 << 20);
        let counted = counted(&long);
        assert!(counted.length < 1 << 18);
        assert!(tsvector(1, &counted.terms).ends_with(",255"));
    }

    #[test]
    fn the_rarest_terms_are_ranked_and_at_least_one() {
        let known = |counts: &[i64]| -> Vec<(String, i64)> {
            counts.iter().map(|count| (count.to_string(), *count)).collect()
        };
        assert_eq!(rarest(&known(&[3, 4_000, 4_001])).len(), 2);
        assert_eq!(rarest(&known(&[50_000, 60_000])).len(), 1);
        assert_eq!(rarest(&known(&[])).len(), 0);
    }

    #[test]
    fn what_stands_everywhere_counts_for_next_to_nothing() {
        assert!(weight(100, 1) > weight(100, 10));
        assert!(weight(100, 60) == LEAST);
    }
}
