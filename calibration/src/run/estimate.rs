//! Estimates the size of a run without sending requests.

use std::fmt::Write as _;

use crate::arguments::Run;
use crate::rows::Row;

/// About how many bytes of English a token of a chat model has.
const BYTES_OF_A_TOKEN: usize = 4;

/// About how many tokens the judge's instructions have.
const TOKENS_OF_THE_PROMPT: usize = 3_000;

/// About how many tokens a judge answers for each claim.
const TOKENS_OF_AN_ANSWER: usize = 120;

pub(super) fn page(rows: &[Row], args: &Run) -> String {
    let claims: usize = rows.iter().map(|row| row.claims.len()).sum();
    let evidence = |row: &Row| row.evidence.iter().map(|item| item.text.len()).sum::<usize>();
    let own: usize = rows.iter().map(evidence).sum();
    let report: usize = rows.iter().flat_map(|row| &row.claims).map(|claim| claim.text.len()).sum();
    let items: usize = rows.iter().map(|row| row.evidence.len()).sum();
    let read = match args.top_k {
        None => own,
        Some(most) => own / items.max(1) * (most as usize) * claims,
    };
    let input = (read + 2 * report) / BYTES_OF_A_TOKEN + TOKENS_OF_THE_PROMPT * rows.len();
    let output = TOKENS_OF_AN_ANSWER * claims;
    let mut page = String::new();
    // Writing to a String cannot fail.
    let _ =
        writeln!(page, "{} rows with {claims} claims and {read} bytes of evidence.", rows.len());
    let _ = writeln!(
        page,
        "A chat model would read about {input} tokens and write about {output}; the embedded judges cost nothing."
    );
    if let Some(rate) = args.max_rate {
        let seconds = (rows.len() as f64 / rate).ceil();
        let _ = writeln!(page, "At {rate} rows a second that takes {seconds} s or more.");
    }
    page
}
