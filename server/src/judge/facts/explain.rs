//! This module says how a claim was read and which record comes nearest to it, for people. It decides nothing.

use gsar_extraction::claim::{Kind, TypedClaim};
use gsar_extraction::rules::Held;

use super::Observations;

/// The most bytes of a record that are shown.
const MAX_SHOWN: usize = 160;

/// How a claim was read, what each rule says, and the nearest record with what it lacks.
pub(super) fn considered(text: &str, observations: &Observations<'_>) -> Vec<String> {
    let claim = TypedClaim::read(text);
    let terms: Vec<String> = claim
        .terms
        .iter()
        .map(|term| {
            let kind = match &term.kind {
                Kind::Name => "name".to_owned(),
                Kind::Word => "word".to_owned(),
                Kind::Figure(_) => "figure".to_owned(),
                Kind::Time(_) => "time".to_owned(),
                Kind::Sign(sign) => format!("sign of {sign:?}").to_lowercase(),
            };
            format!("{kind} \"{}\"", term.text)
        })
        .collect();
    let mut lines = vec![format!("read as {}", terms.join(", "))];
    let held = Held::new(&claim, &observations.index);
    let (_, rules) = held.rule();
    lines.extend(rules.iter().map(|rule| format!("rule {} spoke", rule.0)));
    if let Some((id, lacking)) = held.left_over() {
        let facts = observations.index.facts();
        let item = facts.item_of(id).and_then(|item| observations.items.get(item.0));
        if let (Some(record), Some(item)) = (facts.record(id), item) {
            let content = item.content.as_str();
            let end =
                content.floor_char_boundary(record.span.end.min(record.span.start + MAX_SHOWN));
            let shown = content.get(record.span.start..end).unwrap_or_default().trim();
            let lacking = if lacking.is_empty() {
                "has all of it".to_owned()
            } else {
                format!("lacks \"{}\"", lacking.join("\", \""))
            };
            lines.push(format!("nearest in {}: {shown:?} {lacking}", item.id));
        }
    }
    lines
}
