//! Formats recall, one row per file and method.

use super::markdown::{share, table};
use crate::retrieval::{DEPTHS, FileRecall};

pub(crate) fn retrieval(found: &[FileRecall]) -> String {
    let mut page = String::from(
        "# Retrieval\n\nEach claim searches for its evidence among that of all claims in its file. \
         Intervals: 95 %, from 1,000 draws of whole pieces of evidence.\n\n",
    );
    let depths: Vec<String> = DEPTHS.iter().map(|depth| format!("recall@{depth}")).collect();
    let mut head = vec!["file", "search", "claims", "items"];
    head.extend(depths.iter().map(String::as_str));
    head.push("MRR");
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|found| {
            let mut row = vec![
                found.name.clone(),
                found.method.clone(),
                found.claims.to_string(),
                found.items.to_string(),
            ];
            row.extend(found.recall.iter().map(share));
            row.push(format!("{:.3}", found.reciprocal_rank));
            row
        })
        .collect();
    table(&mut page, &head, &rows);
    page
}
