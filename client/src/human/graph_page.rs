//! Renders an explored graph as a standalone HTML page without scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gsar_client::text::{one_line, truncate_middle};
use gsar_proto::v1;
use maud::PreEscaped;

use super::graph::{label, propagations};
use super::html::{document, escape, isolated};

/// Larger graphs are only listed in the table.
const MAX_DRAWN: usize = 200;
/// The width and the height of a box, in pixels.
const BOX: (f64, f64) = (200.0, 44.0);
const SPACE: f64 = 48.0;
const MAX_NAME_COLUMNS: usize = 24;

const STYLE: &str = "\
.origin{color:var(--bad)}.symptom{color:var(--doubtful)}.healthy{color:var(--good)}.deferred,.unseen{color:var(--dim)}td{overflow-wrap:break-word}\
svg{display:block;max-width:none}rect{fill:var(--paper);stroke:currentColor;stroke-width:1.5}.frontier rect{stroke-width:4}.unseen rect{stroke-dasharray:4}\
svg text{fill:var(--ink);font-size:14px}svg text.dim{fill:var(--dim);font-size:11px}path{fill:none;stroke:var(--dim);stroke-width:1.5}marker path{fill:var(--dim)}";

pub(crate) fn page(id: &str, state: &v1::GraphState) -> String {
    let mut page = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(page, "<h1>Origin of the fault in {}</h1>", isolated_html(id));
    write_findings(&mut page, state);
    let is_drawn = state.entities.len() <= MAX_DRAWN;
    match is_drawn {
        true => write_drawing(&mut page, state),
        false => {
            let _ = writeln!(
                page,
                "<p class=\"dim\">Too many entities to draw: {}.</p>",
                state.entities.len()
            );
        }
    }
    write_table(&mut page, state);
    document(&format!("Graph of {id}"), STYLE, &PreEscaped(page))
}

fn write_findings(page: &mut String, state: &v1::GraphState) {
    let join_names = |names: &[String]| {
        names.iter().map(|name| isolated_html(name)).collect::<Vec<_>>().join(", ")
    };
    page.push_str("<table>\n");
    let mut add_row = |head: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(page, "<tr><th scope=\"row\">{head}</th><td>{text}</td></tr>");
        }
    };
    add_row("origin", &join_names(&state.frontier));
    for tie in &state.ties {
        add_row("tied", &join_names(&tie.names));
    }
    add_row("contributes", &join_names(&state.contributing));
    let candidates: Vec<String> =
        state.candidates.iter().take(5).map(|candidate| candidate.entity.clone()).collect();
    add_row("candidates", &join_names(&candidates));
    for alert in &state.alerts {
        let path: Vec<String> = alert.path.iter().map(|name| isolated_html(name)).collect();
        match path.is_empty() {
            true => add_row("unexplained", &isolated_html(&alert.entity)),
            false => add_row("alert", &path.join(" ← ")),
        }
    }
    add_row("pending", &join_names(&state.pending));
    page.push_str("</table>\n");
}

/// Draws the fault's propagation from top to bottom.
fn write_drawing(page: &mut String, state: &v1::GraphState) {
    let indices: BTreeMap<&str, usize> = state
        .entities
        .iter()
        .enumerate()
        .map(|(index, belief)| (belief.entity.as_str(), index))
        .collect();
    let to_indices = |(from, to): (&str, &str)| Some((*indices.get(from)?, *indices.get(to)?));
    let edges: Vec<(usize, usize)> = propagations(state)
        .into_iter()
        .filter_map(to_indices)
        .filter(|(from, to)| from != to)
        .collect();
    let top_entities: Vec<usize> =
        state.frontier.iter().filter_map(|name| indices.get(name.as_str()).copied()).collect();
    let rows = rows(state.entities.len(), &edges, &top_entities);
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut positions: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let (mut top, width) = (SPACE, SPACE + columns as f64 * (BOX.0 + SPACE));
    for row in &rows {
        let mut x = SPACE;
        for vertex in row {
            positions.insert(*vertex, (x, top));
            x += BOX.0 + SPACE;
        }
        top += BOX.1 + SPACE;
    }
    let height = top - SPACE;
    let _ = writeln!(
        page,
        "<h2>Propagation of the fault</h2>\n<div class=\"wide\"><svg role=\"img\" aria-label=\"Propagation of the fault, from top to bottom\" width=\"{width:.0}\" height=\"{:.0}\">\n<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker></defs>",
        height + SPACE
    );
    for (from, to) in edges {
        let (Some(from), Some(to)) = (positions.get(&from), positions.get(&to)) else { continue };
        let (x1, y1) = (from.0 + BOX.0 / 2.0, from.1 + BOX.1);
        let (x2, y2) = (to.0 + BOX.0 / 2.0, to.1);
        let middle = y1.midpoint(y2);
        let _ = writeln!(
            page,
            "<path marker-end=\"url(#end)\" d=\"M{x1:.0} {y1:.0}C{x1:.0} {middle:.0} {x2:.0} {middle:.0} {x2:.0} {y2:.0}\"/>"
        );
    }
    let frontier: BTreeSet<&str> = state.frontier.iter().map(String::as_str).collect();
    for (index, belief) in state.entities.iter().enumerate() {
        let Some((x, y)) = positions.get(&index).copied() else { continue };
        let (class, _) = label(belief.label());
        let frontier_class =
            if frontier.contains(belief.entity.as_str()) { " frontier" } else { "" };
        let entity = one_line(&belief.entity);
        let (prefix, name) = entity.rsplit_once('/').unwrap_or(("", &entity));
        let (prefix, name) = (truncated(prefix), truncated(name));
        let title = escape(&belief.entity);
        let _ = writeln!(
            page,
            "<g class=\"{class}{frontier_class}\"><title>{title}: {class}</title><rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{:.0}\" height=\"{:.0}\" rx=\"6\"/><text x=\"{:.0}\" y=\"{:.0}\">{name}</text><text class=\"dim\" x=\"{:.0}\" y=\"{:.0}\">{prefix} {class}</text></g>",
            BOX.0,
            BOX.1,
            x + 10.0,
            y + 19.0,
            x + 10.0,
            y + 35.0
        );
    }
    page.push_str("</svg></div>\n");
}

/// Arranges the entities in rows. The entities in `top` are in the first row, and every other entity is below its
/// causes. A cycle that contains no entity in `top` is broken at its first entity.
fn rows(count: usize, edges: &[(usize, usize)], top: &[usize]) -> Vec<Vec<usize>> {
    let is_below_top = |edge: &&(usize, usize)| !top.contains(&edge.1);
    let mut causes: BTreeMap<usize, usize> = (0..count).map(|entity| (entity, 0)).collect();
    for (_, to) in edges.iter().filter(is_below_top) {
        *causes.entry(*to).or_default() += 1;
    }
    let mut levels: BTreeMap<usize, usize> = BTreeMap::new();
    let mut rows: Vec<Vec<usize>> = Vec::new();
    while let Some((&entity, _)) =
        causes.iter().min_by_key(|(entity, remaining)| (**remaining, **entity))
    {
        causes.remove(&entity);
        let level = levels.get(&entity).copied().unwrap_or(0);
        for (_, to) in edges.iter().filter(is_below_top).filter(|(from, _)| *from == entity) {
            if let Some(remaining) = causes.get_mut(to) {
                *remaining = remaining.saturating_sub(1);
                let next_level = levels.entry(*to).or_default();
                *next_level = (*next_level).max(level + 1);
            }
        }
        while rows.len() <= level {
            rows.push(Vec::new());
        }
        if let Some(row) = rows.get_mut(level) {
            row.push(entity);
        }
    }
    rows
}

fn truncated(name: &str) -> String {
    escape(&truncate_middle(name, MAX_NAME_COLUMNS))
}

fn write_table(page: &mut String, state: &v1::GraphState) {
    page.push_str("<h2>Entities</h2>\n<div class=\"wide\"><table>\n<tr><th>entity</th><th>label</th><th>evidence</th><th>reasons for the downgrade</th></tr>\n");
    for belief in &state.entities {
        let (class, _) = label(belief.label());
        let evidence: Vec<String> =
            belief.evidence_ids.iter().map(|id| isolated_html(id)).collect();
        let reasons: Vec<String> =
            belief.reasons.iter().map(|reason| isolated_html(&reason.sentence)).collect();
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td class=\"{class}\">{class}</td><td>{}</td><td>{}</td></tr>",
            isolated_html(&belief.entity),
            evidence.join(", "),
            reasons.join("; ")
        );
    }
    page.push_str("</table></div>\n");
}

fn isolated_html(name: &str) -> String {
    isolated(name).into_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_proto::v1::BeliefLabel;
    use proptest::prelude::*;

    fn belief(
        entity: String,
        label: BeliefLabel,
        edges: Vec<(String, String)>,
    ) -> v1::EntityBelief {
        v1::EntityBelief {
            entity,
            label: label.into(),
            visits: 1,
            propagations: edges.into_iter().map(|(from, to)| v1::GraphEdge { from, to }).collect(),
            ..Default::default()
        }
    }

    #[test]
    fn rows_follow_the_propagation() {
        // 3 is the origin; 4 and 5 form an isolated cycle.
        let edges = [(3, 1), (3, 0), (1, 2), (2, 1), (4, 5), (5, 4)];
        assert_eq!(rows(6, &edges, &[3]), [vec![3, 4], vec![0, 1, 5], vec![2]]);
        // The longest path determines the row.
        assert_eq!(rows(3, &[(0, 1), (1, 2), (0, 2)], &[0]), [vec![0], vec![1], vec![2]]);
        assert_eq!(rows(2, &[], &[]), [vec![0, 1]]);
        assert!(rows(0, &[], &[]).is_empty());
    }

    #[test]
    fn names_are_escaped_everywhere() {
        let name = "<script>alert(1)</script>\"'&\u{202e}/x".to_owned();
        let state = v1::GraphState {
            entities: vec![belief(name.clone(), BeliefLabel::Origin, Vec::new())],
            frontier: vec![name.clone()],
            alerts: vec![v1::AlertExplanation {
                entity: name.clone(),
                path: vec![name.clone()],
                by: Vec::new(),
            }],
            ..Default::default()
        };
        let page = page(&name, &state);
        assert!(!page.contains("<script") && !page.contains('\u{202e}'), "{page}");
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;"), "{page}");
        assert!(page.contains("<g class=\"origin frontier\">"), "{page}");
    }

    proptest! {
        #[test]
        fn every_entity_has_its_own_box(
            count in 1_usize..30,
            ends in proptest::collection::vec((0_usize..30, 0_usize..30), 0..60),
        ) {
            let name = |index: usize| format!("shop/Pod/s{index}");
            let edges = ends.into_iter().map(|(from, to)| (name(from % count), name(to % count)));
            let mut entities: Vec<_> =
                (0..count).map(|index| belief(name(index), BeliefLabel::Symptom, Vec::new())).collect();
            entities[0] = belief(name(0), BeliefLabel::Origin, edges.collect());
            let html = page("inc", &v1::GraphState { entities, ..Default::default() });
            let boxes: BTreeSet<&str> =
                html.split("<rect ").skip(1).map(|part| part.split(" width").next().unwrap()).collect();
            prop_assert_eq!(boxes.len(), count, "{}", html);
            prop_assert!(!html.contains("NaN") && !html.contains("inf"), "{}", html);
        }
    }
}
