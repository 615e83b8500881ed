//! Formats scenes as JSON documents.

use super::super::Evidence;
use super::super::scene::{Column, Row, Scene};
use super::lines::{log, stamp};
use crate::Random;

/// Formats a scene as an array of objects, either at the top level or under the plural of the kind.
pub(super) fn array(scene: &Scene, random: &mut Random) -> Evidence {
    let rows: Vec<String> = scene.rows().map(|row| object(named(&row))).collect();
    let content = match random.below(3) {
        0 => format!("[{}]", rows.join(",")),
        1 => format!("{{\"{}\":[{}]}}", scene.kind.plural, rows.join(",")),
        _ => format!("[\n  {}\n]", rows.join(",\n  ")),
    };
    document(scene, content)
}

/// Formats a scene as one object per name, or as one object per attribute, which is keyed by name.
pub(super) fn by_name(scene: &Scene, random: &mut Random) -> Evidence {
    let content = if random.percent(70) {
        keyed(scene)
    } else {
        object(scene.columns.iter().map(|column| {
            let values = scene.rows().map(|row| member(row.name, cell(column, row.index)));
            member(column.key(), object(values))
        }))
    };
    document(scene, content)
}

/// Formats a scene as a JSON document at the end of a log line, or as one log line per thing.
pub(super) fn in_log(scene: &Scene, random: &mut Random) -> Evidence {
    let time = stamp(random);
    let lines = match random.below(3) {
        0 => vec![format!("{time} INFO poller result={}", keyed(scene))],
        1 => {
            let rows: Vec<String> = scene.rows().map(|row| object(named(&row))).collect();
            vec![format!("{time} INFO poller {} polled: [{}]", rows.len(), rows.join(","))]
        }
        _ => scene
            .rows()
            .map(|row| format!("{time} INFO poller sample {}", object(named(&row))))
            .collect(),
    };
    log(lines, random)
}

/// Formats a scene as one array of names, and one array of values per attribute.
pub(super) fn parallel_arrays(scene: &Scene, random: &mut Random) -> Evidence {
    let names = scene.names.iter().map(|name| quoted(name));
    let key = if random.percent(50) { scene.kind.plural } else { "names" };
    let arrays = scene.columns.iter().map(|column| {
        let values = scene.rows().map(|row| cell(column, row.index));
        member(column.key(), array_of(values))
    });
    let content = object(std::iter::once(member(key, array_of(names))).chain(arrays));
    document(scene, content)
}

fn keyed(scene: &Scene) -> String {
    object(scene.rows().map(|row| member(row.name, object(members(&row)))))
}

fn named(row: &Row<'_>) -> impl Iterator<Item = String> {
    std::iter::once(member("name", quoted(row.name))).chain(members(row))
}

fn members(row: &Row<'_>) -> Vec<String> {
    row.fields().map(|(column, _)| member(column.key(), cell(column, row.index))).collect()
}

fn cell(column: &Column, index: usize) -> String {
    let text = column.cell(index);
    if column.is_number { text.to_owned() } else { quoted(text) }
}

fn object(members: impl IntoIterator<Item = String>) -> String {
    format!("{{{}}}", members.into_iter().collect::<Vec<_>>().join(","))
}

fn array_of(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(","))
}

#[expect(clippy::needless_pass_by_value, reason = "callers pass temporaries")]
fn member(key: &str, value: String) -> String {
    format!("{}:{value}", quoted(key))
}

/// Quotes a text. Names and values need no JSON escapes.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn document(scene: &Scene, content: String) -> Evidence {
    Evidence {
        tool: format!("curl -s http://inventory/v1/{}", scene.kind.plural),
        json: true,
        ..Evidence::state(content)
    }
}
