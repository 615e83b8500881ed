//! Formats the recall of retrieval, one row for each file and method.

use super::markdown::{share, table};
use crate::retrieval::{DEPTHS, FileRecall};

/// The page of a run.
pub(crate) fn retrieval(found: &[FileRecall]) -> String {
    let mut page = String::from(
        "# Retrieval\n\nEach claim asks for its evidence among the evidence of all claims of its file. \
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
