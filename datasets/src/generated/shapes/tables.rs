//! Formats scenes as tables.

use super::super::Evidence;
use super::super::scene::{Row, Scene};

pub(super) fn kubectl(scene: &Scene) -> Evidence {
    let head: Vec<String> = head(scene).iter().map(|key| key.to_uppercase()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(scene.rows().map(cells)).collect();
    let widths = widths(&rows);
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("   ").trim_end().to_owned()
    });
    Evidence {
        tool: format!("kubectl get {}", scene.kind.plural),
        ..Evidence::state(lines.collect::<Vec<_>>().join("\n"))
    }
}

pub(super) fn psql(scene: &Scene) -> Evidence {
    let head = head(scene);
    let rows: Vec<Vec<String>> =
        std::iter::once(head.clone()).chain(scene.rows().map(cells)).collect();
    let widths = widths(&rows);
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!(" {cell:<width$} "));
            cells.collect::<Vec<_>>().join("|").trim_end().to_owned()
        })
        .collect();
    let rule = widths.iter().map(|width| "-".repeat(width + 2)).collect::<Vec<_>>().join("+");
    lines.insert(1, rule);
    lines.push(format!("({} rows)", scene.names.len()));
    Evidence {
        tool: format!("psql -c 'select {} from {}'", head.join(", "), scene.kind.plural),
        ..Evidence::state(lines.join("\n"))
    }
}

pub(super) fn csv(scene: &Scene) -> Evidence {
    let rows = std::iter::once(head(scene)).chain(scene.rows().map(cells));
    let lines: Vec<String> = rows.map(|row| row.join(",")).collect();
    Evidence { tool: format!("cat {}.csv", scene.kind.plural), ..Evidence::state(lines.join("\n")) }
}

fn head(scene: &Scene) -> Vec<String> {
    let keys = scene.columns.iter().map(|column| column.key().to_owned());
    std::iter::once("name".to_owned()).chain(keys).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "passed to map")]
fn cells(row: Row<'_>) -> Vec<String> {
    let cells = row.fields().map(|(_, cell)| cell.to_owned());
    std::iter::once(row.name.to_owned()).chain(cells).collect()
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or(0)
    };
    (0..columns).map(width).collect()
}
