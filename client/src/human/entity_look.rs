//! Formats the stored evidence about an entity and a chat model's classification of it.

use gsar_client::text::one_line;
use gsar_proto::v1;

use super::evidence::hits;
use super::graph::label;
use super::page::{DIM, Page, count, styled};

pub(crate) fn entity_look(answer: &v1::LookAtEntityResponse, columns: usize) -> String {
    let look = answer.look.clone().unwrap_or_default();
    let mut page = Page::new(columns);
    page.add_line(&format!("{}, look {}", one_line(&look.entity), look.visit));
    page.add_gap();
    let labelled = |entity: &str, belief: v1::BeliefLabel| {
        format!("{}, {}", one_line(entity), label(belief).0)
    };
    for neighbour in &look.neighbours {
        page.add_labelled("neighbour", &labelled(&neighbour.entity, neighbour.label()));
    }
    for news in &look.inbox {
        page.add_labelled("news", &labelled(&news.from, news.label()));
    }
    if look.is_changed {
        page.add_labelled("changed", "the entity was changed");
    }
    if let Some(belief) = &answer.belief {
        page.add_gap();
        page.add_labelled("model", &labelled(&belief.entity, belief.label()));
        for observation in &belief.observations {
            let items: Vec<&str> = observation
                .citations
                .iter()
                .map(|citation| citation.evidence_id.as_str())
                .collect();
            page.add_labelled(
                "",
                &format!("{} ({})", one_line(&observation.text), items.join(", ")),
            );
        }
        for edge in &belief.propagations {
            page.add_labelled(
                "propagated",
                &format!("{} → {}", one_line(&edge.from), one_line(&edge.to)),
            );
        }
    }
    for reason in &answer.reasons {
        page.add_labelled(
            "no belief",
            &format!("{} ({})", one_line(&reason.sentence), reason.code),
        );
    }
    page.add_gap();
    let response = v1::SearchResponse {
        hits: answer.passages.iter().filter_map(|passage| passage.hit.clone()).collect(),
        ..v1::SearchResponse::default()
    };
    if response.hits.is_empty() {
        page.add_line(&styled(DIM, "no stored evidence mentions it"));
    }
    let mut text = page.into_text();
    text.push_str(&hits(&response, &look.entity, columns));
    if answer.left_out > 0 {
        let mut page = Page::new(columns);
        let further = count(answer.left_out.into(), "further passage");
        page.add_line(&styled(
            DIM,
            &format!("and {further}; increase --bytes, or pass --skip to see them"),
        ));
        text.push_str(&page.into_text());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_passages_and_belief() {
        let citation = v1::Citation { evidence_id: "rollout".to_owned(), ..Default::default() };
        let passage = v1::EntityPassage {
            hit: Some(v1::SearchHit {
                label: "rollout#L1-1".to_owned(),
                text: "db: max_connections was lowered \u{1b}[31m from 200 to 20".to_owned(),
                ..Default::default()
            }),
            ..Default::default()
        };
        let answer = v1::LookAtEntityResponse {
            look: Some(v1::EntityLook {
                entity: "shop/StatefulSet/db".to_owned(),
                visit: 1,
                neighbours: vec![v1::EntityNeighbour {
                    entity: "shop/Deployment/cart".to_owned(),
                    label: v1::BeliefLabel::Symptom.into(),
                }],
                is_changed: true,
                ..Default::default()
            }),
            passages: vec![passage],
            left_out: 3,
            belief: Some(v1::Belief {
                entity: "shop/StatefulSet/db".to_owned(),
                label: v1::BeliefLabel::Origin.into(),
                observations: vec![v1::Observation {
                    text: "max_connections of db was lowered to 20".to_owned(),
                    citations: vec![citation],
                }],
                propagations: vec![v1::GraphEdge { from: "db".to_owned(), to: "cart".to_owned() }],
                ..Default::default()
            }),
            ..Default::default()
        };
        let failed = v1::LookAtEntityResponse {
            look: answer.look.clone(),
            reasons: vec![gsar_proto::render::reason("RATE_LIMITED", "the provider answered 429")],
            ..Default::default()
        };
        insta::assert_snapshot!(anstream::adapter::strip_str(&format!(
            "{}\n---\n{}",
            entity_look(&answer, 80),
            entity_look(&failed, 80)
        )));
    }
}
