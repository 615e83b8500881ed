//! Formats scenes as sentences and as descriptive blocks.

use super::super::scene::{Row, Scene};
use super::super::{Evidence, capitalized};
use crate::Random;

/// Formats a scene as a sentence such as "During the check worker answered in 8 ms and api in 40 ms."
pub(super) fn sentence(scene: &Scene, random: &mut Random) -> Evidence {
    let clauses: Vec<String> = scene.rows().map(|row| clause(&row)).collect();
    let clauses = match clauses.as_slice() {
        [first, middle, last] => format!("{first}, {middle} and {last}"),
        _ => clauses.join(" and "),
    };
    let opening = random.word(&[
        "During the check ",
        "According to the handover ",
        "In the last round ",
        "This morning ",
    ]);
    Evidence {
        tool: "cat handover.txt".to_owned(),
        ..Evidence::state(format!("{opening}{clauses}."))
    }
}

fn clause(row: &Row<'_>) -> String {
    let clauses = row.columns.iter().map(|column| {
        let attribute = column.attribute;
        let (first, later) = attribute.clauses;
        let clause = if row.index == 0 { first } else { later };
        clause.replace("{name}", row.name).replace("{value}", column.prose(row.index))
    });
    clauses.collect::<Vec<_>>().join(" and ")
}

/// Formats a scene as one block of lines per thing, as in the output of `kubectl describe`.
pub(super) fn blocks(scene: &Scene) -> Evidence {
    let block = |row: Row<'_>| {
        let fields = row.fields().map(|(column, cell)| line(&label(column.key()), cell));
        let lines: Vec<String> = std::iter::once(line("Name", row.name)).chain(fields).collect();
        lines.join("\n")
    };
    let blocks: Vec<String> = scene.rows().map(block).collect();
    Evidence {
        tool: format!("kubectl describe {}", scene.kind.plural),
        ..Evidence::state(blocks.join("\n\n"))
    }
}

fn line(label: &str, value: &str) -> String {
    format!("{:<18}{value}", format!("{label}:"))
}

/// Converts a key such as `started_at` to `Started At`.
fn label(key: &str) -> String {
    key.split('_').map(capitalized).collect::<Vec<_>>().join(" ")
}
