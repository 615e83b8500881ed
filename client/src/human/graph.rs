//! Formats an explored graph as text, and for Graphviz and Mermaid.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anstyle::Style;
use gsar_client::text::one_line;
use gsar_proto::v1::{self, BeliefLabel};

use super::page::{BAD, DIM, GOOD, Page, WARNING, count, padded, styled};

pub(crate) fn lines(state: &v1::GraphState, columns: usize) -> String {
    let mut page = Page::new(columns);
    let look_count = state.entities.iter().filter(|belief| belief.visits > 0).count();
    page.add_line(&format!(
        "{} found, {look_count} looked at, {}",
        entities(state.entities.len()),
        count(state.looks.into(), "look")
    ));
    page.add_gap();
    for entity in &state.frontier {
        page.add_labelled("origin", entity);
    }
    for tie in &state.ties {
        page.add_labelled("tied", &tie.names.join(", "));
    }
    for entity in &state.contributing {
        page.add_labelled("contributes", entity);
    }
    for (index, candidate) in state.candidates.iter().take(5).enumerate() {
        let text = format!(
            "{}: {}, reaches {}, {}, {}",
            candidate.entity,
            label(candidate.label()).0,
            count(candidate.alerts.into(), "alert"),
            count(candidate.causes.into(), "suspected cause"),
            if candidate.has_change { "changed" } else { "nothing changed" }
        );
        page.add_labelled(if index == 0 { "candidates" } else { "" }, &text);
    }
    for alert in &state.alerts {
        match alert.path.is_empty() {
            true => page.add_labelled("unexplained", &alert.entity),
            false => page.add_labelled("alert", &alert.path.join(" ← ")),
        }
    }
    for look in &state.due {
        page.add_labelled("due", &look.entity);
    }
    for entity in &state.pending {
        page.add_labelled("pending", entity);
    }
    page.add_gap();
    for belief in &state.entities {
        let (label_text, style) = label(belief.label());
        let lead = format!("  {}   ", styled(style, &padded(label_text, 8)));
        let evidence = match belief.evidence_ids.is_empty() {
            true => String::new(),
            false => format!(" ({})", belief.evidence_ids.join(", ")),
        };
        page.add_wrapped(&lead, 13, Style::new(), &format!("{}{evidence}", belief.entity));
        for reason in &belief.reasons {
            page.add_wrapped(&format!("{:13}", ""), 13, DIM, &reason.sentence);
        }
    }
    page.into_text()
}

pub(crate) fn dot(state: &v1::GraphState) -> String {
    let mut text = String::from("digraph fault {\n  rankdir=LR;\n  node [shape=box];\n");
    for belief in &state.entities {
        let color = match belief.label() {
            BeliefLabel::Origin => "red",
            BeliefLabel::Symptom => "orange",
            BeliefLabel::Healthy => "green",
            BeliefLabel::Defer | BeliefLabel::Unspecified => "gray",
        };
        let pen_width = if state.frontier.contains(&belief.entity) { ", penwidth=3" } else { "" };
        let name = quote(&belief.entity);
        let _ = writeln!(
            text,
            "  {name} [color={color}{pen_width}, tooltip=\"{}\"];",
            label(belief.label()).0
        );
    }
    for (from, to) in propagations(state) {
        let _ = writeln!(text, "  {} -> {};", quote(from), quote(to));
    }
    text.push_str("}\n");
    text
}

pub(crate) fn mermaid(state: &v1::GraphState) -> String {
    let mut text = String::from("flowchart LR\n");
    let indices: BTreeMap<&str, usize> = state
        .entities
        .iter()
        .enumerate()
        .map(|(index, belief)| (belief.entity.as_str(), index))
        .collect();
    for (index, belief) in state.entities.iter().enumerate() {
        let name = one_line(&belief.entity).replace('"', "#quot;");
        let (class, _) = label(belief.label());
        let _ = writeln!(text, "  n{index}[\"{name}\"]:::{class}");
    }
    for (from, to) in propagations(state) {
        if let (Some(from), Some(to)) = (indices.get(from), indices.get(to)) {
            let _ = writeln!(text, "  n{from} --> n{to}");
        }
    }
    for (class, style) in [
        ("origin", "stroke:#c00,stroke-width:3px"),
        ("symptom", "stroke:#e80"),
        ("healthy", "stroke:#080"),
        ("deferred", "stroke:#888"),
        ("unseen", "stroke:#888,stroke-dasharray:4"),
    ] {
        let _ = writeln!(text, "  classDef {class} {style}");
    }
    text
}

/// Returns the distinct edges along which the fault propagates.
pub(super) fn propagations(state: &v1::GraphState) -> BTreeSet<(&str, &str)> {
    let edges = state.entities.iter().flat_map(|belief| &belief.propagations);
    edges.map(|edge| (edge.from.as_str(), edge.to.as_str())).collect()
}

pub(super) fn label(label: BeliefLabel) -> (&'static str, Style) {
    match label {
        BeliefLabel::Origin => ("origin", BAD),
        BeliefLabel::Symptom => ("symptom", WARNING),
        BeliefLabel::Healthy => ("healthy", GOOD),
        BeliefLabel::Defer => ("deferred", DIM),
        BeliefLabel::Unspecified => ("unseen", DIM),
    }
}

fn entities(count: usize) -> String {
    if count == 1 { "1 entity".to_owned() } else { format!("{count} entities") }
}

/// Quotes a name for Graphviz.
fn quote(name: &str) -> String {
    format!("\"{}\"", one_line(name).replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn belief(entity: &str, label: BeliefLabel, propagations: &[(&str, &str)]) -> v1::EntityBelief {
        let edge = |(from, to): &(&str, &str)| v1::GraphEdge {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
        };
        v1::EntityBelief {
            entity: entity.to_owned(),
            label: label.into(),
            visits: 1,
            propagations: propagations.iter().map(edge).collect(),
            evidence_ids: vec!["log".to_owned()],
            ..Default::default()
        }
    }

    fn state() -> v1::GraphState {
        v1::GraphState {
            entities: vec![
                belief(
                    "shop/Deployment/api",
                    BeliefLabel::Symptom,
                    &[("shop/StatefulSet/db", "shop/Deployment/api")],
                ),
                belief("shop/StatefulSet/db", BeliefLabel::Origin, &[]),
            ],
            frontier: vec!["shop/StatefulSet/db".to_owned()],
            alerts: vec![v1::AlertExplanation {
                entity: "shop/Deployment/api".to_owned(),
                by: vec!["shop/StatefulSet/db".to_owned()],
                path: vec!["shop/Deployment/api".to_owned(), "shop/StatefulSet/db".to_owned()],
            }],
            looks: 2,
            ..Default::default()
        }
    }

    #[test]
    fn formats_an_explored_graph() {
        let text = anstream::adapter::strip_str(&lines(&state(), 80)).to_string();
        insta::assert_snapshot!(text, @r"
        2 entities found, 2 looked at, 2 looks

          origin      shop/StatefulSet/db
          alert       shop/Deployment/api ← shop/StatefulSet/db

          symptom    shop/Deployment/api (log)
          origin     shop/StatefulSet/db (log)
        ");
    }

    #[test]
    fn names_are_escaped_in_drawings() {
        let mut state = state();
        state.entities[0].entity = "a\"];evil\\".to_owned();
        assert!(dot(&state).contains(r#""a\"];evil\\" [color=orange"#), "{}", dot(&state));
        assert!(mermaid(&state).contains("n0[\"a#quot;];evil\\\"]"), "{}", mermaid(&state));
        assert!(mermaid(&state).contains("n1[\"shop/StatefulSet/db\"]:::origin"));
    }

    #[test]
    fn shows_candidates_without_an_origin() {
        let state = v1::GraphState {
            candidates: vec![v1::CauseCandidate {
                entity: "shop/Deployment/api".to_owned(),
                label: BeliefLabel::Defer.into(),
                alerts: 1,
                ..Default::default()
            }],
            ..Default::default()
        };
        let text = anstream::adapter::strip_str(&lines(&state, 80)).to_string();
        assert!(
            text.contains(
                "candidates  shop/Deployment/api: deferred, reaches 1 alert, 0 suspected"
            ),
            "{text}"
        );
    }
}
