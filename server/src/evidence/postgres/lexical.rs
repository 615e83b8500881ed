//! Searches passages by terms. Ranks with Okapi BM25 (Robertson and Zaragoza 2009) and the constants of
//! SQLite's FTS5, so that both engines agree.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use tokio_postgres::Error;

use super::read::restrict;
use crate::evidence::search::{Filter, query_terms};
use crate::storage::postgres::query::{self, Conditions};

/// The saturation of term counts.
const K1: f64 = 1.2;
/// The degree of normalisation by passage length.
const B: f64 = 0.75;
/// The weight of a term that occurs in at least half of all passages.
const MIN_WEIGHT: f64 = 1e-6;
/// The number of passages up to which the passages that contain a term are counted exactly. Above it, an
/// estimate is used.
const MAX_COUNTED: i64 = 2_000;
/// The approximate number of passages to rank. Passages that contain the query's rarest terms are selected.
const RANKED: i64 = 5_000;
/// The maximum number of passages to rank, even if the rarest term occurs in more passages.
const MAX_RANKED: i64 = 20_000;
/// The number of passages that are ranked by term counts. These are the passages that rank highest when
/// only the presence of each term counts.
const RANKED_IN_FULL: i64 = 1_000;
/// The maximum count of a term in a passage; PostgreSQL stores up to 256 positions.
const MAX_COUNT: u16 = 255;
/// The maximum size of a passage's terms, in bytes; PostgreSQL supports a megabyte.
const MAX_WORDS: usize = 512 << 10;

pub(super) struct TermCounts<'w> {
    pub(super) terms: BTreeMap<&'w str, u16>,
    pub(super) length: i32,
}

/// Counts terms separated by spaces.
pub(super) fn count_terms(words: &str) -> TermCounts<'_> {
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
    TermCounts { terms, length }
}

pub(super) fn tsvector(corpus: i64, terms: &BTreeMap<&str, u16>) -> String {
    let mut vector_text = String::new();
    for (term, count) in terms {
        let separator = if vector_text.is_empty() { "" } else { " " };
        vector_text.push_str(&format!("{separator}{}:1", lexeme(corpus, term)));
        for position in 2..=MAX_COUNT.min(*count) {
            vector_text.push_str(&format!(",{position}"));
        }
    }
    vector_text
}

/// Quotes a term, prefixed with its corpus. Removes quotes and backslashes from the term.
fn lexeme(corpus: i64, term: &str) -> String {
    format!("'{corpus} {}'", term.replace(['\'', '\\'], ""))
}

/// Returns the terms that passages must contain, as a `tsquery`.
pub(super) fn required_terms(corpus: i64, filter: &Filter) -> Option<String> {
    let lexemes: Vec<String> = filter.entity_terms().map(|term| lexeme(corpus, &term)).collect();
    (!lexemes.is_empty()).then(|| lexemes.join(" & "))
}

/// Returns the numbers of passages that match any term of a query, best first; ties are ordered by number.
pub(super) async fn search(
    transaction: &Transaction<'_>,
    corpus: i64,
    text: &str,
    filter: &Filter,
    limit: i64,
) -> Result<Vec<i64>, Error> {
    const SIZE: &str = "SELECT passages, words FROM evidence_corpora WHERE number = $1";
    let terms = occurring_terms(transaction, corpus, text).await?;
    let Some((_, most_common)) = terms.last() else { return Ok(Vec::new()) };
    let totals = query::one(transaction, SIZE, &[&corpus]).await?;
    let passages = totals.get::<_, i64>(0).max(*most_common);
    let mean_length = totals.get::<_, i64>(1).max(1) as f64 / passages.max(1) as f64;
    let candidates = match passages <= RANKED || !filter.is_empty() {
        true => terms.as_slice(),
        false => rarest(&terms),
    };
    let matching: Vec<String> = candidates.iter().map(|(term, _)| lexeme(corpus, term)).collect();
    let matching = match required_terms(corpus, filter) {
        Some(required) => format!("({}) & {required}", matching.join(" | ")),
        None => matching.join(" | "),
    };
    let lexemes: Vec<String> = terms.iter().map(|(term, _)| format!("{corpus} {term}")).collect();
    let weights: Vec<f64> = terms.iter().map(|(_, count)| weight(passages, *count)).collect();

    let mut statement = Conditions { sql: "items.state <> 'gone'".to_owned(), values: Vec::new() };
    restrict(&mut statement, filter);
    let conditions = statement.sql.clone();
    let matching = statement.bind(matching);
    let placeholders: Vec<String> =
        terms.iter().map(|(term, _)| statement.bind(lexeme(corpus, term))).collect();
    let weight_placeholders: Vec<String> =
        weights.iter().map(|weight| statement.bind(*weight)).collect();
    let (lexemes, weights) = (statement.bind(lexemes), statement.bind(weights));
    let (mean_length, limit) = (statement.bind(mean_length), statement.bind(limit));
    let (ranked_limit, full_limit) = (statement.bind(MAX_RANKED), statement.bind(RANKED_IN_FULL));
    let queries: String = placeholders
        .iter()
        .enumerate()
        .map(|(index, term)| format!(", {term}::text::tsquery AS t{index}"))
        .collect();
    let weight_sum: Vec<String> = weight_placeholders
        .iter()
        .enumerate()
        .map(|(index, weight)| {
            format!("CASE WHEN passages.words @@ t{index} THEN {weight}::float8 ELSE 0 END")
        })
        .collect();
    let weight_sum = weight_sum.join(" + ");
    let sql = format!(
        "WITH queries AS MATERIALIZED (SELECT {matching}::text::tsquery AS matching{queries}), \
         found AS MATERIALIZED (SELECT passages.number, passages.words, \
             1 - {B} + {B} * passages.length / {mean_length}::float8 AS length, {weight_sum} AS weight \
             FROM queries JOIN evidence_passages AS passages ON passages.words @@ queries.matching \
             JOIN evidence_items AS items ON items.number = passages.item WHERE {conditions} LIMIT {ranked_limit}), \
         best AS MATERIALIZED (SELECT * FROM found ORDER BY weight / (1 + {K1} * length) DESC, number LIMIT {full_limit}), \
         terms AS (SELECT * FROM unnest({lexemes}::text[], {weights}::float8[]) AS terms (lexeme, weight)) \
         SELECT number, sum(terms.weight * count * ({K1} + 1) / (count + {K1} * length)) AS score \
         FROM best, LATERAL (SELECT lexeme, cardinality(positions)::float8 AS count FROM unnest(words)) AS counts \
         JOIN terms USING (lexeme) GROUP BY number ORDER BY score DESC, number LIMIT {limit}"
    );
    let rows = query::all(transaction, &sql, &statement.parameters()).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Returns the terms of a query that occur in the corpus, each with the number of passages that contain it,
/// rarest first.
async fn occurring_terms(
    transaction: &Transaction<'_>,
    corpus: i64,
    text: &str,
) -> Result<Vec<(String, i64)>, Error> {
    const OCCURRING: &str = "SELECT given.term, CASE WHEN counted.count < $4 THEN counted.count \
             ELSE greatest(counted.count, common.passages) END AS count \
         FROM unnest($2::text[], $3::text[]) AS given (term, query) \
         CROSS JOIN LATERAL (SELECT count(*) AS count FROM (SELECT 1 FROM evidence_passages \
             WHERE words @@ given.query::tsquery LIMIT $4) AS few) AS counted \
         LEFT JOIN evidence_common_terms AS common ON common.corpus = $1 AND common.term = given.term \
         WHERE counted.count > 0 ORDER BY count, term";
    let distinct = query_terms(text);
    let lexemes: Vec<String> = distinct.iter().map(|term| lexeme(corpus, term)).collect();
    let rows =
        query::all(transaction, OCCURRING, &[&corpus, &distinct, &lexemes, &MAX_COUNTED]).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Returns the rarest terms that together occur in at most [`RANKED`] passages, but at least the rarest
/// term.
fn rarest(terms: &[(String, i64)]) -> &[(String, i64)] {
    let mut total = 0;
    let selected = terms.iter().take_while(|(_, count)| {
        let fits = total == 0 || total + count <= RANKED;
        total += count;
        fits
    });
    terms.get(..selected.count()).unwrap_or(terms)
}

fn weight(passages: i64, count: i64) -> f64 {
    let (passages, count) = (passages as f64, count as f64);
    let weight = ((passages - count + 0.5) / (count + 0.5)).ln();
    if weight > 0.0 { weight } else { MIN_WEIGHT }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_counted_and_prefixed_with_their_corpus() {
        let term_counts = count_terms("pod cart-1 pod oom ");
        assert_eq!(term_counts.length, 4);
        assert_eq!(tsvector(7, &term_counts.terms), "'7 cart-1':1 '7 oom':1 '7 pod':1,2");
    }

    #[test]
    fn a_long_passage_is_cut_to_the_tsvector_limits() {
        let long = "word ".repeat(1 << 20);
        let term_counts = count_terms(&long);
        assert!(term_counts.length < 1 << 18);
        assert!(tsvector(1, &term_counts.terms).ends_with(",255"));
    }

    #[test]
    fn selects_at_least_one_rare_term() {
        let terms_with = |counts: &[i64]| -> Vec<(String, i64)> {
            counts.iter().map(|count| (count.to_string(), *count)).collect()
        };
        assert_eq!(rarest(&terms_with(&[3, 4_000, 4_001])).len(), 2);
        assert_eq!(rarest(&terms_with(&[50_000, 60_000])).len(), 1);
        assert_eq!(rarest(&terms_with(&[])).len(), 0);
    }

    #[test]
    fn common_terms_have_almost_no_weight() {
        assert!(weight(100, 1) > weight(100, 10));
        assert!(weight(100, 60) == MIN_WEIGHT);
    }
}
