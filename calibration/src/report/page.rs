//! This module writes the page of a report: one file without script, which asks for nothing.

use gsar_core::policy::Policy;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figures::Figure;
use crate::ablation::{Cell, Measures};
use crate::tables::markdown::{figure, share};

/// What the page looks like.
const STYLE: &str = concat!(include_str!("page.css"), include_str!("figure.css"));

/// The page of cells; objections of the audit stand on top of it.
pub(super) fn page(
    policy: &Policy,
    cells: &[(Cell, Measures)],
    figures: &[Figure],
    objections: &[String],
) -> String {
    let rows: usize = cells.iter().map(|(cell, _)| cell.rows.len()).sum();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { "GSAR: evaluation of " (cells.len()) " runs" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "Evaluation" }
                    p { (cells.len()) " runs, " (rows) " rows, policy " code { (policy.name) } " (" (format!("{:.12}", policy.digest())) "). All figures are computed from stored partitions; intervals hold 95 % of drawn rows." }
                    @if !objections.is_empty() { (failed(objections)) }
                    h2 { "Runs" }
                    (runs(cells))
                    h2 { "Measures" }
                    (measures(cells))
                    @for figure in figures { (shown(figure)) }
                }
            }
        }
    };
    markup.into_string()
}

fn failed(objections: &[String]) -> Markup {
    html! {
        div class="failed" role="alert" {
            strong { "Audit failed" }
            ul { @for objection in objections { li { (objection) } } }
        }
    }
}

fn scroll(label: &str, inner: &Markup) -> Markup {
    html! { div class="scroll" tabindex="0" role="region" aria-label=(label) { (inner) } }
}

fn table(label: &str, head: &[String], rows: &[Vec<String>]) -> Markup {
    let inner = html! {
        table {
            thead { tr { @for cell in head { th scope="col" { (cell) } } } }
            tbody {
                @for row in rows {
                    tr { @for (at, cell) in row.iter().enumerate() {
                        @if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                    } }
                }
            }
        }
    };
    scroll(label, &inner)
}

fn runs(cells: &[(Cell, Measures)]) -> Markup {
    let head = ["run", "judge", "mode", "rows", "seed", "evidence", "files"].map(str::to_owned);
    let row = |(cell, _): &(Cell, Measures)| {
        let header = &cell.header;
        let files = header.files.iter().map(|file| format!("{} {:.12}", file.name, file.sha256));
        vec![
            header.run.clone(),
            header.judge.clone().unwrap_or_else(|| "the server's".to_owned()),
            header.mode.name().to_owned(),
            cell.rows.len().to_string(),
            header.seed.to_string(),
            header.top_k.map_or_else(|| "own".to_owned(), |most| format!("top {most}")),
            files.collect::<Vec<_>>().join(", "),
        ]
    };
    table("Runs", &head, &cells.iter().map(row).collect::<Vec<_>>())
}

fn measures(cells: &[(Cell, Measures)]) -> Markup {
    let head = [
        "run",
        "M1 proceed",
        "M2 replans",
        "M3 Spearman",
        "M4 caught",
        "M5 kept",
        "wrong of proceeds",
    ];
    let row = |(cell, measures): &(Cell, Measures)| {
        vec![
            cell.header.run.clone(),
            share(&measures.proceeds),
            figure(measures.replans_per_proceed),
            figure(measures.correlation),
            share(&measures.contradictions_caught),
            share(&measures.complementary_kept),
            share(&measures.wrong_proceeds),
        ]
    };
    let rows: Vec<Vec<String>> = cells.iter().map(row).collect();
    table("Measures", &head.map(str::to_owned), &rows)
}

fn shown(figure: &Figure) -> Markup {
    html! {
        section {
            h2 id=(figure.id) { (figure.title) }
            p { (figure.caption) }
            (scroll(&figure.title, &figure.svg))
            details { summary { "The same as a table" } (table(&figure.title, &figure.head, &figure.rows)) }
        }
    }
}
