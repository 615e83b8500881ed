//! This module measures the rules of the embedded judge one by one, over labelled claims, in this process: what each
//! says, how often that is right, and what would be left without it. It judges nothing itself, knows no server, and
//! shows no single row but those of the tune part and of cases that no split names.

mod counted;
mod folds;
mod listing;
mod page;
mod rulings;
mod sources;
mod summary;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::arguments::{AblateRules, Listed, Output, ReplayPart};
use rulings::{Row, rulings};
pub(crate) use sources::{Case, sources};
use summary::Summary;

/// What the rules say of the claims of one source.
struct Ruled {
    name: String,
    cases: Vec<String>,
    rows: Vec<Row>,
}

/// Asks every rule of every claim and returns what is to be printed.
///
/// # Errors
/// Files that cannot be used, and a list of rows that nobody may look at.
pub(crate) fn ablate(wanted: &AblateRules) -> Result<String> {
    ensure!(
        wanted.list.is_none() || wanted.part == ReplayPart::Tune,
        "--list {} shows single rows, and only those of the tune part may be looked at; leave out --part",
        wanted.list.map_or("", Listed::name)
    );
    let sources = sources(&wanted.folders, wanted.split.as_deref(), wanted.part)?;
    let mut ruled: Vec<Ruled> = sources
        .into_iter()
        .map(|source| Ruled {
            rows: rulings(&source),
            cases: source.cases.into_iter().map(|case| case.name).collect(),
            name: source.name,
        })
        .collect();
    if let Some(list) = wanted.list {
        return Ok(listing::listing(list, &ruled));
    }
    if ruled.len() > 1 {
        ruled.push(together(&ruled));
    }
    let summaries: Vec<Summary> =
        ruled.iter().map(|ruled| Summary::new(ruled, wanted.folds)).collect();
    match wanted.output {
        Output::Table => Ok(page::page(wanted, &summaries)),
        Output::Json => {
            let page =
                json!({"part": wanted.part.name(), "folds": wanted.folds, "sources": summaries});
            Ok(serde_json::to_string_pretty(&page)? + "\n")
        }
    }
}

/// All sources as one.
fn together(sources: &[Ruled]) -> Ruled {
    let (mut cases, mut rows) = (Vec::new(), Vec::new());
    for source in sources {
        let moved = source.rows.iter().cloned();
        rows.extend(moved.map(|row| Row { case: row.case + cases.len(), ..row }));
        cases.extend(source.cases.iter().map(|case| format!("{}/{case}", source.name)));
    }
    Ruled { name: "all of them".to_owned(), cases, rows }
}
