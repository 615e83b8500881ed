//! Formats scenes as XML and YAML.

use std::fmt::Write as _;

use super::super::Evidence;
use super::super::scene::{Row, Scene};
use crate::Random;

/// Formats a scene as one element per thing, with values as attributes or child elements.
pub(super) fn xml(scene: &Scene, line_end: &str, random: &mut Random) -> Evidence {
    let as_attributes = random.percent(60);
    let indent = if line_end.is_empty() { "" } else { "  " };
    let (noun, plural) = (scene.kind.noun, scene.kind.plural);
    let mut content = format!("<{plural}>{line_end}");
    for row in scene.rows() {
        let element = if as_attributes { empty_element(noun, &row) } else { element(noun, &row) };
        let _ = write!(content, "{indent}{element}{line_end}");
    }
    let _ = write!(content, "</{plural}>");
    Evidence { tool: format!("curl -s http://inventory/{plural}.xml"), ..Evidence::state(content) }
}

fn empty_element(noun: &str, row: &Row<'_>) -> String {
    let fields = row.fields().map(|(column, cell)| format!(" {}=\"{cell}\"", column.key()));
    format!("<{noun} name=\"{}\"{}/>", row.name, fields.collect::<String>())
}

fn element(noun: &str, row: &Row<'_>) -> String {
    let fields = row.fields().map(|(column, cell)| {
        let key = column.key();
        format!("<{key}>{cell}</{key}>")
    });
    format!("<{noun} name=\"{}\">{}</{noun}>", row.name, fields.collect::<String>())
}

pub(super) fn yaml_list(scene: &Scene) -> Evidence {
    let mut content = format!("{}:", scene.kind.plural);
    for row in scene.rows() {
        let _ = write!(content, "\n  - name: {}", row.name);
        fields(&mut content, &row);
    }
    yaml(scene, content)
}

pub(super) fn yaml_map(scene: &Scene) -> Evidence {
    let mut content = format!("{}:", scene.kind.plural);
    for row in scene.rows() {
        let _ = write!(content, "\n  {}:", row.name);
        fields(&mut content, &row);
    }
    yaml(scene, content)
}

fn fields(content: &mut String, row: &Row<'_>) {
    for (column, cell) in row.fields() {
        let _ = write!(content, "\n    {}: {cell}", column.key());
    }
}

fn yaml(scene: &Scene, content: String) -> Evidence {
    Evidence { tool: format!("cat {}.yaml", scene.kind.plural), ..Evidence::state(content) }
}
