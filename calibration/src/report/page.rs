//! Renders the page as a single file without scripts or external resources.

use gsar_core::Class;
use gsar_core::policy::Policy;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figures::Figure;
use crate::ablation::{Cell, ClassCounts, Measures};
use crate::tables::markdown::{DASH, figure, share};

const STYLE: &str = concat!(include_str!("page.css"), include_str!("figure.css"));

const MEASURES: [(&str, &str); 5] = [
    ("M1", "the share of rows that proceed"),
    ("M2", "replans per row that proceeds"),
    (
        "M3",
        "Spearman's correlation of the score S with the share of a row's claims labelled grounded or complementary",
    ),
    ("M4", "the share of claims labelled contradicted that are counted as contradicted"),
    (
        "M5",
        "the share of claims labelled complementary (or ungrounded, if no claim is labelled complementary) that are counted as complementary",
    ),
];

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
                    p { (cells.len()) " runs, " (rows) " rows, policy " code { (policy.name) } " (" (format!("{:.12}", policy.digest())) "). All figures are computed from stored partitions; 95 % intervals are bootstrapped over rows." }
                    @if !objections.is_empty() { (failed(objections)) }
                    h2 { "Runs" }
                    (runs(cells))
                    h2 { "Measures" }
                    (measures(cells))
                    dl { @for (name, sentence) in MEASURES { dt { (name) } dd { (sentence) } } }
                    @if let Some(classes) = classes(cells) {
                        h2 { "Class by class" }
                        (classes)
                        p { "Recall: the share of claims labelled with a class that are counted in it. Precision: the share of claims counted in a class that are labelled with it. Undecided claims count as ungrounded." }
                    }
                    @for figure in figures { (render_figure(figure)) }
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
    let head = [
        "run", "judge", "gsar-server", "judged on", "data set", "rows", "mode", "seed", "evidence",
    ]
    .map(str::to_owned);
    let row = |(cell, _): &(Cell, Measures)| {
        let header = &cell.header;
        let files = header.files.iter().map(|file| format!("{} {:.12}", file.name, file.sha256));
        let part = header.part.as_ref().map_or_else(String::new, |part| format!(", part {part}"));
        vec![
            header.run.clone(),
            header.judge.clone().unwrap_or_else(|| "the server's".to_owned()),
            or_dash(cell.origin.versions.clone()),
            or_dash(cell.origin.days.clone()),
            files.collect::<Vec<_>>().join(", ") + &part,
            cell.rows.len().to_string(),
            header.mode.name().to_owned(),
            header.seed.to_string(),
            header.top_k.map_or_else(|| "own".to_owned(), |k| format!("top {k}")),
        ]
    };
    table("Runs", &head, &cells.iter().map(row).collect::<Vec<_>>())
}

fn or_dash(text: String) -> String {
    if text.is_empty() { DASH.to_owned() } else { text }
}

/// Renders recall, precision and counts per class. Returns `None` if reports were sent without claims.
fn classes(cells: &[(Cell, Measures)]) -> Option<Markup> {
    let mut head = ["run, gold class", "recall", "precision"].map(str::to_owned).to_vec();
    head.extend(Class::ALL.map(|class| format!("counted {}", class.name())));
    head.push("not judged".to_owned());
    let row = |cell: &Cell, of: ClassCounts| {
        let mut cells = vec![format!("{}: {}", cell.header.run, of.class.name())];
        cells.extend([share(&of.recall), share(&of.precision)]);
        cells.extend(of.counted.iter().map(usize::to_string));
        cells
    };
    let of_cell = |(cell, _): &(Cell, Measures)| -> Vec<Vec<String>> {
        ClassCounts::of(cell).into_iter().map(|of| row(cell, of)).collect()
    };
    let rows: Vec<Vec<String>> = cells.iter().flat_map(of_cell).collect();
    (!rows.is_empty()).then(|| table("Class by class", &head, &rows))
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
            figure(measures.replans_per_proceed.map(|estimate| estimate.value)),
            figure(measures.correlation.map(|estimate| estimate.value)),
            share(&measures.contradictions_caught),
            share(&measures.complementary_separate),
            share(&measures.wrong_proceeds),
        ]
    };
    let rows: Vec<Vec<String>> = cells.iter().map(row).collect();
    table("Measures", &head.map(str::to_owned), &rows)
}

fn render_figure(figure: &Figure) -> Markup {
    html! {
        section {
            h2 id=(figure.id) { (figure.title) }
            p { (figure.caption) }
            (scroll(&figure.title, &figure.svg))
            details { summary { "As a table" } (table(&figure.title, &figure.head, &figure.rows)) }
        }
    }
}
