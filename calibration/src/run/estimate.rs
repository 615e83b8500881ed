//! Estimates the size of a run.

use std::fmt::Write as _;

use crate::arguments::Run;
use crate::rows::Row;

const BYTES_PER_TOKEN: usize = 4;

const PROMPT_TOKENS: usize = 3_000;

const OUTPUT_TOKENS_PER_CLAIM: usize = 120;

pub(super) fn page(rows: &[Row], args: &Run) -> String {
    let claims: usize = rows.iter().map(|row| row.claims.len()).sum();
    let evidence = |row: &Row| row.evidence.iter().map(|item| item.text.len()).sum::<usize>();
    let own: usize = rows.iter().map(evidence).sum();
    let report: usize = rows.iter().flat_map(|row| &row.claims).map(|claim| claim.text.len()).sum();
    let items: usize = rows.iter().map(|row| row.evidence.len()).sum();
    let read = match args.top_k {
        None => own,
        Some(k) => own / items.max(1) * (k as usize) * claims,
    };
    let input = (read + 2 * report) / BYTES_PER_TOKEN + PROMPT_TOKENS * rows.len();
    let output = OUTPUT_TOKENS_PER_CLAIM * claims;
    let mut page = String::new();
    let _ =
        writeln!(page, "{} rows with {claims} claims and {read} bytes of evidence.", rows.len());
    let _ = writeln!(
        page,
        "A chat model would read about {input} tokens and write about {output}; the embedded judges cost nothing."
    );
    if let Some(rate) = args.max_rate {
        let seconds = (rows.len() as f64 / rate).ceil();
        let _ = writeln!(page, "At {rate} rows per second this takes at least {seconds} s.");
    }
    page
}
